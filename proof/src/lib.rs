//! Proves the kernels: runs their assembled code on symbols instead of numbers and compares what it leaves with
//! the ciphers' definition. README.md has the claim, its limits, the rules and what builds on what.

pub mod aarch64;
pub mod fresh;
pub mod kernel;
mod lanes;
mod layout;
pub mod machine;
pub mod memory;
pub mod mutate;
pub mod origin;
pub mod program;
mod setting;
pub mod spec;
pub mod term;
pub mod terms;
pub mod theorem;
pub mod x86;
