//! The command `bench`: how fast each backend is on this machine.

use core::{fmt, hint::black_box};
use std::io::{self, IsTerminal, Write};

use fasttea::{
    Be, Tea, Xtea,
    backend::{self, Backend},
    cbc, qq,
    rand_core::{TryCryptoRng, TryRng},
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use crate::{
    args::BenchArgs,
    clock::{self, Time},
    crypt::named_backend,
    failure::Failure,
    limit::{self, Limit, Processor},
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
    /// Of each message; of a batch of mixed lengths, on average.
    bytes: usize,
    messages: usize,
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
    /// Whether the messages have different lengths, `bytes` on average.
    mixed: bool,
    mb_per_s: f64,
    bytes_per_clock: f64,
    clocks_per_block: f64,
    ratio_to_portable: f64,
    /// Of a batch: how many times as long the same backend takes message by message.
    #[serde(skip_serializing_if = "Option::is_none")]
    ratio_to_one_by_one: Option<f64>,
    /// The clocks that the processor allows in relation to those taken, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    percent_of_limit: Option<f64>,
    #[serde(skip)]
    limit: Limit,
}

/// Shorter messages show what a call costs, and not how far the kernel is from its limit.
const LIMIT_FROM: usize = 1024;

pub(crate) fn run(args: &BenchArgs) -> Result<(), Failure> {
    let only = args.backend.as_deref().map(named_backend).transpose()?;
    let work: Vec<_> = cases()
        .into_iter()
        .map(|case| (case, backends(case, only, args.filter.as_deref())))
        .filter(|(_, backends)| !backends.is_empty())
        .collect();
    // Portable is measured for each case, for the ratio.
    let measurements: usize = work
        .iter()
        .map(|(case, backends)| {
            let others = backends.iter().filter(|backend| backend.name() != PORTABLE);
            let one_by_one = if case.op == "batch" {
                backends.len()
            } else {
                0
            };
            others.count() + 1 + one_by_one
        })
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
        let portable = measure(case, named_backend(PORTABLE)?, budget)?;
        advance();
        for backend in backends {
            let time = if backend.name() == PORTABLE {
                portable
            } else {
                let time = measure(case, backend, budget)?;
                advance();
                time
            };
            let one_by_one = match case.op {
                "batch" => {
                    advance();
                    Some(one_by_one(case, backend, budget)?)
                }
                _ => None,
            };
            rows.push(case.row(&processor, backend, time, portable, one_by_one));
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
        table(&mut out, &rows, &processor)?;
    }
    Ok(out.flush()?)
}

const PORTABLE: &str = "portable";

fn cases() -> Vec<Case> {
    let sizes = |op, cipher, cycles, sizes: &'static [usize]| {
        sizes.iter().flat_map(move |&bytes| {
            ["encrypt", "decrypt"].map(|direction| Case {
                op,
                cipher,
                cycles,
                direction,
                bytes,
                messages: if op == "batch" { 64 } else { 1 },
            })
        })
    };
    let mixed = ["encrypt", "decrypt"].map(|direction| Case {
        op: "batch",
        cipher: "qq",
        cycles: 16,
        direction,
        bytes: mixed_lens().sum::<usize>() / MIXED,
        messages: MIXED,
    });
    sizes("blocks", "tea", 16, &[8, 64, 1024, 16384])
        .chain(sizes("blocks", "xtea", 32, &[8, 64, 1024, 16384]))
        .chain(sizes("cbc", "tea", 32, &[16384]))
        .chain(sizes("cbc", "xtea", 32, &[16384]))
        .chain(sizes("qq", "qq", 16, &[16, 256, 4096, 32768]))
        .chain(sizes("batch", "qq", 16, &[32, 256, 4096]))
        .chain(mixed)
        .collect()
}

/// Messages in the mixed batch, of 16 bytes to 4 KiB.
const MIXED: usize = 256;

fn mixed_lens() -> impl Iterator<Item = usize> {
    (0..MIXED).map(|i| 16 + i * 2011 % 4081)
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
            messages,
        } = self;
        let size = size(op, *messages, *bytes);
        write!(f, "{op} {cipher}-{cycles} {direction} {size}")
    }
}

/// The bytes of a message, or of a batch's messages.
fn size(op: &str, messages: usize, bytes: usize) -> String {
    match (op, messages) {
        ("batch", MIXED) => format!("{messages} × mixed"),
        ("batch", _) => format!("{messages} × {bytes}"),
        _ => bytes.to_string(),
    }
}

impl Case {
    /// The lengths of the messages.
    fn lens(self) -> Vec<usize> {
        if self.messages == MIXED {
            mixed_lens().collect()
        } else {
            vec![self.bytes; self.messages]
        }
    }

    /// The fewest clocks a block that the kernel behind it can take.
    fn limit(self, processor: &Processor, backend: Backend) -> Limit {
        let name = backend.name();
        let chain = match self.op {
            _ if self.bytes < LIMIT_FROM => return Limit::None,
            "blocks" => false,
            "cbc" => self.direction == "encrypt",
            "batch" => !limit::has_lanes(name),
            _ => true,
        };
        if chain {
            processor.chain(name, self.cipher, self.cycles)
        } else {
            processor.blocks(name, self.cipher, self.cycles)
        }
    }

