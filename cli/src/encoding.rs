//! Raw bytes, hex and base64, piece by piece.

use data_encoding::{BASE64, HEXLOWER, HEXLOWER_PERMISSIVE};

use crate::{args::Format, failure::Failure};

/// The bytes of hex digits in an argument.
pub(crate) fn hex(what: &str, digits: &str) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; hex_len(what, digits.as_bytes())?];
    hex_into(what, digits.as_bytes(), &mut bytes)?;
    Ok(bytes)
}

/// The same into a buffer, which the bytes have to fill.
pub(crate) fn hex_into(what: &str, digits: &[u8], bytes: &mut [u8]) -> Result<(), String> {
    let (len, needed) = (hex_len(what, digits)?, bytes.len());
    if len != needed {
        return Err(format!("{what} has {len} bytes instead of {needed}"));
    }
    HEXLOWER_PERMISSIVE
        .decode_mut(digits, bytes)
        .map_err(|_| format!("{what} is not hex"))?;
    Ok(())
}

/// How many bytes the digits make.
fn hex_len(what: &str, digits: &[u8]) -> Result<usize, String> {
    if let Some(at) = digits.iter().position(|digit| !digit.is_ascii_hexdigit()) {
        return Err(format!("character {} of {what} is not a hex digit", at + 1));
    }
    if digits.len() % 2 == 1 {
        return Err(format!(
            "{what} has an odd number of hex digits, {}",
            digits.len()
        ));
    }
    Ok(digits.len() / 2)
}

/// Turns what is read into bytes.
pub(crate) struct Decoder {
    format: Format,
    /// Characters that make no whole bytes yet.
    pending: Vec<u8>,
    /// Characters seen, for error messages.
    seen: u64,
    /// Whether nothing may follow: after hex's line end or base64's padding.
    ended: bool,
    /// Whether a carriage return waits for its line feed (hex).
    carriage_return: bool,
}

impl Decoder {
    pub(crate) fn new(format: Format) -> Self {
        Self {
            format,
            pending: Vec::new(),
            seen: 0,
            ended: false,
            carriage_return: false,
        }
    }

    /// Appends to `out` the bytes of the next piece.
    pub(crate) fn decode(&mut self, piece: &[u8], out: &mut Vec<u8>) -> Result<(), Failure> {
        match self.format {
            Format::Raw => {
                out.extend_from_slice(piece);
                Ok(())
            }
            Format::Hex => self.decode_hex(piece, out),
            Format::Base64 => self.decode_base64(piece, out),
        }
    }

    fn decode_hex(&mut self, piece: &[u8], out: &mut Vec<u8>) -> Result<(), Failure> {
        for &character in piece {
            self.seen += 1;
            match character {
                b'\n' if !self.ended => self.ended = true,
                b'\r' if !self.ended && !self.carriage_return => self.carriage_return = true,
                _ if character.is_ascii_hexdigit() && !self.ended && !self.carriage_return => {
                    self.pending.push(character);
                }
                _ if self.ended || self.carriage_return => {
                    return Err(Failure::run(format!(
                        "the hex input goes on after its line end, at character {}",
                        self.seen
                    )));
                }
                _ => {
                    return Err(Failure::run(format!(
                        "character {} of the input is not a hex digit",
                        self.seen
                    )));
                }
            }
        }
        let whole = self.pending.len() / 2 * 2;
        self.take(whole, &HEXLOWER_PERMISSIVE, out)
    }

    fn decode_base64(&mut self, piece: &[u8], out: &mut Vec<u8>) -> Result<(), Failure> {
        for &character in piece {
            self.seen += 1;
            match character {
                b'\r' | b'\n' => {}
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' | b'=' if !self.ended => {
                    self.pending.push(character);
                    self.ended = character == b'=' && self.pending.len() % 4 == 0;
                }
                _ if self.ended => {
                    return Err(Failure::run(format!(
                        "the base64 input goes on after its padding, at character {}",
                        self.seen
                    )));
                }
                _ => {
                    return Err(Failure::run(format!(
                        "character {} of the input is not base64",
                        self.seen
                    )));
                }
            }
        }
        let whole = self.pending.len() / 4 * 4;
        self.take(whole, &BASE64, out)
    }

    /// Decodes the first `len` pending characters.
    fn take(
        &mut self,
        len: usize,
        encoding: &data_encoding::Encoding,
        out: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let bytes = encoding
            .decode(&self.pending[..len])
            .map_err(|error| Failure::run(format!("the input is not base64: {}", error.kind)))?;
        out.extend_from_slice(&bytes);
        self.pending.drain(..len);
        Ok(())
    }

    /// Tells whether the input may end here.
    pub(crate) fn finish(&self) -> Result<(), Failure> {
        if self.carriage_return && !self.ended {
            return Err(Failure::run("the hex input ends in half a line end"));
        }
        match (self.format, self.pending.len()) {
            (_, 0) => Ok(()),
            (Format::Hex, _) => Err(Failure::run(format!(
                "the input has an odd number of hex digits, {}",
                self.seen - u64::from(self.ended) - u64::from(self.carriage_return)
            ))),
            (_, left) => Err(Failure::run(format!(
                "the base64 input ends in a group of {left} characters instead of 4"
            ))),
        }
    }
}

/// Turns bytes into what is written.
pub(crate) struct Encoder {
    format: Format,
    /// Bytes that make no whole group of base64 yet.
    pending: Vec<u8>,
}

impl Encoder {
    pub(crate) fn new(format: Format) -> Self {
        Self {
            format,
            pending: Vec::new(),
        }
    }

    /// The text of the next bytes.
    pub(crate) fn encode(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        match self.format {
            Format::Raw => bytes,
            Format::Hex => HEXLOWER.encode(&bytes).into_bytes(),
            Format::Base64 => {
                self.pending.extend_from_slice(&bytes);
                let whole = self.pending.len() / 3 * 3;
                let text = BASE64.encode(&self.pending[..whole]);
                self.pending.drain(..whole);
                text.into_bytes()
            }
        }
    }

    /// The text at the end.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        match self.format {
            Format::Raw => Vec::new(),
            Format::Hex => b"\n".to_vec(),
            Format::Base64 => (BASE64.encode(&self.pending) + "\n").into_bytes(),
        }
    }
}
