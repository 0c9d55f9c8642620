//! What is proved of a kernel: its memory is laid out with symbols in it, it is called, and what it leaves is
//! compared with the definition.

use crate::{
    kernel::{Case, Kernel, Shape},
    lanes::Lanes,
    machine::{Machine, Run},
    memory::{Access, Memory, Refusal},
    program::Program,
    spec::{Cipher, Mode, Order, State},
    term::{Byte, Term, Terms, spell},
};

// Where things lie: far from each other, and aligned to nothing. Steps over a source or destination in a lane
// cross a multiple of 2^32.
const SCHEDULE: u64 = 0x1000_0000_0003;
pub(crate) const SUMS: u64 = 0x2000_0000_0005;
pub(crate) const STATE: u64 = 0x3000_0000_0007;
pub(crate) const SOURCE: u64 = 0x4000_ffff_ffed;
pub(crate) const TARGET: u64 = 0x5000_ffff_fff7;
pub(crate) const BETWEEN_LANES: u64 = 1 << 32;

/// Symbols for what a kernel is given.
pub(crate) struct Symbols<'a> {
    pub(crate) terms: &'a mut Terms,
    count: u32,
}

impl Symbols<'_> {
    pub(crate) fn word(&mut self) -> Term {
        self.count += 1;
        self.terms.symbol(self.count)
    }

    pub(crate) fn words(&mut self, n: usize) -> Vec<Term> {
        (0..n).map(|_| self.word()).collect()
    }

    pub(crate) fn bytes(&self, words: &[Term]) -> Vec<Byte> {
        words
            .iter()
            .flat_map(|&word| self.terms.bytes(word))
            .collect()
    }
}

/// A message and where it is to be found afterwards.
pub(crate) struct Message {
    pub(crate) cipher: Cipher,
    pub(crate) before: State,
    pub(crate) text: Vec<Byte>,
    pub(crate) target: u64,
}

impl Message {
    /// The state that the definition leaves, once its blocks have been found at the target.
    pub(crate) fn check(
        &self,
        kernel: &Kernel,
        order: Order,
        terms: &mut Terms,
        memory: &Memory,
    ) -> Result<State, Refusal> {
        let mut state = self.before;
        if self.text.is_empty() {
            return Ok(state);
        }
        let found = &memory.region(self.target).bytes;
        for (n, block) in self.text.chunks_exact(8).enumerate() {
            let words = order.split(terms, block);
            let expected = kernel.mode.block(terms, &self.cipher, &mut state, words);
            let expected = order.join(terms, expected);
            if found[8 * n..8 * n + 8] != expected {
                return Err(Refusal::Result(format!("block {n}")));
            }
        }
        Ok(state)
    }
}

/// Proves calls of a kernel.
#[derive(Debug)]
pub struct Prover<M: Machine> {
    /// The kernel.
    pub kernel: Kernel,
    /// Its code.
    pub program: Program<M::Instruction>,
    /// Marked for each instruction that was executed.
    pub reached: Vec<bool>,
    terms: Terms,
}

impl<M: Machine> Prover<M> {
    /// For a kernel's code.
    ///
    /// # Errors
    /// If it cannot be decoded.
    pub fn new(kernel: Kernel, code: &[u8]) -> Result<Self, Refusal> {
        let program = M::decode(code)?;
        let reached = vec![false; program.instructions.len()];
        Ok(Self {
            kernel,
            program,
            reached,
            terms: Terms::default(),
        })
    }

