//! x86_64: what each instruction of the kernels does, and the calling convention.
//!
//! An instruction, an operand or a flag that is not here stops the run.

use iced_x86::{
    Code, ConditionCode, Decoder, DecoderOptions, EncodingKind, Instruction, Mnemonic, OpKind,
    Register,
};

use crate::{
    machine::{Entry, Machine, Run},
    memory::{Memory, Refusal},
    program::{Next, Program},
    term::{Byte, Term, Terms, known, spell},
};

/// Bytes of a vector register.
const VECTOR: usize = 64;
/// Where the function lies.
const CODE: u64 = 0;
const RSP: usize = 4;
const RETURN_TO: u64 = 0x7777_0000_1111;

/// A value of at most 64 bytes; those beyond its length are 0.
type Value = [Byte; VECTOR];

/// The registers.
#[derive(Debug)]
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

fn unknown<T>(i: &Instruction) -> Result<T, Refusal> {
    Err(Refusal::Unknown(format!("{i}")))
}

fn secret<T>(i: &Instruction) -> Result<T, Refusal> {
    Err(Refusal::Secret(format!("{i}")))
}

fn four(bytes: &[Byte], word: usize) -> [Byte; 4] {
    [
        bytes[4 * word],
        bytes[4 * word + 1],
        bytes[4 * word + 2],
        bytes[4 * word + 3],
    ]
}

fn wide(bytes: &[Byte]) -> Value {
    let mut value = [Byte::ZERO; VECTOR];
    value[..bytes.len()].copy_from_slice(bytes);
    value
}

/// The operands of one instruction in their machine.
struct Step<'a> {
    cpu: &'a mut X86,
    terms: &'a mut Terms,
    memory: &'a mut Memory,
    i: &'a Instruction,
}

