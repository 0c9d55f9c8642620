//! The backends by name, and the command `backends`.

use std::io::{self, Write};

use fasttea::backend::{self, Backend};

use crate::failure::Failure;

/// The one that is everywhere.
pub(crate) const PORTABLE: &str = "portable";

/// Those of every architecture, so that the help is the same everywhere.
pub(crate) fn names() -> Vec<&'static str> {
    let mut names = Vec::new();
    for backend in backend::ALL {
        if !names.contains(&backend.name) {
            names.push(backend.name);
        }
    }
    names
}

/// The backend of that name, if it is there.
pub(crate) fn named(name: &str) -> Result<Backend, Failure> {
    name.parse().map_err(|_| {
        let available: Vec<_> = backend::available().map(Backend::name).collect();
        Failure::run(format!(
            "the backend {name} is not available here, only {}",
            available.join(", ")
        ))
    })
}

/// Lists all backends, one a line.
pub(crate) fn list() -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for name in names() {
        let state = match backend::by_name(name) {
            Some(backend) if backend == backend::active() => "active",
            Some(_) => "available",
            None => "not available",
        };
        writeln!(out, "{name:<10} {state}")?;
    }
    Ok(out.flush()?)
}
