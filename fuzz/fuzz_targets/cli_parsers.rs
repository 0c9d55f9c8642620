//! The command line's hex and base64, in any pieces against one piece and against plain readings; its keys,
//! from arguments and files. What it says of a failure is one line, and holds no key.

#![no_main]

use std::{fs::File, io::Write, os::fd::AsRawFd, path::PathBuf};

use arbitrary::Arbitrary;
use fasttea_fuzz::planted;
use libfuzzer_sys::fuzz_target;

// Files of a program, which has no library to take them from.
#[allow(dead_code)]
#[path = "../../cli/src/args.rs"]
mod args;
#[allow(dead_code)]
#[path = "../../cli/src/backends.rs"]
mod backends;
#[allow(dead_code)]
#[path = "../../cli/src/encoding.rs"]
mod encoding;
#[allow(dead_code)]
#[path = "../../cli/src/failure.rs"]
mod failure;
#[allow(dead_code)]
#[path = "../../cli/src/key.rs"]
mod key;

use args::{Format, KeyArgs};
use encoding::{Decoder, Encoder};
use failure::Failure;

#[derive(Arbitrary, Debug)]
enum Input<'a> {
    Decode {
        format: Form,
        pieces: &'a [u8],
        text: &'a [u8],
    },
    Encode {
        format: Form,
        pieces: &'a [u8],
        bytes: &'a [u8],
    },
    Hex {
        needed: u8,
        digits: &'a str,
    },
    Key {
        words: KeyWords,
        from: From<'a>,
    },
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Form {
    Raw,
    Hex,
    Base64,
}

impl std::convert::From<Form> for Format {
    fn from(form: Form) -> Self {
        match form {
            Form::Raw => Self::Raw,
            Form::Hex => Self::Hex,
            Form::Base64 => Self::Base64,
        }
    }
}

/// A key of so many words of 64 bits.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum KeyWords {
    Two = 2,
    Three,
    Four,
}

#[derive(Arbitrary, Debug)]
enum From<'a> {
    Hex(&'a str),
    Text(&'a str),
    File(&'a [u8]),
    Several(&'a str),
}

fuzz_target!(|input: Input<'_>| match input {
    Input::Decode {
        format,
        pieces,
        text,
    } => decode(format.into(), pieces, text),
    Input::Encode {
        format,
        pieces,
        bytes,
    } => encode(format.into(), pieces, bytes),
    Input::Hex { needed, digits } => hex(needed.into(), digits),
    Input::Key { words, from } => key(words as usize * 8, &from),
});

/// The bytes in pieces of these lengths; what is left is the last piece.
fn cut<'a>(pieces: &[u8], mut bytes: &'a [u8]) -> Vec<&'a [u8]> {
    let mut all = Vec::new();
    for &len in pieces {
        let (piece, rest) = bytes.split_at(bytes.len().min(len.into()));
        all.push(piece);
        bytes = rest;
    }
    all.push(bytes);
    all
}

/// The reason, which has to be one line.
fn reason(failure: Failure) -> String {
    match failure {
        Failure::Usage(reason) | Failure::Run(reason) => {
            assert!(!reason.contains(char::is_control), "{reason:?}");
            reason
        }
        Failure::Help(_) => panic!("nobody asked for help"),
    }
}

fn decoded(format: Format, pieces: &[&[u8]]) -> Result<Vec<u8>, String> {
    let mut decoder = Decoder::new(format);
    let mut bytes = Vec::new();
    for piece in pieces {
        decoder.decode(piece, &mut bytes).map_err(reason)?;
    }
    decoder.finish().map_err(reason)?;
    Ok(bytes)
}

fn decode(format: Format, pieces: &[u8], text: &[u8]) {
    let mut result = decoded(format, &cut(pieces, text));
    if let Ok(bytes) = &mut result {
        planted("decode", bytes);
    }
    let at_once = decoded(format, &[text]);
    match format {
        // Of two things wrong, pieces may show another first.
        Format::Base64 => assert_eq!(result.as_ref().ok(), at_once.as_ref().ok()),
        _ => assert_eq!(result, at_once),
    }
    let plainly = match format {
        Format::Raw => Some(text.to_vec()),
        Format::Hex => plain_hex(plain_line(text)),
        Format::Base64 => plain_base64(text),
    };
    assert_eq!(result.ok(), plainly);
}

