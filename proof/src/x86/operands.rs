//! Operands: registers, memory, numbers.

use iced_x86::{EncodingKind, Instruction, OpKind, Register};

use super::registers::{VECTOR, Value, X86};
use crate::{
    memory::{Memory, Refusal},
    term::{Byte, known, spell},
    terms::Terms,
};

pub(super) fn unknown<T>(i: &Instruction) -> Result<T, Refusal> {
    Err(Refusal::Unknown(format!("{i}")))
}

pub(super) fn secret<T>(i: &Instruction) -> Result<T, Refusal> {
    Err(Refusal::Secret(format!("{i}")))
}

pub(super) fn origin<T>(i: &Instruction) -> Result<T, Refusal> {
    Err(Refusal::Origin(format!("{i}")))
}

pub(super) fn wide(bytes: &[Byte]) -> Value {
    let mut value = [Byte::ZERO; VECTOR];
    value[..bytes.len()].copy_from_slice(bytes);
    value
}

/// One instruction in its machine.
pub(super) struct Step<'a> {
    pub(super) cpu: &'a mut X86,
    pub(super) terms: &'a mut Terms,
    pub(super) memory: &'a mut Memory,
    pub(super) i: &'a Instruction,
}

impl Step<'_> {
    /// The bytes of an operand.
    pub(super) fn size(&self, operand: u32) -> usize {
        match self.i.op_kind(operand) {
            OpKind::Register => self.i.op_register(operand).size(),
            OpKind::Memory if self.i.is_broadcast() => self.i.op_register(0).size(),
            OpKind::Memory => self.i.memory_size().size(),
            // Numbers are as long as the first operand, if that is no number.
            _ if operand > 0 => self.size(0),
            _ => 8,
        }
    }

    /// The registers of an address, each with its factor. A number is added to their products.
    pub(super) fn address_parts(
        &self,
    ) -> Result<impl Iterator<Item = (usize, u32)> + use<>, Refusal> {
        let i = self.i;
        let parts = [
            (i.memory_base(), 1),
            (i.memory_index(), i.memory_index_scale()),
        ];
        let parts = parts
            .into_iter()
            .filter(|&(register, _)| register != Register::None);
        if i.segment_prefix() != Register::None || !parts.clone().all(|(r, _)| r.is_gpr64()) {
            return unknown(i);
        }
        Ok(parts.map(|(register, factor)| (register.number(), factor)))
    }

    /// At most one register is an address or the number of blocks, and the others move it.
    pub(super) fn address(&self) -> Result<u64, Refusal> {
        let mut sum = self.i.memory_displacement64();
        for (register, factor) in self.address_parts()? {
            let Some(value) = known(&self.cpu.general[register]) else {
                return secret(self.i);
            };
            let product = value.wrapping_mul(u64::from(factor));
            let scaled = factor != 1 && self.memory.is_moved(value);
            if scaled || self.memory.sum(sum, product, false).is_none() {
                return origin(self.i);
            }
            sum = sum.wrapping_add(product);
        }
        Ok(sum)
    }

    pub(super) fn read(&self, operand: u32) -> Result<Value, Refusal> {
        let i = self.i;
        let size = self.size(operand);
        Ok(match i.op_kind(operand) {
            OpKind::Register => {
                let register = i.op_register(operand);
                let number = register.number();
                if register.is_vector_register() {
                    wide(&self.cpu.vector[number][..size])
                } else if register.is_gpr() && (size >= 4 || register == Register::CL) {
                    let whole = &self.cpu.general[number];
                    if size < 8 && known(whole).is_some_and(|value| self.memory.is_moved(value)) {
                        return origin(i);
                    }
                    wide(&whole[..size])
                } else {
                    return unknown(i);
                }
            }
            OpKind::Memory if i.is_broadcast() => {
                let element = i.memory_size().element_size();
                self.spread(self.memory.load(self.address()?, element)?, size)
            }
            OpKind::Memory => wide(self.memory.load(self.address()?, size)?),
            OpKind::Immediate8
            | OpKind::Immediate32
            | OpKind::Immediate64
            | OpKind::Immediate8to32
            | OpKind::Immediate8to64
            | OpKind::Immediate32to64 => wide(&spell(i.immediate(operand))[..size.min(8)]),
            _ => return unknown(i),
        })
    }

    /// The bytes of an operand that is neither an address nor the number of blocks.
    pub(super) fn read_number(&self, operand: u32) -> Result<Value, Refusal> {
        let value = self.read(operand)?;
        match known(&value[..8]) {
            Some(number) if self.memory.is_moved(number) => origin(self.i),
            _ => Ok(value),
        }
    }

    pub(super) fn spread(&self, element: &[Byte], size: usize) -> Value {
        let mut value = [Byte::ZERO; VECTOR];
        for place in value[..size].chunks_exact_mut(element.len()) {
            place.copy_from_slice(element);
        }
        value
    }

    /// Writes the first operand: a general-purpose register, a vector register or memory.
    pub(super) fn write(&mut self, value: &Value) -> Result<(), Refusal> {
        let i = self.i;
        let size = self.size(0);
        match i.op_kind(0) {
            OpKind::Memory => {
                let at = self.address()?;
                self.memory.store(at, &value[..size])
            }
            OpKind::Register if i.op_register(0).is_vector_register() => {
                self.write_vector(i.op_register(0), value);
                Ok(())
            }
            OpKind::Register => self.write_general(i.op_register(0), value),
            _ => unknown(i),
        }
    }

    pub(super) fn write_general(
        &mut self,
        register: Register,
        value: &Value,
    ) -> Result<(), Refusal> {
        if !register.is_gpr32() && !register.is_gpr64() {
            return unknown(self.i);
        }
        let size = register.size();
        let out = &mut self.cpu.general[register.number()];
        *out = [Byte::ZERO; 8];
        out[..size].copy_from_slice(&value[..size]);
        Ok(())
    }

    /// What lies above is kept by the old encodings and zeroed by the new ones.
    pub(super) fn write_vector(&mut self, register: Register, value: &Value) {
        let (size, number) = (register.size(), register.number());
        let out = &mut self.cpu.vector[number];
        if self.i.code().encoding() != EncodingKind::Legacy {
            *out = [Byte::ZERO; VECTOR];
            self.cpu.dirty |= size > 16 && number < 16;
        }
        out[..size].copy_from_slice(&value[..size]);
    }

    /// The sources of an operation on two vectors, and how many bytes they have. Old encodings would want
    /// memory to be aligned.
    pub(super) fn sources(&self) -> Result<(Value, Value, usize), Refusal> {
        let i = self.i;
        if i.op_mask() != Register::None {
            return unknown(i);
        }
        let first = match i.code().encoding() {
            EncodingKind::Legacy if i.op_kind(1) == OpKind::Memory => return unknown(i),
            EncodingKind::Legacy => 0,
            _ => 1,
        };
        let size = self.size(0);
        if self.size(first) != size || self.size(first + 1) != size {
            return unknown(i);
        }
        Ok((self.read(first)?, self.read(first + 1)?, size))
    }
}
