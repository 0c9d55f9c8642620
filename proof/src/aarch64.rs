//! aarch64: what each instruction of the kernels does, and the calling convention.
//!
//! An instruction, an operand or a flag that is not here stops the run.

use core::fmt;

use yaxpeax_arch::{Decoder as _, U8Reader};
use yaxpeax_arm::armv8::a64::{InstDecoder, Opcode, Operand, SIMDSizeCode, ShiftStyle, SizeCode};

use crate::{
    machine::{Entry, Machine, Run},
    memory::{Memory, Refusal},
    program::{Next, Program},
    term::{Byte, Term, Terms, known, spell},
};

/// Bytes of an instruction.
const WIDTH: usize = 4;
const RETURN_TO: u64 = 0x7777_0000_1114;

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
type Vector = [Byte; 16];
type General = [Byte; 8];

const NO_VECTOR: Vector = [Byte::ZERO; 16];

/// The registers.
#[derive(Debug)]
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

fn four(bytes: &[Byte], word: usize) -> [Byte; 4] {
    [
        bytes[4 * word],
        bytes[4 * word + 1],
        bytes[4 * word + 2],
        bytes[4 * word + 3],
    ]
}

fn vector(bytes: &[Byte]) -> Vector {
    let mut value = NO_VECTOR;
    value[..bytes.len()].copy_from_slice(bytes);
    value
}

fn bytes_of(size: SIMDSizeCode) -> usize {
    match size {
        SIMDSizeCode::B => 1,
        SIMDSizeCode::H => 2,
        SIMDSizeCode::S => 4,
        SIMDSizeCode::D => 8,
        SIMDSizeCode::Q => 16,
    }
}

fn width(size: SizeCode) -> usize {
    match size {
        SizeCode::X => 8,
        SizeCode::W => 4,
    }
}

/// Whether it is `bti c`.
fn is_bti(i: &Instruction) -> bool {
    i.decoded.opcode == Opcode::HINT
        && i.decoded.operands[..2] == [Operand::ControlReg(4), Operand::Immediate(2)]
}

fn is_nop(i: &Instruction) -> bool {
    i.decoded.opcode == Opcode::HINT
        && i.decoded.operands[..2] == [Operand::ControlReg(0), Operand::Immediate(0)]
}

/// One instruction in its machine.
struct Step<'a> {
    cpu: &'a mut Aarch64,
    terms: &'a mut Terms,
    memory: &'a mut Memory,
    i: &'a Instruction,
}

