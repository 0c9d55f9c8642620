//! What is proved of a kernel: its memory is laid out with symbols in it, it is called, and what it leaves is
//! compared with the definition.

use crate::{
    machine::{Machine, Run},
    memory::{Access, Memory, Refusal},
    program::{Arch, Program},
    spec::{Cipher, Mode, Order, State, Words},
    term::{Byte, Term, Terms, spell},
};

/// What a kernel works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Independent blocks, of which so many are taken at a time.
    Blocks(usize),
    /// One message.
    Chain,
    /// Many messages.
    Lanes {
        /// How many.
        lanes: usize,
        /// So many run or rest together.
        group: usize,
        /// How many groups can run.
        groups: &'static [usize],
    },
}

/// A kernel by what it has to do.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Where it runs.
    pub arch: Arch,
    /// Its name.
    pub name: String,
    /// The shape.
    pub shape: Shape,
    /// The chaining and direction.
    pub mode: Mode,
    /// Whether the cipher is XTEA.
    pub xtea: bool,
}

impl Kernel {
    /// From its name, which says what it does.
    #[must_use]
    pub fn named(arch: Arch, name: &str) -> Option<Self> {
        let (work, isa) = name.rsplit_once('_')?;
        let xtea = work.starts_with("xtea_");
        let (mode, shape) = work
            .strip_prefix(if xtea { "xtea_" } else { "tea_" })
            .map_or_else(
                || work.strip_prefix("qq_").map(|rest| ("qq", rest)),
                |rest| {
                    rest.strip_prefix("cbc_")
                        .map_or(Some(("ecb", rest)), |rest| Some(("cbc", rest)))
                },
            )?;
        let (direction, shape) = shape.split_once('_').unwrap_or((shape, "chain"));
        let mode = match (mode, direction) {
            ("ecb", "encrypt") => Mode::EcbEncrypt,
            ("ecb", "decrypt") => Mode::EcbDecrypt,
            ("cbc", "encrypt") => Mode::CbcEncrypt,
            ("qq", "encrypt") => Mode::QqEncrypt,
            ("qq", "decrypt") => Mode::QqDecrypt,
            _ => return None,
        };
        let lanes = |lanes, group, groups| Shape::Lanes {
            lanes,
            group,
            groups,
        };
        let shape = match (shape, isa) {
            ("chain", "scalar") => Shape::Chain,
            ("blocks", "scalar") => Shape::Blocks(1),
            ("blocks", "ssse3") => Shape::Blocks(if xtea { 20 } else { 16 }),
            ("blocks", "avx2") => Shape::Blocks(if xtea { 40 } else { 32 }),
            ("blocks", "avx512") => Shape::Blocks(128),
            ("blocks", "neon" | "sha3") => Shape::Blocks(32),
            ("lanes", "avx2") => lanes(16, 8, &[1, 2]),
            ("lanes", "avx512") => lanes(64, 16, &[1, 2, 3, 4]),
            ("lanes", "neon" | "sha3") => lanes(32, 4, &[1, 2, 4, 8]),
            _ => return None,
        };
        Some(Self {
            arch,
            name: name.to_owned(),
            shape,
            mode,
            xtea,
        })
    }

    /// Whether a lane is idle, by a pattern's number. Pattern 0 has no idle lanes.
    fn is_idle(pattern: usize, lane: usize) -> bool {
        match pattern {
            0 => false,
            1 => lane % 3 == 1,
            _ => lane % 7 != 5,
        }
    }

    /// All calls of a theorem.
    #[must_use]
    pub fn cases(&self, range: Range) -> Vec<Case> {
        let all_counts = range == Range::Counts;
        let counts: Vec<usize> = match (self.shape, range) {
            (Shape::Blocks(width), Range::Counts) => (0..=2 * width + 1).collect(),
            (Shape::Blocks(1) | Shape::Chain | Shape::Lanes { .. }, Range::Cycles) => vec![0, 1, 2],
            (Shape::Blocks(width), Range::Cycles) => vec![0, 1, width, width + 1],
            (Shape::Blocks(width), Range::Both) => vec![2 * width + 1, 4 * width - 1],
            (Shape::Chain, Range::Counts) => (0..=4).collect(),
            (Shape::Lanes { .. }, Range::Counts) => (0..=3).collect(),
            (Shape::Chain | Shape::Lanes { .. }, Range::Both) => vec![5],
        };
        let cycles: Vec<usize> = match range {
            Range::Counts => (1..=3).collect(),
            Range::Cycles => (1..=64).collect(),
            Range::Both => vec![16, 32, 64],
        };
        let (groups, patterns) = match self.shape {
            Shape::Lanes { groups, .. } => (groups, if all_counts { 3 } else { 1 }),
            _ => (&[1][..], 1),
        };
        let places = if all_counts {
            &[false, true][..]
        } else {
            &[false]
        };
        let mut cases = Vec::new();
        for cycles in cycles {
            for &count in &counts {
                for &groups in groups {
                    for pattern in 0..patterns {
                        for &in_place in places {
                            cases.push(Case {
                                count,
                                cycles,
                                groups,
                                pattern,
                                in_place,
                            });
                        }
                    }
                }
            }
        }
        cases
    }
}

