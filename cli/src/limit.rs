//! What the processor allows: the fewest clocks that a block can take, for cores in a table.
//!
//! Independent blocks are limited by the ports that execute vector operations, blocks in a chain by the
//! operations that wait for each other.

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

/// Whether a batch goes through lanes, and not one message after the other.
pub(crate) fn has_lanes(backend: &str) -> bool {
    kernel(backend, "tea").is_some() && backend != "ssse3"
}

/// The operations of a half-round for a vector of blocks, and the vector.
struct Kernel {
    operations: u32,
    shifts: u32,
    bits: u32,
}

fn kernel(backend: &str, cipher: &str) -> Option<Kernel> {
    let (bits, tea, tea_shifts) = match backend {
        "ssse3" => (128, 8, 2),
        "avx2" => (256, 8, 2),
        // An exclusive or of three.
        "avx512" => (512, 7, 2),
        // A shift and an addition in one.
        "neon" => (128, 7, 2),
        // And a multiplication for the other shift.
        "sha3" => (128, 5, 1),
        _ => return None,
    };
    let (operations, shifts) = if cipher == "xtea" {
        (6, 2)
    } else {
        (tea, tea_shifts)
    };
    Some(Kernel {
        operations,
        shifts,
        bits,
    })
}

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
    pub(crate) fn blocks(&self, backend: &str, cipher: &str, cycles: u32) -> Limit {
        let Some(kernel) = kernel(backend, cipher) else {
            return Limit::None;
        };
        let Some(core) = self.core else {
            return Limit::Unknown;
        };
        let ports = match kernel.bits {
            128 => core.bits_128,
            256 => core.bits_256,
            _ => core.bits_512,
        };
        if ports.all == 0 {
            return Limit::Unknown;
        }
        let of = |operations: u32, ports: u32| f64::from(operations) / f64::from(ports);
        let half_round = of(kernel.operations, ports.all).max(of(kernel.shifts, ports.shifts));
        let lanes = f64::from(kernel.bits / 32);
        Limit::Clocks(half_round * f64::from(2 * cycles) / lanes)
    }

    /// Of blocks that wait for the one before: the dependent operations of a half-round, and what is
    /// between two blocks.
    pub(crate) fn chain(&self, backend: &str, cipher: &str, cycles: u32) -> Limit {
        if backend == "portable" {
            return Limit::None;
        }
        // On aarch64 an exclusive or shifts its operand on the way, in the cores of the table.
        if cfg!(target_arch = "aarch64") && self.core.is_none() {
            return Limit::Unknown;
        }
        let (operations, between) = match cipher {
            "xtea" if cfg!(target_arch = "aarch64") => (4, 2),
            "xtea" => (5, 1),
            _ if cfg!(target_arch = "aarch64") => (4, 1),
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
    use super::*;

    /// The figures that the banners in asm give.
    #[test]
    fn known_limits() {
        let on = |core| Processor {
            name: String::new(),
            core,
        };
        let (intel, amd) = (on(Some(&SKYLAKE)), on(Some(&ZEN_3_4)));
        let (two, four) = (on(Some(&TWO_PIPES)), on(Some(&FOUR_PIPES)));
        for (processor, backend, cipher, cycles, clocks) in [
            (&intel, "ssse3", "tea", 16, 64.0 / 3.0),
            (&intel, "avx2", "qq", 16, 32.0 / 3.0),
            (&intel, "avx2", "xtea", 32, 16.0),
            (&intel, "avx512", "tea", 16, 7.0),
            (&intel, "avx512", "xtea", 32, 12.0),
            (&amd, "ssse3", "xtea", 32, 24.0),
            (&amd, "avx2", "tea", 16, 8.0),
            (&amd, "avx512", "tea", 32, 14.0),
            (&two, "neon", "tea", 16, 28.0),
            (&two, "neon", "xtea", 32, 48.0),
            (&four, "neon", "tea", 16, 14.0),
            (&four, "sha3", "tea", 16, 10.0),
        ] {
            let limit = processor.blocks(backend, cipher, cycles);
            assert_eq!(limit, Limit::Clocks(clocks), "{backend} {cipher}");
        }
        let unknown = on(None);
        assert_eq!(unknown.blocks("avx2", "tea", 16), Limit::Unknown);
        assert_eq!(intel.blocks("portable", "tea", 16), Limit::None);
        assert_eq!(intel.blocks("scalar", "tea", 16), Limit::None);
        assert_eq!(intel.chain("portable", "qq", 16), Limit::None);
        #[cfg(target_arch = "aarch64")]
        {
            assert_eq!(two.chain("neon", "qq", 16), Limit::Clocks(129.0));
            assert_eq!(four.chain("scalar", "xtea", 32), Limit::Clocks(258.0));
            assert_eq!(unknown.chain("neon", "qq", 16), Limit::Unknown);
        }
        #[cfg(target_arch = "x86_64")]
        {
            assert_eq!(intel.chain("avx2", "qq", 16), Limit::Clocks(130.0));
            assert_eq!(intel.chain("avx2", "tea", 32), Limit::Clocks(258.0));
            assert_eq!(unknown.chain("scalar", "xtea", 32), Limit::Clocks(321.0));
            assert!(x86_core("AuthenticAMD", (25, 17)).is_some());
            assert!(x86_core("GenuineIntel", (6, 143)).is_some());
            assert!(x86_core("GenuineIntel", (6, 1)).is_none());
        }
    }
}
