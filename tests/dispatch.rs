//! Which backends there are on this processor, and which one runs.

mod common;

use fasttea::backend;

/// With `FASTTEA_EXPECT_BACKENDS` set, as under an emulated processor, the list is exactly that.
#[test]
fn list() {
    let names: Vec<_> = common::backends()
        .iter()
        .map(|backend| backend.name())
        .collect();
    if let Ok(expected) = std::env::var("FASTTEA_EXPECT_BACKENDS") {
        assert_eq!(names.join(","), expected);
    }
    assert_eq!(names[0], "portable");
    assert!(names.iter().all(|name| backend::NAMES.contains(name)));
    // The fastest is the active one, unless the build forces another.
    if env!("FASTTEA_FORCED_BACKEND").is_empty() {
        assert_eq!(Some(&backend::active().name()), names.last());
    }
}

#[test]
fn by_name() {
    for &name in backend::NAMES {
        if let Some(found) = backend::by_name(name) {
            assert_eq!(found.name(), name);
            assert_eq!(found.to_string(), name);
        }
    }
    for name in ["", "Portable", "mmx", "avx51", "avx5122", "neon,sha3"] {
        assert_eq!(backend::by_name(name), None);
    }
}
