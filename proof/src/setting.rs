//! What a kernel is given: messages with their keys and states, the memory that they lie in, and what has to be
//! there afterwards.

use crate::{
    kernel::{Case, Kernel, Shape},
    lanes,
    machine::Fresh,
    memory::{self, Access, Memory, Refusal},
    spec::{Cipher, Mode, Order, State},
    term::{Byte, Term, Terms, four, spell},
};

// Where things lie: far from each other, and aligned to nothing. Steps over a source or destination in a lane
// cross a multiple of 2^32.
const SCHEDULE: u64 = 0x1000_0000_0003;
const SUMS: u64 = 0x2000_0000_0005;
pub(crate) const STATE: u64 = 0x3000_0000_0007;
const SOURCE: u64 = 0x4000_ffff_ffed;
const TARGET: u64 = 0x5000_ffff_fff7;
const BETWEEN_LANES: u64 = 1 << 32;
/// How deep a term is shown in a message.
const SHOWN: usize = 4;

/// A message.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) key: Vec<Term>,
    pub(crate) state: State,
    text: Vec<Byte>,
    pub(crate) source: u64,
    pub(crate) target: u64,
    /// Bytes from one block to the next; 0 in an idle lane, which has one block that is nobody's.
    pub(crate) advance: u64,
    /// Whether its lane runs.
    runs: bool,
}

/// A call's messages: one, or one in each lane.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) order: Order,
    pub(crate) cycles: usize,
    /// Blocks, or steps of lanes.
    pub(crate) count: usize,
    groups: usize,
    sums: Vec<Term>,
    pub(crate) messages: Vec<Message>,
}

/// The bytes of words.
pub(crate) fn bytes_of(words: impl IntoIterator<Item = Term>, terms: &Terms) -> Vec<Byte> {
    words
        .into_iter()
        .flat_map(|word| terms.bytes(word))
        .collect()
}

/// The cycles and the byte order of two blocks, with which a schedule begins.
pub(crate) fn head(order: Order, cycles: usize) -> Vec<Byte> {
    let mut bytes = spell(cycles as u64).to_vec();
    for block in [0, 8] {
        bytes.extend(order.places().map(|place| Byte::known(place + block)));
    }
    bytes
}

impl Setting {
    /// Symbols for everything, and the first `blocks` blocks of each text.
    pub(crate) fn new(
        kernel: &Kernel,
        order: Order,
        case: Case,
        blocks: usize,
        fresh: &mut Fresh,
        terms: &mut Terms,
    ) -> Self {
        let (lanes, running) = match kernel.shape {
            Shape::Lanes { lanes, group, .. } => (lanes, group * case.groups),
            Shape::Blocks(_) | Shape::Chain => (1, 1),
        };
        let sums = fresh.words(if kernel.xtea { 0 } else { case.cycles }, terms);
        let messages = (0..lanes).map(|lane| {
            let idle = kernel.is_idle(case.pattern, lane);
            let runs = lane < running;
            let blocks = match (runs, idle) {
                (false, _) => 0,
                (true, true) => 1,
                (true, false) => blocks,
            };
            let key = fresh.words(if kernel.xtea { 2 * case.cycles } else { 4 }, terms);
            let mut pair = || [fresh.word(terms), fresh.word(terms)];
            let state = State {
                ciphertext: pair(),
                mixed: pair(),
            };
            let text = bytes_of(fresh.words(2 * blocks, terms), terms);
            let source = SOURCE + BETWEEN_LANES * lane as u64;
            let target = TARGET + BETWEEN_LANES * lane as u64;
            Message {
                key,
                state,
                text,
                source,
                target: if case.in_place || idle {
                    source
                } else {
                    target
                },
                advance: if idle { 0 } else { 8 },
                runs,
            }
        });
        Self {
            order,
            cycles: case.cycles,
            count: case.count,
            groups: case.groups,
            messages: messages.collect(),
            sums,
        }
    }

