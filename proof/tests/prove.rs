//! All theorems, one line each.

use std::{process::ExitCode, sync::Mutex, time::Instant};

use proof::{
    aarch64::Aarch64,
    machine::Machine,
    program::{Arch, Function, assemble},
    spec::Order,
    term::Terms,
    theorem::{Kernel, Range, check},
    x86::X86,
};
use rayon::prelude::*;

/// More instructions than any call takes.
const LIMIT: u64 = 10_000_000;

/// The line of a theorem, and which instructions its calls reached.
fn theorem<M: Machine>(
    kernel: &Kernel,
    function: &Function,
    order: Order,
    range: Range,
) -> Result<(String, Vec<bool>), String> {
    let start = Instant::now();
    let name = format!("{} {}, {}", kernel.arch.name(), kernel.name, order.name());
    let program = M::decode(&function.code).map_err(|refusal| format!("{name}: {refusal}"))?;
    let mut reached = vec![false; program.instructions.len()];
    let mut terms = Terms::default();
    let cases = kernel.cases(range);
    for &case in &cases {
        check::<M>(
            kernel,
            &program,
            order,
            case,
            &mut terms,
            &mut reached,
            &mut LIMIT.clone(),
        )
        .map_err(|refusal| format!("{name}, {case:?}: {refusal}"))?;
    }
    let most = |f: fn(&proof::theorem::Case) -> usize| cases.iter().map(f).max().unwrap_or(0);
    let line = format!(
        "{name}: {} calls, up to {} at a time, 1 to {} cycles, {:.1} s",
        cases.len(),
        most(|case| case.count),
        most(|case| case.cycles),
        start.elapsed().as_secs_f32()
    );
    Ok((line, reached))
}

fn main() -> ExitCode {
    let start = Instant::now();
    let mut tasks = Vec::new();
    for arch in Arch::ALL {
        let functions = match assemble(arch) {
            Ok(functions) => functions,
            Err(error) => {
                eprintln!("{}: {error}", arch.name());
                return ExitCode::FAILURE;
            }
        };
        for function in functions {
            let Some(kernel) = Kernel::named(arch, &function.name) else {
                eprintln!("no theorem about {}", function.name);
                return ExitCode::FAILURE;
            };
            for order in Order::ALL {
                for range in [Range::Counts, Range::Cycles] {
                    tasks.push((kernel.clone(), function.clone(), order, range));
                }
            }
        }
    }
    let lock = Mutex::new(());
    let failed = tasks
        .par_iter()
        .filter(|(kernel, function, order, range)| {
            let result = match kernel.arch {
                Arch::X86 => theorem::<X86>(kernel, function, *order, *range),
                Arch::Arm => theorem::<Aarch64>(kernel, function, *order, *range),
            };
            let _guard = lock.lock();
            match result {
                Ok((line, _)) => {
                    println!("proved {line}");
                    false
                }
                Err(line) => {
                    println!("REFUSED {line}");
                    true
                }
            }
        })
        .count();
    println!(
        "{} theorems, {failed} refused, {:.0} s",
        tasks.len(),
        start.elapsed().as_secs_f32()
    );
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