fn encode(format: Format, pieces: &[u8], bytes: &[u8]) {
    let run = |pieces: &[&[u8]]| {
        let mut encoder = Encoder::new(format);
        let mut text = Vec::new();
        for piece in pieces {
            text.extend(encoder.encode(piece.to_vec()));
        }
        text.extend(encoder.finish());
        text
    };
    let mut text = run(&cut(pieces, bytes));
    planted("encode", &mut text);
    assert_eq!(text, run(&[bytes]));
    assert_eq!(decoded(format, &[&text]).as_deref(), Ok(bytes));
}

fn hex(needed: usize, digits: &str) {
    let plainly = plain_hex(digits.as_bytes());
    let mut result = encoding::hex("it", digits);
    if let Ok(bytes) = &mut result {
        planted("hex", bytes);
    }
    assert_eq!(result.ok(), plainly);
    let mut bytes = vec![0; needed];
    let result = encoding::hex_into("it", digits.as_bytes(), &mut bytes);
    assert_eq!(
        result.ok().map(|()| bytes),
        plainly.filter(|bytes| bytes.len() == needed)
    );
}

fn key(needed: usize, from: &From<'_>) {
    let mut args = KeyArgs {
        key: None,
        key_text: None,
        key_file: None,
    };
    // Without a name, so that it is gone with the process.
    let file;
    let expected = match from {
        From::Hex(digits) => {
            args.key = Some((*digits).into());
            plain_hex(digits.as_bytes())
        }
        From::Text(text) => {
            args.key_text = Some((*text).into());
            Some(text.as_bytes().to_vec())
        }
        From::File(bytes) => {
            file = unnamed(bytes);
            args.key_file = Some(PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd())));
            plain_hex(plain_line(bytes))
        }
        From::Several(text) => {
            args.key = Some((*text).into());
            args.key_text = Some((*text).into());
            None
        }
    };
    let mut result = key::read(&args, needed).map(|key| key.to_vec());
    if let Ok(key) = &mut result {
        planted("key", key);
    }
    match (result, expected.filter(|key| key.len() == needed)) {
        (Ok(key), expected) => assert_eq!(Some(key), expected),
        (Err(failure), expected) => {
            let reason = reason(failure);
            assert_eq!(expected, None, "{reason}");
            let mut runs = reason.split(|character: char| !character.is_ascii_hexdigit());
            assert!(runs.all(|run| run.len() < 16), "{reason}");
        }
    }
}

fn unnamed(bytes: &[u8]) -> File {
    let name = std::env::temp_dir().join(format!("fasttea-fuzz-{}", std::process::id()));
    let mut file = File::create(&name).expect("a temporary file");
    std::fs::remove_file(&name).expect("just made");
    file.write_all(bytes).expect("room for it");
    file
}

/// Without one line end.
fn plain_line(text: &[u8]) -> &[u8] {
    match text {
        [line @ .., b'\r', b'\n'] | [line @ .., b'\n'] => line,
        line => line,
    }
}

fn plain_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let digit = |digit: &u8| Some(char::from(*digit).to_digit(16)? as u8);
    let (pairs, rest) = digits.as_chunks::<2>();
    let bytes = pairs
        .iter()
        .map(|[high, low]| Some(digit(high)? << 4 | digit(low)?));
    if rest.is_empty() {
        bytes.collect()
    } else {
        None
    }
}

/// Groups of 24 bits; padding in the last one only, and zeros in the bits that it leaves.
fn plain_base64(text: &[u8]) -> Option<Vec<u8>> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = text.to_vec();
    text.retain(|character| !matches!(character, b'\r' | b'\n'));
    if text.len() % 4 != 0 {
        return None;
    }
    let padding = text
        .iter()
        .rev()
        .take(2)
        .take_while(|last| **last == b'=')
        .count();
    text.truncate(text.len() - padding);
    let mut bytes = Vec::new();
    for group in text.chunks(4) {
        let mut bits = 0;
        for character in group {
            let digit = DIGITS.iter().position(|digit| digit == character)?;
            bits = bits << 6 | digit as u32;
        }
        let [_, group_bytes @ ..] = (bits << (24 - 6 * group.len())).to_be_bytes();
        let (whole, left) = group_bytes.split_at(6 * group.len() / 8);
        bytes.extend(whole);
        if left.iter().any(|byte| *byte != 0) {
            return None;
        }
    }
    Some(bytes)
}
