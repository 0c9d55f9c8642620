//! `fasttea`: QQ messages, and files under TEA, XTEA, XETA and AES, from the command line.

mod args;
mod backends;
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

use std::process::ExitCode;

use args::{Cli, Command};
use clap::Parser;
use failure::Failure;

fn main() -> ExitCode {
    let result = Cli::try_parse()
        .map_err(Failure::from)
        .and_then(|cli| match cli.command {
            Command::Encrypt(args) => crypt::encrypt(&args),
            Command::Decrypt(args) => crypt::decrypt(&args),
            Command::Backends => backends::list(),
            Command::Bench(args) => bench::run(&args),
        });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
