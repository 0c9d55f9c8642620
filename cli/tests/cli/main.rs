//! The command line, as a user sees it: output, one line on standard error, exit code.

#![allow(clippy::unwrap_used)]

mod backends;
mod block_modes;
mod errors;
mod files;
mod formats;
mod keys;
mod messages;
mod program;
#[cfg(unix)]
mod signals;
mod vectors;