    /// Proves one call, and tells how many instructions it takes, which may be no more than `limit`.
    ///
    /// # Errors
    /// If it is not as the definition says.
    #[allow(clippy::missing_panics_doc)]
    pub fn check(&mut self, order: Order, case: Case, limit: u64) -> Result<u64, Refusal> {
        let Self {
            kernel,
            program,
            reached,
            terms,
        } = self;
        if !program.instructions.first().is_some_and(M::is_landing_pad) {
            return Err(Refusal::Convention(
                "it begins without a landing pad".to_owned(),
            ));
        }
        terms.clear();
        let mut symbols = Symbols { terms, count: 0 };
        let mut memory = Memory::default();
        let sums = if kernel.xtea {
            Vec::new()
        } else {
            symbols.words(case.cycles)
        };
        if !kernel.xtea {
            memory.add("the sums", SUMS, Access::Read, symbols.bytes(&sums));
        }
        let mut steps = 0;
        let mut call = |arguments: &[u64], terms: &mut Terms, memory: &mut Memory| {
            let mut run = Run::new::<M>(program, arguments, terms, memory, reached, limit);
            let result = M::run(&mut run);
            steps = limit - run.limit;
            result
        };
        if let Shape::Lanes { lanes, group, .. } = kernel.shape {
            let layout = Lanes {
                lanes,
                running: group * case.groups,
                case,
                sums: &sums,
            };
            let messages = layout.lay_out(kernel, order, &mut symbols, &mut memory);
            let arguments = [STATE, SUMS, case.count as u64, case.groups as u64];
            let without_sums = [arguments[0], arguments[2], arguments[3]];
            call(
                if kernel.xtea {
                    &without_sums
                } else {
                    &arguments
                },
                terms,
                &mut memory,
            )?;
            layout.check(kernel, order, &messages, terms, &memory)?;
            return Ok(steps);
        }

        let key = symbols.words(if kernel.xtea { 2 * case.cycles } else { 4 });
        memory.add(
            "the schedule",
            SCHEDULE,
            Access::Read,
            schedule(&symbols, order, case.cycles, &key),
        );
        let chains = kernel.shape == Shape::Chain;
        let before = [symbols.words(2), symbols.words(2)].concat();
        let qq = matches!(kernel.mode, Mode::QqEncrypt | Mode::QqDecrypt);
        if chains {
            memory.add(
                "the state",
                STATE,
                Access::Both,
                symbols.bytes(&before[..if qq { 4 } else { 2 }]),
            );
        }
        let text = symbols.words(2 * case.count);
        let text = symbols.bytes(&text);
        let target = lay_out_text(
            case.in_place,
            &text,
            SOURCE,
            TARGET,
            &mut symbols,
            &mut memory,
        );
        let mut arguments = vec![SCHEDULE];
        arguments.extend((!kernel.xtea).then_some(SUMS));
        arguments.extend(chains.then_some(STATE));
        arguments.extend([SOURCE, target, case.count as u64]);
        call(&arguments, terms, &mut memory)?;

        let message = Message {
            cipher: cipher(kernel, &key, &sums),
            before: State {
                ciphertext: [before[0], before[1]],
                mixed: [before[2], before[3]],
            },
            text,
            target,
        };
        let state = message.check(kernel, order, terms, &memory)?;
        if chains {
            let expected = [state.ciphertext, state.mixed].concat();
            let expected: Vec<Byte> = expected
                .iter()
                .flat_map(|&word| terms.bytes(word))
                .collect();
            let found = &memory.region(STATE).bytes;
            if found[..] != expected[..found.len()] {
                return Err(Refusal::Result("the state".to_owned()));
            }
        }
        Ok(steps)
    }
}

pub(crate) fn cipher(kernel: &Kernel, key: &[Term], sums: &[Term]) -> Cipher {
    if kernel.xtea {
        Cipher::Xtea(key.to_vec())
    } else {
        Cipher::Tea([key[0], key[1], key[2], key[3]], sums.to_vec())
    }
}

/// Adds source and destination, and tells where the destination is.
pub(crate) fn lay_out_text(
    in_place: bool,
    text: &[Byte],
    source: u64,
    target: u64,
    symbols: &mut Symbols<'_>,
    memory: &mut Memory,
) -> u64 {
    if in_place {
        memory.add("the text", source, Access::Both, text.to_vec());
        return source;
    }
    let old = symbols.words(text.len() / 4);
    memory.add("the source", source, Access::Read, text.to_vec());
    memory.add(
        "the destination",
        target,
        Access::Write,
        symbols.bytes(&old),
    );
    target
}

/// The cycles and the byte order of two blocks, with which a schedule begins.
pub(crate) fn head(order: Order, cycles: usize) -> Vec<Byte> {
    let mut bytes = spell(cycles as u64).to_vec();
    for block in [0, 8] {
        bytes.extend(order.places().map(|place| Byte::known(place + block)));
    }
    bytes
}

fn schedule(symbols: &Symbols<'_>, order: Order, cycles: usize, words: &[Term]) -> Vec<Byte> {
    [head(order, cycles), symbols.bytes(words)].concat()
}
