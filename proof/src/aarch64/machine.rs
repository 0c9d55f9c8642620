//! Jumps, and the calling convention.

use yaxpeax_arch::{Decoder as _, U8Reader};
use yaxpeax_arm::armv8::a64::{InstDecoder, Opcode, Operand, SizeCode};

use super::{
    operands::Step,
    registers::{Aarch64, Instruction, Vector, width},
};
use crate::{
    fresh::{Forgotten, Fresh},
    machine::Machine,
    memory::{Memory, Refusal},
    program::{Next, Program},
    term::{known, spell},
    terms::Terms,
};

/// Bytes of an instruction.
const WIDTH: usize = 4;
const RETURN_TO: u64 = 0x7777_0000_1114;

/// Whether it is `bti c`.
fn is_bti(i: &Instruction) -> bool {
    i.decoded.opcode == Opcode::HINT
        && i.decoded.operands[..2] == [Operand::ControlReg(4), Operand::Immediate(2)]
}

fn is_nop(i: &Instruction) -> bool {
    i.decoded.opcode == Opcode::HINT
        && i.decoded.operands[..2] == [Operand::ControlReg(0), Operand::Immediate(0)]
}

impl Step<'_> {
    fn jump(&self, offset: i64) -> Next {
        Next::Jump(self.i.at.wrapping_add_signed(offset))
    }

    fn run(&mut self) -> Result<Next, Refusal> {
        use Opcode as O;

        let operands = self.i.decoded.operands;
        match self.i.decoded.opcode {
            O::HINT if is_bti(self.i) || is_nop(self.i) => {}
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
                let Some(value) = known(&self.read(of, register)?[..width(of)]) else {
                    return self.secret();
                };
                if self.memory.sum(value, 0, true) != Some(true) {
                    return self.origin();
                }
                if value == 0 {
                    return Ok(self.jump(offset));
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
                let Some(value) = known(&self.read_number(SizeCode::X, register)?) else {
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

            _ => self.transfer()?,
        }
        Ok(Next::Follow)
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

    fn enter(arguments: &[u64], _: &mut Memory, fresh: &mut Fresh, terms: &mut Terms) -> Self {
        let mut cpu = Self {
            general: core::array::from_fn(|_| fresh.bytes(terms)),
            stack_pointer: Self::STACK_TOP,
            vector: core::array::from_fn(|_| fresh.bytes(terms)),
            carry: None,
            zero: None,
        };
        for (register, &argument) in cpu.general.iter_mut().zip(arguments) {
            *register = spell(argument);
        }
        cpu.general[30] = spell(RETURN_TO);
        cpu
    }

    fn step(
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

    fn leave(&self, before: &Self) -> Result<(), Refusal> {
        let broken = |what: &str| Err(Refusal::Convention(format!("{what} not restored")));
        if self.stack_pointer != Self::STACK_TOP {
            return broken("sp is");
        }
        if self.general[18..] != before.general[18..] {
            return broken("one of x18 to x30 is");
        }
        let changed = |(after, before): (&Vector, &Vector)| after[..8] != before[..8];
        if self.vector[8..16]
            .iter()
            .zip(&before.vector[8..16])
            .any(changed)
        {
            return broken("one of d8 to d15 is");
        }
        Ok(())
    }

    fn forget(
        &mut self,
        other: &Self,
        fresh: &mut Fresh,
        forgotten: &mut Forgotten,
        terms: &mut Terms,
    ) {
        for (n, (here, there)) in (0..).zip(self.general.iter_mut().zip(&other.general)) {
            fresh.forget(here, there, 0x100 * n, forgotten, terms);
        }
        for (n, (here, there)) in (0..).zip(self.vector.iter_mut().zip(&other.vector)) {
            fresh.forget(here, there, 0x100 * n + 0x80, forgotten, terms);
        }
        if self.stack_pointer != other.stack_pointer {
            self.stack_pointer = 0;
        }
        // Of flags it is not asked whether they differ.
        (self.carry, self.zero) = (None, None);
    }
}
