//! What the processor allows: the fewest clocks that a block can take, for cores in a table.
//!
//! Independent blocks are limited by the ports that execute vector operations, blocks in a chain by the
//! operations that wait for each other.

use fasttea::backend::{Description, Work};

/// How many vector operations a core starts in a clock, by the bits of a vector.
struct Core {
    name: &'static str,
    bits_128: Ports,
    bits_256: Ports,
    bits_512: Ports,
}

#[derive(Clone, Copy)]
struct Ports {
    /// Additions, exclusive ors and shifts together.
    all: u32,
    shifts: u32,
}

const NONE: Ports = Ports { all: 0, shifts: 0 };

const fn ports(all: u32, shifts: u32) -> Ports {
    Ports { all, shifts }
}

#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
const SKYLAKE: Core = Core {
    name: "Intel Skylake to Raptor Lake (performance cores)",
    bits_128: ports(3, 2),
    bits_256: ports(3, 2),
    bits_512: ports(2, 1),
};

#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
const ZEN_3_4: Core = Core {
    name: "AMD Zen 3 and Zen 4",
    bits_128: ports(4, 2),
    bits_256: ports(4, 2),
    bits_512: ports(2, 1),
};

#[cfg_attr(not(target_arch = "aarch64"), allow(dead_code))]
const TWO_PIPES: Core = Core {
    name: "Arm Cortex-A76 to A78, Neoverse N1 and N2",
    bits_128: ports(2, 1),
    bits_256: NONE,
    bits_512: NONE,
};

#[cfg_attr(not(target_arch = "aarch64"), allow(dead_code))]
const FOUR_PIPES: Core = Core {
    name: "Arm Cortex-X1 to X4, Neoverse V1 and V2",
    bits_128: ports(4, 2),
    bits_256: NONE,
    bits_512: NONE,
};

/// A limit in clocks a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Limit {
    Clocks(f64),
    /// The core is not in the table.
    Unknown,
    /// There is no kernel of ours to have a limit.
    None,
}

/// The machine's core.
pub(crate) struct Processor {
    pub(crate) name: String,
    core: Option<&'static Core>,
}

impl Processor {
    /// Of independent blocks, one in each lane.
    pub(crate) fn blocks(&self, backend: &Description, cipher: &str, cycles: u32) -> Limit {
        let Some(kernels) = backend.blocks else {
            return Limit::None;
        };
        let ports = self.core.map(|core| match kernels.vector_bits {
            128 => core.bits_128,
            256 => core.bits_256,
            _ => core.bits_512,
        });
        let Some(ports) = ports.filter(|ports| ports.all > 0) else {
            return Limit::Unknown;
        };
        let Work {
            operations, shifts, ..
        } = match cipher {
            "xtea" => kernels.xtea,
            _ => kernels.tea,
        };
        let of = |operations: u32, ports: u32| f64::from(operations) / f64::from(ports);
        let half_round = of(operations, ports.all).max(of(shifts, ports.shifts));
        let lanes = f64::from(kernels.vector_bits / 32);
        Limit::Clocks(half_round * f64::from(2 * cycles) / lanes)
    }

    /// Of blocks that wait for the one before: the dependent operations of a half-round, and what is
    /// between two blocks.
    pub(crate) fn chain(&self, backend: &Description, cipher: &str, cycles: u32) -> Limit {
        let (operations, between) = match (backend.arch, cipher) {
            ("", _) => return Limit::None,
            // There an exclusive or shifts its operand on the way, in the cores of the table.
            ("aarch64", _) if self.core.is_none() => return Limit::Unknown,
            ("aarch64", "xtea") => (4, 2),
            ("aarch64", _) => (4, 1),
            (_, "xtea") => (5, 1),
            _ => (4, 2),
        };
        Limit::Clocks(f64::from(operations * 2 * cycles + between))
    }

    /// The row of the table that it is in.
    pub(crate) fn row(&self) -> Option<&'static str> {
        self.core.map(|core| core.name)
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) fn processor() -> Processor {
    let cpu = raw_cpuid::CpuId::new();
    let vendor = cpu.get_vendor_info();
    let vendor = vendor.as_ref().map_or("", |vendor| vendor.as_str());
    let numbers = cpu
        .get_feature_info()
        .map_or((0, 0), |info| (info.family_id(), info.model_id()));
    let brand = cpu.get_processor_brand_string();
    let brand = brand.as_ref().map_or("", |brand| brand.as_str().trim());
    Processor {
        name: if brand.is_empty() { vendor } else { brand }.to_owned(),
        core: x86_core(vendor, numbers),
    }
}

#[cfg(target_arch = "x86_64")]
fn x86_core(vendor: &str, family_and_model: (u8, u8)) -> Option<&'static Core> {
    match (vendor, family_and_model) {
        // Skylake, Kaby, Coffee, Comet, Rocket, Ice, Tiger, Alder and Raptor Lake.
        ("GenuineIntel", (6, 78 | 94 | 142 | 158 | 165 | 167 | 125 | 126 | 140 | 141)) => {
            Some(&SKYLAKE)
        }
        ("GenuineIntel", (6, 151 | 154 | 183 | 186 | 191)) => Some(&SKYLAKE),
        // Skylake, Ice Lake, Sapphire, Emerald and Granite Rapids servers.
        ("GenuineIntel", (6, 85 | 106 | 108 | 143 | 207 | 173)) => Some(&SKYLAKE),
        ("AuthenticAMD", (25, _)) => Some(&ZEN_3_4),
        _ => None,
    }
}

