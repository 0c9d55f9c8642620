//! The rules for instructions beside the processor: every instruction of every kernel is executed on random
//! states, by the rules, on known numbers as on symbols, and by the processor (or qemu). What is left has to be
//! the same. As a control, rules that do nothing or something else have to be noticed. `-- --forms` lists what
//! was tried.

#![allow(clippy::cast_possible_truncation)]

mod aarch64;
mod x86;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use proof::{
    memory::{Access, Memory},
    mutate::Mutate,
    program::{Arch, Next, assemble, compiler},
    term::{Byte, spell},
    terms::{Terms, Values},
};

/// Tries for each instruction.
const TRIES: usize = 16;
/// layout.h has these numbers too.
const BASE: u64 = 0x200_0000;
const SLOT: u64 = BASE + 0x1000;
/// Where an instruction that jumps leads to.
const AWAY: u64 = 64;
const MEMORY: usize = 512;

/// Numbers that are different, and always the same (splitmix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, end: u64) -> u64 {
        self.roll() % end
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 1
    }

    /// A number with which something may happen: a small one, a power, or any.
    fn number(&mut self) -> u64 {
        match self.below(6) {
            0 => 0,
            1 => self.below(4),
            2 => 8 * self.below(9),
            3 => u64::MAX >> self.below(64),
            4 => u64::from(self.roll() as u32),
            _ => self.roll(),
        }
    }
}

/// The terms of a try, and what its symbols stand for.
struct World {
    terms: Terms,
    symbols: Vec<u32>,
    memory: Memory,
    dice: Dice,
    /// Whether there are symbols at all.
    symbolic: bool,
    /// The flags C and Z, of which there is each state.
    flags: [bool; 2],
}

impl World {
    fn new(number: usize, symbolic: bool, memory_at: u64) -> Self {
        let mut world = Self {
            terms: Terms::default(),
            symbols: Vec::new(),
            memory: Memory::default(),
            dice: Dice((number as u64) << 20),
            symbolic,
            flags: [number & 1 != 0, number & 2 != 0],
        };
        let bytes = world.bytes::<MEMORY>();
        world
            .memory
            .add("memory", memory_at, Access::Both, bytes.to_vec());
        world
    }

    /// Random bytes, all known or all of symbols, half of the times each.
    fn bytes<const N: usize>(&mut self) -> [Byte; N] {
        let known = !self.symbolic || self.dice.coin();
        let mut bytes = [Byte::ZERO; N];
        for part in bytes.chunks_exact_mut(8) {
            let number = self.dice.number();
            for (word, value) in part
                .chunks_exact_mut(4)
                .zip([number as u32, (number >> 32) as u32])
            {
                let term = if known {
                    self.terms.number(value)
                } else {
                    self.symbols.push(value);
                    self.terms.symbol(self.symbols.len() as u32 - 1)
                };
                word.copy_from_slice(&self.terms.bytes(term));
            }
        }
        bytes
    }

    fn values(&self) -> Values {
        self.terms.evaluate(|symbol| self.symbols[symbol as usize])
    }
}

/// Bytes of a record.
fn put(record: &mut [u8], at: usize, bytes: &[Byte], values: &Values) {
    for (to, &byte) in record[at..].iter_mut().zip(bytes) {
        *to = values.byte(byte);
    }
}

/// The bits of flags that are set, and of those that are known.
fn flags(flags: [(Option<bool>, u64); 2]) -> (u64, u64) {
    let bits = |here: fn(Option<bool>) -> bool| {
        flags
            .iter()
            .filter(|(flag, _)| here(*flag))
            .map(|(_, bit)| bit)
            .sum()
    };
    (bits(|flag| flag == Some(true)), bits(|flag| flag.is_some()))
}

