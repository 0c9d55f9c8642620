//! `fasttea`: QQ messages, and files under TEA, XTEA, XETA and AES, from the command line.

mod args;
mod bench;
mod block_mode;
mod clock;
mod crypt;
mod encoding;
mod failure;
mod input;
mod key;
mod limit;
mod lines;
mod output;

use std::{
    io::{self, Write},
    process::ExitCode,
};

use args::{Cli, Command};
use clap::Parser;
use failure::Failure;
use fasttea::backend;

fn main() -> ExitCode {
    let result = Cli::try_parse()
        .map_err(Failure::from)
        .and_then(|cli| match cli.command {
            Command::Encrypt(args) => crypt::encrypt(&args),
            Command::Decrypt(args) => crypt::decrypt(&args),
            Command::Backends => backends(),
            Command::Bench(args) => bench::run(&args),
        });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Lists all backends, one a line.
fn backends() -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    for &name in backend::NAMES {
        let state = match backend::by_name(name) {
            Some(backend) if backend == backend::active() => "active",
            Some(_) => "available",
            None => "not available",
        };
        writeln!(out, "{name:<10} {state}")?;
    }
    Ok(out.flush()?)
}
