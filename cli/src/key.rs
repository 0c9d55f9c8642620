//! Where the key comes from.

use std::{
    env,
    fs::File,
    io::{self, Read},
    path::Path,
};

use zeroize::Zeroizing;

use crate::{args::KeyArgs, encoding, failure::Failure};

const VARIABLE: &str = "FASTTEA_KEY";

/// The key's bytes, wiped when they are dropped.
pub(crate) type Key = Zeroizing<Vec<u8>>;

/// The key of `needed` bytes from the one place that names it. Of a file no other copy is left in memory,
/// of the variable only the environment itself.
pub(crate) fn read(args: &KeyArgs, needed: usize) -> Result<Key, Failure> {
    let variable = env::var_os(VARIABLE).map(|hex| Zeroizing::new(hex.into_encoded_bytes()));
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
        from_hex("--key", hex.as_bytes(), needed).map_err(Failure::usage)
    } else if let Some(text) = &args.key_text {
        let len = text.len();
        if len != needed {
            return Err(Failure::usage(format!(
                "--key-text has {len} bytes instead of {needed}"
            )));
        }
        Ok(Zeroizing::new(text.as_bytes().to_vec()))
    } else if let Some(path) = &args.key_file {
        from_file(path, needed)
    } else {
        let hex = variable.unwrap_or_default();
        from_hex(VARIABLE, &hex, needed).map_err(Failure::usage)
    }
}

fn from_file(path: &Path, needed: usize) -> Result<Key, Failure> {
    let name = path.display();
    let failed =
        |reason: &dyn core::fmt::Display| Failure::run(format!("key file {name}: {reason}"));
    // What is longer is no key.
    let most = 2 * needed + 2;
    let mut file = File::open(path).map_err(|error| failed(&error))?;
    let mut text = Zeroizing::new(vec![0; most + 1]);
    let mut len = 0;
    while len < text.len() {
        match file.read(&mut text[len..]) {
            Ok(0) => break,
            Ok(n) => len += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(&error)),
        }
    }
    if len > most {
        return Err(failed(&format!(
            "more than {most} bytes, {} hex digits and a line end",
            2 * needed
        )));
    }
    let text = &text[..len];
    let line = text
        .strip_suffix(b"\r\n")
        .or(text.strip_suffix(b"\n"))
        .unwrap_or(text);
    from_hex("the key", line, needed).map_err(|reason| failed(&reason))
}

fn from_hex(what: &str, digits: &[u8], needed: usize) -> Result<Key, String> {
    let mut key = Zeroizing::new(vec![0; needed]);
    encoding::hex_into(what, digits, &mut key)?;
    Ok(key)
}
