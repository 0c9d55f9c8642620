//! Changes every instruction of every kernel in turn: the proof has to refuse what is left.

mod equivalent;

use std::{collections::BTreeMap, process::ExitCode, time::Instant};

use proof::{
    aarch64::Aarch64,
    fresh::Forgotten,
    kernel::{Case, Kernel, Range},
    memory::Refusal,
    mutate::Mutate,
    program::{Arch, Function, assemble},
    spec::ByteOrder,
    theorem::Prover,
    x86::X86,
};
use rayon::prelude::*;

use equivalent::{EQUIVALENT, Equivalent};

/// More instructions than any call takes.
const LIMIT: u64 = 10_000_000;
/// All calls that reach an instruction are tried if there are no more than these.
const ALL: usize = 200;

/// What became of the mutants of a kernel.
#[derive(Default)]
struct Outcome {
    /// Those that matter from the second pass on.
    between_passes: usize,
    refused: BTreeMap<&'static str, usize>,
    /// The number of an instruction, what it was, and what was done to it.
    survivors: Vec<(usize, String, &'static str)>,
}

fn kind(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::Result(_) => "result",
        Refusal::Access(_) => "memory",
        Refusal::Secret(_) => "secret",
        Refusal::Convention(_) => "convention",
        Refusal::Flow(_) => "flow",
        Refusal::Origin(_) => "origin",
        Refusal::Unknown(_) => "no rule",
    }
}

/// A call, and how many instructions it takes.
type Call = (ByteOrder, Case, u64);

fn try_all<M: Mutate>(kernel: &Kernel, function: &Function) -> Outcome {
    let mut prover = Prover::<M>::new(kernel.clone(), &function.code).expect("it is decoded");
    let mut calls: Vec<Call> = Vec::new();
    let mut reached_by: Vec<Vec<usize>> = vec![Vec::new(); prover.reached.len()];
    for byte_order in ByteOrder::ALL {
        for case in kernel.cases(Range::Counts) {
            if case.in_place && case.cycles != 2 {
                continue;
            }
            prover.reached.fill(false);
            let steps = prover
                .check(byte_order, case, LIMIT)
                .expect("the kernel is right");
            for (instruction, _) in prover
                .reached
                .iter()
                .enumerate()
                .filter(|(_, reached)| **reached)
            {
                reached_by[instruction].push(calls.len());
            }
            calls.push((byte_order, case, steps));
        }
    }
    let mut outcome = Outcome::default();
    for (number, calls_here) in reached_by.iter_mut().enumerate() {
        let original = prover.program.instructions[number].clone();
        if M::is_padding(&original) {
            continue;
        }
        if calls_here.is_empty() {
            outcome
                .survivors
                .push((number, original.to_string(), "is not reached"));
            continue;
        }
        let picked = pick(&calls, calls_here);
        for (what, mutant) in M::mutants(&original) {
            prover.program.instructions[number] = mutant;
            let refusal = picked.iter().find_map(|&call| {
                let (byte_order, case, steps) = calls[call];
                prover.check(byte_order, case, 2 * steps + 100).err()
            });
            match refusal {
                Some(refusal) => *outcome.refused.entry(kind(&refusal)).or_default() += 1,
                None => outcome.survivors.push((number, original.to_string(), what)),
            }
        }
        prover.program.instructions[number] = original;
    }
    outcome
}

/// Leaves out each instruction that matters from the second pass on alone, which `Prover::repeat` has to refuse, as
/// `Prover::check` does. Gives how many there are, and those that are not refused.
fn try_passes<M: Mutate>(kernel: &Kernel, function: &Function) -> (usize, Vec<String>) {
    let mut prover = Prover::<M>::new(kernel.clone(), &function.code).expect("it is decoded");
    let pass = kernel.pass();
    let groups = *kernel.groups().last().expect("one at least");
    let case = |count| Case {
        count,
        cycles: 2,
        groups,
        pattern: 0,
        in_place: false,
        own_sums: false,
    };
    let byte_order = ByteOrder::Be;
    let steps = prover
        .check(byte_order, case(pass + 1), LIMIT)
        .expect("the kernel is right");
    let (mut tried, mut passed) = (0, Vec::new());
    for number in 0..prover.reached.len() {
        if !prover.reached[number] {
            continue;
        }
        let original = prover.program.instructions[number].clone();
        let (_, left_out) = M::mutants(&original).swap_remove(0);
        prover.program.instructions[number] = left_out;
        let limit = 2 * steps + 100;
        let mut holds = |count| prover.check(byte_order, case(count), limit).is_ok();
        if holds(1) && holds(pass) && !holds(pass + 1) {
            tried += 1;
            if prover
                .repeat(byte_order, case(1), &mut Forgotten::new(), limit)
                .is_ok()
            {
                passed.push(format!("{number}: {original}"));
            }
        }
        prover.program.instructions[number] = original;
    }
    (tried, passed)
}

