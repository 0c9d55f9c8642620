//! The command line, as a user sees it: output, one line on standard error, exit code.

#![allow(clippy::unwrap_used)]

#[cfg(unix)]
use std::process::{Child, ChildStdin, Stdio};
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use serde::Deserialize;

const KEY: &str = "30313233343536373839414243444546";
const MESSAGE: &str = "b7b2e52af7f5b1fbf37fc3d5546ac7569aecd01bbacf09bf";

/// The words that start the program: the one built beside this test, or the lines of
/// `FASTTEA_PROGRAM`, as an emulator and a program for another processor.
fn words() -> Vec<String> {
    match std::env::var("FASTTEA_PROGRAM") {
        Ok(words) => words.lines().map(str::to_owned).collect(),
        Err(_) => vec![env!("CARGO_BIN_EXE_fasttea").to_owned()],
    }
}

fn program() -> Command {
    let words = words();
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).env_remove("FASTTEA_KEY");
    command
}

/// Runs `fasttea` in `folder` with the arguments, which are separated by spaces.
fn run_in(folder: &Path, arguments: &str, input: &[u8]) -> Output {
    assert_cmd::Command::from_std(program())
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .write_stdin(input)
        .output()
        .unwrap()
}

fn run(arguments: &str, input: impl AsRef<[u8]>) -> Output {
    run_in(Path::new("."), arguments, input.as_ref())
}

#[track_caller]
fn ok(arguments: &str, input: impl AsRef<[u8]>) -> Vec<u8> {
    let output = run(arguments, input);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments}: {errors}");
    assert_eq!(errors, "", "{arguments}");
    output.stdout
}

/// The line on standard error.
#[track_caller]
fn fails(code: i32, arguments: &str, input: impl AsRef<[u8]>) -> String {
    let output = run(arguments, input);
    failure(code, arguments, &output)
}

