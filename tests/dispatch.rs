//! Which backends there are on this processor, which one runs, and what they are called.

mod common;

use common::backends::backends;
use fasttea::{
    Error,
    backend::{self, Backend},
};

/// Exactly those that this processor's features make possible, and the last one runs. Scripts call this
/// test by its name.
#[test]
fn list() {
    let backends = backends();
    assert_eq!(backends[0].name(), "portable");
    // Unless the build forces another.
    if env!("FASTTEA_FORCED_BACKEND").is_empty() {
        assert_eq!(Some(&backend::active()), backends.last());
    }
}

#[test]
fn every_backend_is_found_by_the_name_that_it_shows() {
    for backend in backends() {
        let name = backend.to_string();
        assert_eq!(backend.name(), name);
        assert_eq!(backend::by_name(&name), Some(backend));
        assert_eq!(name.parse(), Ok(backend));
        assert_eq!(format!("{backend:?}"), format!("Backend({name})"));
        assert_eq!(backend.description().name, name);
        assert!(backend::ALL.contains(backend.description()));
    }
}

#[test]
fn other_names_have_no_backend() {
    let available = backends();
    let is_there = |name: &str| available.iter().any(|backend| backend.name() == name);
    let elsewhere = backend::ALL.iter().map(|backend| backend.name);
    for name in [
        "",
        "Portable",
        " scalar",
        "mmx",
        "avx51",
        "avx5122",
        "neon,sha3",
    ]
    .into_iter()
    .chain(elsewhere.filter(|name| !is_there(name)))
    {
        assert_eq!(backend::by_name(name), None, "{name}");
        assert_eq!(
            name.parse::<Backend>(),
            Err(Error::UnknownBackend),
            "{name}"
        );
    }
}
