//! What is refused: one line on standard error, and an exit code.

use crate::program::*;

#[test]
fn usage() {
    for (arguments, words) in [
        ("", "a command is missing"),
        (
            "encrypt --cipher des",
            "invalid value 'des' for '--cipher <CIPHER>'",
        ),
        ("encrypt --cipher tea", "a block cipher needs --mode"),
        (
            "encrypt --cipher qq --mode ecb",
            "--mode goes with a block cipher only",
        ),
        (
            "encrypt --iv 0011223344556677",
            "--iv goes with --mode cbc and ctr only",
        ),
        (
            "encrypt --padding none",
            "--padding goes with --mode ecb and cbc only",
        ),
        (
            "encrypt --cipher tea --mode ctr --iv 0011223344556677 --padding none",
            "--padding goes",
        ),
        (
            "encrypt --cipher tea --mode ecb --iv 0011223344556677",
            "--iv goes with",
        ),
        (
            "encrypt --cipher tea --mode cbc",
            "--mode cbc and ctr need --iv",
        ),
        (
            "decrypt --cipher tea --mode ctr",
            "--mode cbc and ctr need --iv",
        ),
        (
            "encrypt --cipher tea --mode cbc --iv 00",
            "the IV has 1 bytes instead of 8",
        ),
        (
            "encrypt --cipher tea --mode cbc --iv 001122334455667788",
            "the IV has 9 bytes",
        ),
        (
            "encrypt --cipher tea --mode cbc --iv 0",
            "odd number of hex digits, 1",
        ),
        (
            "encrypt --cipher tea --mode ecb --cycles 0",
            "0 cycles are not between 1 and 64",
        ),
        (
            "encrypt --cipher xtea --mode ecb --cycles 65",
            "65 cycles are not between 1 and 64",
        ),
        ("encrypt --cycles 0", "0 cycles are not between 1 and 64"),
        (
            "encrypt --cycles 4000000000",
            "4000000000 cycles are not between 1 and 64",
        ),
        ("encrypt --delta 0", "the delta is 0"),
        (
            "encrypt --delta 123456789",
            "--delta is not 1 to 8 hex digits",
        ),
        ("encrypt --delta +1", "--delta is not 1 to 8 hex digits"),
        (
            "encrypt --cipher tea --mode ecb --fill 00",
            "--fill goes with --cipher qq only",
        ),
        (
            "decrypt --cipher tea --mode ecb --unchecked-tail",
            "--unchecked-tail goes with",
        ),
        (
            "encrypt --unchecked-tail",
            "unexpected argument '--unchecked-tail'",
        ),
        (
            "encrypt --fill 0g",
            "character 2 of --fill is not a hex digit",
        ),
        (
            "encrypt --backend mmx",
            "invalid value 'mmx' for '--backend <NAME>'",
        ),
        (
            "encrypt --cipher xeta --mode ecb --backend scalar",
            "xeta has the backend portable only",
        ),
    ] {
        let key = if arguments.is_empty() {
            String::new()
        } else {
            format!(" --key {KEY}")
        };
        let line = fails(2, &format!("{arguments}{key}"), "");
        assert!(line.contains(words), "{arguments}: {line}");
    }
    assert!(
        String::from_utf8(ok("encrypt --help", ""))
            .unwrap()
            .contains("list of processes")
    );
    assert!(ok("--version", "").starts_with(b"fasttea "));
}

/// A name with a line end, and a key that looks like an option.
#[test]
fn one_line_whatever_the_argument() {
    for (arguments, code) in [
        (vec!["encrypt", "--key", KEY, "no\nfile"], 1),
        (vec!["encrypt", "--key-file", "no\nfile"], 1),
        (vec!["encrypt", "--cipher", "x\ny"], 2),
        (vec!["encrypt", "--key-text", "--SECRETSECRET12"], 2),
        (vec!["encrypt", "--key", "-SECRETSECRET12"], 2),
    ] {
        let output = program().args(&arguments).output().unwrap();
        // 16 bytes are a key, whatever they look like.
        if arguments[2] == "--SECRETSECRET12" {
            assert_eq!(output.status.code(), Some(0));
            continue;
        }
        let line = failure(code, arguments[1], &output);
        assert!(!line.contains("SECRET"), "{line}");
    }
}

/// Where writing fails, there is one line and exit code 1, and no panic.
#[cfg(target_os = "linux")]
#[test]
fn full_devices() {
    use std::{fs, process::Stdio};

    let full = || {
        fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    for arguments in [
        "backends",
        "--help",
        "--version",
        "bench --filter qq-16",
        "encrypt --key-text 0123456789ABCDEF",
    ] {
        let output = program()
            .args(arguments.split(' '))
            .stdin(Stdio::null())
            .stdout(full())
            .output()
            .unwrap();
        let line = failure(1, arguments, &output);
        assert!(line.contains("No space left"), "{line}");
        let status = program()
            .args(["encrypt", "--nothing"])
            .stderr(full())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(2));
    }
    let arguments =
        format!("encrypt --key {KEY} --cipher tea --mode ecb --padding none -o /dev/full");
    let line = fails(1, &arguments, painted(16));
    assert!(line.starts_with("/dev/full: No space left"), "{line}");
}

/// AES has blocks, keys and IVs of its own sizes, and none of TEA's parameters.
#[test]
fn aes_refuses_what_is_not_its_own() {
    let options = format!("--cipher aes-128 --mode cbc --key {KEY} --iv {KEY}");
    let decrypt = format!("decrypt {options}");
    for (input, words) in [
        (
            painted(0),
            "0 bytes are too short: padding makes at least 16",
        ),
        (
            painted(24),
            "24 bytes are not a multiple of the block size, 16",
        ),
        (painted(32), "do not end in PKCS #7 padding"),
    ] {
        let line = fails(1, &decrypt, input);
        assert!(line.contains(words), "{line}");
    }
    for (more, words) in [
        (
            "--cycles 32",
            "--cycles goes with --cipher qq, tea, xtea and xeta",
        ),
        ("--order le", "--order goes with --cipher qq,"),
        ("--delta 1", "--delta goes with --cipher qq,"),
        ("--backend portable", "--backend goes with --cipher qq,"),
        ("--lines", "--lines goes with --cipher qq only"),
    ] {
        let line = fails(2, &format!("{decrypt} {more}"), "");
        assert!(line.contains(words), "{line}");
    }
    for len in [0, 15, 17] {
        let iv = hex(painted(len));
        let arguments = format!("encrypt --cipher aes-256 --mode cbc --key {KEY}{KEY} --iv={iv}");
        let line = fails(2, &arguments, "");
        assert!(
            line.starts_with(&format!("the IV has {len} bytes instead of 16")),
            "{line}"
        );
    }
    let arguments = format!("encrypt --cipher aes-192 --mode ecb --key {KEY}");
    let line = fails(2, &arguments, "");
    assert!(
        line.starts_with("--key has 16 bytes instead of 24"),
        "{line}"
    );
}
