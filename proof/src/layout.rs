//! Where a setting lies when a kernel is called, and what has to be there afterwards.

use crate::{
    fresh::Fresh,
    kernel::{Kernel, Shape},
    lanes,
    memory::{self, Access, Memory, Refusal},
    setting::{Message, Setting},
    spec::{Mode, State},
    term::{Byte, spell},
    terms::Terms,
};

// Far from each other and from texts and lanes, and aligned to nothing.
const SCHEDULE: u64 = 0x1000_0000_0003;
const SUMS: u64 = 0x2000_0000_0005;
const STATE: u64 = 0x3000_0000_0007;

/// The memory, and the arguments.
pub(crate) fn lay_out(
    setting: &Setting,
    kernel: &Kernel,
    fresh: &mut Fresh,
    terms: &mut Terms,
) -> (Memory, Vec<u64>) {
    let mut memory = Memory::default();
    memory.blocks = setting.count as u64;
    memory.tried = 2 * kernel.pass() as u64 + 1;
    // Lanes that do not run point to where nothing is.
    for message in setting.messages.iter().filter(|message| message.runs) {
        lay_out_text(message, kernel, &mut memory, fresh, terms);
    }
    let has_sums = !setting.sums.is_empty();
    if has_sums && !setting.own_sums {
        let sums = terms.spell(setting.sums.iter().copied());
        memory.add("the sums", SUMS, Access::Read, sums);
    }
    let count = setting.count as u64;
    let (source, target) = (setting.messages[0].source, setting.messages[0].target);
    let arguments = match kernel.shape {
        Shape::Lanes { .. } => {
            lanes::lay_out(setting, has_sums.then_some(SUMS), &mut memory, fresh, terms);
            vec![lanes::LANES, count, setting.groups as u64]
        }
        Shape::Blocks(_) => vec![SCHEDULE, source, target, count],
        Shape::Chain => {
            let state = state(setting, kernel, terms);
            memory.add("the state", STATE, Access::Both, state);
            vec![SCHEDULE, STATE, source, target, count]
        }
    };
    if !matches!(kernel.shape, Shape::Lanes { .. }) {
        let schedule = schedule(setting, fresh, terms);
        memory.add("the schedule", SCHEDULE, Access::Read, schedule);
    }
    (memory, arguments)
}

fn lay_out_text(
    message: &Message,
    kernel: &Kernel,
    memory: &mut Memory,
    fresh: &mut Fresh,
    terms: &mut Terms,
) {
    let text = message.text.clone();
    memory.public.extend(terms.spell(message.state.ciphertext));
    if matches!(kernel.mode, Mode::EcbDecrypt | Mode::QqDecrypt) {
        memory.public.extend(&text);
    }
    if message.source == message.target {
        memory.add(memory::TEXT, message.source, Access::Both, text);
        return;
    }
    let old = fresh.words(text.len() / 4, terms);
    memory.add(memory::SOURCE, message.source, Access::Read, text);
    memory.add(
        memory::TARGET,
        message.target,
        Access::Write,
        terms.spell(old),
    );
}

/// `Schedule` in src/schedule.rs, as far as it may be read.
fn schedule(setting: &Setting, fresh: &mut Fresh, terms: &mut Terms) -> Vec<Byte> {
    let mut bytes = setting.head();
    bytes.extend(terms.spell(setting.messages[0].key.iter().copied()));
    if setting.sums.is_empty() {
        return bytes;
    }
    bytes.extend(spell(setting.own_sums.into()));
    if !setting.own_sums {
        bytes.extend(spell(SUMS));
        return bytes;
    }
    bytes.extend(terms.spell(setting.sums.iter().copied()));
    if setting.sums.len() == 1 {
        // The table is longer, and the place of a pointer is read in any case.
        bytes.extend(fresh.bytes::<4>(terms));
    }
    bytes
}

/// The state of the only message as it stands in memory.
fn state(setting: &Setting, kernel: &Kernel, terms: &Terms) -> Vec<Byte> {
    let State { ciphertext, mixed } = setting.messages[0].state;
    match kernel.mode {
        Mode::QqEncrypt | Mode::QqDecrypt => terms.spell([ciphertext, mixed].concat()),
        _ => terms.spell(ciphertext),
    }
}

/// Whether the memory holds the results: all blocks, and states and pointers as they are after them.
pub(crate) fn check(
    setting: &Setting,
    kernel: &Kernel,
    terms: &mut Terms,
    memory: &Memory,
) -> Result<(), Refusal> {
    let end = setting.after(kernel, setting.count, terms, memory)?;
    match kernel.shape {
        Shape::Blocks(_) => Ok(()),
        Shape::Chain if memory.region(STATE).bytes == state(&end, kernel, terms) => Ok(()),
        Shape::Chain => Err(Refusal::Result("the state".to_owned())),
        Shape::Lanes { .. } => {
            let untouched = |message: &Message| setting.count == 0 || !message.runs;
            lanes::check(
                &end,
                |message| untouched(message) || message.advance > 0,
                terms,
                memory,
            )
        }
    }
}
