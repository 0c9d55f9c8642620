//! All theorems, one line each; and that they reach every instruction of every kernel.

use std::{
    process::ExitCode,
    sync::{Mutex, PoisonError},
    time::Instant,
};

use proof::{
    aarch64::Aarch64,
    kernel::{Case, Kernel, Range},
    machine::Machine,
    program::{Arch, Function, assemble},
    spec::ByteOrder,
    theorem::Prover,
    x86::X86,
};
use rayon::prelude::*;

/// More instructions than any call takes.
const LIMIT: u64 = 10_000_000;

/// A theorem that is proved: what it says, and which instructions its calls reach.
struct Proved {
    line: String,
    reached: Vec<bool>,
}

fn prove<M: Machine>(
    kernel: &Kernel,
    function: &Function,
    byte_order: ByteOrder,
    range: Range,
) -> Result<Proved, String> {
    let start = Instant::now();
    let name = format!(
        "{} {}, {}",
        kernel.arch.name(),
        kernel.name,
        byte_order.name()
    );
    let mut prover = Prover::<M>::new(kernel.clone(), &function.code)
        .map_err(|refusal| format!("{name}: {refusal}"))?;
    prover
        .prove(byte_order, range, LIMIT)
        .map_err(|refusal| format!("{name}, {range:?}: {refusal}"))?;
    let cases = kernel.cases(range);
    let what = match range {
        Range::Passes => "a pass more, rests",
        _ => "counts",
    };
    let line = format!(
        "{name}: {} calls, {what} {}, cycles {}, {:.1} s",
        cases.len(),
        numbers(&cases, |case| case.count),
        numbers(&cases, |case| case.cycles),
        start.elapsed().as_secs_f32()
    );
    let padding = prover.program.instructions.iter().map(M::is_padding);
    let reached = prover
        .reached
        .iter()
        .zip(padding)
        .map(|(reached, padding)| *reached || padding);
    Ok(Proved {
        line,
        reached: reached.collect(),
    })
}

/// The numbers that occur, and those that follow each other as a range.
fn numbers(cases: &[Case], of: fn(&Case) -> usize) -> String {
    let mut all: Vec<usize> = cases.iter().map(of).collect();
    all.sort_unstable();
    all.dedup();
    let parts: Vec<String> = all
        .chunk_by(|a, b| a + 1 == *b)
        .map(|run| match run {
            [one] => one.to_string(),
            [first, .., last] => format!("{first}..={last}"),
            [] => String::new(),
        })
        .collect();
    parts.join(" ")
}

fn main() -> ExitCode {
    let start = Instant::now();
    let mut tasks = Vec::new();
    for arch in Arch::ALL {
        let functions = assemble(arch).unwrap_or_else(|error| panic!("{}: {error}", arch.name()));
        assert!(!functions.is_empty());
        for function in functions {
            let Some(kernel) = Kernel::named(arch, &function.name) else {
                panic!("there is no theorem about {}", function.name);
            };
            for byte_order in ByteOrder::ALL {
                for range in Range::ALL {
                    tasks.push((kernel.clone(), function.clone(), byte_order, range));
                }
            }
        }
    }
    let output = Mutex::new(());
    let proved: Vec<Option<Proved>> = tasks
        .par_iter()
        .with_max_len(1)
        .map(|(kernel, function, byte_order, range)| {
            let result = match kernel.arch {
                Arch::X86 => prove::<X86>(kernel, function, *byte_order, *range),
                Arch::Arm => prove::<Aarch64>(kernel, function, *byte_order, *range),
            };
            let _one_at_a_time = output.lock().unwrap_or_else(PoisonError::into_inner);
            match &result {
                Ok(proved) => println!("proved {}", proved.line),
                Err(line) => println!("REFUSED {line}"),
            }
            result.ok()
        })
        .collect();

    let refused = proved.iter().filter(|one| one.is_none()).count();
    let mut missed = 0;
    let per_kernel = ByteOrder::ALL.len() * Range::ALL.len();
    for (tasks, proved) in tasks.chunks(per_kernel).zip(proved.chunks(per_kernel)) {
        let (kernel, function, ..) = &tasks[0];
        let reached = |n: usize| proved.iter().flatten().any(|one| one.reached[n]);
        let len = proved.iter().flatten().map(|one| one.reached.len()).max();
        let here = (0..len.unwrap_or(0)).filter(|&n| !reached(n)).count();
        if here > 0 {
            println!(
                "{} {}: {here} instructions are not reached",
                kernel.arch.name(),
                function.name
            );
        }
        missed += here;
    }
    println!(
        "{} kernels, {} theorems, {refused} refused, {missed} instructions not reached, {:.0} s",
        tasks.len() / per_kernel,
        tasks.len(),
        start.elapsed().as_secs_f32()
    );
    if refused + missed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
