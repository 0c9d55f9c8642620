//! The command `bench`: how fast each backend is on this machine.

use core::{fmt, hint::black_box};
use std::io::{self, IsTerminal, Write};

use fasttea::{
    Be, Tea, Xtea,
    backend::{self, Backend},
    cbc, qq,
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use crate::{
    args::BenchArgs,
    clock::{self, Time},
    failure::Failure,
};

/// Seconds for all measurements together, beside what short ones take.
const BUDGET: f64 = 20.0;

/// Seconds for one measurement, however few there are.
const ENOUGH: f64 = 0.25;

const KEY: [u8; 16] = *b"0123456789ABCDEF";
const IV: [u8; 8] = [7; 8];

/// What is measured, for one backend.
#[derive(Clone, Copy)]
struct Case {
    op: &'static str,
    cipher: &'static str,
    cycles: u32,
    direction: &'static str,
    bytes: usize,
}

/// A line of the table, an object of the JSON array.
#[derive(Serialize)]
struct Row {
    op: &'static str,
    cipher: &'static str,
    cycles: u32,
    direction: &'static str,
    backend: &'static str,
    bytes: usize,
    messages: usize,
    mb_per_s: f64,
    bytes_per_clock: f64,
    clocks_per_block: f64,
    ratio_to_portable: f64,
}

pub(crate) fn run(args: &BenchArgs) -> Result<(), Failure> {
    let only = args
        .backend
        .as_deref()
        .map(crate::crypt::named_backend)
        .transpose()?;
    let work: Vec<_> = cases()
        .into_iter()
        .map(|case| (case, backends(case, only, args.filter.as_deref())))
        .filter(|(_, backends)| !backends.is_empty())
        .collect();
    // Portable is measured for each case, for the ratio.
    let measurements: usize = work
        .iter()
        .map(|(_, backends)| {
            backends
                .iter()
                .filter(|backend| backend.name() != PORTABLE)
                .count()
                + 1
        })
        .sum();
    if measurements == 0 {
        return Err(Failure::run("no row has the text of --filter"));
    }
    let budget = (BUDGET / measurements as f64).min(ENOUGH);

    let bar = progress(measurements as u64);
    let mut rows = Vec::new();
    for (case, backends) in work {
        let portable = measure(case, by_name(PORTABLE)?, budget)?;
        bar.inc(1);
        for backend in backends {
            let time = if backend.name() == PORTABLE {
                portable
            } else {
                let time = measure(case, backend, budget)?;
                bar.inc(1);
                time
            };
            rows.push(case.row(backend, time, portable));
        }
    }
    bar.finish_and_clear();

    let mut out = io::stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &rows).map_err(Failure::run)?;
        writeln!(out)?;
    } else {
        table(&mut out, &rows)?;
    }
    Ok(out.flush()?)
}

const PORTABLE: &str = "portable";

fn by_name(name: &str) -> Result<Backend, Failure> {
    backend::by_name(name).ok_or_else(|| Failure::run(format!("there is no backend {name}")))
}

fn cases() -> Vec<Case> {
    let sizes = |op, cipher, cycles, sizes: &'static [usize]| {
        sizes.iter().flat_map(move |&bytes| {
            ["encrypt", "decrypt"].map(|direction| Case {
                op,
                cipher,
                cycles,
                direction,
                bytes,
            })
        })
    };
    sizes("blocks", "tea", 16, &[8, 64, 1024, 16384])
        .chain(sizes("blocks", "xtea", 32, &[8, 64, 1024, 16384]))
        .chain(sizes("cbc", "tea", 32, &[16384]))
        .chain(sizes("cbc", "xtea", 32, &[16384]))
        .chain(sizes("qq", "qq", 16, &[16, 256, 4096, 32768]))
        .collect()
}

/// The backends for which the case is wanted.
fn backends(case: Case, only: Option<Backend>, filter: Option<&str>) -> Vec<Backend> {
    backend::available()
        .filter(|backend| only.is_none_or(|only| only == *backend))
        .filter(|backend| filter.is_none_or(|text| format!("{case} {backend}").contains(text)))
        .collect()
}

/// What `--filter` looks at, with the backend's name behind it.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            op,
            cipher,
            cycles,
            direction,
            bytes,
        } = self;
        write!(f, "{op} {cipher}-{cycles} {direction} {bytes}")
    }
}