impl Step<'_> {
    fn unknown<T>(&self) -> Result<T, Refusal> {
        Err(Refusal::Unknown(format!("{}", self.i)))
    }

    fn secret<T>(&self) -> Result<T, Refusal> {
        Err(Refusal::Secret(format!("{}", self.i)))
    }

    // -- general-purpose registers

    /// The register, where 31 is zero.
    fn general(&self, register: u16) -> General {
        let value = self.cpu.general.get(usize::from(register));
        value.copied().unwrap_or([Byte::ZERO; 8])
    }

    /// The register, where 31 is the stack pointer.
    fn general_or_sp(&self, register: u16) -> General {
        let value = self.cpu.general.get(usize::from(register));
        value.copied().unwrap_or(spell(self.cpu.stack_pointer))
    }

    /// The first bytes of a value into a register; the rest of it becomes 0.
    fn set_general(&mut self, register: u16, bytes: &[Byte]) {
        if let Some(out) = self.cpu.general.get_mut(usize::from(register)) {
            *out = [Byte::ZERO; 8];
            out[..bytes.len()].copy_from_slice(bytes);
        }
    }

    /// Writes the first operand, of `size` bytes.
    fn set_result(&mut self, value: General, size: usize) -> Result<(), Refusal> {
        match self.i.decoded.operands[0] {
            Operand::RegisterOrSP(SizeCode::X, 31) => match known(&value) {
                Some(value) => self.cpu.stack_pointer = value,
                None => return self.secret(),
            },
            Operand::Register(_, register) | Operand::RegisterOrSP(_, register) => {
                self.set_general(register, &value[..size]);
            }
            _ => return self.unknown(),
        }
        Ok(())
    }

    /// A value of `size` bytes shifted by a number of bits: in 32 bits any, in 64 on known numbers or by whole
    /// bytes.
    fn shifted(
        &mut self,
        value: General,
        size: usize,
        style: ShiftStyle,
        bits: u32,
    ) -> Result<General, Refusal> {
        let left = match style {
            _ if bits == 0 => return Ok(value),
            ShiftStyle::LSL => true,
            ShiftStyle::LSR => false,
            _ => return self.unknown(),
        };
        let mut out = [Byte::ZERO; 8];
        let bytes = bits as usize / 8;
        match known(&value[..size]) {
            Some(number) => {
                let shifted = if left { number << bits } else { number >> bits };
                out[..size].copy_from_slice(&spell(shifted)[..size]);
            }
            None if size == 4 => {
                let term = self.terms.word(four(&value, 0));
                let f = if left { Terms::left } else { Terms::right };
                let term = f(self.terms, term, bits);
                out[..4].copy_from_slice(&self.terms.bytes(term));
            }
            None if bits % 8 == 0 && left => out[bytes..].copy_from_slice(&value[..8 - bytes]),
            None if bits % 8 == 0 => out[..8 - bytes].copy_from_slice(&value[bytes..]),
            None => return self.unknown(),
        }
        Ok(out)
    }

    /// The last operand of an operation on general-purpose registers of `size` bytes.
    fn last(&mut self, operand: Operand, size: usize) -> Result<General, Refusal> {
        match operand {
            Operand::Immediate(number) => Ok(spell(u64::from(number))),
            Operand::ImmShift(number, bits) => Ok(spell(u64::from(number) << bits)),
            Operand::RegShift(style, bits, of, register) if width(of) == size => {
                self.shifted(self.general(register), size, style, bits.into())
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
            Operand::Register(of, register) => (self.general(register), width(of)),
            Operand::RegisterOrSP(of, register) => (self.general_or_sp(register), width(of)),
            _ => return self.unknown(),
        };
        let b = self.last(last, size)?;
        let mut out = [Byte::ZERO; 8];
        let mut known_flags = (None, None);
        match (known(&a[..size]), known(&b[..size])) {
            (Some(a), Some(b)) => {
                let all = u64::MAX >> (64 - 8 * size);
                let value = if subtract {
                    a.wrapping_sub(b)
                } else {
                    a.wrapping_add(b)
                } & all;
                let carry = if subtract { a >= b } else { value < a };
                known_flags = (Some(carry), Some(value == 0));
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
        let (a, b) = (self.general(from), self.last(last, size)?);
        let mut out = [Byte::ZERO; 8];
        if or {
            for n in 0..size {
                out[n] = match (a[n].value(), b[n].value()) {
                    (Some(x), Some(y)) => Byte::known(x | y),
                    (Some(0), _) => b[n],
                    (_, Some(0)) => a[n],
                    _ => return self.unknown(),
                };
            }
        } else {
            for word in 0..size / 4 {
                let (x, y) = (
                    self.terms.word(four(&a, word)),
                    self.terms.word(four(&b, word)),
                );
                let term = self.terms.xor(x, y);
                out[4 * word..4 * word + 4].copy_from_slice(&self.terms.bytes(term));
            }
        }
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
        let (size, value) = (width(of), self.general(from));
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

    fn condition(&self, condition: u8) -> Result<bool, Refusal> {
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

    fn jump(&self, offset: i64) -> Next {
        Next::Jump(self.i.at.wrapping_add_signed(offset))
    }

    // -- memory

    /// The address of an operand, after writing the new base back.
    fn address(&mut self, operand: Operand) -> Result<u64, Refusal> {
        let (register, offset, back, before) = match operand {
            Operand::RegPreIndex(register, offset, back) => {
                (register, i64::from(offset), back, true)
            }
            Operand::RegPostIndex(register, offset) => (register, i64::from(offset), true, false),
            Operand::RegRegOffset(base, index, SizeCode::X, ShiftStyle::LSL, bits) => {
                let (base, index) = (
                    known(&self.general_or_sp(base)),
                    known(&self.general(index)),
                );
                return base.zip(index).map_or_else(
                    || self.secret(),
                    |(base, index)| Ok(base.wrapping_add(index << bits)),
                );
            }
            _ => return self.unknown(),
        };
        let Some(base) = known(&self.general_or_sp(register)) else {
            return self.secret();
        };
        let moved = base.wrapping_add_signed(offset);
        if back {
            if register == 31 {
                self.cpu.stack_pointer = moved;
                self.memory.floor = moved;
            } else {
                self.set_general(register, &spell(moved));
            }
        }
        Ok(if before { moved } else { base })
    }

    /// Bytes of an operand that is loaded or stored.
    fn size(&self, operand: Operand) -> Result<usize, Refusal> {
        match operand {
            Operand::Register(of, _) => Ok(width(of)),
            Operand::SIMDRegister(of, _) => Ok(bytes_of(of)),
            _ => self.unknown(),
        }
    }

    fn load(&mut self, to: Operand, bytes: &[Byte]) -> Result<(), Refusal> {
        match to {
            Operand::Register(_, register) => self.set_general(register, bytes),
            Operand::SIMDRegister(_, register) => {
                self.cpu.vector[usize::from(register)] = vector(bytes);
            }
            _ => return self.unknown(),
        }
        Ok(())
    }

    fn value(&self, from: Operand) -> Result<Vector, Refusal> {
        match from {
            Operand::Register(_, register) => Ok(vector(&self.general(register))),
            Operand::SIMDRegister(_, register) => Ok(self.cpu.vector[usize::from(register)]),
            _ => self.unknown(),
        }
    }

    /// ldr, ldp, str, stp of registers that stand one after the other; the operand behind them is the address.
    fn transfer(&mut self, registers: usize, store: bool) -> Result<(), Refusal> {
        let operands = self.i.decoded.operands;
        let size = self.size(operands[0])?;
        // Loading a register that is the base and is written back is undefined.
        if let Operand::RegPreIndex(base, _, true) | Operand::RegPostIndex(base, _) =
            operands[registers]
        {
            let same = |operand: &Operand| matches!(operand, Operand::Register(_, r) if *r == base);
            if operands[..registers].iter().any(same) {
                return self.unknown();
            }
        }
        let mut bytes = [Byte::ZERO; 32];
        let all = size * registers;
        if store {
            for (n, &operand) in operands[..registers].iter().enumerate() {
                bytes[n * size..(n + 1) * size].copy_from_slice(&self.value(operand)?[..size]);
            }
            let at = self.address(operands[registers])?;
            return self.memory.store(at, &bytes[..all]);
        }
        let at = self.address(operands[registers])?;
        bytes[..all].copy_from_slice(self.memory.load(at, all)?);
        // Loading one register twice is undefined.
        if registers == 2 && operands[0] == operands[1] {
            return self.unknown();
        }
        for (n, &operand) in operands[..registers].iter().enumerate() {
            self.load(operand, &bytes[n * size..(n + 1) * size])?;
        }
        Ok(())
    }

    /// ld1r, ld4r: words, each into all lanes of a vector.
    fn load_spread(&mut self, registers: u16) -> Result<(), Refusal> {
        let [
            Operand::SIMDRegisterGroup(SIMDSizeCode::Q, first, SIMDSizeCode::S, count),
            place,
            ..,
        ] = self.i.decoded.operands
        else {
            return self.unknown();
        };
        if u16::from(count) != registers {
            return self.unknown();
        }
        let at = self.address(place)?;
        for n in 0..registers {
            let word = four(self.memory.load(at + 4 * u64::from(n), 4)?, 0);
            let out = &mut self.cpu.vector[usize::from((first + n) % 32)];
            out.chunks_exact_mut(4)
                .for_each(|lane| lane.copy_from_slice(&word));
        }
        Ok(())
    }

    /// ld1, st1 of half a vector.
    fn transfer_half(&mut self, store: bool) -> Result<(), Refusal> {
        let [
            Operand::SIMDRegisterGroupLane(register, SIMDSizeCode::D, 1, half),
            place,
            ..,
        ] = self.i.decoded.operands
        else {
            return self.unknown();
        };
        let at = self.address(place)?;
        let lane = 8 * usize::from(half);
        let register = &mut self.cpu.vector[usize::from(register)][lane..lane + 8];
        if store {
            self.memory.store(at, register)
        } else {
            register.copy_from_slice(self.memory.load(at, 8)?);
            Ok(())
        }
    }

    // -- vectors

    /// A vector operand, and the bytes of it and of its elements.
    fn elements(&self, operand: usize) -> Result<(Vector, usize, SIMDSizeCode), Refusal> {
        match self.i.decoded.operands[operand] {
            Operand::SIMDRegisterElements(of, register, element) => {
                let mut value = self.cpu.vector[usize::from(register)];
                value[bytes_of(of)..].fill(Byte::ZERO);
                Ok((value, bytes_of(of), element))
            }
            _ => self.unknown(),
        }
    }

    /// Writes the first operand. What lies above a narrow vector becomes 0.
    fn set_vector(&mut self, value: &[Byte]) -> Result<(), Refusal> {
        match self.i.decoded.operands[0] {
            Operand::SIMDRegisterElements(of, register, _) => {
                self.cpu.vector[usize::from(register)] = vector(&value[..bytes_of(of)]);
                Ok(())
            }
            _ => self.unknown(),
        }
    }

    fn each_word(
        &mut self,
        a: Vector,
        b: Vector,
        mut f: impl FnMut(&mut Terms, Term, Term) -> Term,
    ) -> Vector {
        let mut out = NO_VECTOR;
        for word in 0..4 {
            let (x, y) = (
                self.terms.word(four(&a, word)),
                self.terms.word(four(&b, word)),
            );
            let term = f(self.terms, x, y);
            out[4 * word..4 * word + 4].copy_from_slice(&self.terms.bytes(term));
        }
        out
    }

    /// An operation on the words of the second and the third operand.
    fn words(&mut self, f: fn(&mut Terms, Term, Term) -> Term) -> Result<(), Refusal> {
        let ((a, ..), (b, ..)) = (self.elements(1)?, self.elements(2)?);
        let value = self.each_word(a, b, f);
        self.set_vector(&value)
    }

    fn vector_arithmetic(&mut self, subtract: bool) -> Result<(), Refusal> {
        let ((a, _, element), (b, ..)) = (self.elements(1)?, self.elements(2)?);
        match element {
            SIMDSizeCode::S => self.words(if subtract { Terms::sub } else { Terms::add }),
            SIMDSizeCode::D if !subtract => {
                let mut out = NO_VECTOR;
                for half in [0, 8] {
                    let (Some(x), Some(y)) = (known(&a[half..half + 8]), known(&b[half..half + 8]))
                    else {
                        return self.unknown();
                    };
                    out[half..half + 8].copy_from_slice(&spell(x.wrapping_add(y)));
                }
                self.set_vector(&out)
            }
            _ => self.unknown(),
        }
    }

    /// mov of a vector, which is orr of one with itself.
    fn copy_vector(&mut self) -> Result<(), Refusal> {
        let operands = self.i.decoded.operands;
        if operands[1] != operands[2] {
            return self.unknown();
        }
        let (value, ..) = self.elements(1)?;
        self.set_vector(&value)
    }

    /// shl, ushr, and usra, which adds to what is there.
    fn vector_shift(
        &mut self,
        f: fn(&mut Terms, Term, u32) -> Term,
        accumulate: bool,
    ) -> Result<(), Refusal> {
        let Operand::Immediate(bits) = self.i.decoded.operands[2] else {
            return self.unknown();
        };
        let (a, _, SIMDSizeCode::S) = self.elements(1)? else {
            return self.unknown();
        };
        let (d, ..) = self.elements(0)?;
        let value = self.each_word(a, d, |terms, a, d| {
            let shifted = f(terms, a, bits);
            if accumulate {
                terms.add(d, shifted)
            } else {
                shifted
            }
        });
        self.set_vector(&value)
    }

    /// mla by known numbers.
    fn multiply_add(&mut self) -> Result<(), Refusal> {
        let ((d, _, SIMDSizeCode::S), (a, ..), (b, ..)) =
            (self.elements(0)?, self.elements(1)?, self.elements(2)?)
        else {
            return self.unknown();
        };
        let mut out = NO_VECTOR;
        for word in 0..4 {
            let [d, a, b] = [d, a, b].map(|vector| self.terms.word(four(&vector, word)));
            let product = match (self.terms.value(a), self.terms.value(b)) {
                (_, Some(factor)) => self.terms.scale(a, factor),
                (Some(factor), _) => self.terms.scale(b, factor),
                _ => return self.unknown(),
            };
            let sum = self.terms.add(d, product);
            out[4 * word..4 * word + 4].copy_from_slice(&self.terms.bytes(sum));
        }
        self.set_vector(&out)
    }

    /// Words of the second operand (0 to 3) and the third one (4 to 7).
    fn pick_words(&mut self, picks: [usize; 4]) -> Result<(), Refusal> {
        let ((a, 16, SIMDSizeCode::S), (b, ..)) = (self.elements(1)?, self.elements(2)?) else {
            return self.unknown();
        };
        let mut out = NO_VECTOR;
        for (word, pick) in picks.into_iter().enumerate() {
            let from = if pick < 4 { &a } else { &b };
            out[4 * word..4 * word + 4].copy_from_slice(&four(from, pick % 4));
        }
        self.set_vector(&out)
    }

    /// tbl with one table.
    fn look_up(&mut self) -> Result<(), Refusal> {
        let Operand::SIMDRegisterGroup(SIMDSizeCode::Q, table, SIMDSizeCode::B, 1) =
            self.i.decoded.operands[1]
        else {
            return self.unknown();
        };
        let table = self.cpu.vector[usize::from(table)];
        let (places, size, _) = self.elements(2)?;
        let mut out = NO_VECTOR;
        for n in 0..size {
            let Some(place) = places[n].value() else {
                return self.secret();
            };
            out[n] = table.get(usize::from(place)).copied().unwrap_or(Byte::ZERO);
        }
        self.set_vector(&out)
    }

    #[allow(clippy::too_many_lines)]
    fn run(&mut self) -> Result<Next, Refusal> {
        use Opcode as O;

        let operands = self.i.decoded.operands;
        match self.i.decoded.opcode {
            O::HINT if is_bti(self.i) || is_nop(self.i) => {}

            // -- jumps
            O::B | O::Bcc(_) => {
                let Operand::PCOffset(offset) = operands[0] else {
                    return self.unknown();
                };
                let jumps = match self.i.decoded.opcode {
                    O::Bcc(condition) => self.condition(condition)?,
                    _ => true,
                };
                if jumps {
                    return Ok(self.jump(offset));
                }
            }
            O::CBZ => {
                let [
                    Operand::Register(of, register),
                    Operand::PCOffset(offset),
                    ..,
                ] = operands
                else {
                    return self.unknown();
                };
                match known(&self.general(register)[..width(of)]) {
                    Some(0) => return Ok(self.jump(offset)),
                    Some(_) => {}
                    None => return self.secret(),
                }
            }
            O::TBZ | O::TBNZ => {
                let [
                    Operand::Register(_, register),
                    Operand::Imm16(bit),
                    Operand::PCOffset(offset),
                    ..,
                ] = operands
                else {
                    return self.unknown();
                };
                let Some(value) = known(&self.general(register)) else {
                    return self.secret();
                };
                if (value >> bit & 1 == 1) == (self.i.decoded.opcode == O::TBNZ) {
                    return Ok(self.jump(offset));
                }
            }
            O::RET => {
                let Operand::Register(SizeCode::X, register) = operands[0] else {
                    return self.unknown();
                };
                if self.general(register) != spell(RETURN_TO) {
                    return Err(Refusal::Convention(
                        "it returns to somewhere else".to_owned(),
                    ));
                }
                return Ok(Next::Return);
            }

            // -- memory
            O::LDR | O::LDUR => self.transfer(1, false)?,
            O::LDP => self.transfer(2, false)?,
            O::STR => self.transfer(1, true)?,
            O::STP => self.transfer(2, true)?,
            O::LDRB => {
                let Operand::Register(SizeCode::W, register) = operands[0] else {
                    return self.unknown();
                };
                let at = self.address(operands[1])?;
                let byte = self.memory.load(at, 1)?[0];
                self.set_general(register, &[byte]);
            }
            O::LD1R => self.load_spread(1)?,
            O::LD4R => self.load_spread(4)?,
            O::LD1 => self.transfer_half(false)?,
            O::ST1 => self.transfer_half(true)?,

            // -- both kinds of registers
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

            // -- general-purpose registers
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
                let mut value = self.general(from);
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
                self.set_result(self.general(from), width(of))?;
            }

            // -- vectors
            O::MOVI => {
                let (Operand::ImmShift(number, bits), (_, _, SIMDSizeCode::S)) =
                    (operands[1], self.elements(0)?)
                else {
                    return self.unknown();
                };
                let word = &spell(u64::from(number) << bits)[..4];
                self.set_vector(&[word, word, word, word].concat())?;
            }
            O::EOR3 => {
                let (a, ..) = self.elements(1)?;
                let ((b, ..), (c, ..)) = (self.elements(2)?, self.elements(3)?);
                let value = self.each_word(a, b, Terms::xor);
                let value = self.each_word(value, c, Terms::xor);
                self.set_vector(&value)?;
            }
            O::SHL => self.vector_shift(Terms::left, false)?,
            O::USHR => self.vector_shift(Terms::right, false)?,
            O::USRA => self.vector_shift(Terms::right, true)?,
            O::MLA => self.multiply_add()?,
            O::TBL => self.look_up()?,
            O::UZP1 => self.pick_words([0, 2, 4, 6])?,
            O::UZP2 => self.pick_words([1, 3, 5, 7])?,
            O::ZIP1 => self.pick_words([0, 4, 1, 5])?,
            O::ZIP2 => self.pick_words([2, 6, 3, 7])?,
            _ => return self.unknown(),
        }
        Ok(Next::Follow)
    }
}

impl Aarch64 {
    /// Registers as they are before a call: what the caller does not define is symbols of their own.
    pub fn new(terms: &mut Terms, entry: &mut Entry) -> Self {
        Self {
            general: core::array::from_fn(|_| entry.bytes(terms)),
            stack_pointer: entry.stack,
            vector: core::array::from_fn(|_| entry.bytes(terms)),
            carry: None,
            zero: None,
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
        if self.stack_pointer % 16 != 0 {
            return Err(Refusal::Convention(
                "the stack pointer is not aligned".to_owned(),
            ));
        }
        memory.floor = self.stack_pointer;
        Ok(next)
    }
}

impl Machine for Aarch64 {
    type Instruction = Instruction;

    const STACK_TOP: u64 = 0x7fff_ffff_1000;

    fn decode(code: &[u8]) -> Result<Program<Instruction>, Refusal> {
        let decoder = InstDecoder::default();
        let mut decoded = Vec::new();
        for (at, word) in (0..).step_by(WIDTH).zip(code.chunks(WIDTH)) {
            match decoder.decode(&mut U8Reader::new(word)) {
                Ok(instruction) => decoded.push((
                    Instruction {
                        at,
                        decoded: instruction,
                    },
                    WIDTH,
                )),
                Err(error) => return Err(Refusal::Unknown(format!("{word:02x?}: {error}"))),
            }
        }
        Ok(Program::new(decoded))
    }

    fn is_landing_pad(i: &Instruction) -> bool {
        is_bti(i)
    }

    fn is_padding(i: &Instruction) -> bool {
        is_nop(i)
    }

    fn run(run: &mut Run<'_, Instruction>) -> Result<(), Refusal> {
        let mut cpu = Self::new(run.terms, &mut run.entry);
        for (register, &argument) in cpu.general.iter_mut().zip(run.arguments) {
            *register = spell(argument);
        }
        cpu.general[30] = spell(RETURN_TO);
        run.memory.floor = run.entry.stack;
        let (general, vector) = (cpu.general, cpu.vector);

        run.steps(|i, terms, memory| cpu.step(i, terms, memory))?;

        let broken = |what: String| Err(Refusal::Convention(what));
        if cpu.stack_pointer != run.entry.stack {
            return broken("sp is not restored".to_owned());
        }
        let changed = |(after, before): (&General, &General)| after != before;
        if cpu.general[18..].iter().zip(&general[18..]).any(changed) {
            return broken("one of x18 to x30 is not restored".to_owned());
        }
        let changed = |(after, before): (&Vector, &Vector)| after[..8] != before[..8];
        if cpu.vector[8..16].iter().zip(&vector[8..16]).any(changed) {
            return broken("one of d8 to d15 is not restored".to_owned());
        }
        Ok(())
    }
}
