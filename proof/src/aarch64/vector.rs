//! Vectors.

use yaxpeax_arm::armv8::a64::{Opcode, Operand, SIMDSizeCode};

use super::{
    operands::Step,
    registers::{NO_VECTOR, Vector, bytes_of, vector},
};
use crate::{
    memory::Refusal,
    term::{Byte, Term, four, known, spell},
    terms::Terms,
};

impl Step<'_> {
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

    /// An operation on the words of the second and the third operand.
    pub(super) fn words(&mut self, f: fn(&mut Terms, Term, Term) -> Term) -> Result<(), Refusal> {
        let ((a, ..), (b, ..)) = (self.elements(1)?, self.elements(2)?);
        let value = self.terms.each_word(&a, &b, 16, f);
        self.set_vector(&value)
    }

    pub(super) fn vector_arithmetic(&mut self, subtract: bool) -> Result<(), Refusal> {
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
    pub(super) fn copy_vector(&mut self) -> Result<(), Refusal> {
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
        let value = self.terms.each_word(&a, &d, 16, |terms, a, d| {
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

    pub(super) fn compute_vector(&mut self) -> Result<(), Refusal> {
        use Opcode as O;

        let operands = self.i.decoded.operands;
        match self.i.decoded.opcode {
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
                let value = self.terms.each_word(&a, &b, 16, Terms::xor);
                let value = self.terms.each_word(&value, &c, 16, Terms::xor);
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
        Ok(())
    }
}
