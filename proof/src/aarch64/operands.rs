//! Operands: registers.

use yaxpeax_arm::armv8::a64::{Operand, SizeCode};

use super::registers::{Aarch64, General, Instruction, Vector, vector};
use crate::{
    memory::{Memory, Refusal},
    term::{Byte, known, spell},
    terms::Terms,
};

/// One instruction in its machine.
pub(super) struct Step<'a> {
    pub(super) cpu: &'a mut Aarch64,
    pub(super) terms: &'a mut Terms,
    pub(super) memory: &'a mut Memory,
    pub(super) i: &'a Instruction,
}

impl Step<'_> {
    pub(super) fn unknown<T>(&self) -> Result<T, Refusal> {
        Err(Refusal::Unknown(format!("{}", self.i)))
    }

    pub(super) fn secret<T>(&self) -> Result<T, Refusal> {
        Err(Refusal::Secret(format!("{}", self.i)))
    }

    pub(super) fn origin<T>(&self) -> Result<T, Refusal> {
        Err(Refusal::Origin(format!("{}", self.i)))
    }

    /// The register, where 31 is zero.
    pub(super) fn general(&self, register: u16) -> General {
        let value = self.cpu.general.get(usize::from(register));
        value.copied().unwrap_or([Byte::ZERO; 8])
    }

    /// The register, where 31 is the stack pointer.
    pub(super) fn general_or_sp(&self, register: u16) -> General {
        let value = self.cpu.general.get(usize::from(register));
        value.copied().unwrap_or(spell(self.cpu.stack_pointer))
    }

    /// The register, as an operand of that size: the lower half of an address, or of the number of blocks, is
    /// none.
    pub(super) fn read(&self, of: SizeCode, register: u16) -> Result<General, Refusal> {
        let value = self.general(register);
        match (of, known(&value)) {
            (SizeCode::W, Some(whole)) if self.memory.is_moved(whole) => self.origin(),
            _ => Ok(value),
        }
    }

    /// The same of what is neither an address nor the number of blocks.
    pub(super) fn read_number(&self, of: SizeCode, register: u16) -> Result<General, Refusal> {
        let value = self.read(of, register)?;
        match known(&value) {
            Some(number) if self.memory.is_moved(number) => self.origin(),
            _ => Ok(value),
        }
    }

    /// The first bytes of a value into a register; the rest of it becomes 0.
    pub(super) fn set_general(&mut self, register: u16, bytes: &[Byte]) {
        if let Some(out) = self.cpu.general.get_mut(usize::from(register)) {
            *out = [Byte::ZERO; 8];
            out[..bytes.len()].copy_from_slice(bytes);
        }
    }

    /// Writes a register.
    pub(super) fn load(&mut self, to: Operand, bytes: &[Byte]) -> Result<(), Refusal> {
        match to {
            Operand::Register(_, register) => self.set_general(register, bytes),
            Operand::SIMDRegister(_, register) => {
                self.cpu.vector[usize::from(register)] = vector(bytes);
            }
            _ => return self.unknown(),
        }
        Ok(())
    }

    /// Reads a register.
    pub(super) fn value(&self, from: Operand) -> Result<Vector, Refusal> {
        match from {
            Operand::Register(of, register) => Ok(vector(&self.read(of, register)?)),
            Operand::SIMDRegister(_, register) => Ok(self.cpu.vector[usize::from(register)]),
            _ => self.unknown(),
        }
    }
}