/// Which calls a theorem is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// All counts of blocks or steps up to some, with 1 to 3 cycles, in place and from one buffer to another; in
    /// lanes with some of them idle.
    Counts,
    /// 1 to 64 cycles, with few counts.
    Cycles,
    /// Larger counts with the usual numbers of cycles.
    Both,
}

impl Range {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Counts, Self::Cycles, Self::Both];
}

/// One call.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Blocks or steps.
    pub count: usize,
    /// Cycles.
    pub cycles: usize,
    /// Groups of lanes.
    pub groups: usize,
    /// Which lanes are idle.
    pub pattern: usize,
    /// Whether source and destination are the same.
    pub in_place: bool,
}

// Where things lie: far from each other, and aligned to nothing. Steps over a source or destination in a lane
// cross a multiple of 2^32.
const SCHEDULE: u64 = 0x1000_0000_0003;
const SUMS: u64 = 0x2000_0000_0005;
const STATE: u64 = 0x3000_0000_0007;
const SOURCE: u64 = 0x4000_ffff_ffed;
const TARGET: u64 = 0x5000_ffff_fff7;
const BETWEEN_LANES: u64 = 1 << 32;

/// Symbols for what a kernel is given.
struct Symbols<'a> {
    terms: &'a mut Terms,
    count: u32,
}

impl Symbols<'_> {
    fn word(&mut self) -> Term {
        self.count += 1;
        self.terms.symbol(self.count)
    }

    fn words(&mut self, n: usize) -> Vec<Term> {
        (0..n).map(|_| self.word()).collect()
    }

    fn bytes(&self, words: &[Term]) -> Vec<Byte> {
        words
            .iter()
            .flat_map(|&word| self.terms.bytes(word))
            .collect()
    }
}

/// A message and where it is to be found afterwards.
struct Message {
    cipher: Cipher,
    before: State,
    text: Vec<Byte>,
    target: u64,
}

