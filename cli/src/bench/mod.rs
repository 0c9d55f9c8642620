//! The command `bench`: how fast each backend is on this machine.

mod batch;
mod case;
mod measure;
mod table;

use std::io::{self, IsTerminal, Write};

use fasttea::backend::{self, Backend};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{
    args::BenchArgs,
    backends::{self, PORTABLE},
    failure::Failure,
    limit,
};
use case::{Case, Op};
use table::Row;

/// Seconds for all measurements together, beside what short ones take.
const BUDGET: f64 = 20.0;

/// Seconds for one measurement, however few there are.
const ENOUGH: f64 = 0.25;

pub(crate) fn run(args: &BenchArgs) -> Result<(), Failure> {
    let only = args.backend.as_deref().map(backends::named).transpose()?;
    let work: Vec<_> = case::all()
        .into_iter()
        .map(|case| (case, wanted(case, only, args.filter.as_deref())))
        .filter(|(_, backends)| !backends.is_empty())
        .collect();
    let measurements: usize = work
        .iter()
        .map(|(case, backends)| measurements(*case, backends))
        .sum();
    if measurements == 0 {
        return Err(Failure::run("no row has the text of --filter"));
    }
    let budget = (BUDGET / measurements as f64).min(ENOUGH);

    let bar = progress(measurements as u64);
    let advance = || {
        if let Some(bar) = &bar {
            bar.inc(1);
        }
    };
    let processor = limit::processor();
    let mut rows = Vec::new();
    for (case, backends) in work {
        let portable = measure::time(case, backends::named(PORTABLE)?, budget)?;
        advance();
        for backend in backends {
            let time = if backend.name() == PORTABLE {
                portable
            } else {
                let time = measure::time(case, backend, budget)?;
                advance();
                time
            };
            let one_by_one = if case.op == Op::Batch {
                let time = measure::one_by_one(case, backend, budget)?;
                advance();
                Some(time)
            } else {
                None
            };
            rows.push(Row::new(
                case, &processor, backend, time, portable, one_by_one,
            ));
        }
    }
    if let Some(bar) = &bar {
        bar.finish_and_clear();
    }

    let mut out = io::stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &rows).map_err(Failure::run)?;
        writeln!(out)?;
    } else {
        table::write(&mut out, &rows, &processor)?;
    }
    Ok(out.flush()?)
}

/// The backends for which the case is wanted.
fn wanted(case: Case, only: Option<Backend>, filter: Option<&str>) -> Vec<Backend> {
    backend::available()
        .filter(|backend| only.is_none_or(|only| only == *backend))
        .filter(|backend| filter.is_none_or(|text| format!("{case} {backend}").contains(text)))
        .collect()
}

/// Portable is measured for each case, for the ratio, and a batch also message by message.
fn measurements(case: Case, backends: &[Backend]) -> usize {
    let others = backends.iter().filter(|backend| backend.name() != PORTABLE);
    let one_by_one = if case.op == Op::Batch {
        backends.len()
    } else {
        0
    };
    1 + others.count() + one_by_one
}

/// A bar for a terminal. None is made for nothing, since that takes random numbers and panics without.
fn progress(measurements: u64) -> Option<ProgressBar> {
    if !io::stderr().is_terminal() {
        return None;
    }
    let bar = ProgressBar::with_draw_target(Some(measurements), ProgressDrawTarget::stderr());
    Some(
        match ProgressStyle::with_template("{wide_bar} {eta} left") {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        },
    )
}
