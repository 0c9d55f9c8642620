//! Jumps and the stack, and the calling convention.

use iced_x86::{Code, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind};

use super::{
    operands::{Step, secret, unknown, wide},
    registers::{RSP, X86},
};
use crate::{
    fresh::{Forgotten, Fresh},
    machine::Machine,
    memory::{Access, Memory, Refusal},
    program::{Next, Program},
    term::{Byte, known, spell},
    terms::Terms,
};

/// Where the function lies.
const CODE: u64 = 0;
const RETURN_TO: u64 = 0x7777_0000_1111;

impl Step<'_> {
    fn run(&mut self) -> Result<Next, Refusal> {
        use Mnemonic as M;

        let i = self.i;
        if i.has_lock_prefix() || i.has_rep_prefix() || i.has_repne_prefix() {
            return unknown(i);
        }
        match i.mnemonic() {
            M::Nop | M::Endbr64 => {}
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

            _ => self.general()?,
        }
        Ok(Next::Follow)
    }

    fn stack_pointer(&self) -> Result<u64, Refusal> {
        known(&self.cpu.general[RSP]).map_or_else(|| secret(self.i), Ok)
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

    fn enter(arguments: &[u64], memory: &mut Memory, fresh: &mut Fresh, terms: &mut Terms) -> Self {
        let mut cpu = Self {
            general: core::array::from_fn(|_| fresh.bytes(terms)),
            vector: core::array::from_fn(|_| fresh.bytes(terms)),
            mask: [None; 8],
            carry: None,
            zero: None,
            dirty: false,
        };
        for (&register, &argument) in ARGUMENTS.iter().zip(arguments) {
            cpu.general[register] = spell(argument);
        }
        cpu.general[RSP] = spell(Self::STACK_TOP);
        memory.add(
            "the return address",
            Self::STACK_TOP,
            Access::Read,
            spell(RETURN_TO).to_vec(),
        );
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
        match known(&self.general[RSP]) {
            Some(at) => memory.floor = at,
            None => return secret(i),
        }
        Ok(next)
    }

    fn leave(&self, before: &Self) -> Result<(), Refusal> {
        let broken = |what: String| Err(Refusal::Convention(what));
        if self.general[RSP] != spell(Self::STACK_TOP + 8) {
            return broken("rsp is not restored".to_owned());
        }
        for register in KEPT {
            if self.general[register] != before.general[register] {
                return broken(format!(
                    "general-purpose register {register} is not restored"
                ));
            }
        }
        if self.dirty {
            return broken("the upper halves of vectors are in use".to_owned());
        }
        for (n, (after, before)) in self.vector.iter().zip(&before.vector).take(16).enumerate() {
            let upper = &after[16..];
            if *upper != before[16..] && upper.iter().any(|&byte| byte != Byte::ZERO) {
                return broken(format!("the upper half of vector {n} is changed"));
            }
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
        // Of masks and flags it is not asked whether they differ.
        self.mask = [None; 8];
        (self.carry, self.zero) = (None, None);
        self.dirty |= other.dirty;
    }
}
