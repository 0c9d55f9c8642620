//! Operations on general-purpose registers, and flags; and what operations of their names do to vectors.

use yaxpeax_arm::armv8::a64::{Opcode, Operand, SIMDSizeCode, ShiftStyle, SizeCode};

use super::{
    operands::Step,
    registers::{General, width},
};
use crate::{
    memory::Refusal,
    term::{self, Byte, four, known, spell},
    terms::Terms,
};

impl Step<'_> {
    /// Writes the first operand, of `size` bytes.
    fn set_result(&mut self, value: General, size: usize) -> Result<(), Refusal> {
        match self.i.decoded.operands[0] {
            Operand::RegisterOrSP(SizeCode::X, 31) => match known(&value) {
                Some(value) => self.cpu.stack_pointer = value,
                None => return self.secret(),
            },
            Operand::RegisterOrSP(SizeCode::W, 31) => return self.unknown(),
            Operand::Register(_, register) | Operand::RegisterOrSP(_, register) => {
                self.set_general(register, &value[..size]);
            }
            _ => return self.unknown(),
        }
        Ok(())
    }

    /// A value of `size` bytes shifted by a number of bits.
    fn shifted(
        &mut self,
        value: General,
        size: usize,
        style: ShiftStyle,
        bits: u32,
    ) -> Result<General, Refusal> {
        let left = match style {
            ShiftStyle::LSL | ShiftStyle::LSR if bits == 0 => return Ok(value),
            ShiftStyle::LSL => true,
            ShiftStyle::LSR => false,
            _ => return self.unknown(),
        };
        let shifted = self.terms.shift(value, size, left, bits);
        shifted.map_or_else(|| self.unknown(), Ok)
    }

    /// The last operand of an operation on general-purpose registers of `size` bytes.
    fn last(&mut self, operand: Operand, size: usize) -> Result<General, Refusal> {
        match operand {
            Operand::Immediate(number) => Ok(spell(u64::from(number))),
            Operand::ImmShift(number, bits) => Ok(spell(u64::from(number) << bits)),
            Operand::RegShift(style, bits, of, register) if width(of) == size => {
                let value = if bits == 0 {
                    self.read(of, register)?
                } else {
                    self.read_number(of, register)?
                };
                self.shifted(value, size, style, bits.into())
            }
            _ => self.unknown(),
        }
    }

    /// add, sub, adds, subs: in 64 bits on known numbers alone.
    fn arithmetic(&mut self, subtract: bool, flags: bool) -> Result<(), Refusal> {
        let [to, from, last, _] = self.i.decoded.operands;
        if let Operand::SIMDRegisterElements(..) = to {
            return self.vector_arithmetic(subtract);
        }
        let (a, size) = match from {
            Operand::Register(of, register) => (self.read(of, register)?, width(of)),
            Operand::RegisterOrSP(SizeCode::X, register) => (self.general_or_sp(register), 8),
            _ => return self.unknown(),
        };
        let b = self.last(last, size)?;
        let mut out = [Byte::ZERO; 8];
        let mut known_flags = (None, None);
        match (known(&a[..size]), known(&b[..size])) {
            (Some(a), Some(b)) => {
                let tells = match self.memory.sum(a, b, subtract) {
                    Some(tells) => tells,
                    None => return self.origin(),
                };
                // The zero register takes the result of a comparison.
                if !tells && matches!(to, Operand::Register(_, 31)) {
                    return self.origin();
                }
                let all = u64::MAX >> (64 - 8 * size);
                let value = if subtract {
                    a.wrapping_sub(b)
                } else {
                    a.wrapping_add(b)
                } & all;
                let carry = if subtract { a >= b } else { value < a };
                known_flags = (tells.then_some(carry), tells.then_some(value == 0));
                out = spell(value);
            }
            _ if size == 4 => {
                let (a, b) = (self.terms.word(four(&a, 0)), self.terms.word(four(&b, 0)));
                let f = if subtract { Terms::sub } else { Terms::add };
                let term = f(self.terms, a, b);
                out[..4].copy_from_slice(&self.terms.bytes(term));
            }
            _ => return self.unknown(),
        }
        if flags {
            (self.cpu.carry, self.cpu.zero) = known_flags;
        }
        self.set_result(out, size)
    }

    /// eor and orr.
    fn logical(&mut self, or: bool) -> Result<(), Refusal> {
        let [to, from, last, _] = self.i.decoded.operands;
        if let Operand::SIMDRegisterElements(..) = to {
            return if or {
                self.copy_vector()
            } else {
                self.words(Terms::xor)
            };
        }
        let Operand::Register(of, from) = from else {
            return self.unknown();
        };
        let size = width(of);
        if or && from == 31 {
            // A move.
            let value = self.last(last, size)?;
            return self.set_result(value, size);
        }
        let (a, b) = (self.read_number(of, from)?, self.last(last, size)?);
        if known(&b).is_some_and(|value| self.memory.is_moved(value)) {
            return self.origin();
        }
        let out = if or {
            term::or(&a, &b).map_or_else(|| self.unknown(), Ok)?
        } else {
            self.terms.each_word(&a, &b, size, Terms::xor)
        };
        self.set_result(out, size)
    }

    /// lsl and lsr by a number, which are forms of ubfm.
    fn bit_field(&mut self) -> Result<(), Refusal> {
        let [
            _,
            Operand::Register(of, from),
            Operand::Immediate(rotate),
            Operand::Immediate(last),
        ] = self.i.decoded.operands
        else {
            return self.unknown();
        };
        let (size, value) = (width(of), self.read_number(of, from)?);
        let bits = u32::try_from(8 * size).unwrap_or(0);
        let shifted = if last == bits - 1 {
            self.shifted(value, size, ShiftStyle::LSR, rotate)?
        } else if last + 1 == rotate {
            self.shifted(value, size, ShiftStyle::LSL, bits - rotate)?
        } else {
            return self.unknown();
        };
        self.set_result(shifted, size)
    }

    pub(super) fn condition(&self, condition: u8) -> Result<bool, Refusal> {
        let holds = match condition >> 1 {
            0 => self.cpu.zero,
            1 => self.cpu.carry,
            4 => self
                .cpu
                .carry
                .zip(self.cpu.zero)
                .map(|(carry, zero)| carry && !zero),
            _ => return self.unknown(),
        };
        holds.map_or_else(|| self.secret(), |holds| Ok(holds != (condition & 1 == 1)))
    }

    pub(super) fn compute(&mut self) -> Result<(), Refusal> {
        use Opcode as O;

        let operands = self.i.decoded.operands;
        match self.i.decoded.opcode {
            O::ADD => self.arithmetic(false, false)?,
            O::SUB => self.arithmetic(true, false)?,
            O::ADDS => self.arithmetic(false, true)?,
            O::SUBS => self.arithmetic(true, true)?,
            O::EOR => self.logical(false)?,
            O::ORR => self.logical(true)?,
            O::FMOV => {
                let value = match operands {
                    [
                        Operand::Register(SizeCode::X, _),
                        Operand::SIMDRegister(SIMDSizeCode::D, _),
                        ..,
                    ]
                    | [
                        Operand::SIMDRegister(SIMDSizeCode::D, _),
                        Operand::Register(SizeCode::X, _),
                        ..,
                    ] => self.value(operands[1])?,
                    _ => return self.unknown(),
                };
                self.load(operands[0], &value[..8])?;
            }

            O::MOVN => {
                let [
                    Operand::Register(SizeCode::X, register),
                    Operand::ImmShift(number, bits),
                    ..,
                ] = operands
                else {
                    return self.unknown();
                };
                self.set_general(register, &spell(!(u64::from(number) << bits)));
            }
            O::UBFM => self.bit_field()?,
            O::REV => {
                let [_, Operand::Register(of, from), ..] = operands else {
                    return self.unknown();
                };
                let mut value = self.read_number(of, from)?;
                value[..width(of)].reverse();
                self.set_result(value, width(of))?;
            }
            O::CSEL => {
                let [
                    _,
                    Operand::Register(of, yes),
                    Operand::Register(_, no),
                    Operand::ConditionCode(condition),
                ] = operands
                else {
                    return self.unknown();
                };
                let from = if self.condition(condition)? { yes } else { no };
                self.set_result(self.read(of, from)?, width(of))?;
            }

            _ => self.compute_vector()?,
        }
        Ok(())
    }
}