    /// The memory, and the arguments.
    pub(crate) fn lay_out(
        &self,
        kernel: &Kernel,
        fresh: &mut Fresh,
        terms: &mut Terms,
    ) -> (Memory, Vec<u64>) {
        let mut memory = Memory::default();
        memory.blocks = self.count as u64;
        memory.tried = 2 * kernel.pass() as u64 + 1;
        memory.add(
            "the sums",
            SUMS,
            Access::Read,
            bytes_of(self.sums.iter().copied(), terms),
        );
        // Lanes that do not run point to where nothing is.
        for message in self.messages.iter().filter(|message| message.runs) {
            if message.source == message.target {
                memory.add(
                    memory::TEXT,
                    message.source,
                    Access::Both,
                    message.text.clone(),
                );
            } else {
                let old = fresh.words(message.text.len() / 4, terms);
                memory.add(
                    memory::SOURCE,
                    message.source,
                    Access::Read,
                    message.text.clone(),
                );
                memory.add(
                    memory::TARGET,
                    message.target,
                    Access::Write,
                    bytes_of(old, terms),
                );
            }
        }
        let sums = (!kernel.xtea).then_some(SUMS);
        if let Shape::Lanes { .. } = kernel.shape {
            lanes::lay_out(self, &mut memory, fresh, terms);
            let counts = [self.count as u64, self.groups as u64];
            return (
                memory,
                [STATE].into_iter().chain(sums).chain(counts).collect(),
            );
        }
        let message = &self.messages[0];
        let key = bytes_of(message.key.iter().copied(), terms);
        memory.add(
            "the schedule",
            SCHEDULE,
            Access::Read,
            [head(self.order, self.cycles), key].concat(),
        );
        let chains = kernel.shape == Shape::Chain;
        if chains {
            memory.add("the state", STATE, Access::Both, self.state(kernel, terms));
        }
        let text = [message.source, message.target, self.count as u64];
        let state = chains.then_some(STATE);
        (
            memory,
            [SCHEDULE]
                .into_iter()
                .chain(sums)
                .chain(state)
                .chain(text)
                .collect(),
        )
    }

    /// The state of the only message as it stands in memory.
    fn state(&self, kernel: &Kernel, terms: &Terms) -> Vec<Byte> {
        let State { ciphertext, mixed } = self.messages[0].state;
        match kernel.mode {
            Mode::QqEncrypt | Mode::QqDecrypt => bytes_of([ciphertext, mixed].concat(), terms),
            _ => bytes_of(ciphertext, terms),
        }
    }

    /// Whether the first `blocks` blocks at the destinations are what the definition says; and the setting in which
    /// the kernel is called for the others.
    pub(crate) fn after(
        &self,
        kernel: &Kernel,
        blocks: usize,
        terms: &mut Terms,
        memory: &Memory,
    ) -> Result<Self, Refusal> {
        let mut rest = self.clone();
        rest.count -= blocks;
        if blocks == 0 {
            return Ok(rest);
        }
        for (lane, message) in rest.messages.iter_mut().enumerate() {
            if !message.runs || message.advance == 0 {
                continue;
            }
            let key = &message.key;
            let cipher = if kernel.xtea {
                Cipher::Xtea(key.clone())
            } else {
                Cipher::Tea([key[0], key[1], key[2], key[3]], self.sums.clone())
            };
            let found = &memory.region(message.target).bytes;
            let (done, left) = message.text.split_at(8 * blocks);
            for (n, block) in done.chunks_exact(8).enumerate() {
                let words = self.order.split(terms, block);
                let words = kernel.mode.block(terms, &cipher, &mut message.state, words);
                let (found, right) = (&found[8 * n..8 * n + 8], self.order.join(terms, words));
                if let Some(word) = (0..2).find(|&word| four(found, word) != four(&right, word)) {
                    let [found, right] = [found, &right[..]].map(|block| {
                        let term = terms.word(four(block, word));
                        terms.show(term, SHOWN)
                    });
                    return Err(Refusal::Result(format!(
                        "word {word} of block {n} of lane {lane} is {found}, not {right}"
                    )));
                }
            }
            message.text = left.to_vec();
            message.source += message.advance * blocks as u64;
            message.target += message.advance * blocks as u64;
        }
        Ok(rest)
    }

    /// Whether the memory holds the results: all blocks, and states and pointers as they are after them.
    pub(crate) fn check(
        &self,
        kernel: &Kernel,
        terms: &mut Terms,
        memory: &Memory,
    ) -> Result<(), Refusal> {
        let end = self.after(kernel, self.count, terms, memory)?;
        match kernel.shape {
            Shape::Blocks(_) => Ok(()),
            Shape::Chain if memory.region(STATE).bytes == end.state(kernel, terms) => Ok(()),
            Shape::Chain => Err(Refusal::Result("the state".to_owned())),
            Shape::Lanes { .. } => {
                let untouched = |message: &Message| self.count == 0 || !message.runs;
                lanes::check(
                    &end,
                    |message| untouched(message) || message.advance > 0,
                    terms,
                    memory,
                )
            }
        }
    }
}