#[cfg(target_arch = "aarch64")]
pub(crate) fn processor() -> Processor {
    // Linux tells there what other systems tell nowhere.
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        let digits = line.split_once(": 0x")?.1;
        u32::from_str_radix(digits, 16).ok()
    };
    let arm = field("CPU implementer") == Some(0x41);
    let part = field("CPU part").filter(|_| arm);
    Processor {
        name: part.map_or("aarch64".to_owned(), |part| format!("Arm core {part:#x}")),
        core: match part {
            Some(0xd0b | 0xd0c | 0xd0d | 0xd41 | 0xd49) => Some(&TWO_PIPES),
            Some(0xd40 | 0xd44 | 0xd48 | 0xd4e | 0xd4f | 0xd82) => Some(&FOUR_PIPES),
            _ => None,
        },
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) fn processor() -> Processor {
    Processor {
        name: std::env::consts::ARCH.to_owned(),
        core: None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use fasttea::backend;

    use super::*;

    const INTEL: Processor = on(Some(&SKYLAKE));
    const AMD: Processor = on(Some(&ZEN_3_4));
    const TWO: Processor = on(Some(&TWO_PIPES));
    const FOUR: Processor = on(Some(&FOUR_PIPES));
    const UNKNOWN: Processor = on(None);

    const fn on(core: Option<&'static Core>) -> Processor {
        Processor {
            name: String::new(),
            core,
        }
    }

    /// One of the architecture, or of any.
    fn backend(arch: &str, name: &str) -> &'static Description {
        backend::ALL
            .iter()
            .find(|backend| backend.name == name && [arch, ""].contains(&backend.arch))
            .unwrap()
    }

    /// The figures that the banners in asm give.
    #[test]
    fn blocks_are_limited_by_the_ports() {
        for (processor, arch, name, cipher, cycles, limit) in [
            (
                INTEL,
                "x86_64",
                "ssse3",
                "tea",
                16,
                Limit::Clocks(64.0 / 3.0),
            ),
            (INTEL, "x86_64", "avx2", "qq", 16, Limit::Clocks(32.0 / 3.0)),
            (INTEL, "x86_64", "avx2", "xtea", 32, Limit::Clocks(16.0)),
            (INTEL, "x86_64", "avx512", "tea", 16, Limit::Clocks(7.0)),
            (INTEL, "x86_64", "avx512", "xtea", 32, Limit::Clocks(12.0)),
            (AMD, "x86_64", "ssse3", "xtea", 32, Limit::Clocks(24.0)),
            (AMD, "x86_64", "avx2", "tea", 16, Limit::Clocks(8.0)),
            (AMD, "x86_64", "avx512", "tea", 32, Limit::Clocks(14.0)),
            (TWO, "aarch64", "neon", "tea", 16, Limit::Clocks(28.0)),
            (TWO, "aarch64", "neon", "xtea", 32, Limit::Clocks(48.0)),
            (FOUR, "aarch64", "neon", "tea", 16, Limit::Clocks(14.0)),
            (FOUR, "aarch64", "sha3", "tea", 16, Limit::Clocks(10.0)),
            (UNKNOWN, "x86_64", "avx2", "tea", 16, Limit::Unknown),
            (INTEL, "x86_64", "portable", "tea", 16, Limit::None),
            (INTEL, "x86_64", "scalar", "tea", 16, Limit::None),
        ] {
            let found = processor.blocks(backend(arch, name), cipher, cycles);
            assert_eq!(found, limit, "{name} {cipher}");
        }
    }

    #[test]
    fn chains_are_limited_by_their_operations() {
        for (processor, arch, name, cipher, cycles, limit) in [
            (INTEL, "x86_64", "portable", "qq", 16, Limit::None),
            (INTEL, "x86_64", "avx2", "qq", 16, Limit::Clocks(130.0)),
            (INTEL, "x86_64", "avx2", "tea", 32, Limit::Clocks(258.0)),
            (
                UNKNOWN,
                "x86_64",
                "scalar",
                "xtea",
                32,
                Limit::Clocks(321.0),
            ),
            (TWO, "aarch64", "neon", "qq", 16, Limit::Clocks(129.0)),
            (FOUR, "aarch64", "scalar", "xtea", 32, Limit::Clocks(258.0)),
            (UNKNOWN, "aarch64", "neon", "qq", 16, Limit::Unknown),
        ] {
            let found = processor.chain(backend(arch, name), cipher, cycles);
            assert_eq!(found, limit, "{name} {cipher}");
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn cores_are_known_by_their_numbers() {
        assert!(x86_core("AuthenticAMD", (25, 17)).is_some());
        assert!(x86_core("GenuineIntel", (6, 143)).is_some());
        assert!(x86_core("GenuineIntel", (6, 1)).is_none());
    }
}