impl Case {
    fn row(self, backend: Backend, time: Time, portable: Time) -> Row {
        let Self {
            op,
            cipher,
            cycles,
            direction,
            bytes,
        } = self;
        let blocks = if op == "qq" {
            qq::encrypted_len(bytes).unwrap_or(bytes) / 8
        } else {
            bytes / 8
        };
        Row {
            op,
            cipher,
            cycles,
            direction,
            backend: backend.name(),
            bytes,
            messages: 1,
            mb_per_s: bytes as f64 / time.seconds / 1e6,
            bytes_per_clock: bytes as f64 / time.clocks,
            clocks_per_block: time.clocks / blocks as f64,
            ratio_to_portable: portable.clocks / time.clocks,
        }
    }
}

fn measure(case: Case, backend: Backend, budget: f64) -> Result<Time, Failure> {
    let encrypt = case.direction == "encrypt";
    let mut bytes: Vec<u8> = (0..251).cycle().take(case.bytes).collect();
    let tea = Tea::<Be>::with_cycles(KEY, case.cycles)?.with_backend(backend);
    let xtea = Xtea::<Be>::with_cycles(KEY, case.cycles)?.with_backend(backend);
    // Lengths are multiples of 8 and random bytes are at hand, so that no call can fail.
    let time = match (case.op, case.cipher, encrypt) {
        ("blocks", "tea", true) => clock::measure(budget, || {
            let _ = tea.encrypt_slice(black_box(&mut bytes));
        }),
        ("blocks", "tea", false) => clock::measure(budget, || {
            let _ = tea.decrypt_slice(black_box(&mut bytes));
        }),
        ("blocks", _, true) => clock::measure(budget, || {
            let _ = xtea.encrypt_slice(black_box(&mut bytes));
        }),
        ("blocks", _, false) => clock::measure(budget, || {
            let _ = xtea.decrypt_slice(black_box(&mut bytes));
        }),
        ("cbc", "tea", true) => {
            let mut session = cbc::Encryptor::try_with_iv(tea, &IV)?;
            clock::measure(budget, || {
                let _ = session.encrypt_slice(black_box(&mut bytes));
            })
        }
        ("cbc", "tea", false) => {
            let mut session = cbc::Decryptor::try_with_iv(tea, &IV)?;
            clock::measure(budget, || {
                let _ = session.decrypt_slice(black_box(&mut bytes));
            })
        }
        ("cbc", _, true) => {
            let mut session = cbc::Encryptor::try_with_iv(xtea, &IV)?;
            clock::measure(budget, || {
                let _ = session.encrypt_slice(black_box(&mut bytes));
            })
        }
        ("cbc", _, false) => {
            let mut session = cbc::Decryptor::try_with_iv(xtea, &IV)?;
            clock::measure(budget, || {
                let _ = session.decrypt_slice(black_box(&mut bytes));
            })
        }
        (_, _, true) => {
            let cipher = qq::Cipher::new(KEY).with_backend(backend);
            clock::measure(budget, || {
                let _ = black_box(cipher.encrypt(black_box(&bytes)));
            })
        }
        (_, _, false) => {
            let cipher = qq::Cipher::new(KEY).with_backend(backend);
            let message = cipher.encrypt(&bytes)?;
            clock::measure(budget, || {
                let _ = black_box(cipher.decrypt(black_box(&message)));
            })
        }
    };
    Ok(time)
}

fn progress(measurements: u64) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(measurements), ProgressDrawTarget::stderr());
    match ProgressStyle::with_template("{wide_bar} {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn table(out: &mut impl Write, rows: &[Row]) -> io::Result<()> {
    writeln!(
        out,
        "{:<7}{:<9}{:<9}{:>6}  {:<9}{:>9}{:>13}{:>14}{:>13}",
        "", "", "", "bytes", "backend", "MB/s", "bytes/clock", "clocks/block", "of portable"
    )?;
    let mut last = None;
    for row in rows {
        let case = (row.op, row.cipher, row.direction, row.bytes);
        if last.is_some_and(|last| last != case) {
            writeln!(out)?;
        }
        last = Some(case);
        writeln!(
            out,
            "{:<7}{:<9}{:<9}{:>6}  {:<9}{:>9.1}{:>13.3}{:>14.1}{:>12.2}x",
            row.op,
            format!("{}-{}", row.cipher, row.cycles),
            row.direction,
            row.bytes,
            row.backend,
            row.mb_per_s,
            row.bytes_per_clock,
            row.clocks_per_block,
            row.ratio_to_portable,
        )?;
    }
    Ok(())
}
