//! What a kernel has to do, by its name, and the calls of it that theorems are of.

use fasttea::backend;

use crate::{program::Arch, spec::Mode};

/// Bits of a word.
const WORD: u32 = 32;

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
    /// From its name, which says what it does and which backend it belongs to.
    #[must_use]
    pub fn named(arch: Arch, name: &str) -> Option<Self> {
        let (work, backend) = name.rsplit_once('_')?;
        let mut backends = backend::ALL.iter();
        let backend = backends.find(|known| (known.arch, known.name) == (arch.name(), backend))?;
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
        let shape = match (shape, backend.blocks, backend.lanes) {
            ("chain", None, None) => Shape::Chain,
            ("blocks", None, None) => Shape::Blocks(1),
            ("blocks", Some(vectors), _) => {
                let work = if xtea { vectors.xtea } else { vectors.tea };
                Shape::Blocks((vectors.vector_bits / WORD) as usize * work.groups)
            }
            ("lanes", _, Some(lanes)) => Shape::Lanes {
                lanes: lanes.width,
                group: lanes.group,
                groups: lanes.groups,
            },
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

    /// Blocks or steps that are taken at a time.
    #[must_use]
    pub fn pass(&self) -> usize {
        match self.shape {
            Shape::Blocks(width) => width,
            Shape::Chain | Shape::Lanes { .. } => 1,
        }
    }

    /// How many groups of lanes can run; 1 where there are no lanes.
    #[must_use]
    pub fn groups(&self) -> &'static [usize] {
        match self.shape {
            Shape::Lanes { groups, .. } => groups,
            Shape::Blocks(_) | Shape::Chain => &[1],
        }
    }

    /// Whether a lane is idle, by a pattern's number. Pattern 0 has no idle lanes.
    pub(crate) fn is_idle(&self, pattern: usize, lane: usize) -> bool {
        match pattern {
            _ if !matches!(self.shape, Shape::Lanes { .. }) => false,
            0 => false,
            1 => lane % 3 == 1,
            _ => lane % 7 != 5,
        }
    }

    /// All calls of a theorem.
    #[must_use]
    pub fn cases(&self, range: Range) -> Vec<Case> {
        let pass = self.pass();
        let counts: Vec<usize> = match (range, self.shape) {
            (Range::Counts, Shape::Blocks(_)) => (0..=2 * pass + 1).collect(),
            (Range::Counts, Shape::Chain) => (0..=4).collect(),
            (Range::Counts, Shape::Lanes { .. }) => (0..=3).collect(),
            (Range::Cycles, _) if pass == 1 => vec![0, 1, 2],
            (Range::Cycles, _) => vec![0, 1, pass, pass + 1],
            (Range::Both, Shape::Blocks(_)) => vec![2 * pass + 1, 4 * pass - 1],
            (Range::Both, _) => vec![5],
            (Range::Passes, _) => [MANY].into_iter().chain(1..=pass + 1).collect(),
        };
        let cycles: Vec<usize> = match range {
            Range::Counts | Range::Passes => (1..=3).collect(),
            Range::Cycles => (1..=64).collect(),
            Range::Both => vec![16, 32, 64],
        };
        let groups = self.groups();
        let each_layout = matches!(range, Range::Counts | Range::Passes);
        let patterns = match self.shape {
            Shape::Lanes { .. } if each_layout => 3,
            _ => 1,
        };
        let places = if each_layout {
            &[false, true][..]
        } else {
            &[false]
        };
        // Lanes have a pointer to the sums in any case.
        let own_sums = match self.shape {
            Shape::Blocks(_) | Shape::Chain if !self.xtea => &[false, true][..],
            _ => &[false],
        };
        let mut cases = Vec::new();
        for cycles in cycles {
            for &count in &counts {
                for &groups in groups {
                    for pattern in 0..patterns {
                        for &in_place in places {
                            for &own_sums in own_sums {
                                cases.push(Case {
                                    count,
                                    cycles,
                                    groups,
                                    pattern,
                                    in_place,
                                    own_sums,
                                });
                            }
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
    /// A call with one pass more is a pass and the call: see `Prover::repeat`. With 1 to 3 cycles; in place, and with
    /// idle lanes, as for `Counts`.
    Passes,
}

/// A number of blocks or steps that stands for any larger than what a pass takes.
pub const MANY: usize = 1 << 40;

impl Range {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Counts, Self::Cycles, Self::Both, Self::Passes];
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
    /// Whether TEA's sums lie in the schedule, not where it points to.
    pub own_sums: bool,
}
