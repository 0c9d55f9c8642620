//! The memory of a lanes kernel, and what has to be in it afterwards.

use crate::{
    fresh::Fresh,
    memory::{Access, Memory, Refusal},
    setting::{Message, Setting},
    spec::State,
    term::{Byte, Term, spell},
    terms::Terms,
};

/// Where they are.
pub(crate) const LANES: u64 = 0x6000_0000_000b;

/// The fields of `Lanes` in src/backend/lanes.rs behind its head, each of which holds two words of every lane or a
/// pointer.
#[derive(Clone, Copy)]
enum Field {
    Ciphertext,
    Mixed,
    Scratch,
    Sources,
    Targets,
    Advance,
    Keys,
}

/// Where a field is.
fn place(field: Field, lanes: usize) -> u64 {
    LANES + 64 + 8 * lanes as u64 * field as u64
}

/// Adds the lanes, which point to the sums, if there are any.
pub(crate) fn lay_out(
    setting: &Setting,
    sums: Option<u64>,
    memory: &mut Memory,
    fresh: &mut Fresh,
    terms: &mut Terms,
) {
    let messages = &setting.messages;
    let lanes = messages.len();
    let words = |word: &dyn Fn(&Message) -> Term| terms.spell(messages.iter().map(word));
    let pair = |pair: fn(&State) -> [Term; 2]| {
        [0, 1]
            .map(|n| words(&|message| pair(&message.state)[n]))
            .concat()
    };
    let numbers = |number: fn(&Message) -> u64| -> Vec<Byte> {
        messages
            .iter()
            .flat_map(|message| spell(number(message)))
            .collect()
    };
    let keys = (0..messages[0].key.len())
        .flat_map(|n| words(&|message| message.key[n]))
        .collect();
    let (ciphertext, mixed) = (pair(|state| state.ciphertext), pair(|state| state.mixed));
    let (sources, targets) = (
        numbers(|message| message.source),
        numbers(|message| message.target),
    );
    let advance = numbers(|message| message.advance);
    let scratch = fresh.words(2 * lanes, terms);
    let scratch = terms.spell(scratch);

    let mut head = setting.head();
    head.extend(sums.into_iter().flat_map(spell));
    memory.add("the head", LANES, Access::Read, head);
    let mut add = |name, field, access, bytes| memory.add(name, place(field, lanes), access, bytes);
    add(
        "the ciphertext",
        Field::Ciphertext,
        Access::Both,
        ciphertext,
    );
    add("what is mixed", Field::Mixed, Access::Both, mixed);
    add("the scratch", Field::Scratch, Access::Both, scratch);
    add("the sources", Field::Sources, Access::Both, sources);
    add("the targets", Field::Targets, Access::Both, targets);
    add("the advance", Field::Advance, Access::Read, advance);
    add("the keys", Field::Keys, Access::Read, keys);
}

/// Whether pointers are those of a setting, and the states of the lanes that count.
pub(crate) fn check(
    end: &Setting,
    counts: impl Fn(&Message) -> bool,
    terms: &Terms,
    memory: &Memory,
) -> Result<(), Refusal> {
    let lanes = end.messages.len();
    for (lane, message) in end.messages.iter().enumerate() {
        let holds = |field, at: usize, bytes: &[Byte]| {
            memory.region(place(field, lanes)).bytes[at..at + bytes.len()] == *bytes
        };
        let pointers = [
            (Field::Sources, message.source),
            (Field::Targets, message.target),
        ];
        if !pointers
            .iter()
            .all(|&(field, pointer)| holds(field, 8 * lane, &spell(pointer)))
        {
            return Err(Refusal::Result(format!("the pointers of lane {lane}")));
        }
        if !counts(message) {
            continue;
        }
        let State { ciphertext, mixed } = message.state;
        for (field, words) in [(Field::Ciphertext, ciphertext), (Field::Mixed, mixed)] {
            for (n, word) in words.into_iter().enumerate() {
                if !holds(field, 4 * (n * lanes + lane), &terms.bytes(word)) {
                    return Err(Refusal::Result(format!("the state of lane {lane}")));
                }
            }
        }
    }
    Ok(())
}
