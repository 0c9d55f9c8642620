//! General-purpose registers and flags.

use iced_x86::{ConditionCode, Mnemonic, OpKind};

use super::operands::{Step, origin, secret, unknown, wide};
use crate::{
    memory::Refusal,
    term::{four, known, or, spell},
    terms::Terms,
};

impl Step<'_> {
    fn set_flags(&mut self, carry: Option<bool>, zero: Option<bool>) {
        (self.cpu.carry, self.cpu.zero) = (carry, zero);
    }

    pub(super) fn condition(&self) -> Result<bool, Refusal> {
        let known = match self.i.condition_code() {
            ConditionCode::a => self
                .cpu
                .carry
                .zip(self.cpu.zero)
                .map(|(carry, zero)| !carry && !zero),
            ConditionCode::ae => self.cpu.carry.map(|carry| !carry),
            ConditionCode::b => self.cpu.carry,
            ConditionCode::be => self
                .cpu
                .carry
                .zip(self.cpu.zero)
                .map(|(carry, zero)| carry || zero),
            ConditionCode::e => self.cpu.zero,
            ConditionCode::ne => self.cpu.zero.map(|zero| !zero),
            _ => return unknown(self.i),
        };
        known.map_or_else(|| secret(self.i), Ok)
    }

    /// add, sub, cmp: in 64 bits on known numbers alone.
    fn arithmetic(&mut self, subtract: bool, keep: bool) -> Result<(), Refusal> {
        let i = self.i;
        let (a, b, size) = (self.read(0)?, self.read(1)?, self.size(0));
        let value = match (known(&a[..size]), known(&b[..size]), size) {
            (Some(a), Some(b), 4 | 8) => {
                let Some(tells) = self.memory.sum(a, b, subtract) else {
                    return origin(i);
                };
                if !keep && !tells {
                    return origin(i);
                }
                let bits = 8 * size;
                let all = u64::MAX >> (64 - bits);
                let value = if subtract {
                    a.wrapping_sub(b)
                } else {
                    a.wrapping_add(b)
                } & all;
                let carry = if subtract { a < b } else { value < a };
                self.set_flags(tells.then_some(carry), tells.then_some(value == 0));
                wide(&spell(value))
            }
            (_, _, 4) => {
                self.set_flags(None, None);
                let f = if subtract { Terms::sub } else { Terms::add };
                self.terms.each_word(&a, &b, 4, f)
            }
            _ => return unknown(i),
        };
        if keep { self.write(&value) } else { Ok(()) }
    }

    /// shl and shr by a number.
    fn shift(&mut self, left: bool) -> Result<(), Refusal> {
        let i = self.i;
        let (a, size) = (self.read_number(0)?, self.size(0));
        let bits = u32::from(i.immediate8()) & if size == 8 { 63 } else { 31 };
        if i.op_kind(1) != OpKind::Immediate8 || bits == 0 || size < 4 {
            return unknown(i);
        }
        let low = a[..8].try_into().expect("8 bytes");
        let Some(value) = self.terms.shift(low, size, left, bits) else {
            return unknown(i);
        };
        self.set_flags(None, known(&value[..size]).map(|value| value == 0));
        self.write(&wide(&value))
    }

    fn rotate(&mut self) -> Result<(), Refusal> {
        let i = self.i;
        let (mut a, count, size) = (self.read_number(0)?, self.read(1)?, self.size(0));
        let Some(count) = known(&count[..1]) else {
            return secret(i);
        };
        let bits = usize::try_from(count & 63).unwrap_or(0);
        if size != 8 || bits % 8 != 0 {
            return unknown(i);
        }
        if bits != 0 {
            self.cpu.carry = None;
        }
        a[..8].rotate_right(bits / 8);
        self.write(&a)
    }

    /// Known numbers alone: `f` gives the value, CF and ZF.
    fn on_known(
        &mut self,
        operands: &[u32],
        f: impl Fn(&[u64], u64) -> (u64, Option<bool>, Option<bool>),
    ) -> Result<(), Refusal> {
        let size = self.size(0);
        if size < 4 {
            return unknown(self.i);
        }
        let mut values = [0; 2];
        for (value, &operand) in values.iter_mut().zip(operands) {
            match known(&self.read_number(operand)?[..size]) {
                Some(known) => *value = known,
                None => return secret(self.i),
            }
        }
        let all = u64::MAX >> (64 - 8 * size);
        let (value, carry, zero) = f(&values, all);
        self.set_flags(carry, zero);
        self.write(&wide(&spell(value & all)))
    }

    /// inc and dec: on known numbers alone.
    fn count(&mut self, down: bool) -> Result<(), Refusal> {
        let i = self.i;
        let size = self.size(0);
        let Some(value) = known(&self.read(0)?[..size]) else {
            return secret(i);
        };
        let tells = match self.memory.sum(value, 1, down) {
            Some(tells) if size >= 4 => tells,
            Some(_) => return unknown(i),
            None => return origin(i),
        };
        let by = if down { u64::MAX } else { 1 };
        let value = value.wrapping_add(by) & u64::MAX >> (64 - 8 * size);
        self.cpu.zero = tells.then_some(value == 0);
        self.write(&wide(&spell(value)))
    }

    fn lea(&mut self) -> Result<(), Refusal> {
        if self.i.op_register(0).is_gpr64() {
            let value = spell(self.address()?);
            return self.write(&wide(&value));
        }
        // Modulo 2^32 the lower halves alone count.
        let displacement = self.i.memory_displacement64() & u64::from(u32::MAX);
        let mut sum = self.terms.number(u32::try_from(displacement).unwrap_or(0));
        for (register, factor) in self.address_parts()? {
            let whole = &self.cpu.general[register];
            if known(whole).is_some_and(|value| self.memory.is_moved(value)) {
                return origin(self.i);
            }
            let word = self.terms.word(four(whole, 0));
            let product = self.terms.scale(word, factor);
            sum = self.terms.add(sum, product);
        }
        let value = wide(&self.terms.bytes(sum));
        self.write(&value)
    }

    fn is_one_register(&self) -> bool {
        let i = self.i;
        i.op_kind(0) == OpKind::Register
            && i.op_kind(1) == OpKind::Register
            && i.op_register(0) == i.op_register(1)
    }

    pub(super) fn general(&mut self) -> Result<(), Refusal> {
        use Mnemonic as M;

        let i = self.i;
        match i.mnemonic() {
            M::Mov => {
                let value = self.read(1)?;
                self.write(&value)?;
            }
            M::Movzx => {
                let value = self.read(1)?;
                self.write(&value)?;
            }
            M::Lea => self.lea()?,
            M::Xchg => {
                let (a, b) = (self.read(0)?, self.read(1)?);
                if i.op_kind(0) != OpKind::Register || i.op_kind(1) != OpKind::Register {
                    return unknown(i);
                }
                self.write(&b)?;
                self.write_general(i.op_register(1), &a)?;
            }
            M::Cmova | M::Cmove | M::Cmovne => {
                // Memory is read in any case.
                if i.op_kind(1) == OpKind::Memory {
                    self.read(1)?;
                }
                let value = self.read(u32::from(self.condition()?))?;
                self.write(&value)?;
            }
            M::Add => self.arithmetic(false, true)?,
            M::Sub => self.arithmetic(true, true)?,
            M::Cmp => self.arithmetic(true, false)?,
            // 0, whatever the register held.
            M::Xor if self.is_one_register() && self.size(0) >= 4 => {
                self.set_flags(Some(false), Some(true));
                self.write(&wide(&[]))?;
            }
            M::Xor => {
                let (a, b, size) = (self.read_number(0)?, self.read_number(1)?, self.size(0));
                if size < 4 {
                    return unknown(i);
                }
                let value = self.terms.each_word(&a, &b, size, Terms::xor);
                self.set_flags(Some(false), known(&value[..size]).map(|value| value == 0));
                self.write(&value)?;
            }
            M::Or => {
                let (a, b, size) = (self.read_number(0)?, self.read_number(1)?, self.size(0));
                let Some(out) = or(&a, &b) else {
                    return unknown(i);
                };
                self.set_flags(Some(false), known(&out[..size]).map(|value| value == 0));
                self.write(&out)?;
            }
            // That is a comparison with 0.
            M::Test if self.is_one_register() && self.size(0) == 8 => {
                let Some(value) = known(&self.read(0)?[..8]) else {
                    return secret(i);
                };
                match self.memory.sum(value, 0, true) {
                    Some(true) => self.set_flags(Some(false), Some(value == 0)),
                    _ => return origin(i),
                }
            }
            M::Test => {
                let (a, b, size) = (self.read_number(0)?, self.read_number(1)?, self.size(0));
                let both = known(&a[..size]).zip(known(&b[..size]));
                self.set_flags(Some(false), both.map(|(a, b)| a & b == 0));
            }
            M::Shl => self.shift(true)?,
            M::Shr => self.shift(false)?,
            M::Rol => self.rotate()?,
            M::Bswap => {
                let (mut value, size) = (self.read_number(0)?, self.size(0));
                value[..size].reverse();
                self.write(&value)?;
            }
            M::Inc => self.count(false)?,
            M::Dec => self.count(true)?,
            M::Neg => self.on_known(&[0], |v, _| {
                (v[0].wrapping_neg(), Some(v[0] != 0), Some(v[0] == 0))
            })?,
            M::Imul if i.op_count() == 3 => {
                self.on_known(&[1, 2], |v, _| (v[0].wrapping_mul(v[1]), None, None))?;
            }
            M::Bts if i.op_kind(0) == OpKind::Register => {
                let (bits, zero) = (8 * self.size(0) as u64 - 1, self.cpu.zero);
                self.on_known(&[0, 1], |v, _| {
                    let bit = v[1] & bits;
                    (v[0] | 1 << bit, Some(v[0] >> bit & 1 == 1), zero)
                })?;
            }
            M::Kmovd if i.op_kind(1) == OpKind::Register && i.op_register(1).is_gpr32() => {
                let Some(bits) = known(&self.read(1)?[..4]) else {
                    return secret(i);
                };
                self.cpu.mask[i.op_register(0).number()] = Some(bits);
            }

            _ => self.vector()?,
        }
        Ok(())
    }
}
