//! The command line's arguments.

use std::path::PathBuf;

use clap::{
    Args, Parser, Subcommand, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use fasttea::ByteOrder;

use crate::backends;

/// QQ messages, and files under TEA, XTEA, XETA and AES.
///
/// TEA, XTEA and XETA are of the 1990s, and nothing here authenticates: use it to talk to what already
/// speaks these ciphers.
#[derive(Debug, Parser)]
#[command(name = "fasttea", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Encrypt a QQ message, or a file of any length in a block mode.
    Encrypt(EncryptArgs),
    /// Decrypt a QQ message, or a file of any length in a block mode.
    Decrypt(DecryptArgs),
    /// List the backends: which are available and which is active.
    Backends,
    /// Measure how fast the backends are on this machine, in half a minute.
    Bench(BenchArgs),
}

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// Print one JSON array.
    #[arg(long)]
    pub(crate) json: bool,

    /// This backend only; portable runs beside it for the ratio.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(backends::names()))]
    pub(crate) backend: Option<String>,

    /// Only rows with this text, as in `blocks xtea-32 encrypt 64 avx2`.
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct EncryptArgs {
    #[command(flatten)]
    pub(crate) common: CryptArgs,

    /// Use these bytes (hex, 1 + pad + 2 of them) as the head of a QQ message instead of random ones.
    #[arg(long, value_name = "HEX")]
    pub(crate) fill: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DecryptArgs {
    #[command(flatten)]
    pub(crate) common: CryptArgs,

    /// Do not check the seven zeros at a QQ message's end: some programs leave random bytes there.
    #[arg(long)]
    pub(crate) unchecked_tail: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CryptArgs {
    /// The cipher; qq is a whole QQ message, 16 cycles, the others need --mode; tea, xtea and xeta have
    /// 32 cycles.
    #[arg(long, value_enum, default_value_t = Cipher::Qq)]
    pub(crate) cipher: Cipher,

    /// The mode of a block cipher.
    #[arg(long, value_enum)]
    pub(crate) mode: Option<Mode>,

    #[command(flatten)]
    pub(crate) key: KeyArgs,

    /// The block that cbc chains to, or the first counter of ctr, in hex: 8 bytes, of AES 16.
    #[arg(long, value_name = "HEX")]
    pub(crate) iv: Option<String>,

    /// The number of cycles, 1 to 64; a cycle is two rounds.
    #[arg(long, value_name = "N")]
    pub(crate) cycles: Option<u32>,

    /// The byte order; le64 is one little-endian number of 64 bits. Default: be, for xeta le.
    #[arg(long, value_parser = byte_orders())]
    pub(crate) order: Option<ByteOrder>,

    /// A constant other than 9e3779b9, in hex.
    #[arg(long, value_name = "HEX")]
    pub(crate) delta: Option<String>,

    /// What makes whole blocks in ecb and cbc; keep-tail leaves the bytes behind the last whole block
    /// as they are (RuneScape). Default: pkcs7.
    #[arg(long, value_enum)]
    pub(crate) padding: Option<Padding>,

    /// How the input is written. Hex may end in one line end, base64 may be broken into lines.
    #[arg(long, value_enum, default_value_t = Format::Raw)]
    pub(crate) input_format: Format,

    /// How to write the output. Hex and base64 end in a line end. Default: raw, with --lines as the
    /// input.
    #[arg(long, value_enum)]
    pub(crate) output_format: Option<Format>,

    /// Take each line of the input, hex or base64, for a QQ message, and print its result on a line,
    /// which is `!` for a bad line; then the exit code is 1, and an output file is kept all the same.
    #[arg(long)]
    pub(crate) lines: bool,

    /// The backend instead of the fastest: see `fasttea backends`.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(backends::names()))]
    pub(crate) backend: Option<String>,

    /// Write to this file instead of standard output. It is replaced when all went well: a run that
    /// fails or is interrupted leaves the old file and no other. But on Windows an interrupted one leaves
    /// what it wrote in `.fasttea-…` beside it, and so does a closed terminal where the system is neither
    /// Windows nor Linux.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// The input; standard input if there is none, or for `-`.
    #[arg(value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
}

/// Exactly one of these, or the environment variable `FASTTEA_KEY` (hex).
///
/// They are plain text here, since clap quotes what it cannot read, and keys are not to be quoted.
#[derive(Debug, Args)]
pub(crate) struct KeyArgs {
    /// The key, 32 hex digits, of aes-192 48 and of aes-256 64. Other users may see it in the list of
    /// processes.
    #[arg(long, value_name = "HEX", allow_hyphen_values = true)]
    pub(crate) key: Option<String>,

    /// The key as text of as many bytes (in UTF-8). Other users may see it in the list of processes.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) key_text: Option<String>,

    /// A file with the key, hex digits and at most one line end. Or set FASTTEA_KEY to the digits, which
    /// stay in the environment of the process.
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Cipher {
    Qq,
    Tea,
    Xtea,
    Xeta,
    #[value(name = "aes-128")]
    Aes128,
    #[value(name = "aes-192")]
    Aes192,
    #[value(name = "aes-256")]
    Aes256,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    Ecb,
    Cbc,
    Ctr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Padding {
    None,
    Pkcs7,
    KeepTail,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Raw,
    Hex,
    Base64,
}

fn byte_orders() -> impl TypedValueParser<Value = ByteOrder> {
    PossibleValuesParser::new(ByteOrder::ALL.map(ByteOrder::name)).try_map(|name| name.parse())
}
