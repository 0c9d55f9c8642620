//! What a kernel is given: messages with their keys and states, and what becomes of them. Where all of it lies is
//! in `layout`.

use crate::{
    fresh::Fresh,
    kernel::{Case, Kernel, Shape},
    memory::{Memory, Refusal},
    spec::{ByteOrder, Cipher, State},
    term::{Byte, Term, four, spell},
    terms::Terms,
};

// Where texts lie: far from each other, and aligned to nothing. Steps over a source or destination in a lane cross
// a multiple of 2^32.
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
    pub(crate) text: Vec<Byte>,
    pub(crate) source: u64,
    pub(crate) target: u64,
    /// Bytes from one block to the next; 0 in an idle lane, which has one block that is nobody's.
    pub(crate) advance: u64,
    /// Whether its lane runs.
    pub(crate) runs: bool,
}

/// A call's messages: one, or one in each lane.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) byte_order: ByteOrder,
    pub(crate) cycles: usize,
    /// Blocks, or steps of lanes.
    pub(crate) count: usize,
    pub(crate) groups: usize,
    /// TEA's sum of each cycle.
    pub(crate) sums: Vec<Term>,
    /// Whether they lie in the schedule, not elsewhere.
    pub(crate) own_sums: bool,
    pub(crate) messages: Vec<Message>,
}

impl Setting {
    /// Symbols for everything, and the first `blocks` blocks of each text.
    pub(crate) fn new(
        kernel: &Kernel,
        byte_order: ByteOrder,
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
            let text = fresh.words(2 * blocks, terms);
            let text = terms.spell(text);
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
            byte_order,
            cycles: case.cycles,
            count: case.count,
            groups: case.groups,
            messages: messages.collect(),
            sums,
            own_sums: case.own_sums,
        }
    }

    /// The cycles and the byte order of two blocks, with which schedules and lanes begin.
    pub(crate) fn head(&self) -> Vec<Byte> {
        let mut bytes = spell(self.cycles as u64).to_vec();
        for block in [0, 8] {
            bytes.extend(
                self.byte_order
                    .places()
                    .map(|place| Byte::known(place + block)),
            );
        }
        bytes
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
                let words = self.byte_order.split(terms, block);
                let words = kernel.mode.block(terms, &cipher, &mut message.state, words);
                let (found, right) = (&found[8 * n..8 * n + 8], self.byte_order.join(terms, words));
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
}
