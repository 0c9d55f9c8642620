//! What each backend is, whatever the processor and the build. Names, limits, tests and proofs come
//! from here.

/// What a backend is.
///
/// # Examples
///
/// ```
/// use fasttea::backend;
///
/// for backend in backend::ALL {
///     println!("{:8} needs {}", backend.name, backend.needs.join(", "));
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Description {
    /// The name. One architecture has no two of the same name.
    pub name: &'static str,
    /// The architecture, by the name that `cfg(target_arch)` knows, or "" for any.
    pub arch: &'static str,
    /// The processor's features that it needs, by the names that the standard library detects.
    pub needs: &'static [&'static str],
    /// How it runs many blocks in vectors. `None`: not by kernels of its own.
    pub blocks: Option<BlockGroups>,
    /// How it runs many messages in lanes. `None`: one by one.
    pub lanes: Option<LaneGroups>,
}

/// How a backend runs independent blocks: a vector has the first words of some blocks, and another
/// one the second words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct BlockGroups {
    /// The bits of a vector, of which a block's word takes 32.
    pub vector_bits: u32,
    /// TEA.
    pub tea: Work,
    /// XTEA.
    pub xtea: Work,
}

/// The work of a blocks kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Work {
    /// How many vectors of first words are taken at a time.
    pub groups: usize,
    /// The vector operations of a half-round, shifts included.
    pub operations: u32,
    /// How many of them are shifts.
    pub shifts: u32,
}

/// How a backend runs many messages: each in a lane of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct LaneGroups {
    /// The lanes, which is the most messages at a time.
    pub width: usize,
    /// The lanes of a group, which run or rest together.
    pub group: usize,
    /// How many groups can run, the smallest number first and all of them last.
    pub groups: &'static [usize],
    /// The most messages that run quicker without these lanes.
    pub few: usize,
}

/// Every backend, for each architecture the slowest first.
pub const ALL: &[Description] = &[
    PORTABLE,
    SCALAR_X86_64,
    SSSE3,
    AVX2,
    AVX512,
    SCALAR_AARCH64,
    NEON,
    SHA3,
];

/// Rust, vectorised by the compiler.
pub(super) const PORTABLE: Description = of("", "portable", &[]);

/// General-purpose registers.
pub(super) const SCALAR_X86_64: Description = of("x86_64", "scalar", &[]);

pub(super) const SSSE3: Description = Description {
    blocks: vectors(128, work(4, 8, 2), work(5, 6, 2)),
    ..of("x86_64", "ssse3", &["ssse3"])
};

pub(super) const AVX2: Description = Description {
    blocks: vectors(256, work(4, 8, 2), work(5, 6, 2)),
    lanes: lanes(8, &[1, 2], 1),
    ..of("x86_64", "avx2", &["avx2"])
};

/// Which has an exclusive or of three, and hands fewer blocks or messages than fill a vector to the
/// kernels of [`AVX2`].
pub(super) const AVX512: Description = Description {
    blocks: vectors(512, work(8, 7, 2), work(8, 6, 2)),
    lanes: lanes(16, &[1, 2, 3, 4], 8),
    ..of(
        "x86_64",
        "avx512",
        &["avx512f", "avx512bw", "avx512vl", "avx2"],
    )
};

/// General-purpose registers.
pub(super) const SCALAR_AARCH64: Description = of("aarch64", "scalar", &[]);

/// Which joins a shift and an addition. build.rs assembles nothing for a target without it.
pub(super) const NEON: Description = Description {
    blocks: vectors(128, work(8, 7, 2), work(8, 6, 2)),
    lanes: lanes(4, &[1, 2, 4, 8], 2),
    ..of("aarch64", "neon", &[])
};

/// NEON with an exclusive or of three, which helps TEA alone: the other shift is a multiplication.
pub(super) const SHA3: Description = Description {
    blocks: vectors(128, work(8, 5, 1), work(8, 6, 2)),
    name: "sha3",
    needs: &["sha3"],
    ..NEON
};

const fn of(arch: &'static str, name: &'static str, needs: &'static [&'static str]) -> Description {
    Description {
        name,
        arch,
        needs,
        blocks: None,
        lanes: None,
    }
}

const fn vectors(vector_bits: u32, tea: Work, xtea: Work) -> Option<BlockGroups> {
    Some(BlockGroups {
        vector_bits,
        tea,
        xtea,
    })
}

const fn work(groups: usize, operations: u32, shifts: u32) -> Work {
    Work {
        groups,
        operations,
        shifts,
    }
}

const fn lanes(group: usize, groups: &'static [usize], few: usize) -> Option<LaneGroups> {
    Some(LaneGroups {
        width: group * groups[groups.len() - 1],
        group,
        groups,
        few,
    })
}

/// Whether a build for this architecture, with its assembly or without, has a backend of that name.
pub(super) const fn is_built(name: &str, asm: bool) -> bool {
    let arch = if cfg!(target_arch = "x86_64") {
        "x86_64"
    } else if cfg!(target_arch = "aarch64") {
        "aarch64"
    } else {
        ""
    };
    let mut i = 0;
    while i < ALL.len() {
        let Description {
            name: known,
            arch: of,
            ..
        } = ALL[i];
        if equal(known, name) && (of.is_empty() || asm && equal(of, arch)) {
            return true;
        }
        i += 1;
    }
    false
}

const fn equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
