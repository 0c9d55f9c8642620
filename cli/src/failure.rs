//! Why a run failed: one line on standard error, and an exit code.

use core::fmt::Display;
use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::error::ErrorKind;

/// A reason to stop.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The arguments make no sense: exit code 2.
    Usage(String),
    /// The work could not be done: exit code 1.
    Run(String),
    /// What `--help` and `--version` print: no failure at all.
    Help(clap::Error),
}

impl Failure {
    pub(crate) fn usage(reason: impl Display) -> Self {
        Self::Usage(reason.to_string())
    }

    pub(crate) fn run(reason: impl Display) -> Self {
        Self::Run(reason.to_string())
    }

    /// The same with something to be said at the end.
    pub(crate) fn and(self, more: impl Display) -> Self {
        match self {
            Self::Run(reason) => Self::Run(format!("{reason}; {more}")),
            other => other,
        }
    }

    pub(crate) fn report(self) -> ExitCode {
        let (reason, code) = match self {
            Self::Usage(reason) => (format!("{reason} (see --help)"), 2),
            Self::Run(reason) => (reason, 1),
            Self::Help(text) => match text.print() {
                Ok(()) => return ExitCode::SUCCESS,
                Err(error) => (error.to_string(), 1),
            },
        };
        print(&reason);
        ExitCode::from(code)
    }

    /// Tells the reason without ending the program.
    pub(crate) fn print(&self, before: &str) {
        if let Self::Usage(reason) | Self::Run(reason) = self {
            print(&format!("{before}{reason}"));
        }
    }
}

/// One line, even where a file's name has several. Nobody is left to tell if this fails.
fn print(reason: &str) {
    let line = reason.replace(char::is_control, "?");
    let _ = writeln!(io::stderr(), "fasttea: {line}");
}

/// Clap's message without its usage and hints, on one line.
impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        if matches!(
            error.kind(),
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
        ) {
            return Self::Help(error);
        }
        if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
            return Self::usage("a command is missing: encrypt, decrypt, backends or bench");
        }
        let text = error.to_string();
        let words: Vec<_> = text
            .lines()
            .map(str::trim)
            .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
            .filter(|line| !line.is_empty())
            .collect();
        Self::usage(words.join(" ").trim_start_matches("error: "))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::run(error)
    }
}

/// What the library refuses of the arguments is another thing: see its callers.
impl From<fasttea::Error> for Failure {
    fn from(error: fasttea::Error) -> Self {
        Self::run(error)
    }
}