impl Message {
    /// The state that the definition leaves, once its blocks have been found at the target.
    fn check(
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

/// Proves one call. `left` is how many instructions it may take, and then, how many of these are left.
///
/// # Errors
/// If it is not as the definition says.
#[allow(clippy::too_many_arguments)]
pub fn check<M: Machine>(
    kernel: &Kernel,
    program: &Program<M::Instruction>,
    order: Order,
    case: Case,
    terms: &mut Terms,
    reached: &mut [bool],
    left: &mut u64,
) -> Result<(), Refusal> {
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
    let mut call = |arguments: &[u64], terms: &mut Terms, memory: &mut Memory| {
        let mut run = Run::new::<M>(program, arguments, terms, memory, reached, *left);
        let result = M::run(&mut run);
        *left = run.limit;
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
        return layout.check(kernel, order, &messages, terms, &memory);
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
    Ok(())
}

fn cipher(kernel: &Kernel, key: &[Term], sums: &[Term]) -> Cipher {
    if kernel.xtea {
        Cipher::Xtea(key.to_vec())
    } else {
        Cipher::Tea([key[0], key[1], key[2], key[3]], sums.to_vec())
    }
}

/// Adds source and destination, and tells where the destination is.
fn lay_out_text(
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
fn head(order: Order, cycles: usize) -> Vec<Byte> {
    let mut bytes = spell(cycles as u64).to_vec();
    for block in [0, 8] {
        bytes.extend(order.places().map(|place| Byte::known(place + block)));
    }
    bytes
}

fn schedule(symbols: &Symbols<'_>, order: Order, cycles: usize, words: &[Term]) -> Vec<Byte> {
    [head(order, cycles), symbols.bytes(words)].concat()
}

/// The memory of a lanes kernel, of which the first lanes run.
struct Lanes<'a> {
    lanes: usize,
    running: usize,
    case: Case,
    sums: &'a [Term],
}

impl Lanes<'_> {
    /// The fields of `Lanes` in src/backend/lanes.rs, each of which holds two words of every lane or a pointer.
    fn field(&self, n: usize) -> u64 {
        STATE + 64 + (8 * self.lanes * n) as u64
    }

    fn is_idle(&self, lane: usize) -> bool {
        Kernel::is_idle(self.case.pattern, lane)
    }

    /// Source and destination of a lane. The lanes that do not run point to where nothing is.
    fn pointers(&self, lane: usize) -> [u64; 2] {
        let source = SOURCE + BETWEEN_LANES * lane as u64;
        let target = TARGET + BETWEEN_LANES * lane as u64;
        [
            source,
            if self.case.in_place || self.is_idle(lane) {
                source
            } else {
                target
            },
        ]
    }

    fn lay_out(
        &self,
        kernel: &Kernel,
        order: Order,
        symbols: &mut Symbols<'_>,
        memory: &mut Memory,
    ) -> Vec<Message> {
        let Self { lanes, case, .. } = *self;
        let keys = if kernel.xtea { 2 * case.cycles } else { 4 };
        let key = symbols.words(keys * lanes);
        let state = symbols.words(4 * lanes);
        let scratch = symbols.words(2 * lanes);
        let pointers = |which: usize| {
            (0..lanes)
                .flat_map(|lane| spell(self.pointers(lane)[which]))
                .collect::<Vec<_>>()
        };
        let advance = (0..lanes).flat_map(|lane| spell(if self.is_idle(lane) { 0 } else { 8 }));
        memory.add("the head", STATE, Access::Read, head(order, case.cycles));
        memory.add(
            "the ciphertext",
            self.field(0),
            Access::Both,
            symbols.bytes(&state[..2 * lanes]),
        );
        memory.add(
            "what is mixed",
            self.field(1),
            Access::Both,
            symbols.bytes(&state[2 * lanes..]),
        );
        memory.add(
            "the scratch",
            self.field(2),
            Access::Both,
            symbols.bytes(&scratch),
        );
        memory.add("the sources", self.field(3), Access::Both, pointers(0));
        memory.add("the targets", self.field(4), Access::Both, pointers(1));
        memory.add(
            "the advance",
            self.field(5),
            Access::Read,
            advance.collect(),
        );
        memory.add("the keys", self.field(6), Access::Read, symbols.bytes(&key));

        let mut messages = Vec::new();
        for lane in 0..lanes {
            let of = |words: &[Term], n: usize| words[n * lanes + lane];
            let words: Vec<Term> = (0..keys).map(|n| of(&key, n)).collect();
            let blocks = match () {
                () if lane >= self.running => 0,
                () if self.is_idle(lane) => 1,
                () => case.count,
            };
            let text = symbols.words(2 * blocks);
            let text = symbols.bytes(&text);
            let [source, target] = self.pointers(lane);
            if lane < self.running {
                lay_out_text(source == target, &text, source, target, symbols, memory);
            }
            messages.push(Message {
                cipher: cipher(kernel, &words, self.sums),
                before: State {
                    ciphertext: [of(&state, 0), of(&state, 1)],
                    mixed: [of(&state, 2), of(&state, 3)],
                },
                text,
                target,
            });
        }
        messages
    }

    fn check(
        &self,
        kernel: &Kernel,
        order: Order,
        messages: &[Message],
        terms: &mut Terms,
        memory: &Memory,
    ) -> Result<(), Refusal> {
        for (lane, message) in messages.iter().enumerate() {
            let runs = lane < self.running && self.case.count > 0;
            let idles = self.is_idle(lane);
            // What an idle lane holds is nobody's; what it holds besides, stays.
            if !(runs && idles) {
                let state = if runs {
                    message.check(kernel, order, terms, memory)?
                } else {
                    message.before
                };
                for (field, words) in [(0, state.ciphertext), (1, state.mixed)] {
                    self.compare(field, lane, words, terms, memory)?;
                }
            }
            let advance = if runs && !idles {
                8 * self.case.count as u64
            } else {
                0
            };
            for (field, pointer) in [3, 4].into_iter().zip(self.pointers(lane)) {
                let found = &memory.region(self.field(field)).bytes[8 * lane..8 * lane + 8];
                if found != spell(pointer + advance) {
                    return Err(Refusal::Result(format!("a pointer of lane {lane}")));
                }
            }
        }
        Ok(())
    }

    fn compare(
        &self,
        field: usize,
        lane: usize,
        words: Words,
        terms: &Terms,
        memory: &Memory,
    ) -> Result<(), Refusal> {
        let found = &memory.region(self.field(field)).bytes;
        for (n, word) in words.into_iter().enumerate() {
            let at = 4 * (n * self.lanes + lane);
            if found[at..at + 4] != terms.bytes(word) {
                return Err(Refusal::Result(format!("the state of lane {lane}")));
            }
        }
        Ok(())
    }
}
