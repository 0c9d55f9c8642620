//! The backends to test.

use std::{io::Write, sync::Once};

use fasttea::backend::{self, Backend};

/// The backends that there are, after a check that they are those that there have to be.
pub fn backends() -> Vec<Backend> {
    let backends: Vec<_> = backend::available().collect();
    let names: Vec<_> = backends.iter().map(|backend| backend.name()).collect();
    // Once, and past the capturing of output: a run has to show what it covered.
    static SHOWN: Once = Once::new();
    SHOWN.call_once(|| {
        let _ = writeln!(std::io::stderr(), "backends covered: {}", names.join(", "));
    });
    assert_eq!(names, expected(), "not the backends that there have to be");
    backends
}

/// What this build has to have on this processor, by the features that the standard library finds.
///
/// Where `FASTTEA_EXPECT_FEATURES` is set, as under an emulator, its list takes their place: then nobody has
/// to trust any detection. FASTTEA_REQUIRE_ASM=1 refuses to build without assembly.
fn expected() -> Vec<&'static str> {
    let listed = std::env::var("FASTTEA_EXPECT_FEATURES").ok();
    let is_there = |feature: &str| match &listed {
        Some(list) => list.split(',').any(|listed| listed == feature),
        None => is_detected(feature),
    };
    // build.rs sets `fasttea_asm` for the tests, too.
    let has_asm = cfg!(all(fasttea_asm, not(miri)));
    let is_built = |arch: &str| arch.is_empty() || has_asm && arch == std::env::consts::ARCH;
    backend::ALL
        .iter()
        .filter(|backend| is_built(backend.arch))
        .filter(|backend| backend.needs.iter().all(|feature| is_there(feature)))
        .map(|backend| backend.name)
        .collect()
}

#[cfg(target_arch = "aarch64")]
use std::arch::is_aarch64_feature_detected as detected;
#[cfg(target_arch = "x86_64")]
use std::arch::is_x86_feature_detected as detected;

/// Makes `is_detected`, which knows these features by name.
///
/// A macro, since the standard library takes literals.
macro_rules! is_detected {
    ($($known:tt)*) => {
        fn is_detected(feature: &str) -> bool {
            match feature {
                $($known => detected!($known),)*
                other => panic!("is_detected does not know {other}"),
            }
        }
    };
}
#[cfg(target_arch = "aarch64")]
is_detected! { "sha3" }
#[cfg(target_arch = "x86_64")]
is_detected! { "ssse3" "avx" "avx2" "avx512f" "avx512bw" "avx512vl" }
#[cfg(not(any(target_arch = "aarch64", target_arch = "x86_64")))]
is_detected! {}
