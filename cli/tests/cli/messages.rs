//! QQ messages.

use std::fs;

use serde::Deserialize;

use crate::program::*;

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
    let text = include_str!("../../../tests/data/bad_inputs.json");
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

/// Each line is a message, bad ones are told by number, and nothing is out of order.
#[test]
fn lines() {
    let texts: Vec<Vec<u8>> = (0..3000).map(|i| painted(i % 97)).collect();
    for format in ["hex", "base64"] {
        let options = format!("--key {KEY} --lines --input-format {format}");
        let write = |bytes: &[u8]| match format {
            "hex" => hex(bytes),
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
    let text = format!("{}\n!\n", hex("MiraiGO Here"));
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