/// A machine as a record has it.
trait Probe: Mutate + Sized {
    const ARCH: Arch;
    /// Bytes of a record, and where its parts are.
    const RECORD: usize;
    const FLAGS: usize;
    const TAKEN: usize;
    const LENGTH: usize;
    const MEMORY_AT: usize;
    const CODE: usize;
    /// What to call for the processor, and how to build what it calls.
    fn emulator() -> &'static [&'static str];
    fn flags_of_compiler() -> &'static [&'static str];
    /// What this processor cannot run.
    fn is_beyond(instruction: &Self::Instruction) -> bool;
    /// The instructions of a function but for returns, with jumps redirected to `AWAY`.
    fn instructions(code: &[u8]) -> Vec<Vec<u8>>;
    /// What it is, without numbers and registers.
    fn form(instruction: &Self::Instruction) -> String;
    /// A random state in which it can be executed.
    fn random(instruction: &Self::Instruction, world: &mut World) -> Self;
    fn execute(
        &mut self,
        instruction: &Self::Instruction,
        world: &mut World,
    ) -> Result<Next, proof::memory::Refusal>;
    /// Registers into a record.
    fn record(&self, record: &mut [u8], values: &Values);
    /// The bits of the flags, and of those that are known.
    fn flags(&self) -> (u64, u64);
}

fn record_of<M: Probe>(cpu: &M, world: &World, code: &[u8], next: Next) -> Vec<u8> {
    let values = world.values();
    let mut record = vec![0; M::RECORD];
    cpu.record(&mut record, &values);
    put(
        &mut record,
        M::MEMORY_AT,
        &world.memory.region(BASE + M::MEMORY_AT as u64).bytes,
        &values,
    );
    put(
        &mut record,
        M::TAKEN,
        &spell(u64::from(next == Next::Follow)),
        &values,
    );
    put(&mut record, M::LENGTH, &spell(code.len() as u64), &values);
    put(&mut record, M::FLAGS, &spell(cpu.flags().0), &values);
    record[M::CODE..M::CODE + code.len()].copy_from_slice(code);
    record
}

/// What is wrong with a record that the processor left, if anything. Flags count as far as `known` has them.
fn differs<M: Probe>(expected: &[u8], known: u64, found: &[u8]) -> Option<usize> {
    let flags = |record: &[u8]| {
        u64::from_le_bytes(record[M::FLAGS..M::FLAGS + 8].try_into().expect("8 bytes")) & known
    };
    if flags(expected) != flags(found) {
        return Some(M::FLAGS);
    }
    (0..M::RECORD).find(|at| !(M::FLAGS..M::FLAGS + 8).contains(at) && expected[*at] != found[*at])
}

/// One try: what it was, and what the rules make of it.
struct Try {
    code: usize,
    symbolic: bool,
    expected: Vec<u8>,
    known: u64,
    /// What other rules would make of it: the name of the change, the record and its known flags.
    others: Vec<(&'static str, Vec<u8>, u64)>,
}

fn test<M: Probe>() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("runner");
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/semantics");
    let status = compiler(M::ARCH)
        .expect("a compiler")
        .to_command()
        .args([
            "-O0",
            "-ffreestanding",
            "-fno-stack-protector",
            "-fno-pie",
            "-no-pie",
            "-static",
            "-nostdlib",
        ])
        .args(M::flags_of_compiler())
        .arg(format!("-Wl,--defsym=slot={SLOT:#x}"))
        .arg(here.join("runner.c"))
        .arg(here.join(format!("run_{}.S", M::ARCH.name())))
        .arg("-o")
        .arg(&program)
        .status()
        .expect("the compiler runs");
    assert!(status.success());

    let functions = assemble(M::ARCH).expect("the kernels");
    let codes: BTreeSet<Vec<u8>> = functions
        .iter()
        .flat_map(|function| M::instructions(&function.code))
        .collect();
    let codes: Vec<(Vec<u8>, M::Instruction)> = codes
        .into_iter()
        .map(|code| {
            let decoded = M::decode(&code).expect("an instruction").instructions;
            assert_eq!(decoded.len(), 1);
            (code, decoded[0].clone())
        })
        .collect();

