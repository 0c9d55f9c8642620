//! What the two architectures have in common: a call of a kernel, from its entry to its return.

use crate::{
    fresh::{Forgotten, Fresh, is_of_entry},
    memory::{Access, Memory, Refusal},
    program::{Next, Program},
    term::Byte,
    terms::Terms,
};

/// A machine that runs kernels: its registers.
pub trait Machine: Clone {
    /// Its decoded instructions.
    type Instruction: core::fmt::Display + Clone + Send + Sync;

    /// The stack pointer before a call.
    const STACK_TOP: u64;

    /// Decodes a function.
    ///
    /// # Errors
    /// If there are bytes that are no instruction.
    fn decode(code: &[u8]) -> Result<Program<Self::Instruction>, Refusal>;

    /// Whether an indirect call may lead to it.
    fn is_landing_pad(instruction: &Self::Instruction) -> bool;

    /// Whether it is there for alignment alone.
    fn is_padding(instruction: &Self::Instruction) -> bool;

    /// Registers as a call finds them: arguments, and symbols where the caller defines nothing.
    fn enter(arguments: &[u64], memory: &mut Memory, fresh: &mut Fresh, terms: &mut Terms) -> Self;

    /// Executes one instruction.
    ///
    /// # Errors
    /// If there is no rule for it, or it does what a kernel may not do.
    fn step(
        &mut self,
        instruction: &Self::Instruction,
        terms: &mut Terms,
        memory: &mut Memory,
    ) -> Result<Next, Refusal>;

    /// Checks what the calling convention asks for after a return.
    ///
    /// # Errors
    /// If it is not followed.
    fn leave(&self, before: &Self) -> Result<(), Refusal>;

    /// Puts new symbols into registers, see `Fresh::forget`.
    fn forget(
        &mut self,
        other: &Self,
        fresh: &mut Fresh,
        forgotten: &mut Forgotten,
        terms: &mut Terms,
    );
}

/// Bytes of stack that a kernel may use.
const STACK: usize = 256;

/// A call.
#[derive(Debug)]
pub struct Call<'a, M: Machine> {
    program: &'a Program<M::Instruction>,
    cpu: M,
    before: M,
    /// What it can reach.
    pub memory: Memory,
    fresh: Fresh,
    /// The instruction to be executed next.
    next: usize,
    /// How many have been executed.
    pub steps: u64,
    /// The first instruction that a jump has led back to: the head of the outermost loop.
    pub head: Option<usize>,
}

impl<'a, M: Machine> Call<'a, M> {
    /// Before the first instruction, with a stack.
    pub fn new(
        program: &'a Program<M::Instruction>,
        arguments: &[u64],
        mut memory: Memory,
        terms: &mut Terms,
    ) -> Self {
        let mut fresh = Fresh::of_entry();
        let stack = fresh.bytes::<STACK>(terms);
        memory.add(
            "the stack",
            M::STACK_TOP - STACK as u64,
            Access::Stack,
            stack.to_vec(),
        );
        memory.floor = M::STACK_TOP;
        let cpu = M::enter(arguments, &mut memory, &mut fresh, terms);
        Self {
            program,
            before: cpu.clone(),
            cpu,
            memory,
            fresh,
            next: 0,
            steps: 0,
            head: None,
        }
    }

    /// Executes up to the return, or until an instruction is next again; tells whether it has returned.
    ///
    /// # Errors
    /// If an instruction is refused, a jump leads out of the function, more than `limit` instructions are executed,
    /// or the calling convention is not followed.
    pub fn run(
        &mut self,
        until: Option<usize>,
        limit: u64,
        terms: &mut Terms,
        reached: &mut [bool],
    ) -> Result<bool, Refusal> {
        loop {
            let Some(instruction) = self.program.instructions.get(self.next) else {
                return Err(Refusal::Flow("beyond the end".to_owned()));
            };
            reached[self.next] = true;
            if self.steps == limit {
                return Err(Refusal::Flow("it does not end".to_owned()));
            }
            self.steps += 1;
            let next = match self.cpu.step(instruction, terms, &mut self.memory)? {
                Next::Follow => self.next + 1,
                Next::Jump(to) => match self.program.find(to) {
                    Some(next) => next,
                    None => return Err(Refusal::Flow(format!("{instruction} leads out"))),
                },
                Next::Return => {
                    self.cpu.leave(&self.before)?;
                    return self.stack_is_clean(terms).map(|()| true);
                }
            };
            if next < self.next {
                self.head = Some(self.head.map_or(next, |head| head.min(next)));
            }
            self.next = next;
            if until == Some(next) {
                return Ok(false);
            }
        }
    }

    /// Puts new symbols where this call differs from another one in registers or memory, and to where these were put
    /// already, and adds the places.
    pub fn forget(&mut self, other: &Self, forgotten: &mut Forgotten, terms: &mut Terms) {
        self.cpu
            .forget(&other.cpu, &mut self.fresh, forgotten, terms);
        self.memory
            .forget(&other.memory, &mut self.fresh, forgotten, terms);
    }

    /// Whether what the stack held is zeroed, but for what was in registers before the call.
    fn stack_is_clean(&self, terms: &Terms) -> Result<(), Refusal> {
        let stack = &self.memory.region(M::STACK_TOP - STACK as u64).bytes;
        let is_own = |&byte: &Byte| !terms.symbol_of(byte).is_some_and(is_of_entry);
        let mut own = self.memory.held.iter().filter(|(_, byte)| is_own(byte));
        match own.find(|(offset, _)| stack[*offset] != Byte::ZERO) {
            None => Ok(()),
            Some((offset, _)) => Err(Refusal::Convention(format!(
                "the stack is not wiped {} bytes below its top",
                STACK - offset
            ))),
        }
    }
}
