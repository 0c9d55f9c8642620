//! What the two architectures have in common: a call of a kernel, from its entry to its return.

use crate::{
    memory::{Access, Memory, Refusal},
    program::{Next, Program},
    term::{Byte, Term, Terms},
};

/// A machine that runs kernels.
pub trait Machine {
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

    /// Calls a function, and checks what the calling convention asks for.
    ///
    /// # Errors
    /// If it is not followed, or an instruction is refused.
    fn run(run: &mut Run<'_, Self::Instruction>) -> Result<(), Refusal>;
}

/// Symbols from here on are what was in registers and on the stack before the call.
pub const ENTRY: u32 = 1 << 31;
/// Bytes of stack that a kernel may use.
const STACK: usize = 256;

/// What was there before the call.
#[derive(Debug)]
pub struct Entry {
    count: u32,
    /// The stack pointer.
    pub stack: u64,
}

impl Entry {
    /// A new symbol for something that the caller does not define.
    pub fn fresh(&mut self, terms: &mut Terms) -> Term {
        self.count += 1;
        terms.symbol(ENTRY + self.count)
    }

    /// A register of such symbols.
    pub fn bytes<const N: usize>(&mut self, terms: &mut Terms) -> [Byte; N] {
        let mut bytes = [Byte::ZERO; N];
        for word in bytes.chunks_exact_mut(4) {
            let symbol = self.fresh(terms);
            word.copy_from_slice(&terms.bytes(symbol));
        }
        bytes
    }
}

/// A call.
#[derive(Debug)]
pub struct Run<'a, I> {
    /// The function.
    pub program: &'a Program<I>,
    /// Its arguments.
    pub arguments: &'a [u64],
    /// All terms.
    pub terms: &'a mut Terms,
    /// What it can reach.
    pub memory: &'a mut Memory,
    /// What was there before.
    pub entry: Entry,
    /// Marked for each instruction that was executed.
    pub reached: &'a mut [bool],
    /// More instructions than these are taken for endless.
    pub limit: u64,
}

impl<'a, I: core::fmt::Display> Run<'a, I> {
    /// A call with a stack of its own.
    pub fn new<M: Machine<Instruction = I>>(
        program: &'a Program<I>,
        arguments: &'a [u64],
        terms: &'a mut Terms,
        memory: &'a mut Memory,
        reached: &'a mut [bool],
        limit: u64,
    ) -> Self {
        let mut entry = Entry {
            count: 0,
            stack: M::STACK_TOP,
        };
        let bytes = entry.bytes::<STACK>(terms);
        memory.add(
            "the stack",
            entry.stack - STACK as u64,
            Access::Stack,
            bytes.to_vec(),
        );
        Self {
            program,
            arguments,
            terms,
            memory,
            entry,
            reached,
            limit,
        }
    }

    /// Executes from the first instruction to the return.
    ///
    /// # Errors
    /// If an instruction is refused, or a jump leads out of the function.
    pub fn steps(
        &mut self,
        mut step: impl FnMut(&I, &mut Terms, &mut Memory) -> Result<Next, Refusal>,
    ) -> Result<(), Refusal> {
        let mut number = 0;
        loop {
            let Some(instruction) = self.program.instructions.get(number) else {
                return Err(Refusal::Flow("beyond the end".to_owned()));
            };
            self.reached[number] = true;
            self.limit = match self.limit.checked_sub(1) {
                Some(left) => left,
                None => return Err(Refusal::Flow("it does not end".to_owned())),
            };
            number = match step(instruction, self.terms, self.memory)? {
                Next::Follow => number + 1,
                Next::Jump(to) => match self.program.find(to) {
                    Some(number) => number,
                    None => return Err(Refusal::Flow(format!("{instruction} leads out"))),
                },
                Next::Return => return self.stack_is_clean(),
            };
        }
    }

    /// Whether what the stack held is zeroed, but for what was in registers before the call.
    fn stack_is_clean(&self) -> Result<(), Refusal> {
        let stack = &self.memory.region(self.entry.stack - STACK as u64).bytes;
        let is_own = |&byte: &Byte| {
            self.terms
                .symbol_of(byte)
                .is_none_or(|symbol| symbol < ENTRY)
        };
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
