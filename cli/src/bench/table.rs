//! The results, as a table and as JSON.

use std::io::{self, Write};

use fasttea::backend::Backend;
use serde::Serialize;

use super::case::{Case, Direction, Op};
use crate::{
    clock::Time,
    limit::{Limit, Processor},
};

/// A line of the table, an object of the JSON array.
#[derive(Serialize)]
pub(super) struct Row {
    op: Op,
    cipher: &'static str,
    cycles: u32,
    direction: Direction,
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
    case: Case,
    #[serde(skip)]
    limit: Limit,
}

impl Row {
    pub(super) fn new(
        case: Case,
        processor: &Processor,
        backend: Backend,
        time: Time,
        portable: Time,
        one_by_one: Option<Time>,
    ) -> Self {
        let bytes = case.lens().iter().sum::<usize>() as f64;
        let clocks_per_block = time.clocks / case.blocks() as f64;
        let limit = case.limit(processor, backend);
        Self {
            op: case.op,
            cipher: case.cipher,
            cycles: case.cycles,
            direction: case.direction,
            backend: backend.name(),
            bytes: case.bytes,
            messages: case.messages,
            mixed: case.is_mixed(),
            mb_per_s: bytes / time.seconds / 1e6,
            bytes_per_clock: bytes / time.clocks,
            clocks_per_block,
            ratio_to_portable: portable.clocks / time.clocks,
            ratio_to_one_by_one: one_by_one.map(|one_by_one| one_by_one.clocks / time.clocks),
            percent_of_limit: match limit {
                Limit::Clocks(clocks) => Some(100.0 * clocks / clocks_per_block),
                Limit::Unknown | Limit::None => None,
            },
            case,
            limit,
        }
    }
}

/// Writes the table, with an empty line between two cases.
pub(super) fn write(out: &mut impl Write, rows: &[Row], processor: &Processor) -> io::Result<()> {
    writeln!(
        out,
        "{:<25}{:>11}  {:<9}{:>9}{:>13}{:>14}{:>10}{:>13}",
        "", "bytes", "backend", "MB/s", "bytes/clock", "clocks/block", "of limit", "of portable"
    )?;
    let mut last = None;
    for row in rows {
        let case = row.case;
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
            case.size(),
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