#[track_caller]
fn failure(code: i32, arguments: &str, output: &Output) -> String {
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

fn painted(len: usize) -> Vec<u8> {
    (0..251).cycle().take(len).collect()
}

#[derive(Deserialize)]
struct Vector {
    id: String,
    cipher: String,
    cycles: u32,
    endian: String,
    mode: String,
    key: String,
    iv: String,
    plaintext: String,
    ciphertext: String,
    #[serde(default)]
    seek: u64,
    #[serde(default)]
    tail: String,
}

/// Every vector of the library's tests that the command line can say.
#[test]
fn vectors() {
    #[derive(Deserialize)]
    struct File {
        vectors: Vec<Vector>,
    }
    let mut run = 0;
    for text in [
        include_str!("../../tests/data/public.json"),
        include_str!("../../tests/data/generated.json"),
    ] {
        for vector in serde_json::from_str::<File>(text).unwrap().vectors {
            // There is no XXTEA yet, and no seeking.
            if vector.cipher == "xxtea" || vector.seek != 0 {
                continue;
            }
            let (id, key) = (&vector.id, &vector.key);
            let mut options = format!("--key {key} --input-format hex --output-format hex");
            let mut encrypt = String::new();
            if vector.cipher == "qq" {
                encrypt = format!(" --fill {}", vector.iv);
            } else {
                let mode = if vector.mode == "block" {
                    "ecb"
                } else {
                    &vector.mode
                };
                options += &format!(
                    " --cipher {} --mode {mode} --cycles {} --order {}",
                    vector.cipher, vector.cycles, vector.endian
                );
                if !vector.iv.is_empty() {
                    options += &format!(" --iv {}", vector.iv);
                }
                match &*vector.tail {
                    "keep" => options += " --padding keep-tail",
                    _ if mode != "ctr" => options += " --padding none",
                    _ => {}
                }
            }
            let line = |hex: &str| format!("{hex}\n").into_bytes();
            let plaintext = ok(&format!("decrypt {options}"), &vector.ciphertext);
            assert_eq!(plaintext, line(&vector.plaintext), "{id}");
            let ciphertext = ok(&format!("encrypt {options}{encrypt}"), &vector.plaintext);
            assert_eq!(ciphertext, line(&vector.ciphertext), "{id}");
            run += 1;
        }
    }
    assert!(run > 150, "only {run} vectors");
}

/// NIST's vectors, whole and in pieces too large for one read.
#[test]
fn aes() {
    #[derive(Deserialize)]
    struct Vector {
        id: String,
        cipher: String,
        mode: String,
        key: String,
        iv: String,
        plaintext: String,
        ciphertext: String,
    }
    #[derive(Deserialize)]
    struct File {
        vectors: Vec<Vector>,
    }
    let file: File = serde_json::from_str(include_str!("../../tests/data/aes.json")).unwrap();
    assert_eq!(file.vectors.len(), 9);
    let line = |hex: &str| format!("{hex}\n").into_bytes();
    for vector in &file.vectors {
        let (id, mode) = (&vector.id, &vector.mode);
        let mut options = format!(
            "--cipher {} --mode {mode} --key {}",
            vector.cipher, vector.key
        );
        if mode != "ecb" {
            options += &format!(" --iv {}", vector.iv);
        }
        for len in [0, 1, 15, 16, 17, 500_000] {
            let text = painted(len);
            let message = ok(&format!("encrypt {options}"), &text);
            let padded = if mode == "ctr" {
                len
            } else {
                len / 16 * 16 + 16
            };
            assert_eq!(message.len(), padded, "{id}");
            assert_eq!(ok(&format!("decrypt {options}"), &message), text, "{id}");
        }
        options += " --input-format hex --output-format hex";
        if mode != "ctr" {
            options += " --padding none";
        }
        let message = ok(&format!("encrypt {options}"), &vector.plaintext);
        assert_eq!(message, line(&vector.ciphertext), "{id}");
        let text = ok(&format!("decrypt {options}"), &vector.ciphertext);
        assert_eq!(text, line(&vector.plaintext), "{id}");
    }

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
        let iv = hex::encode(painted(len));
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

#[test]
fn readme_message() {
    let text = ok(
        "decrypt --key-text 0123456789ABCDEF --input-format hex",
        format!("{MESSAGE}\n"),
    );
    assert_eq!(text, b"MiraiGO Here");
}

#[test]
fn bad_qq_messages() {
    #[derive(Deserialize)]
    struct File {
        cases: Vec<Case>,
    }
    #[derive(Deserialize)]
    struct Case {
        id: String,
        outcome: String,
        hex: Option<String>,
        #[serde(default)]
        key: String,
    }
    let text = include_str!("../../tests/data/bad_inputs.json");
    for case in serde_json::from_str::<File>(text).unwrap().cases {
        let Some(message) = case.hex else { continue };
        let arguments = format!("decrypt --key {} --input-format hex", case.key);
        if case.outcome.starts_with("ok") {
            assert_eq!(ok(&arguments, message), b"", "{}", case.id);
            continue;
        }
        let words = match &*case.outcome {
            "error: ciphertext too short" => "too short",
            "error: not a multiple of 8" => "not a multiple of the block size",
            outcome if outcome.contains("impossible fill") => "its fill does not fit",
            outcome if outcome.contains("zero check") => "do not end in seven zeros",
            outcome => panic!("{}: {outcome}", case.id),
        };
        let output = run(&arguments, &message);
        assert_eq!(output.stdout, b"", "{}", case.id);
        let line = failure(1, &arguments, &output);
        assert!(line.contains(words), "{}: {line}", case.id);
        let len = (message.len() / 2).to_string();
        assert!(
            line.contains(&len),
            "{}: {line} does not tell {len}",
            case.id
        );
    }
}

/// gofastTEA's messages, whose tail is not zero.
#[test]
fn unchecked_tail() {
    let message = "000102030405060708090a0b0c0d0e0f";
    let options =
        format!("decrypt --key {KEY} --order le64 --input-format hex --output-format hex");
    assert_eq!(ok(&format!("{options} --unchecked-tail"), message), b"60\n");
    assert!(fails(1, &options, message).contains("16 bytes do not end in seven zeros"));
}

/// Random fill, and other cycles and deltas for QQ.
#[test]
fn qq_round_trips() {
    let mut seen = Vec::new();
    for options in [
        "",
        "--cycles 1",
        "--cycles 64 --delta 12345678",
        "--order le",
        "--cycles 16",
    ] {
        let options = format!("--key {KEY} {options}");
        let message = ok(&format!("encrypt {options}"), "a text");
        assert_eq!(message.len(), 16);
        assert_eq!(ok(&format!("decrypt {options}"), &message), b"a text");
        assert!(!seen.contains(&message));
        seen.push(message);
    }
    assert!(fails(1, &format!("decrypt --key {KEY} --cycles 32"), &seen[0]).contains("wrong key"));
    let line = fails(1, &format!("encrypt --key {KEY} --fill 00112233"), "a text");
    assert_eq!(line, "the fill has 4 bytes, but 3 are needed");
}

#[test]
fn keys() {
    let folder = tempfile::tempdir().unwrap();
    let file = |text: &str| {
        fs::write(folder.path().join("key"), text).unwrap();
    };
    let message = hex::decode(MESSAGE).unwrap();
    let with_file = || run_in(folder.path(), "decrypt --key-file key", &message);
    let with_variable = |value: &str, arguments: &str| {
        assert_cmd::Command::from_std(program())
            .env("FASTTEA_KEY", value)
            .args(arguments.split_whitespace())
            .write_stdin(&*message)
            .output()
            .unwrap()
    };

    assert_eq!(
        ok(&format!("decrypt --key {KEY}"), &message),
        b"MiraiGO Here"
    );
    for end in ["", "\n", "\r\n"] {
        file(&format!("{KEY}{end}"));
        assert_eq!(with_file().stdout, b"MiraiGO Here", "{end:?}");
    }
    assert_eq!(with_variable(KEY, "decrypt").stdout, b"MiraiGO Here");

    // No key, and more than one.
    assert!(fails(2, "decrypt", &message).starts_with("no key: one of --key,"));
    let two = format!("decrypt --key {KEY} --key-text 0123456789ABCDEF");
    assert!(fails(2, &two, &message).starts_with("more than one key: --key, --key-text"));
    let output = with_variable(KEY, &format!("decrypt --key {KEY}"));
    assert!(failure(2, "", &output).starts_with("more than one key: --key, FASTTEA_KEY"));

    // Wrong ones, of which no character is shown.
    for (arguments, words) in [
        (
            "decrypt --key 7071727",
            "--key has an odd number of hex digits, 7",
        ),
        ("decrypt --key 70717273", "--key has 4 bytes instead of 16"),
        (
            "decrypt --key 70717273747576777879zz7b7c7d7e7f",
            "character 21 of --key is not a hex",
        ),
        (
            "decrypt --key-text zzzz",
            "--key-text has 4 bytes instead of 16",
        ),
        (
            "decrypt --key-text zzzzzzzzzzzzzzzzz",
            "--key-text has 17 bytes instead of 16",
        ),
    ] {
        let line = fails(2, arguments, &message);
        assert!(line.contains(words), "{line}");
        assert!(!line.contains("zz") && !line.contains("7071"), "{line}");
    }
    let output = with_variable("7071", "decrypt");
    assert!(failure(2, "", &output).starts_with("FASTTEA_KEY has 2 bytes instead of 16"));
    for (text, words) in [
        (
            format!("{KEY}\n\n"),
            "character 33 of the key is not a hex digit",
        ),
        (format!("{KEY}\n\n\n"), "more than 34 bytes"),
        (
            format!(" {KEY}"),
            "character 1 of the key is not a hex digit",
        ),
        (String::new(), "the key has 0 bytes instead of 16"),
    ] {
        file(&text);
        let line = failure(1, "--key-file", &with_file());
        assert!(
            line.starts_with("key file key: ") && line.contains(words),
            "{line}"
        );
    }
    let output = run_in(folder.path(), "decrypt --key-file none", &message);
    assert!(failure(1, "", &output).starts_with("key file none: "));
}

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

#[test]
fn backends() {
    let text = String::from_utf8(ok("backends", "")).unwrap();
    let lines: Vec<Vec<_>> = text
        .lines()
        .map(|line| line.splitn(2, ' ').collect())
        .collect();
    let names: Vec<_> = lines.iter().map(|line| line[0]).collect();
    assert_eq!(names, fasttea::backend::NAMES);
    let state = |wanted: &str| lines.iter().filter(|line| line[1].trim() == wanted).count();
    assert_eq!(state("active"), 1);

    // Each gives the same, or says that it is not there.
    for line in &lines {
        let arguments = format!("decrypt --key {KEY} --backend {}", line[0]);
        let message = hex::decode(MESSAGE).unwrap();
        if line[1].trim() == "not available" {
            assert!(fails(1, &arguments, message).contains("is not available here"));
        } else {
            assert_eq!(ok(&arguments, message), b"MiraiGO Here");
        }
    }
}

#[test]
fn formats() {
    // No line end on raw output, one on the others, whatever the length.
    for len in [0, 1, 2, 3, 100, 600_000] {
        let text = painted(len);
        let key = format!("--cipher xtea --mode ctr --iv 0102030405060708 --key {KEY}");
        let raw = ok(&format!("encrypt {key}"), &text);
        assert_eq!(raw.len(), len);
        for format in ["hex", "base64"] {
            let written = ok(&format!("encrypt {key} --output-format {format}"), &text);
            assert_eq!(
                written.iter().filter(|&&byte| byte == b'\n').count(),
                1,
                "{format}"
            );
            assert_eq!(written.last(), Some(&b'\n'));
            let read = ok(&format!("decrypt {key} --input-format {format}"), &written);
            assert_eq!(read, text, "{format} {len}");
            if format == "hex" {
                assert_eq!(written, format!("{}\n", hex::encode(&raw)).as_bytes());
                let upper = written.to_ascii_uppercase();
                assert_eq!(
                    ok(&format!("decrypt {key} --input-format hex"), upper),
                    text
                );
            }
        }
    }
    // Base64 in lines, as other programs write it.
    let key = format!("decrypt --key {KEY} --input-format base64");
    assert_eq!(
        ok(&key, "t7LlKvf1sfvzf8PV\r\nVGrHVprs0Bu6zwm/\r\n"),
        b"MiraiGO Here"
    );

    for (format, input, words) in [
        ("hex", "abc\r\n", "odd number of hex digits, 3"),
        ("hex", "ab\r", "ends in half a line end"),
        ("hex", "abcx", "character 4 of the input is not a hex digit"),
        (
            "hex",
            "ab cd",
            "character 3 of the input is not a hex digit",
        ),
        (
            "hex",
            "ab\n\n",
            "goes on after its line end, at character 4",
        ),
        (
            "hex",
            "ab\ncd",
            "goes on after its line end, at character 4",
        ),
        (
            "hex",
            "ab\rcd",
            "goes on after its line end, at character 4",
        ),
        (
            "base64",
            "AAA",
            "ends in a group of 3 characters instead of 4",
        ),
        (
            "base64",
            "AA==AAAA",
            "goes on after its padding, at character 5",
        ),
        ("base64", "A=AA", "not base64"),
        ("base64", "AA*A", "character 3 of the input is not base64"),
        ("base64", "AB==", "not base64"),
    ] {
        let line = fails(
            1,
            &format!("decrypt --key {KEY} --input-format {format}"),
            input,
        );
        assert!(line.contains(words), "{format} {input:?}: {line}");
    }
}

#[test]
fn padding() {
    for mode in ["ecb", "cbc --iv 0011223344556677"] {
        for cipher in ["tea", "xtea", "xeta"] {
            let key = format!("--cipher {cipher} --mode {mode} --key {KEY}");
            for len in (0..=17).chain([262_143, 262_144, 262_145]) {
                let text = painted(len);
                let padded = ok(&format!("encrypt {key}"), &text);
                assert_eq!(padded.len(), len / 8 * 8 + 8, "{key} {len}");
                assert_eq!(ok(&format!("decrypt {key}"), &padded), text, "{key} {len}");

                let kept = ok(&format!("encrypt {key} --padding keep-tail"), &text);
                assert_eq!(kept.len(), len);
                assert_eq!(kept[len / 8 * 8..], text[len / 8 * 8..]);
                assert_eq!(
                    ok(&format!("decrypt {key} --padding keep-tail"), &kept),
                    text
                );

                let none = format!("encrypt {key} --padding none");
                if len % 8 == 0 {
                    assert_eq!(ok(&none, &text), kept);
                } else {
                    let line = fails(1, &none, &text);
                    let words = format!("{len} bytes are not a multiple of the block size");
                    assert!(line.starts_with(&words), "{line}");
                    assert_eq!(
                        line.contains("bytes were written to standard output"),
                        len > 8
                    );
                }
            }
        }
    }
    let key = format!("--cipher xtea --mode cbc --iv 0011223344556677 --key {KEY}");
    for last in [[0; 8], [9; 8], [255; 8], [1, 2, 3, 4, 5, 6, 4, 3]] {
        let bad = ok(&format!("encrypt {key} --padding none"), last);
        let line = fails(1, &format!("decrypt {key}"), bad);
        assert_eq!(
            line,
            "wrong key or damaged input: the 8 bytes do not end in PKCS #7 padding"
        );
    }
    assert!(fails(1, &format!("decrypt {key}"), "").contains("0 bytes are too short"));
    let line = fails(1, &format!("decrypt {key}"), [0; 20]);
    assert_eq!(
        line,
        "20 bytes are not a multiple of the block size, 8; 16 bytes were written to standard \
         output before"
    );
}

/// What is in the folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn output_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let path = |name: &str| folder.join(name);
    let cipher = format!("--cipher xtea --mode cbc --iv 0011223344556677 --key {KEY}");
    let text = painted(1000);
    fs::write(path("text"), &text).unwrap();

    // Into a new file, and over an old one.
    let encrypt = format!("encrypt {cipher} -o message text");
    for _ in 0..2 {
        assert_eq!(run_in(folder, &encrypt, b"").status.code(), Some(0));
        assert_eq!(names(folder), ["message", "text"]);
    }

    // Over the input itself, in each of the ways to read it.
    let line = hex::encode(&text) + "\n";
    for (options, text) in [
        ("--lines --input-format hex --key", line.as_bytes()),
        ("--key", &text),
        (
            "--cipher xtea --mode cbc --iv 0011223344556677 --key",
            &text,
        ),
    ] {
        fs::write(path("message"), text).unwrap();
        for direction in ["encrypt", "decrypt"] {
            let arguments = format!("{direction} {options} {KEY} --output message message");
            let output = run_in(folder, &arguments, b"");
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{arguments}: {errors}");
            assert_eq!(output.stdout, b"", "{arguments}");
        }
        assert_eq!(fs::read(path("message")).unwrap(), text, "{options}");
    }

    // A failed run leaves the old file and no other.
    for (input, missing) in [("message", "old"), ("message", "new")] {
        fs::write(path("old"), "old").unwrap();
        let arguments = format!("decrypt {cipher} -o {missing} {input}");
        let line = failure(1, &arguments, &run_in(folder, &arguments, b""));
        assert!(!line.contains("written"), "{line}");
        assert_eq!(fs::read(path("old")).unwrap(), b"old");
        assert_eq!(names(folder), ["message", "old", "text"]);
    }

    // `-` is standard input and output.
    let output = run_in(folder, &format!("encrypt --key {KEY} -o - -"), b"text");
    assert_eq!(output.stdout.len(), 16);

    for (arguments, words) in [
        ("-o none/there", "none/there: "),
        ("none", "none: "),
        ("-o .", ".: "),
    ] {
        let arguments = format!("encrypt --key {KEY} {arguments}");
        let line = failure(1, &arguments, &run_in(folder, &arguments, b""));
        assert!(line.starts_with(words), "{line}");
    }
}

#[cfg(unix)]
#[test]
fn output_files_on_unix() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let path = |name: &str| folder.join(name);
    let mode = |name: &str| fs::metadata(path(name)).unwrap().permissions().mode() & 0o777;
    let encrypt = |name: &str| {
        let arguments = format!("encrypt --key {KEY} -o {name}");
        let output = run_in(folder, &arguments, b"text");
        assert_eq!(
            output.status.code(),
            Some(0),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };

    // A new file's mode is that of any new file, an old file keeps its own.
    encrypt("new");
    fs::write(path("plain"), "").unwrap();
    assert_eq!(mode("new"), mode("plain"));
    for bits in [0o600, 0o640, 0o755] {
        fs::set_permissions(path("plain"), fs::Permissions::from_mode(bits)).unwrap();
        encrypt("plain");
        assert_eq!(mode("plain"), bits);
        assert_eq!(fs::read(path("plain")).unwrap().len(), 16);
    }

    // Links stay links, to what is there and to what is not.
    fs::create_dir(path("elsewhere")).unwrap();
    for target in ["plain", "elsewhere/absent"] {
        symlink(target, path("link")).unwrap();
        encrypt("link");
        assert!(fs::symlink_metadata(path("link")).unwrap().is_symlink());
        assert_eq!(fs::read(path(target)).unwrap().len(), 16);
        fs::remove_file(path("link")).unwrap();
    }

    // What is no regular file is written through.
    encrypt("/dev/null");
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    assert!(
        Command::new("mkfifo")
            .arg(path("pipe"))
            .status()
            .unwrap()
            .success()
    );
    let reader = std::thread::spawn({
        let pipe = path("pipe");
        move || fs::read(pipe).unwrap()
    });
    encrypt("pipe");
    assert_eq!(reader.join().unwrap().len(), 16);
}

/// A run that waits for its input, with the file that it writes beside `old`. It starts with
/// hang-ups, interrupts and requests to end as `disposition` says, whatever it is in this process.
#[cfg(unix)]
#[allow(unsafe_code)]
fn waiting_run(folder: &Path, disposition: libc::sighandler_t) -> (Child, ChildStdin) {
    use std::os::unix::{fs::PermissionsExt, process::CommandExt};

    let mut command = program();
    command
        .current_dir(folder)
        .args(["encrypt", "--cipher", "tea", "--mode", "ecb"])
        .args(["--key", KEY, "-o", "old"])
        .stdin(Stdio::piped());
    // SAFETY: `signal` may be called between fork and exec.
    unsafe {
        command.pre_exec(move || {
            for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM] {
                libc::signal(signal, disposition);
            }
            Ok(())
        });
    }
    fs::write(folder.join("old"), "old").unwrap();
    fs::set_permissions(folder.join("old"), fs::Permissions::from_mode(0o644)).unwrap();
    let mut child = command.spawn().unwrap();
    while names(folder).len() < 2 {
        assert_eq!(child.try_wait().unwrap(), None);
        std::thread::yield_now();
    }
    // Open until the caller drops it: waiting would close it, and the run would succeed.
    let stdin = child.stdin.take().unwrap();
    (child, stdin)
}

