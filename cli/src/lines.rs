//! `--lines`: each line of the input is a QQ message, in batches.

use crate::{
    args::Format,
    encoding::{Decoder, Encoder},
    failure::Failure,
    input::Input,
    output::Output,
};

/// Lines and bytes that are collected before they run.
const BATCH_LINES: usize = 1024;
const BATCH_BYTES: usize = 1024 * 1024;

/// What stands for the result of a bad line.
const BAD: &[u8] = b"!\n";

/// Messages in, messages out, each with its own result.
pub(crate) type Run<'a> = dyn Fn(&[Vec<u8>]) -> Vec<Result<Vec<u8>, fasttea::Error>> + 'a;

/// Runs the lines of the input. Bad ones are told by number, and fail the run at its end.
pub(crate) fn run(
    mut input: Input,
    output: &mut Output,
    formats: (Format, Format),
    run: &Run<'_>,
) -> Result<Outcome, Failure> {
    let mut batch = Batch {
        formats,
        messages: Vec::new(),
        bytes: 0,
        outcome: Outcome::default(),
    };
    let mut line = Vec::new();
    loop {
        let piece = input.next()?;
        if piece.is_empty() {
            break;
        }
        for part in piece.split_inclusive(|&byte| byte == b'\n') {
            line.extend_from_slice(part);
            if line.ends_with(b"\n") {
                batch.push(&line);
                line.clear();
            }
        }
        if batch.messages.len() >= BATCH_LINES || batch.bytes >= BATCH_BYTES {
            batch.flush(output, run)?;
        }
    }
    if !line.is_empty() {
        batch.push(&line);
    }
    batch.flush(output, run)?;
    Ok(batch.outcome)
}

/// How many lines there were, and how many of them were bad.
#[derive(Clone, Copy, Default)]
pub(crate) struct Outcome {
    lines: u64,
    bad: u64,
}

impl Outcome {
    pub(crate) fn into_result(self) -> Result<(), Failure> {
        match self.bad {
            0 => Ok(()),
            bad => Err(Failure::run(format!(
                "{bad} of {} lines are bad",
                self.lines
            ))),
        }
    }
}

struct Batch {
    formats: (Format, Format),
    messages: Vec<Result<Vec<u8>, Failure>>,
    bytes: usize,
    outcome: Outcome,
}

impl Batch {
    fn push(&mut self, line: &[u8]) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        self.bytes += line.len();
        self.messages.push(decode(self.formats.0, line));
    }

    fn flush(&mut self, output: &mut Output, run: &Run<'_>) -> Result<(), Failure> {
        self.bytes = 0;
        let (mut good, mut results) = (Vec::new(), Vec::new());
        for message in self.messages.drain(..) {
            results.push(message.map(|message| good.push(message)));
        }
        let mut done = run(&good).into_iter();
        for result in results {
            self.outcome.lines += 1;
            let result = result.and_then(|()| match done.next() {
                Some(result) => Ok(result?),
                None => Err(Failure::run("no result")),
            });
            match result {
                Ok(bytes) => {
                    let mut encoder = Encoder::new(self.formats.1);
                    output.write(&encoder.encode(bytes))?;
                    output.write(&encoder.finish())?;
                    if self.formats.1 == Format::Raw {
                        output.write(b"\n")?;
                    }
                }
                Err(failure) => {
                    self.outcome.bad += 1;
                    failure.print(&format!("line {}: ", self.outcome.lines));
                    output.write(BAD)?;
                }
            }
        }
        Ok(())
    }
}

fn decode(format: Format, line: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut decoder = Decoder::new(format);
    let mut bytes = Vec::new();
    decoder.decode(line, &mut bytes)?;
    decoder.finish()?;
    Ok(bytes)
}
