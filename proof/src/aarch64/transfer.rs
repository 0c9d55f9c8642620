//! Loads and stores.

use yaxpeax_arm::armv8::a64::{Opcode, Operand, SIMDSizeCode, ShiftStyle, SizeCode};

use super::{
    operands::Step,
    registers::{bytes_of, width},
};
use crate::{
    memory::Refusal,
    term::{Byte, four, known, spell},
};

impl Step<'_> {
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
                    |(base, index)| {
                        let index = index << bits;
                        match self.memory.sum(base, index, false) {
                            Some(_) => Ok(base.wrapping_add(index)),
                            None => self.origin(),
                        }
                    },
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

    /// ldr, ldp, str, stp of registers that stand one after the other; the operand behind them is the address.
    fn transfer_registers(&mut self, registers: usize, store: bool) -> Result<(), Refusal> {
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

    pub(super) fn transfer(&mut self) -> Result<(), Refusal> {
        use Opcode as O;

        let operands = self.i.decoded.operands;
        match self.i.decoded.opcode {
            O::LDR | O::LDUR => self.transfer_registers(1, false)?,
            O::LDP => self.transfer_registers(2, false)?,
            O::STR => self.transfer_registers(1, true)?,
            O::STP => self.transfer_registers(2, true)?,
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

            _ => self.compute()?,
        }
        Ok(())
    }
}
