//! Where the key comes from.

use std::{env, fs::File, io::Read, path::Path};

use zeroize::Zeroizing;

use crate::{args::KeyArgs, encoding, failure::Failure};

const VARIABLE: &str = "FASTTEA_KEY";

/// The key's bytes, wiped when they are dropped.
pub(crate) type Key = Zeroizing<[u8; LEN]>;

const LEN: usize = 16;

/// A key file with more bytes than this is none.
const MAX_FILE_LEN: usize = 2 * LEN + 2;

/// The key from the one place that names it. Of a file no other copy is left in memory.
pub(crate) fn read(args: &KeyArgs) -> Result<Key, Failure> {
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
        from_hex("--key", hex.as_bytes()).map_err(Failure::usage)
    } else if let Some(text) = &args.key_text {
        let len = text.len();
        text.as_bytes()
            .try_into()
            .map(Zeroizing::new)
            .map_err(|_| Failure::usage(format!("--key-text has {len} bytes instead of {LEN}")))
    } else if let Some(path) = &args.key_file {
        from_file(path)
    } else {
        let hex = variable.unwrap_or_default();
        from_hex(VARIABLE, hex.as_encoded_bytes()).map_err(Failure::usage)
    }
}

fn from_file(path: &Path) -> Result<Key, Failure> {
    let name = path.display();
    let failed =
        |reason: &dyn core::fmt::Display| Failure::run(format!("key file {name}: {reason}"));
    let mut file = File::open(path).map_err(|error| failed(&error))?;
    let mut text = Zeroizing::new([0; MAX_FILE_LEN + 1]);
    let mut len = 0;
    while len < text.len() {
        match file.read(&mut text[len..]) {
            Ok(0) => break,
            Ok(n) => len += n,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(&error)),
        }
    }
    if len > MAX_FILE_LEN {
        return Err(failed(&format!(
            "more than {MAX_FILE_LEN} bytes, {} hex digits and a line end",
            2 * LEN
        )));
    }
    let text = &text[..len];
    let line = text
        .strip_suffix(b"\r\n")
        .or(text.strip_suffix(b"\n"))
        .unwrap_or(text);
    from_hex("the key", line).map_err(|reason| failed(&reason))
}

fn from_hex(what: &str, digits: &[u8]) -> Result<Key, String> {
    let mut key = Zeroizing::new([0; LEN]);
    encoding::hex_into(what, digits, &mut *key)?;
    Ok(key)
}