    let mut input = Vec::new();
    let mut tries = Vec::new();
    let mut beyond = BTreeSet::new();
    for (number, (code, instruction)) in codes.iter().enumerate() {
        if M::is_beyond(instruction) {
            beyond.insert(M::form(instruction));
            continue;
        }
        for n in 0..TRIES {
            let symbolic = n >= 4;
            let set_up = || {
                let mut world =
                    World::new(number * TRIES + n, symbolic, BASE + M::MEMORY_AT as u64);
                let cpu = M::random(instruction, &mut world);
                (world, cpu)
            };
            let by_rule = |instruction: &M::Instruction| {
                let (mut world, mut cpu) = set_up();
                let next = cpu.execute(instruction, &mut world).ok()?;
                assert!(
                    matches!(next, Next::Follow | Next::Jump(AWAY)),
                    "{instruction}"
                );
                Some((record_of(&cpu, &world, code, next), cpu.flags().1))
            };
            let (world, cpu) = set_up();
            if let Some((expected, known)) = by_rule(instruction) {
                input.extend(record_of(&cpu, &world, code, Next::Follow));
                let others = M::mutants(instruction)
                    .into_iter()
                    .filter(|(what, _)| what.ends_with("out") || what.ends_with("operation"));
                let others = others.filter_map(|(what, other)| {
                    by_rule(&other).map(|(record, known)| (what, record, known))
                });
                tries.push(Try {
                    code: number,
                    symbolic,
                    expected,
                    known,
                    others: others.collect(),
                });
            }
        }
    }

    let emulator = M::emulator();
    let mut command = Command::new(emulator.first().map_or(program.as_os_str(), AsRef::as_ref));
    command.args(emulator.iter().skip(1));
    if !emulator.is_empty() {
        command.arg(&program);
    }
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut pipe = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || pipe.write_all(&input));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("all was read");
    assert!(output.status.success());
    assert_eq!(output.stdout.len(), tries.len() * M::RECORD);

    // For each form: how many tries on known numbers, how many with symbols, and which other rules were noticed.
    let mut forms = BTreeMap::<String, ([usize; 2], BTreeMap<&str, bool>)>::new();
    for (n, (one, found)) in tries
        .iter()
        .zip(output.stdout.chunks_exact(M::RECORD))
        .enumerate()
    {
        let (_, instruction) = &codes[one.code];
        if let Some(at) = differs::<M>(&one.expected, one.known, found) {
            panic!(
                "try {n}, {instruction}: byte {at} of the state is {:#x}, not {:#x}",
                found[at], one.expected[at]
            );
        }
        let (counts, noticed) = forms.entry(M::form(instruction)).or_default();
        counts[usize::from(one.symbolic)] += 1;
        for (what, record, known) in &one.others {
            *noticed.entry(what).or_default() |= differs::<M>(record, *known, found).is_some();
        }
    }
    if std::env::args().any(|argument| argument == "--forms") {
        for (form, ([known, symbolic], noticed)) in &forms {
            println!(
                "{form}: {known} tries on numbers, {symbolic} with symbols, other rules noticed: {noticed:?}"
            );
        }
    }
    for form in &beyond {
        println!("NOTE: not executed, since this processor has no {form}");
    }
    // Each instruction was tried, and other rules for it would have been noticed, but for those that do nothing.
    let tried: BTreeSet<usize> = tries.iter().map(|one| one.code).collect();
    for (number, (_, instruction)) in codes.iter().enumerate() {
        assert!(
            tried.contains(&number) || M::is_beyond(instruction),
            "{instruction} was not tried"
        );
    }
    for (form, (_, noticed)) in &forms {
        let does_nothing = ["nop", "endbr64", "hint"]
            .iter()
            .any(|name| form.starts_with(name));
        for (what, noticed) in noticed {
            assert!(
                *noticed != does_nothing,
                "{form}, {what}: noticed {noticed}"
            );
        }
    }
    println!(
        "{}: {} different instructions of {} forms, {} tries: the processor does what the rules say",
        M::ARCH.name(),
        codes.len(),
        forms.len(),
        tries.len()
    );
}

fn main() {
    if cfg!(target_arch = "x86_64") {
        test::<proof::x86::X86>();
    } else {
        println!("NOTE: this is no x86_64, so its instructions were not executed.");
    }
    test::<proof::aarch64::Aarch64>();
}
