//! Where the key comes from.

use std::{env, fs::File, io::Read, path::Path};

use crate::{args::KeyArgs, encoding, failure::Failure};

const VARIABLE: &str = "FASTTEA_KEY";

/// A key file with more bytes than this is none.
const MAX_FILE_LEN: u64 = 34;

/// The key from the one place that names it.
pub(crate) fn read(args: &KeyArgs) -> Result<[u8; 16], Failure> {
    let variable = env::var_os(VARIABLE);
    let named = [
        ("--key", args.key.is_some()),
        ("--key-text", args.key_text.is_some()),
        ("--key-file", args.key_file.is_some()),
        (VARIABLE, variable.is_some()),
    ];
    let named: Vec<_> = named
        .into_iter()
        .filter_map(|(name, is_there)| is_there.then_some(name))
        .collect();
    match named[..] {
        [] => {
            return Err(Failure::usage(format!(
                "no key: one of --key, --key-text, --key-file or {VARIABLE} is needed"
            )));
        }
        [_] => {}
        _ => {
            return Err(Failure::usage(format!(
                "more than one key: {}",
                named.join(", ")
            )));
        }
    }

    if let Some(hex) = &args.key {
        from_hex("--key", hex).map_err(Failure::usage)
    } else if let Some(text) = &args.key_text {
        let len = text.len();
        text.as_bytes()
            .try_into()
            .map_err(|_| Failure::usage(format!("--key-text has {len} bytes instead of 16")))
    } else if let Some(path) = &args.key_file {
        from_file(path)
    } else {
        let hex = variable.unwrap_or_default();
        from_hex(VARIABLE, &hex.to_string_lossy()).map_err(Failure::usage)
    }
}

fn from_file(path: &Path) -> Result<[u8; 16], Failure> {
    let name = path.display();
    let failed =
        |reason: &dyn core::fmt::Display| Failure::run(format!("key file {name}: {reason}"));
    let mut text = String::new();
    File::open(path)
        .and_then(|file| file.take(MAX_FILE_LEN + 1).read_to_string(&mut text))
        .map_err(|error| failed(&error))?;
    if text.len() as u64 > MAX_FILE_LEN {
        return Err(failed(&format!(
            "more than {MAX_FILE_LEN} bytes, 32 hex digits and a line end"
        )));
    }
    let line = text
        .strip_suffix("\r\n")
        .or(text.strip_suffix('\n'))
        .unwrap_or(&text);
    from_hex("the key", line).map_err(|reason| failed(&reason))
}

fn from_hex(what: &str, digits: &str) -> Result<[u8; 16], String> {
    let bytes = encoding::hex(what, digits)?;
    let len = bytes.len();
    bytes
        .try_into()
        .map_err(|_| format!("{what} has {len} bytes instead of 16"))
}
