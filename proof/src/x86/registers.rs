//! The registers.

use crate::term::Byte;

/// Bytes of a vector register.
pub(super) const VECTOR: usize = 64;
/// The number of rsp.
pub(super) const RSP: usize = 4;

/// A value of at most 64 bytes; those beyond its length are 0.
pub(super) type Value = [Byte; VECTOR];

/// The registers.
#[derive(Clone, Debug)]
pub struct X86 {
    /// rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15.
    pub general: [[Byte; 8]; 16],
    /// zmm0 to zmm31.
    pub vector: [Value; 32],
    /// k0 to k7, as far as they are known.
    pub mask: [Option<u64>; 8],
    /// CF and ZF, as far as they are known. There is no rule that reads another flag, nor one for what
    /// would change the direction flag.
    pub carry: Option<bool>,
    /// See `carry`.
    pub zero: Option<bool>,
    /// Whether the upper parts of zmm0 to zmm15 have been written since the last vzeroupper.
    pub dirty: bool,
}