#[cfg(unix)]
fn send(signal: &str, child: &Child) {
    let id = child.id().to_string();
    let kill = Command::new("sh")
        .args(["-c", r#"kill "$@""#, "sh", signal, &id])
        .status();
    assert!(kill.unwrap().success());
}

/// An interrupted run leaves no file, and the old one as it was. Until then nobody else reads it.
#[cfg(unix)]
#[test]
fn interrupted() {
    use std::os::unix::{fs::PermissionsExt, process::ExitStatusExt};

    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (signal, number) in [("-HUP", 1), ("-INT", 2), ("-TERM", 15)] {
        // See `signals_to_handle`.
        if signal == "-HUP" && cfg!(not(target_os = "linux")) {
            continue;
        }
        let (mut child, stdin) = waiting_run(folder, libc::SIG_DFL);
        for name in names(folder).iter().filter(|name| *name != "old") {
            let permissions = fs::metadata(folder.join(name)).unwrap().permissions();
            assert_eq!(permissions.mode() & 0o777, 0o600);
        }
        send(signal, &child);
        assert_eq!(child.wait().unwrap().signal(), Some(number));
        drop(stdin);
        assert_eq!(names(folder), ["old"]);
        assert_eq!(fs::read(folder.join("old")).unwrap(), b"old");
    }
}

/// What is ignored when the program starts stays so: hang-ups under `nohup`, interrupts in the
/// background of a script.
#[cfg(target_os = "linux")]
#[test]
fn ignored_signals() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (mut child, stdin) = waiting_run(folder, libc::SIG_IGN);
    for signal in ["-HUP", "-INT", "-TERM"] {
        send(signal, &child);
    }
    // A program that handles them would end meanwhile.
    std::thread::sleep(core::time::Duration::from_millis(300));
    drop(stdin);
    assert!(child.wait().unwrap().success());
    assert_eq!(names(folder), ["old"]);
    assert_eq!(fs::read(folder.join("old")).unwrap().len(), 8);
}

/// Where writing fails, there is one line and exit code 1, and no panic.
#[cfg(target_os = "linux")]
#[test]
fn full_devices() {
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

/// Standard output under its other names, and other descriptors, are written through.
#[cfg(target_os = "linux")]
#[test]
fn descriptors() {
    let folder = tempfile::tempdir().unwrap();
    let run = |script: &str| {
        let status = Command::new("sh")
            .args(["-ec", script, "sh"])
            .args(words())
            .args(["encrypt", "--key", KEY])
            .env_remove("FASTTEA_KEY")
            .current_dir(folder.path())
            .status()
            .unwrap();
        assert!(status.success(), "{script}");
        fs::read(folder.path().join("out")).unwrap().len()
    };
    assert_eq!(run(r#"echo a | "$@" -o /dev/stdout | cat >out"#), 16);
    let script = r#"(echo head; echo a | "$@" -o /dev/stdout; echo tail) >out"#;
    assert_eq!(run(script), 5 + 16 + 5);
    assert_eq!(run(r#"echo a | "$@" -o /dev/fd/3 3>out"#), 16);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
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

/// The counter is one number of 64 bits in the words' order, with its carry.
#[test]
fn counters() {
    use fasttea::{Be, Le, Le64, Order, Tea};

    fn key_stream<O: Order>(counters: [[u8; 8]; 3]) -> Vec<u8> {
        let mut stream = counters.concat();
        let key: [u8; 16] = hex::decode(KEY).unwrap().try_into().unwrap();
        Tea::<O>::with_cycles(key, 32)
            .unwrap()
            .encrypt_slice(&mut stream)
            .unwrap();
        stream
    }
    let start = 0x0000_0000_ffff_ffffu64;
    let be = [start, start + 1, start + 2].map(u64::to_be_bytes);
    let le = [start, start + 1, start + 2].map(u64::to_le_bytes);
    for (order, iv, stream) in [
        ("be", be[0], key_stream::<Be>(be)),
        ("le", le[0], key_stream::<Le>(le)),
        ("le64", le[0], key_stream::<Le64>(le)),
    ] {
        let iv = hex::encode(iv);
        let arguments =
            format!("encrypt --cipher tea --mode ctr --order {order} --iv {iv} --key {KEY}");
        assert_eq!(ok(&arguments, [0; 24]), stream, "{order}");
    }
}

/// The delta that the command line is given is the one that the library uses.
#[test]
fn deltas() {
    use fasttea::{Be, Le, Tea, Xeta, Xtea, qq};

    let key: [u8; 16] = hex::decode(KEY).unwrap().try_into().unwrap();
    for delta in [0x9e37_79b9, 0x1234_5678, 1u32] {
        let options = format!("--key {KEY} --delta {delta:x}");
        let text = *b"16 bytes of text";
        let block = |cipher: &str| {
            ok(
                &format!("encrypt {options} --cipher {cipher} --mode ecb --padding none"),
                text,
            )
        };
        let mut wanted = text;
        Tea::<Be>::with_delta(key, 32, delta)
            .unwrap()
            .encrypt_slice(&mut wanted)
            .unwrap();
        assert_eq!(block("tea"), wanted);
        let mut wanted = text;
        Xtea::<Be>::with_delta(key, 32, delta)
            .unwrap()
            .encrypt_slice(&mut wanted)
            .unwrap();
        assert_eq!(block("xtea"), wanted);
        let mut wanted = text;
        Xeta::<Le>::with_delta(key, 32, delta)
            .unwrap()
            .encrypt_slice(&mut wanted)
            .unwrap();
        assert_eq!(block("xeta"), wanted);

        let sums: Vec<_> = (1..=9).map(|cycle| delta.wrapping_mul(cycle)).collect();
        let mut wanted = [0; 16];
        qq::Cipher::<Be>::with_sums(key, &sums)
            .unwrap()
            .encrypt_with_fill(&[0; 9], b"", &mut wanted)
            .unwrap();
        let arguments = format!("encrypt {options} --cycles 9 --fill 000000000000000000");
        assert_eq!(ok(&arguments, ""), wanted);
    }
}

#[test]
fn bench() {
    let text = ok("bench --json --backend portable --filter xtea-32", "");
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap();
    assert_eq!(rows.len(), 2 * (4 + 1));
    for row in &rows {
        assert_eq!(row["backend"], "portable");
        assert_eq!(row["cipher"], "xtea");
        assert_eq!(row["cycles"], 32);
        assert_eq!(row["messages"], 1);
        assert_eq!(row["ratio_to_portable"], 1.0);
        for number in ["mb_per_s", "bytes_per_clock", "clocks_per_block"] {
            assert!(row[number].as_f64().unwrap() > 0.0);
        }
        let clocks = row["clocks_per_block"].as_f64().unwrap();
        let bytes = row["bytes_per_clock"].as_f64().unwrap();
        assert!((clocks * bytes - 8.0).abs() < 1e-6);
    }
    let table = String::from_utf8(ok("bench --filter qq-16 --backend portable", "")).unwrap();
    assert_eq!(
        table
            .lines()
            .filter(|line| line.contains("portable  "))
            .count(),
        2 * (4 + 4)
    );
    // The last line names the processor.
    assert!(table.lines().last().unwrap().contains("limit"), "{table}");
    assert!(fails(1, "bench --filter nothing", "").contains("no row has the text"));
    #[cfg(target_arch = "x86_64")]
    if fasttea::backend::by_name("scalar").is_some() {
        let text = ok("bench --json --backend scalar --filter qq-16", "");
        let rows: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap();
        for row in rows.iter().filter(|row| row["op"] == "qq") {
            let long = row["bytes"].as_u64().unwrap() >= 1024;
            let percent = row.get("percent_of_limit").map(|of| of.as_f64().unwrap());
            assert_eq!(percent.is_some(), long, "{row}");
            assert!(percent.is_none_or(|percent| percent > 0.0), "{row}");
        }
    }
    let text = ok("bench --json --backend portable --filter mixed", "");
    let rows: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap();
    assert_eq!(rows.len(), 2);
    for row in rows {
        assert_eq!(
            (&row["op"], &row["cipher"]),
            (&"batch".into(), &"qq".into())
        );
        assert_eq!(row["messages"], 256);
        assert!(row["ratio_to_one_by_one"].as_f64().unwrap() > 0.0);
    }
}

/// Each line is a message, bad ones are told by number, and nothing is out of order.
#[test]
fn lines() {
    let texts: Vec<Vec<u8>> = (0..3000).map(|i| painted(i % 97)).collect();
    for format in ["hex", "base64"] {
        let options = format!("--key {KEY} --lines --input-format {format}");
        let write = |bytes: &[u8]| match format {
            "hex" => hex::encode(bytes),
            _ => data_encoding::BASE64.encode(bytes),
        };
        let mut input: String = texts.iter().map(|text| write(text) + "\n").collect();
        let messages = String::from_utf8(ok(&format!("encrypt {options}"), &input)).unwrap();
        assert_eq!(messages.lines().count(), texts.len());
        assert_eq!(
            ok(&format!("decrypt {options}"), &messages),
            input.as_bytes()
        );
        // With the other line ends, and without the last one.
        let crlf = messages.replace('\n', "\r\n");
        assert_eq!(
            ok(&format!("decrypt {options}"), crlf.trim_end()),
            input.as_bytes()
        );

        // Every kind of bad line.
        let mut lines: Vec<&str> = messages.lines().collect();
        let cut = &lines[4][..8];
        lines[0] = "?";
        lines[4] = cut;
        lines[2000] = lines[2001];
        lines[2001] = "";
        let changed = lines.join("\n");
        let output = run(&format!("decrypt {options}"), changed);
        assert_eq!(output.status.code(), Some(1));
        let errors = String::from_utf8(output.stderr).unwrap();
        let errors: Vec<_> = errors.lines().collect();
        assert_eq!(errors.len(), 4, "{errors:?}");
        assert!(errors[0].starts_with("fasttea: line 1: character 1 of the input is not"));
        assert!(errors[1].starts_with("fasttea: line 5: "));
        assert_eq!(
            errors[2],
            "fasttea: line 2002: 0 bytes are too short for a message, which has at least 16"
        );
        assert_eq!(errors[3], "fasttea: 3 of 3000 lines are bad");
        let mut wanted: Vec<_> = input.lines().collect();
        let next = wanted[2001];
        wanted[0] = "!";
        wanted[4] = "!";
        wanted[2000] = next;
        wanted[2001] = "!";
        let wanted = wanted.join("\n") + "\n";
        assert_eq!(String::from_utf8(output.stdout).unwrap(), wanted);

        // Text as it is, a line a message.
        input.clear();
        for _ in 0..2 {
            input += &(write(&ok(&format!("encrypt --key {KEY}"), "text")) + "\n");
        }
        let raw = ok(&format!("decrypt {options} --output-format raw"), &input);
        assert_eq!(raw, b"text\ntext\n");
    }
    assert_eq!(
        ok(
            &format!("encrypt --key {KEY} --lines --input-format hex"),
            ""
        ),
        b""
    );
    // The file is kept, since every line has its result.
    let folder = tempfile::tempdir().unwrap();
    let arguments = format!("decrypt --key {KEY} --lines --input-format hex -o out");
    let output = run_in(
        folder.path(),
        &arguments,
        format!("{MESSAGE}\n00\n").as_bytes(),
    );
    assert_eq!(output.status.code(), Some(1));
    let text = format!("{}\n!\n", hex::encode("MiraiGO Here"));
    assert_eq!(
        fs::read(folder.path().join("out")).unwrap(),
        text.as_bytes()
    );
    // An unchecked tail, line by line.
    let arguments =
        format!("decrypt --key {KEY} --order le64 --lines --input-format hex --unchecked-tail");
    assert_eq!(
        ok(&arguments, "000102030405060708090a0b0c0d0e0f\n"),
        b"60\n"
    );
    for (arguments, words) in [
        (
            "encrypt --lines",
            "--lines needs --input-format hex or base64",
        ),
        (
            "encrypt --lines --input-format hex --fill 00",
            "--fill goes with one message only",
        ),
        (
            "decrypt --lines --input-format hex --cipher tea --mode ecb",
            "--lines goes with",
        ),
    ] {
        let line = fails(2, &format!("{arguments} --key {KEY}"), "");
        assert!(line.contains(words), "{line}");
    }
}

/// While a run waits for input, the key is in memory as the cipher's words alone, and where the system
/// put the argument or the environment.
#[cfg(all(target_os = "linux", target_endian = "little"))]
#[test]
fn key_is_wiped() {
    use std::io::{self, Read, Seek, SeekFrom, Write};

    /// How often the process has the bytes in memory that it can write.
    fn count(process: u32, bytes: &[u8]) -> io::Result<usize> {
        let mut count = 0;
        let mut memory = fs::File::open(format!("/proc/{process}/mem"))?;
        for line in fs::read_to_string(format!("/proc/{process}/maps"))?.lines() {
            let mut fields = line.split(' ');
            let (range, rights) = (fields.next().unwrap(), fields.next().unwrap());
            if !rights.starts_with("rw") {
                continue;
            }
            let (begin, end) = range.split_once('-').unwrap();
            let [begin, end] = [begin, end].map(|at| u64::from_str_radix(at, 16).unwrap());
            let mut region = vec![0; usize::try_from(end - begin).unwrap()];
            memory.seek(SeekFrom::Start(begin))?;
            if memory.read_exact(&mut region).is_ok() {
                count += region
                    .windows(bytes.len())
                    .filter(|window| window == &bytes)
                    .count();
            }
        }
        Ok(count)
    }

    let folder = tempfile::tempdir().unwrap();
    let digits = "9b3f61c702d84ea55c1f7e83a6d20b94";
    fs::write(folder.path().join("key"), digits).unwrap();
    let raw = hex::decode(digits).unwrap();
    let words: Vec<u8> = raw
        .chunks(4)
        .flat_map(|word| word.iter().rev().copied())
        .collect();
    for (option, value, copies) in [
        ("--key-file", "key", 0..=0),
        ("--key", digits, 1..=usize::MAX),
        ("FASTTEA_KEY", digits, 1..=1),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fasttea"));
        command.args(["encrypt", "--cipher", "tea", "--mode", "ecb"]);
        if option.starts_with('-') {
            command.args([option, value]).env_remove("FASTTEA_KEY");
        } else {
            command.env(option, value);
        }
        let mut child = command
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // The key is read when some of the output is there.
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&painted(65536)).unwrap();
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut [0; 8])
            .unwrap();
        // An allocator writes on the begin of what is given back.
        let found = [&words, &digits.as_bytes()[16..], &raw].map(|bytes| count(child.id(), bytes));
        child.kill().unwrap();
        child.wait().unwrap();
        if let [Err(error), ..] = &found {
            if error.kind() == io::ErrorKind::PermissionDenied {
                eprintln!("not tested: this system does not let processes be looked at");
                return;
            }
        }
        let [words, digits, raw] = found.map(Result::unwrap);
        // What stays where the system put it shows that the test looks.
        assert!(words > 0 && raw == 0, "{option}");
        assert!(copies.contains(&digits), "{option}: {digits} copies");
    }
}
