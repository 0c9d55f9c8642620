//! The program, and what the tests give it.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use data_encoding::HEXLOWER;

pub(crate) const KEY: &str = "30313233343536373839414243444546";
pub(crate) const MESSAGE: &str = "b7b2e52af7f5b1fbf37fc3d5546ac7569aecd01bbacf09bf";

/// The words that start the program: the one built beside this test, or the lines of
/// `FASTTEA_PROGRAM`, as an emulator and a program for another processor.
pub(crate) fn words() -> Vec<String> {
    match std::env::var("FASTTEA_PROGRAM") {
        Ok(words) => words.lines().map(str::to_owned).collect(),
        Err(_) => vec![env!("CARGO_BIN_EXE_fasttea").to_owned()],
    }
}

pub(crate) fn program() -> Command {
    let words = words();
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).env_remove("FASTTEA_KEY");
    command
}

/// Runs `fasttea` in `folder` with the arguments, which are separated by spaces.
pub(crate) fn run_in(folder: &Path, arguments: &str, input: &[u8]) -> Output {
    assert_cmd::Command::from_std(program())
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .write_stdin(input)
        .output()
        .unwrap()
}

pub(crate) fn run(arguments: &str, input: impl AsRef<[u8]>) -> Output {
    run_in(Path::new("."), arguments, input.as_ref())
}

#[track_caller]
pub(crate) fn ok(arguments: &str, input: impl AsRef<[u8]>) -> Vec<u8> {
    let output = run(arguments, input);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments}: {errors}");
    assert_eq!(errors, "", "{arguments}");
    output.stdout
}

/// The line on standard error.
#[track_caller]
pub(crate) fn fails(code: i32, arguments: &str, input: impl AsRef<[u8]>) -> String {
    let output = run(arguments, input);
    failure(code, arguments, &output)
}

#[track_caller]
pub(crate) fn failure(code: i32, arguments: &str, output: &Output) -> String {
    let errors = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments}: {errors}");
    let line = errors
        .strip_prefix("fasttea: ")
        .unwrap()
        .strip_suffix('\n')
        .unwrap();
    assert!(!line.contains('\n'), "{arguments}: {errors}");
    line.to_owned()
}

pub(crate) fn painted(len: usize) -> Vec<u8> {
    (0..251).cycle().take(len).collect()
}

/// What is in the folder, in order.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

pub(crate) fn hex(bytes: impl AsRef<[u8]>) -> String {
    HEXLOWER.encode(bytes.as_ref())
}

pub(crate) fn unhex(digits: &str) -> Vec<u8> {
    HEXLOWER.decode(digits.as_bytes()).unwrap()
}