/// The calls that a mutant is tried with: the quickest ones with two cycles, one with each count, of all orders in
/// turn, and some of all others.
fn pick(calls: &[Call], of: &mut [usize]) -> Vec<usize> {
    of.sort_by_key(|&call| (calls[call].1.cycles == 1, calls[call].2));
    if of.len() <= ALL {
        return of.to_vec();
    }
    let mut picked: Vec<usize> = of[..3].to_vec();
    picked.extend(of.iter().copied().filter(|&call| {
        let (byte_order, case, _) = calls[call];
        case.cycles == 1 && byte_order == ByteOrder::ALL[case.count % 3]
    }));
    picked.extend(of.iter().step_by(of.len().div_ceil(8)));
    picked
}

fn main() -> ExitCode {
    let start = Instant::now();
    let mut tasks = Vec::new();
    for arch in Arch::ALL {
        for function in assemble(arch).expect("there is a compiler") {
            let kernel = Kernel::named(arch, &function.name).expect("a known kernel");
            tasks.push((kernel, function));
        }
    }
    let outcomes: Vec<Outcome> = tasks
        .par_iter()
        .with_max_len(1)
        .map(|(kernel, function)| {
            let start = Instant::now();
            let mut outcome = match kernel.arch {
                Arch::X86 => try_all::<X86>(kernel, function),
                Arch::Arm => try_all::<Aarch64>(kernel, function),
            };
            println!(
                "{} {}: {} refused, {} the same, {:.1} s",
                kernel.arch.name(),
                kernel.name,
                outcome.refused.values().sum::<usize>(),
                outcome.survivors.len(),
                start.elapsed().as_secs_f32()
            );
            let (tried, passed) = match kernel.arch {
                Arch::X86 => try_passes::<X86>(kernel, function),
                Arch::Arm => try_passes::<Aarch64>(kernel, function),
            };
            outcome.between_passes = tried;
            for instruction in passed {
                outcome
                    .survivors
                    .push((0, instruction, "left out, between passes"));
            }
            outcome
        })
        .collect();

    let mut refused = BTreeMap::<_, usize>::new();
    let mut equivalent = vec![0; EQUIVALENT.len()];
    let mut unexplained = 0;
    let mut between_passes = 0;
    for ((kernel, _), outcome) in tasks.iter().zip(&outcomes) {
        if outcome.between_passes == 0 {
            println!("NOTHING REFUSED between passes of {}", kernel.name);
            unexplained += 1;
        }
        between_passes += outcome.between_passes;
        for (kind, count) in &outcome.refused {
            *refused.entry(kind).or_default() += count;
        }
        for (number, instruction, change) in &outcome.survivors {
            if let Some(known) = Equivalent::find(&kernel.name, instruction, change) {
                equivalent[known] += 1;
            } else {
                unexplained += 1;
                println!(
                    "SURVIVED {} {}, {number}: {instruction}: {change}",
                    kernel.arch.name(),
                    kernel.name
                );
            }
        }
    }
    println!("refused: {refused:?}");
    println!(
        "refused by what passes have in common: {between_passes}, which matter from the second one on"
    );
    for (known, &count) in EQUIVALENT.iter().zip(&equivalent) {
        println!("the same: {count}, since {}", known.why);
        if count != known.count {
            println!("BUT {} WERE KNOWN", known.count);
            unexplained += 1;
        }
    }
    let equivalent: usize = equivalent.iter().sum();
    let refused: usize = refused.values().sum();
    println!(
        "{refused} mutants refused, {equivalent} change nothing, {unexplained} unexplained: {:.2} % of all, \
         {:.2} % of those that change something, {:.0} s",
        100.0 * refused as f64 / (refused + equivalent + unexplained) as f64,
        100.0 * refused as f64 / (refused + unexplained) as f64,
        start.elapsed().as_secs_f32()
    );
    if unexplained == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