    fn row(
        self,
        processor: &Processor,
        backend: Backend,
        time: Time,
        portable: Time,
        one_by_one: Option<Time>,
    ) -> Row {
        let Self {
            op,
            cipher,
            cycles,
            direction,
            bytes,
            messages,
        } = self;
        let lens = self.lens();
        let total: usize = lens.iter().sum();
        let blocks = match cipher {
            "qq" => {
                lens.iter()
                    .filter_map(|&len| qq::encrypted_len(len))
                    .sum::<usize>()
                    / 8
            }
            _ => total / 8,
        };
        let clocks_per_block = time.clocks / blocks as f64;
        let limit = self.limit(processor, backend);
        Row {
            op,
            cipher,
            cycles,
            direction,
            backend: backend.name(),
            bytes,
            messages,
            mixed: messages == MIXED,
            mb_per_s: total as f64 / time.seconds / 1e6,
            bytes_per_clock: total as f64 / time.clocks,
            clocks_per_block,
            ratio_to_portable: portable.clocks / time.clocks,
            ratio_to_one_by_one: one_by_one.map(|one_by_one| one_by_one.clocks / time.clocks),
            percent_of_limit: match limit {
                Limit::Clocks(clocks) => Some(100.0 * clocks / clocks_per_block),
                Limit::Unknown | Limit::None => None,
            },
            limit,
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
        ("batch", _, _) => {
            let mut batch = Batch::new(case, backend)?;
            clock::measure(budget, || batch.run())
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

/// The messages of a batch, as many keys, and room for the results. Nothing is allocated while it runs.
struct Batch {
    encrypt: bool,
    ciphers: Vec<qq::Cipher>,
    inputs: Vec<Vec<u8>>,
    outputs: Vec<Vec<u8>>,
}

impl Batch {
    fn new(case: Case, backend: Backend) -> Result<Self, Failure> {
        let encrypt = case.direction == "encrypt";
        let lens = case.lens();
        let ciphers: Vec<_> = (0..)
            .take(lens.len())
            .map(|i| qq::Cipher::new([i, 2, 3, 4]).with_backend(backend))
            .collect();
        let texts: Vec<Vec<u8>> = lens.iter().map(|len| vec![7; *len]).collect();
        let messages: Vec<Vec<u8>> = ciphers
            .iter()
            .zip(&texts)
            .map(|(cipher, text)| cipher.encrypt(text))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            encrypt,
            ciphers,
            outputs: messages.clone(),
            inputs: if encrypt { texts } else { messages },
        })
    }

    fn run(&mut self) {
        let mut jobs: Vec<_> = self
            .ciphers
            .iter()
            .zip(&self.inputs)
            .zip(&mut self.outputs)
            .map(|((cipher, input), output)| qq::Job::new(cipher, input, output))
            .collect();
        if self.encrypt {
            qq::encrypt_batch_into(&mut Counting(0), black_box(&mut jobs));
        } else {
            qq::decrypt_batch_into(black_box(&mut jobs));
        }
    }

    fn run_one_by_one(&mut self) {
        let messages = self.ciphers.iter().zip(&self.inputs).zip(&mut self.outputs);
        for ((cipher, input), output) in messages {
            let _ = black_box(if self.encrypt {
                cipher.encrypt_into(&mut Counting(0), black_box(input), output)
            } else {
                cipher.decrypt_into(black_box(input), output)
            });
        }
    }
}

/// Fill that costs nothing, so that the cipher alone is measured.
struct Counting(u64);

impl TryRng for Counting {
    type Error = core::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        self.try_next_u64().map(|number| (number >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        Ok(self.0)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        bytes.fill(self.0.to_le_bytes()[0]);
        Ok(())
    }
}

impl TryCryptoRng for Counting {}

fn one_by_one(case: Case, backend: Backend, budget: f64) -> Result<Time, Failure> {
    let mut batch = Batch::new(case, backend)?;
    Ok(clock::measure(budget, || batch.run_one_by_one()))
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

fn table(out: &mut impl Write, rows: &[Row], processor: &Processor) -> io::Result<()> {
    writeln!(
        out,
        "{:<7}{:<9}{:<9}{:>11}  {:<9}{:>9}{:>13}{:>14}{:>10}{:>13}",
        "",
        "",
        "",
        "bytes",
        "backend",
        "MB/s",
        "bytes/clock",
        "clocks/block",
        "of limit",
        "of portable"
    )?;
    let mut last = None;
    for row in rows {
        let case = (row.op, row.cipher, row.direction, row.bytes, row.messages);
        if last.is_some_and(|last| last != case) {
            writeln!(out)?;
        }
        last = Some(case);
        let of_limit = match (row.limit, row.percent_of_limit) {
            (_, Some(percent)) => format!("{percent:.0} %"),
            (Limit::Unknown, _) => "?".to_owned(),
            _ => String::new(),
        };
        write!(
            out,
            "{:<7}{:<9}{:<9}{:>11}  {:<9}{:>9.1}{:>13.3}{:>14.1}{of_limit:>10}{:>12.2}x",
            row.op,
            format!("{}-{}", row.cipher, row.cycles),
            row.direction,
            size(row.op, row.messages, row.bytes),
            row.backend,
            row.mb_per_s,
            row.bytes_per_clock,
            row.clocks_per_block,
            row.ratio_to_portable,
        )?;
        if let Some(ratio) = row.ratio_to_one_by_one {
            write!(out, "{ratio:>9.2}x one by one")?;
        }
        writeln!(out)?;
    }
    match processor.row() {
        Some(row) => writeln!(out, "\n{}: limits as of {row}", processor.name),
        None => writeln!(out, "\n{}: limit unknown for this CPU (?)", processor.name),
    }
}
