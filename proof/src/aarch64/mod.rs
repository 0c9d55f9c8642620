//! aarch64: the registers, what instructions do, and the calling convention.
//!
//! An instruction, an operand or a flag that is not there stops the run.

mod general;
mod machine;
mod operands;
mod registers;
mod transfer;
mod vector;

pub use registers::{Aarch64, Instruction};
