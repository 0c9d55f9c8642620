//! What is proved of a kernel: it is called, and what it leaves is compared with the definition.

use std::collections::BTreeMap;

use crate::{
    fresh::{Forgotten, Fresh},
    kernel::{Case, Kernel, Range},
    layout,
    machine::{Call, Machine},
    memory::Refusal,
    program::Program,
    setting::Setting,
    spec::ByteOrder,
    terms::Terms,
};

/// Proves calls of a kernel.
#[derive(Debug)]
pub struct Prover<M: Machine> {
    /// The kernel.
    pub kernel: Kernel,
    /// Its code.
    pub program: Program<M::Instruction>,
    /// Marked for each instruction that was executed.
    pub reached: Vec<bool>,
    terms: Terms,
}

impl<M: Machine> Prover<M> {
    /// For a kernel's code.
    ///
    /// # Errors
    /// If it cannot be decoded.
    pub fn new(kernel: Kernel, code: &[u8]) -> Result<Self, Refusal> {
        let program = M::decode(code)?;
        let reached = vec![false; program.instructions.len()];
        Ok(Self {
            kernel,
            program,
            reached,
            terms: Terms::default(),
        })
    }

    /// Proves one call, and tells how many instructions it takes, which may be no more than `limit`.
    ///
    /// # Errors
    /// If it is not as the definition says.
    pub fn check(&mut self, byte_order: ByteOrder, case: Case, limit: u64) -> Result<u64, Refusal> {
        let Self {
            kernel,
            program,
            reached,
            terms,
        } = self;
        if !program.instructions.first().is_some_and(M::is_landing_pad) {
            return Err(Refusal::Convention(
                "it begins without a landing pad".to_owned(),
            ));
        }
        terms.clear();
        let mut fresh = Fresh::default();
        let setting = Setting::new(kernel, byte_order, case, case.count, &mut fresh, terms);
        let (memory, arguments) = layout::lay_out(&setting, kernel, &mut fresh, terms);
        let mut call = Call::<M>::new(program, &arguments, memory, terms);
        call.run(None, limit, terms, reached)?;
        layout::check(&setting, kernel, terms, &call.memory)?;
        Ok(call.steps)
    }

    /// Proves all calls of a theorem, and tells how many there are.
    ///
    /// # Errors
    /// The first call that is not as the definition says, in words.
    pub fn prove(
        &mut self,
        byte_order: ByteOrder,
        range: Range,
        limit: u64,
    ) -> Result<usize, String> {
        let cases = self.kernel.cases(range);
        let mut idle = BTreeMap::<_, Forgotten>::new();
        for case in &cases {
            let result = if range == Range::Passes {
                let layout = (
                    case.cycles,
                    case.groups,
                    case.pattern,
                    case.in_place,
                    case.own_sums,
                );
                let idle = idle.entry(layout).or_default();
                self.repeat(byte_order, *case, idle, limit)
            } else {
                self.check(byte_order, *case, limit).map(drop)
            };
            result.map_err(|refusal| format!("{case:?}: {refusal}"))?;
        }
        Ok(cases.len())
    }

    /// Proves that a call with one pass more than `case` has is a pass and that call: at the head of the loop over
    /// blocks both are in the same state, but for what does not matter to the rest. That is added to `idle`, all
    /// of which is filled with new symbols before the rest is proved, if it is not of `MANY` blocks.
    ///
    /// # Errors
    /// If it is not so.
    pub fn repeat(
        &mut self,
        byte_order: ByteOrder,
        case: Case,
        idle: &mut Forgotten,
        limit: u64,
    ) -> Result<(), Refusal> {
        let pass = self.kernel.pass();
        let shown = case.count.min(pass + 1);
        let Self {
            kernel,
            program,
            reached,
            terms,
        } = self;
        terms.clear();
        let mut fresh = Fresh::default();
        let longer = Case {
            count: case.count + pass,
            ..case
        };
        let setting = Setting::new(kernel, byte_order, longer, shown + pass, &mut fresh, terms);

        // Where the loop begins, a call shows that repeats it once.
        let short = Case {
            count: pass + 1,
            ..case
        };
        let head = {
            let setting = Setting::new(kernel, byte_order, short, short.count, &mut fresh, terms);
            let (memory, arguments) = layout::lay_out(&setting, kernel, &mut fresh, terms);
            let mut call = Call::<M>::new(program, &arguments, memory, terms);
            call.run(None, limit, terms, reached)?;
            call.head
        };
        let mut arrive = |setting: &Setting, arrivals: usize, terms: &mut Terms| {
            let (memory, arguments) = layout::lay_out(setting, kernel, &mut fresh, terms);
            let mut call = Call::<M>::new(program, &arguments, memory, terms);
            for _ in 0..arrivals {
                if call.run(head, limit, terms, reached)? {
                    return Err(Refusal::Flow("it returns before the loop".to_owned()));
                }
            }
            Ok(call)
        };
        let longer = arrive(&setting, 2, terms)?;
        let rest = setting.after(kernel, pass, terms, &longer.memory)?;
        let mut call = arrive(&rest, 1, terms)?;
        call.forget(&longer, idle, terms);
        if case.count == shown {
            call.run(None, limit, terms, reached)?;
            layout::check(&rest, kernel, terms, &call.memory)?;
        }
        Ok(())
    }
}
