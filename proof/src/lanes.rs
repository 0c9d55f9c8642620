//! The memory of a lanes kernel, and what has to be in it afterwards.

use crate::{
    kernel::{Case, Kernel},
    memory::{Access, Memory, Refusal},
    spec::{Order, State, Words},
    term::{Term, Terms, spell},
    theorem::{BETWEEN_LANES, Message, SOURCE, STATE, Symbols, TARGET, cipher, head, lay_out_text},
};

/// So many lanes, of which the first ones run.
pub(crate) struct Lanes<'a> {
    pub(crate) lanes: usize,
    pub(crate) running: usize,
    pub(crate) case: Case,
    pub(crate) sums: &'a [Term],
}

impl Lanes<'_> {
    /// The fields of `Lanes` in src/backend/lanes.rs, each of which holds two words of every lane or a pointer.
    fn field(&self, n: usize) -> u64 {
        STATE + 64 + (8 * self.lanes * n) as u64
    }

    fn is_idle(&self, lane: usize) -> bool {
        Kernel::is_idle(self.case.pattern, lane)
    }

    /// Source and destination of a lane. The lanes that do not run point to where nothing is.
    fn pointers(&self, lane: usize) -> [u64; 2] {
        let source = SOURCE + BETWEEN_LANES * lane as u64;
        let target = TARGET + BETWEEN_LANES * lane as u64;
        [
            source,
            if self.case.in_place || self.is_idle(lane) {
                source
            } else {
                target
            },
        ]
    }

    pub(crate) fn lay_out(
        &self,
        kernel: &Kernel,
        order: Order,
        symbols: &mut Symbols<'_>,
        memory: &mut Memory,
    ) -> Vec<Message> {
        let Self { lanes, case, .. } = *self;
        let keys = if kernel.xtea { 2 * case.cycles } else { 4 };
        let key = symbols.words(keys * lanes);
        let state = symbols.words(4 * lanes);
        let scratch = symbols.words(2 * lanes);
        let pointers = |which: usize| {
            (0..lanes)
                .flat_map(|lane| spell(self.pointers(lane)[which]))
                .collect::<Vec<_>>()
        };
        let advance = (0..lanes).flat_map(|lane| spell(if self.is_idle(lane) { 0 } else { 8 }));
        memory.add("the head", STATE, Access::Read, head(order, case.cycles));
        memory.add(
            "the ciphertext",
            self.field(0),
            Access::Both,
            symbols.bytes(&state[..2 * lanes]),
        );
        memory.add(
            "what is mixed",
            self.field(1),
            Access::Both,
            symbols.bytes(&state[2 * lanes..]),
        );
        memory.add(
            "the scratch",
            self.field(2),
            Access::Both,
            symbols.bytes(&scratch),
        );
        memory.add("the sources", self.field(3), Access::Both, pointers(0));
        memory.add("the targets", self.field(4), Access::Both, pointers(1));
        memory.add(
            "the advance",
            self.field(5),
            Access::Read,
            advance.collect(),
        );
        memory.add("the keys", self.field(6), Access::Read, symbols.bytes(&key));

        let mut messages = Vec::new();
        for lane in 0..lanes {
            let of = |words: &[Term], n: usize| words[n * lanes + lane];
            let words: Vec<Term> = (0..keys).map(|n| of(&key, n)).collect();
            let blocks = match () {
                () if lane >= self.running => 0,
                () if self.is_idle(lane) => 1,
                () => case.count,
            };
            let text = symbols.words(2 * blocks);
            let text = symbols.bytes(&text);
            let [source, target] = self.pointers(lane);
            if lane < self.running {
                lay_out_text(source == target, &text, source, target, symbols, memory);
            }
            messages.push(Message {
                cipher: cipher(kernel, &words, self.sums),
                before: State {
                    ciphertext: [of(&state, 0), of(&state, 1)],
                    mixed: [of(&state, 2), of(&state, 3)],
                },
                text,
                target,
            });
        }
        messages
    }

    pub(crate) fn check(
        &self,
        kernel: &Kernel,
        order: Order,
        messages: &[Message],
        terms: &mut Terms,
        memory: &Memory,
    ) -> Result<(), Refusal> {
        for (lane, message) in messages.iter().enumerate() {
            let runs = lane < self.running && self.case.count > 0;
            let idles = self.is_idle(lane);
            // What an idle lane holds is nobody's; what it holds besides, stays.
            if !(runs && idles) {
                let state = if runs {
                    message.check(kernel, order, terms, memory)?
                } else {
                    message.before
                };
                for (field, words) in [(0, state.ciphertext), (1, state.mixed)] {
                    self.compare(field, lane, words, terms, memory)?;
                }
            }
            let advance = if runs && !idles {
                8 * self.case.count as u64
            } else {
                0
            };
            for (field, pointer) in [3, 4].into_iter().zip(self.pointers(lane)) {
                let found = &memory.region(self.field(field)).bytes[8 * lane..8 * lane + 8];
                if found != spell(pointer + advance) {
                    return Err(Refusal::Result(format!("a pointer of lane {lane}")));
                }
            }
        }
        Ok(())
    }

    fn compare(
        &self,
        field: usize,
        lane: usize,
        words: Words,
        terms: &Terms,
        memory: &Memory,
    ) -> Result<(), Refusal> {
        let found = &memory.region(self.field(field)).bytes;
        for (n, word) in words.into_iter().enumerate() {
            let at = 4 * (n * self.lanes + lane);
            if found[at..at + 4] != terms.bytes(word) {
                return Err(Refusal::Result(format!("the state of lane {lane}")));
            }
        }
        Ok(())
    }
}
