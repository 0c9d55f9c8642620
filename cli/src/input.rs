//! Where the input comes from, and how far it is read.

use std::{
    fs::File,
    io::{self, IsTerminal, Read},
    path::Path,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::failure::Failure;

/// Bytes read at a time.
const PIECE: usize = 256 * 1024;

/// Shorter inputs need no progress bar.
const BAR_FROM: u64 = 64 * 1024 * 1024;

/// A file or standard input.
pub(crate) struct Input {
    reader: Box<dyn Read>,
    name: String,
    len: Option<u64>,
    seen: u64,
    piece: Vec<u8>,
    /// Made when it is to be shown, since to make it takes random numbers, without which it panics.
    bar: Option<ProgressBar>,
}

impl Input {
    /// Standard input for no path, and for `-`.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let (reader, name, len): (Box<dyn Read>, _, _) = match path {
            Some(path) if path != Path::new("-") => {
                let name = path.display().to_string();
                let failed = |error| Failure::run(format!("{name}: {error}"));
                let file = File::open(path).map_err(failed)?;
                let metadata = file.metadata().map_err(failed)?;
                let len = metadata.is_file().then_some(metadata.len());
                (Box::new(file), name, len)
            }
            _ => (Box::new(io::stdin()), "standard input".to_owned(), None),
        };
        Ok(Self {
            reader,
            name,
            len,
            seen: 0,
            piece: vec![0; PIECE],
            bar: None,
        })
    }

    /// The next bytes, none at the end.
    pub(crate) fn next(&mut self) -> Result<&[u8], Failure> {
        let n = loop {
            match self.reader.read(&mut self.piece) {
                Ok(n) => break n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Failure::run(format!("{}: {error}", self.name))),
            }
        };
        self.progress(n as u64);
        Ok(&self.piece[..n])
    }

    /// A bar where the length is known, a counter where it is not; neither for short inputs.
    fn progress(&mut self, n: u64) {
        let before = self.seen;
        self.seen += n;
        let long = match self.len {
            Some(len) => before == 0 && len > BAR_FROM,
            None => before <= BAR_FROM && self.seen > BAR_FROM,
        };
        if long && io::stderr().is_terminal() {
            let template = match self.len {
                Some(_) => {
                    "{wide_bar} {bytes} of {total_bytes}, {binary_bytes_per_sec}, {eta} left"
                }
                None => "{spinner} {bytes}, {binary_bytes_per_sec}",
            };
            let bar = ProgressBar::with_draw_target(self.len, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            self.bar = Some(bar);
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.seen);
            if n == 0 {
                bar.finish_and_clear();
            }
        }
    }
}

impl Drop for Input {
    /// An error message stands alone.
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