impl Step<'_> {
    /// The bytes of an operand.
    fn size(&self, operand: u32) -> usize {
        match self.i.op_kind(operand) {
            OpKind::Register => self.i.op_register(operand).size(),
            OpKind::Memory if self.i.is_broadcast() => self.i.op_register(0).size(),
            OpKind::Memory => self.i.memory_size().size(),
            _ => self.size(0),
        }
    }

    /// The registers of an address, each with its factor. A number is added to their products.
    fn address_parts(&self) -> Result<impl Iterator<Item = (usize, u32)> + use<>, Refusal> {
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

    fn address(&self) -> Result<u64, Refusal> {
        let mut sum = self.i.memory_displacement64();
        for (register, factor) in self.address_parts()? {
            let Some(value) = known(&self.cpu.general[register]) else {
                return secret(self.i);
            };
            sum = sum.wrapping_add(value.wrapping_mul(u64::from(factor)));
        }
        Ok(sum)
    }

    fn read(&self, operand: u32) -> Result<Value, Refusal> {
        let i = self.i;
        let size = self.size(operand);
        Ok(match i.op_kind(operand) {
            OpKind::Register => {
                let register = i.op_register(operand);
                let number = register.number();
                if register.is_vector_register() {
                    wide(&self.cpu.vector[number][..size])
                } else if register.is_gpr() && (size >= 4 || register == Register::CL) {
                    wide(&self.cpu.general[number][..size])
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

    fn spread(&self, element: &[Byte], size: usize) -> Value {
        let mut value = [Byte::ZERO; VECTOR];
        for place in value[..size].chunks_exact_mut(element.len()) {
            place.copy_from_slice(element);
        }
        value
    }

    /// Writes the first operand: a general-purpose register, a vector register or memory.
    fn write(&mut self, value: &Value) -> Result<(), Refusal> {
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

    fn write_general(&mut self, register: Register, value: &Value) -> Result<(), Refusal> {
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
    fn write_vector(&mut self, register: Register, value: &Value) {
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
    fn sources(&self) -> Result<(Value, Value, usize), Refusal> {
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

    /// An operation on each pair of words.
    fn words(
        &mut self,
        (a, b, size): (Value, Value, usize),
        mut f: impl FnMut(&mut Terms, Term, Term) -> Term,
    ) -> Value {
        let mut out = [Byte::ZERO; VECTOR];
        for word in 0..size / 4 {
            let x = self.terms.word(four(&a, word));
            let y = self.terms.word(four(&b, word));
            let z = f(self.terms, x, y);
            out[4 * word..4 * word + 4].copy_from_slice(&self.terms.bytes(z));
        }
        out
    }

    fn vector_op(&mut self, f: impl FnMut(&mut Terms, Term, Term) -> Term) -> Result<(), Refusal> {
        let sources = self.sources()?;
        let value = self.words(sources, f);
        self.write(&value)
    }

    fn vector_shift(&mut self, f: fn(&mut Terms, Term, u32) -> Term) -> Result<(), Refusal> {
        let i = self.i;
        let from = i.op_count() - 2;
        if i.op_mask() != Register::None || i.op_kind(from) != OpKind::Register {
            return unknown(i);
        }
        let (a, size, bits) = (self.read(from)?, self.size(0), u32::from(i.immediate8()));
        let value = self.words((a, a, size), |terms, a, _| f(terms, a, bits));
        self.write(&value)
    }

    /// Moves words: `pick` gives, for each word of a 16-byte lane, whether it comes from the second source,
    /// and which one of the lane it is.
    fn pick_words(&mut self, picks: [(bool, usize); 4]) -> Result<(), Refusal> {
        let (a, b, size) = self.sources()?;
        let mut out = [Byte::ZERO; VECTOR];
        for word in 0..size / 4 {
            let (second, place) = picks[word % 4];
            let from = if second { &b } else { &a };
            out[4 * word..4 * word + 4].copy_from_slice(&four(from, word / 4 * 4 + place));
        }
        self.write(&out)
    }

    fn set_flags(&mut self, carry: Option<bool>, zero: Option<bool>) {
        (self.cpu.carry, self.cpu.zero) = (carry, zero);
    }

    fn condition(&self) -> Result<bool, Refusal> {
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
                let bits = 8 * size;
                let all = u64::MAX >> (64 - bits);
                let value = if subtract {
                    a.wrapping_sub(b)
                } else {
                    a.wrapping_add(b)
                } & all;
                let carry = if subtract { a < b } else { value < a };
                self.set_flags(Some(carry), Some(value == 0));
                wide(&spell(value))
            }
            (_, _, 4) => {
                self.set_flags(None, None);
                let f = if subtract { Terms::sub } else { Terms::add };
                self.words((a, b, 4), f)
            }
            _ => return unknown(i),
        };
        if keep { self.write(&value) } else { Ok(()) }
    }

    /// shl and shr by a number; in 64 bits on known numbers, or by whole bytes.
    fn shift(&mut self, left: bool) -> Result<(), Refusal> {
        let i = self.i;
        if i.op_kind(1) != OpKind::Immediate8 {
            return unknown(i);
        }
        let (a, size) = (self.read(0)?, self.size(0));
        let bits = u32::from(i.immediate8()) & if size == 8 { 63 } else { 31 };
        if bits == 0 {
            return unknown(i);
        }
        let mut out = [Byte::ZERO; VECTOR];
        let bytes = bits as usize / 8;
        match (known(&a[..size]), size) {
            (Some(a), 4 | 8) => {
                let value = if left { a << bits } else { a >> bits };
                let all = u64::MAX >> (64 - 8 * size);
                self.set_flags(None, Some(value & all == 0));
                return self.write(&wide(&spell(value & all)));
            }
            (None, 4) => {
                let f = if left { Terms::left } else { Terms::right };
                out = self.words((a, a, 4), |terms, a, _| f(terms, a, bits));
            }
            (None, 8) if bits % 8 == 0 && left => out[bytes..8].copy_from_slice(&a[..8 - bytes]),
            (None, 8) if bits % 8 == 0 => out[..8 - bytes].copy_from_slice(&a[bytes..8]),
            _ => return unknown(i),
        }
        self.set_flags(None, None);
        self.write(&out)
    }

    fn rotate(&mut self) -> Result<(), Refusal> {
        let i = self.i;
        let (mut a, count, size) = (self.read(0)?, self.read(1)?, self.size(0));
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
            match known(&self.read(operand)?[..size]) {
                Some(known) => *value = known,
                None => return secret(self.i),
            }
        }
        let all = u64::MAX >> (64 - 8 * size);
        let (value, carry, zero) = f(&values, all);
        self.set_flags(carry, zero);
        self.write(&wide(&spell(value & all)))
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
            let word = self.terms.word(four(&self.cpu.general[register], 0));
            let product = self.terms.scale(word, factor);
            sum = self.terms.add(sum, product);
        }
        let value = wide(&self.terms.bytes(sum));
        self.write(&value)
    }

    /// The bits of a mask register, one for each element of `element` bytes.
    fn masked(&self, element: usize) -> Result<Option<u64>, Refusal> {
        let mask = self.i.op_mask();
        if mask == Register::None {
            return Ok(None);
        }
        if element != 8 {
            return unknown(self.i);
        }
        self.cpu.mask[mask.number()].map_or_else(|| secret(self.i), |bits| Ok(Some(bits)))
    }

    /// Moves of whole vectors, through a mask or not.
    fn move_vector(&mut self) -> Result<(), Refusal> {
        let i = self.i;
        let element = if i.mnemonic() == Mnemonic::Vmovdqu64 || i.mnemonic() == Mnemonic::Vmovdqa64
        {
            8
        } else {
            0
        };
        let aligned = matches!(
            i.mnemonic(),
            Mnemonic::Movdqa | Mnemonic::Vmovdqa | Mnemonic::Vmovdqa64
        );
        let has_memory = i.op_kind(0) == OpKind::Memory || i.op_kind(1) == OpKind::Memory;
        if aligned && has_memory {
            return unknown(i);
        }
        let Some(mask) = self.masked(element)? else {
            let value = self.read(1)?;
            return self.write(&value);
        };
        let here = |n: usize| mask >> n & 1 == 1;
        if i.op_kind(1) == OpKind::Memory && i.zeroing_masking() {
            let at = self.address()?;
            let mut value = [Byte::ZERO; VECTOR];
            for n in (0..self.size(0) / element).filter(|&n| here(n)) {
                let bytes = self.memory.load(at + (n * element) as u64, element)?;
                value[n * element..(n + 1) * element].copy_from_slice(bytes);
            }
            self.write(&value)
        } else if i.op_kind(0) == OpKind::Memory {
            let at = self.address()?;
            let value = self.read(1)?;
            for n in (0..self.size(1) / element).filter(|&n| here(n)) {
                self.memory.store(
                    at + (n * element) as u64,
                    &value[n * element..(n + 1) * element],
                )?;
            }
            Ok(())
        } else {
            unknown(i)
        }
    }

    /// Bytes of each 16-byte lane by the places in the second source.
    fn shuffle_bytes(&mut self) -> Result<(), Refusal> {
        let (a, places, size) = self.sources()?;
        let mut out = [Byte::ZERO; VECTOR];
        for n in 0..size {
            let Some(place) = places[n].value() else {
                return secret(self.i);
            };
            if place & 0x80 == 0 {
                out[n] = a[n / 16 * 16 + usize::from(place & 15)];
            }
        }
        self.write(&out)
    }

    fn add_quads(&mut self) -> Result<(), Refusal> {
        let (a, b, size) = self.sources()?;
        let mut out = [Byte::ZERO; VECTOR];
        for quad in (0..size).step_by(8) {
            let (Some(x), Some(y)) = (known(&a[quad..quad + 8]), known(&b[quad..quad + 8])) else {
                return unknown(self.i);
            };
            out[quad..quad + 8].copy_from_slice(&spell(x.wrapping_add(y)));
        }
        self.write(&out)
    }

    #[allow(clippy::too_many_lines)]
    fn run(&mut self) -> Result<Next, Refusal> {
        use Mnemonic as M;

        let i = self.i;
        if i.has_lock_prefix() || i.has_rep_prefix() || i.has_repne_prefix() {
            return unknown(i);
        }
        match i.mnemonic() {
            M::Nop | M::Endbr64 => {}

            // -- jumps and the stack
            M::Jmp | M::Ja | M::Jae | M::Jb | M::Jbe | M::Je | M::Jne => {
                if i.op_kind(0) != OpKind::NearBranch64 {
                    return unknown(i);
                }
                if i.mnemonic() == M::Jmp || self.condition()? {
                    return Ok(Next::Jump(i.near_branch_target().wrapping_sub(CODE)));
                }
            }
            M::Push => {
                let value = self.read(0)?;
                let at = self.stack_pointer()?.wrapping_sub(8);
                self.cpu.general[RSP] = spell(at);
                self.memory.floor = at;
                self.memory.store(at, &value[..8])?;
            }
            M::Pop => {
                let at = self.stack_pointer()?;
                let value = wide(self.memory.load(at, 8)?);
                self.cpu.general[RSP] = spell(at.wrapping_add(8));
                self.write(&value)?;
            }
            M::Ret if i.code() == Code::Retnq => {
                let at = self.stack_pointer()?;
                let to = known(self.memory.load(at, 8)?);
                if to != Some(RETURN_TO) {
                    return Err(Refusal::Convention(
                        "it returns to somewhere else".to_owned(),
                    ));
                }
                self.cpu.general[RSP] = spell(at.wrapping_add(8));
                return Ok(Next::Return);
            }

            // -- general-purpose registers
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
            M::Cmova | M::Cmovne => {
                let value = self.read(u32::from(self.condition()?))?;
                self.write(&value)?;
            }
            M::Add => self.arithmetic(false, true)?,
            M::Sub => self.arithmetic(true, true)?,
            M::Cmp => self.arithmetic(true, false)?,
            M::Xor => {
                let (a, b, size) = (self.read(0)?, self.read(1)?, self.size(0));
                if size < 4 {
                    return unknown(i);
                }
                let value = self.words((a, b, size), Terms::xor);
                self.set_flags(Some(false), known(&value[..size]).map(|value| value == 0));
                self.write(&value)?;
            }
            M::Or => {
                let (a, b, size) = (self.read(0)?, self.read(1)?, self.size(0));
                let mut out = [Byte::ZERO; VECTOR];
                for n in 0..size {
                    out[n] = match (a[n].value(), b[n].value()) {
                        (Some(x), Some(y)) => Byte::known(x | y),
                        (Some(0), _) => b[n],
                        (_, Some(0)) => a[n],
                        _ => return unknown(i),
                    };
                }
                self.set_flags(Some(false), known(&out[..size]).map(|value| value == 0));
                self.write(&out)?;
            }
            M::Test => {
                let (a, b, size) = (self.read(0)?, self.read(1)?, self.size(0));
                let both = known(&a[..size]).zip(known(&b[..size]));
                self.set_flags(Some(false), both.map(|(a, b)| a & b == 0));
            }
            M::Shl => self.shift(true)?,
            M::Shr => self.shift(false)?,
            M::Rol => self.rotate()?,
            M::Bswap => {
                let (mut value, size) = (self.read(0)?, self.size(0));
                value[..size].reverse();
                self.write(&value)?;
            }
            M::Inc | M::Dec => {
                let carry = self.cpu.carry;
                let by = if i.mnemonic() == M::Inc { 1 } else { u64::MAX };
                self.on_known(&[0], |v, all| {
                    let value = v[0].wrapping_add(by);
                    (value, carry, Some(value & all == 0))
                })?;
            }
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

            // -- vectors
            M::Paddd | M::Vpaddd => self.vector_op(Terms::add)?,
            M::Psubd | M::Vpsubd => self.vector_op(Terms::sub)?,
            M::Pxor | M::Vpxor | M::Vpxord => self.vector_op(Terms::xor)?,
            M::Vpternlogd if i.immediate8() == 0x96 => {
                let d = self.read(0)?;
                let (a, b, size) = self.sources()?;
                let value = self.words((a, b, size), Terms::xor);
                let value = self.words((d, value, size), Terms::xor);
                self.write(&value)?;
            }
            M::Pslld | M::Vpslld => self.vector_shift(Terms::left)?,
            M::Psrld | M::Vpsrld => self.vector_shift(Terms::right)?,
            M::Vpaddq => self.add_quads()?,
            M::Pshufb | M::Vpshufb => self.shuffle_bytes()?,
            M::Pshufd if i.op_kind(1) == OpKind::Register => {
                let (a, imm) = (self.read(1)?, usize::from(i.immediate8()));
                let mut out = [Byte::ZERO; VECTOR];
                for n in 0..4 {
                    out[4 * n..4 * n + 4].copy_from_slice(&four(&a, imm >> (2 * n) & 3));
                }
                self.write(&out)?;
            }
            M::Shufps | M::Vshufps => {
                let imm = usize::from(i.immediate8());
                let of = |n: usize| (n >= 2, imm >> (2 * n) & 3);
                self.pick_words([of(0), of(1), of(2), of(3)])?;
            }
            M::Punpckldq | M::Vunpcklps => {
                self.pick_words([(false, 0), (true, 0), (false, 1), (true, 1)])?;
            }
            M::Punpckhdq | M::Vunpckhps => {
                self.pick_words([(false, 2), (true, 2), (false, 3), (true, 3)])?;
            }
            M::Vpbroadcastd | M::Vbroadcasti128 | M::Vbroadcasti32x4
                if i.op_kind(1) == OpKind::Memory && i.op_mask() == Register::None =>
            {
                let len = if i.mnemonic() == M::Vpbroadcastd {
                    4
                } else {
                    16
                };
                let value = self.spread(self.memory.load(self.address()?, len)?, self.size(0));
                self.write(&value)?;
            }
            M::Vinserti128 | M::Vinserti32x4 if i.op_mask() == Register::None => {
                let (mut value, part, size) = (self.read(1)?, self.read(2)?, self.size(0));
                let at = usize::from(i.immediate8()) % (size / 16) * 16;
                value[at..at + 16].copy_from_slice(&part[..16]);
                self.write(&value)?;
            }
            M::Vextracti128 | M::Vextracti32x4
                if i.op_kind(0) == OpKind::Register && i.op_mask() == Register::None =>
            {
                let (value, size) = (self.read(1)?, self.size(1));
                let at = usize::from(i.immediate8()) % (size / 16) * 16;
                self.write(&wide(&value[at..at + 16]))?;
            }
            M::Movd | M::Movq | M::Vmovd | M::Vmovq
                if (0..2).any(|n| i.op_kind(n) == OpKind::Memory) =>
            {
                let value = self.read(1)?;
                self.write(&value)?;
            }
            M::Vmovhps if i.op_count() == 3 => {
                let (mut value, high) = (self.read(1)?, self.read(2)?);
                value[8..16].copy_from_slice(&high[..8]);
                self.write(&value)?;
            }
            M::Vmovhps => {
                let value = self.read(1)?;
                self.write(&wide(&value[8..16]))?;
            }
            M::Movdqa | M::Movdqu | M::Vmovdqa | M::Vmovdqu | M::Vmovdqa64 | M::Vmovdqu64 => {
                self.move_vector()?;
            }
            M::Vzeroupper => {
                for register in &mut self.cpu.vector[..16] {
                    register[16..].fill(Byte::ZERO);
                }
                self.cpu.dirty = false;
            }
            _ => return unknown(i),
        }
        Ok(Next::Follow)
    }

    fn stack_pointer(&self) -> Result<u64, Refusal> {
        known(&self.cpu.general[RSP]).map_or_else(|| secret(self.i), Ok)
    }
}

impl X86 {
    /// Registers as they are before a call: what the caller does not define is symbols of their own.
    pub fn new(terms: &mut Terms, entry: &mut Entry) -> Self {
        Self {
            general: core::array::from_fn(|_| entry.bytes(terms)),
            vector: core::array::from_fn(|_| entry.bytes(terms)),
            mask: [None; 8],
            carry: None,
            zero: None,
            dirty: false,
        }
    }

    /// Executes one instruction.
    ///
    /// # Errors
    /// If there is no rule for it, or it does what a kernel may not do.
    pub fn step(
        &mut self,
        i: &Instruction,
        terms: &mut Terms,
        memory: &mut Memory,
    ) -> Result<Next, Refusal> {
        let next = Step {
            cpu: self,
            terms,
            memory,
            i,
        }
        .run()?;
        match known(&self.general[RSP]) {
            Some(at) => memory.floor = at,
            None => return secret(i),
        }
        Ok(next)
    }
}

/// rbx, rbp, r12 to r15.
const KEPT: [usize; 6] = [3, 5, 12, 13, 14, 15];
/// rdi, rsi, rdx, rcx, r8, r9.
const ARGUMENTS: [usize; 6] = [7, 6, 2, 1, 8, 9];

impl Machine for X86 {
    type Instruction = Instruction;

    const STACK_TOP: u64 = 0x7fff_ffff_1008;

    fn decode(code: &[u8]) -> Result<Program<Instruction>, Refusal> {
        let mut decoder = Decoder::with_ip(64, code, CODE, DecoderOptions::NONE);
        let mut decoded = Vec::new();
        while decoder.can_decode() {
            let instruction = decoder.decode();
            if instruction.is_invalid() {
                return Err(Refusal::Unknown(format!(
                    "the bytes at {:#x}",
                    instruction.ip()
                )));
            }
            decoded.push((instruction, instruction.len()));
        }
        Ok(Program::new(decoded))
    }

    fn is_landing_pad(i: &Instruction) -> bool {
        i.mnemonic() == Mnemonic::Endbr64
    }

    fn is_padding(i: &Instruction) -> bool {
        i.mnemonic() == Mnemonic::Nop
    }

    fn run(run: &mut Run<'_, Instruction>) -> Result<(), Refusal> {
        let mut cpu = Self::new(run.terms, &mut run.entry);
        for (&register, &argument) in ARGUMENTS.iter().zip(run.arguments) {
            cpu.general[register] = spell(argument);
        }
        let top = run.entry.stack;
        cpu.general[RSP] = spell(top);
        run.memory.add(
            "the return address",
            top,
            crate::memory::Access::Read,
            spell(RETURN_TO).to_vec(),
        );
        run.memory.floor = top;
        let (general, vector) = (cpu.general, cpu.vector);

        run.steps(|i, terms, memory| cpu.step(i, terms, memory))?;

        let broken = |what: String| Err(Refusal::Convention(what));
        if cpu.general[RSP] != spell(top + 8) {
            return broken("rsp is not restored".to_owned());
        }
        for register in KEPT {
            if cpu.general[register] != general[register] {
                return broken(format!(
                    "general-purpose register {register} is not restored"
                ));
            }
        }
        if cpu.dirty {
            return broken("the upper halves of vectors are in use".to_owned());
        }
        for (n, (after, before)) in cpu.vector.iter().zip(&vector).take(16).enumerate() {
            let upper = &after[16..];
            if *upper != before[16..] && upper.iter().any(|&byte| byte != Byte::ZERO) {
                return broken(format!("the upper half of vector {n} is changed"));
            }
        }
        Ok(())
    }
}
