//! Instructions and registers.

use core::fmt;

use yaxpeax_arm::armv8::a64::{SIMDSizeCode, SizeCode};

use crate::term::Byte;

/// A decoded instruction and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// Its offset in the function.
    pub at: u64,
    /// What it is.
    pub decoded: yaxpeax_arm::armv8::a64::Instruction,
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.decoded.fmt(f)
    }
}

/// A vector; of a narrower value the rest is 0.
pub(super) type Vector = [Byte; 16];
pub(super) type General = [Byte; 8];

pub(super) const NO_VECTOR: Vector = [Byte::ZERO; 16];

/// The registers.
#[derive(Clone, Debug)]
pub struct Aarch64 {
    /// x0 to x30.
    pub general: [General; 31],
    /// sp.
    pub stack_pointer: u64,
    /// v0 to v31.
    pub vector: [Vector; 32],
    /// The flags C and Z, as far as they are known. There is no rule that reads another one.
    pub carry: Option<bool>,
    /// See `carry`.
    pub zero: Option<bool>,
}

pub(super) fn vector(bytes: &[Byte]) -> Vector {
    let mut value = NO_VECTOR;
    value[..bytes.len()].copy_from_slice(bytes);
    value
}

pub(super) fn bytes_of(size: SIMDSizeCode) -> usize {
    match size {
        SIMDSizeCode::B => 1,
        SIMDSizeCode::H => 2,
        SIMDSizeCode::S => 4,
        SIMDSizeCode::D => 8,
        SIMDSizeCode::Q => 16,
    }
}

pub(super) fn width(size: SizeCode) -> usize {
    match size {
        SizeCode::X => 8,
        SizeCode::W => 4,
    }
}
