//! Vectors and masks.

use iced_x86::{Mnemonic, OpKind, Register};

use super::{
    operands::{Step, secret, unknown, wide},
    registers::VECTOR,
};
use crate::{
    memory::Refusal,
    term::{Byte, Term, four, known, spell},
    terms::Terms,
};

impl Step<'_> {
    fn vector_op(&mut self, f: impl FnMut(&mut Terms, Term, Term) -> Term) -> Result<(), Refusal> {
        let (a, b, size) = self.sources()?;
        let value = self.terms.each_word(&a, &b, size, f);
        self.write(&value)
    }

    fn vector_shift(&mut self, f: fn(&mut Terms, Term, u32) -> Term) -> Result<(), Refusal> {
        let i = self.i;
        let from = i.op_count() - 2;
        if i.op_mask() != Register::None
            || i.op_kind(from) != OpKind::Register
            || i.op_kind(from + 1) != OpKind::Immediate8
        {
            return unknown(i);
        }
        let (a, size, bits) = (self.read(from)?, self.size(0), u32::from(i.immediate8()));
        let value = self
            .terms
            .each_word(&a, &a, size, |terms, a, _| f(terms, a, bits));
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

    pub(super) fn vector(&mut self) -> Result<(), Refusal> {
        use Mnemonic as M;

        let i = self.i;
        match i.mnemonic() {
            M::Paddd | M::Vpaddd => self.vector_op(Terms::add)?,
            M::Psubd | M::Vpsubd => self.vector_op(Terms::sub)?,
            M::Pxor | M::Vpxor | M::Vpxord => self.vector_op(Terms::xor)?,
            M::Vpternlogd if i.immediate8() == 0x96 => {
                let d = self.read(0)?;
                let (a, b, size) = self.sources()?;
                let value = self.terms.each_word(&a, &b, size, Terms::xor);
                let value = self.terms.each_word(&d, &value, size, Terms::xor);
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
            M::Movd | M::Movq | M::Vmovq if (0..2).any(|n| i.op_kind(n) == OpKind::Memory) => {
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
        Ok(())
    }
}
