//! The commands `encrypt` and `decrypt`.

use fasttea::{
    Be, ByteOrder, Error, Key, Le, Le64, Order, Parameters, Tea,
    backend::{self, Backend},
    qq,
};

use crate::{
    args::{self, Cipher, CryptArgs, DecryptArgs, EncryptArgs, Format, Padding},
    backends,
    block_mode::{BlockCipher, Direction, Mode, Session, Settings},
    encoding::{self, Decoder, Encoder},
    failure::Failure,
    input::Input,
    key, lines,
    output::Output,
};

pub(crate) fn encrypt(args: &EncryptArgs) -> Result<(), Failure> {
    let common = &args.common;
    if let Some(cipher) = block_cipher(common.cipher) {
        refuse("--fill", args.fill.is_some(), "--cipher qq")?;
        refuse("--lines", common.lines, "--cipher qq")?;
        return block_mode(cipher, common, Direction::Encrypt);
    }
    let fill = args
        .fill
        .as_ref()
        .map(|digits| encoding::hex("--fill", digits).map_err(Failure::usage))
        .transpose()?;
    if common.lines {
        refuse("--fill", fill.is_some(), "one message")?;
        return qq_lines(common, |cipher, texts| cipher.encrypt_batch(texts));
    }
    qq_message(common, |cipher, text| cipher.encrypt(text, fill.as_deref()))
}

pub(crate) fn decrypt(args: &DecryptArgs) -> Result<(), Failure> {
    let common = &args.common;
    if let Some(cipher) = block_cipher(common.cipher) {
        refuse("--unchecked-tail", args.unchecked_tail, "--cipher qq")?;
        refuse("--lines", common.lines, "--cipher qq")?;
        return block_mode(cipher, common, Direction::Decrypt);
    }
    if common.lines {
        return qq_lines(common, |cipher, messages| {
            cipher.decrypt_batch(messages, args.unchecked_tail)
        });
    }
    qq_message(common, |cipher, message| {
        cipher.decrypt(message, args.unchecked_tail)
    })
}

/// The block cipher, unless it is a QQ message.
fn block_cipher(cipher: Cipher) -> Option<BlockCipher> {
    match cipher {
        Cipher::Qq => None,
        Cipher::Tea => Some(BlockCipher::Tea),
        Cipher::Xtea => Some(BlockCipher::Xtea),
        Cipher::Xeta => Some(BlockCipher::Xeta),
        Cipher::Aes128 => Some(BlockCipher::Aes128),
        Cipher::Aes192 => Some(BlockCipher::Aes192),
        Cipher::Aes256 => Some(BlockCipher::Aes256),
    }
}

/// An option that goes only with something else.
fn refuse(option: &str, is_there: bool, goes_with: &str) -> Result<(), Failure> {
    if is_there {
        return Err(Failure::usage(format!(
            "{option} goes with {goes_with} only"
        )));
    }
    Ok(())
}

/// What the arguments say of the cipher, qq or not.
fn settings(args: &CryptArgs) -> Result<Settings, Failure> {
    let cipher = args.cipher;
    let block_cipher = block_cipher(cipher);
    if block_cipher.is_some_and(BlockCipher::is_aes) {
        for (option, is_there) in [
            ("--cycles", args.cycles.is_some()),
            ("--order", args.order.is_some()),
            ("--delta", args.delta.is_some()),
            ("--backend", args.backend.is_some()),
        ] {
            refuse(option, is_there, "--cipher qq, tea, xtea and xeta")?;
        }
    }
    Ok(Settings {
        key: key::read(&args.key, block_cipher.map_or(16, BlockCipher::key_len))?,
        parameters: parameters(args)?,
        byte_order: args.order.unwrap_or(match cipher {
            Cipher::Xeta => ByteOrder::Le,
            _ => ByteOrder::Be,
        }),
        backend: backend(args)?,
    })
}

fn parameters(args: &CryptArgs) -> Result<Parameters, Failure> {
    let standard = match args.cipher {
        Cipher::Qq => Parameters::QQ,
        _ => Parameters::STANDARD,
    };
    let cycles = args.cycles.unwrap_or(standard.cycles());
    let delta = args.delta.as_deref().map_or(Ok(standard.delta()), delta)?;
    Parameters::new(cycles, delta).map_err(Failure::usage)
}

fn delta(argument: &str) -> Result<u32, Failure> {
    let digits = argument.strip_prefix("0x").unwrap_or(argument);
    match u32::from_str_radix(digits, 16) {
        Ok(delta) if digits.len() <= 8 && !digits.starts_with('+') => Ok(delta),
        _ => Err(Failure::usage("--delta is not 1 to 8 hex digits")),
    }
}

fn backend(args: &CryptArgs) -> Result<Backend, Failure> {
    let Some(name) = &args.backend else {
        return Ok(backend::active());
    };
    if args.cipher == Cipher::Xeta && name != backends::PORTABLE {
        return Err(Failure::usage("xeta has the backend portable only"));
    }
    backends::named(name)
}

/// What the arguments say of a QQ message.
fn qq(args: &CryptArgs) -> Result<Box<dyn Qq>, Failure> {
    refuse("--mode", args.mode.is_some(), "a block cipher")?;
    refuse("--iv", args.iv.is_some(), "--mode cbc and ctr")?;
    refuse("--padding", args.padding.is_some(), "--mode ecb and cbc")?;
    qq_cipher(&settings(args)?)
}

/// Runs `batch` over the lines of the input.
fn qq_lines(
    args: &CryptArgs,
    batch: impl Fn(&dyn Qq, &[Vec<u8>]) -> Vec<Result<Vec<u8>, Error>>,
) -> Result<(), Failure> {
    if args.input_format == Format::Raw {
        return Err(Failure::usage("--lines needs --input-format hex or base64"));
    }
    let cipher = qq(args)?;
    let input = Input::open(args.input.as_deref())?;
    let mut output = Output::create(args.output.as_deref())?;
    let formats = (
        args.input_format,
        args.output_format.unwrap_or(args.input_format),
    );
    let run = |messages: &[Vec<u8>]| batch(&*cipher, messages);
    match lines::run(input, &mut output, formats, &run) {
        Ok(outcome) => {
            output.finish()?;
            outcome.into_result()
        }
        Err(failure) => Err(output.failed(failure)),
    }
}

/// Runs `message` over the whole input.
fn qq_message(
    args: &CryptArgs,
    message: impl FnOnce(&dyn Qq, &[u8]) -> Result<Vec<u8>, Error>,
) -> Result<(), Failure> {
    let cipher = qq(args)?;
    let input = Input::open(args.input.as_deref())?;
    let result = message(&*cipher, &whole(input, args.input_format)?)?;

    let mut output = Output::create(args.output.as_deref())?;
    let mut encoder = Encoder::new(args.output_format.unwrap_or(Format::Raw));
    output.write(&encoder.encode(result))?;
    output.write(&encoder.finish())?;
    output.finish()
}

/// All of the input, decoded.
fn whole(mut input: Input, format: Format) -> Result<Vec<u8>, Failure> {
    let mut decoder = Decoder::new(format);
    let mut whole = Vec::new();
    loop {
        let piece = input.next()?;
        if piece.is_empty() {
            break;
        }
        decoder.decode(piece, &mut whole)?;
    }
    decoder.finish()?;
    Ok(whole)
}

/// QQ messages in a byte order chosen at run time.
trait Qq {
    fn encrypt(&self, text: &[u8], fill: Option<&[u8]>) -> Result<Vec<u8>, Error>;
    fn decrypt(&self, message: &[u8], unchecked_tail: bool) -> Result<Vec<u8>, Error>;
    fn encrypt_batch(&self, texts: &[Vec<u8>]) -> Vec<Result<Vec<u8>, Error>>;
    fn decrypt_batch(
        &self,
        messages: &[Vec<u8>],
        unchecked_tail: bool,
    ) -> Vec<Result<Vec<u8>, Error>>;
}

impl<O: Order> Qq for qq::Cipher<O> {
    fn encrypt(&self, text: &[u8], fill: Option<&[u8]>) -> Result<Vec<u8>, Error> {
        let Some(fill) = fill else {
            return self.encrypt(text);
        };
        let len = text.len();
        let mut message = vec![0; qq::encrypted_len(len).ok_or(Error::TooLong { len })?];
        self.encrypt_with_fill(fill, text, &mut message)?;
        Ok(message)
    }

    fn decrypt(&self, message: &[u8], unchecked_tail: bool) -> Result<Vec<u8>, Error> {
        if unchecked_tail {
            self.decrypt_unchecked_tail(message)
        } else {
            self.decrypt(message)
        }
    }

    fn encrypt_batch(&self, texts: &[Vec<u8>]) -> Vec<Result<Vec<u8>, Error>> {
        self.encrypt_batch(texts)
    }

    fn decrypt_batch(
        &self,
        messages: &[Vec<u8>],
        unchecked_tail: bool,
    ) -> Vec<Result<Vec<u8>, Error>> {
        if unchecked_tail {
            let each = messages.iter();
            return each
                .map(|message| self.decrypt_unchecked_tail(message))
                .collect();
        }
        self.decrypt_batch(messages)
    }
}

fn qq_cipher(settings: &Settings) -> Result<Box<dyn Qq>, Failure> {
    fn new<O: Order>(settings: &Settings) -> Result<Box<dyn Qq>, Error> {
        let key = Key::<O>::try_from(&settings.key[..])?;
        let tea = Tea::from_parts(key, settings.parameters).with_backend(settings.backend);
        Ok(Box::new(qq::Cipher::from(tea)))
    }
    match settings.byte_order {
        ByteOrder::Be => new::<Be>(settings),
        ByteOrder::Le => new::<Le>(settings),
        ByteOrder::Le64 => new::<Le64>(settings),
    }
    .map_err(Failure::usage)
}

/// Runs a block cipher over the input piece by piece.
fn block_mode(cipher: BlockCipher, args: &CryptArgs, direction: Direction) -> Result<(), Failure> {
    let mode = args
        .mode
        .ok_or_else(|| Failure::usage("a block cipher needs --mode"))?;
    let padding = match mode {
        args::Mode::Ecb | args::Mode::Cbc => Some(args.padding.unwrap_or(Padding::Pkcs7)),
        args::Mode::Ctr => {
            refuse("--padding", args.padding.is_some(), "--mode ecb and cbc")?;
            None
        }
    };
    let mode = match mode {
        args::Mode::Ecb => {
            refuse("--iv", args.iv.is_some(), "--mode cbc and ctr")?;
            Mode::Ecb
        }
        args::Mode::Cbc => Mode::Cbc(iv(args, cipher)?),
        args::Mode::Ctr => Mode::Ctr(iv(args, cipher)?),
    };
    let session = Session::new(cipher, &settings(args)?, &mode, direction, padding)?;
    let input = Input::open(args.input.as_deref())?;
    let mut output = Output::create(args.output.as_deref())?;
    match stream(args, session, input, &mut output) {
        Ok(()) => output.finish(),
        Err(failure) => Err(output.failed(failure)),
    }
}

fn iv(args: &CryptArgs, cipher: BlockCipher) -> Result<Vec<u8>, Failure> {
    let digits = args
        .iv
        .as_ref()
        .ok_or_else(|| Failure::usage("--mode cbc and ctr need --iv"))?;
    let bytes = encoding::hex("--iv", digits).map_err(Failure::usage)?;
    let (needed, len) = (cipher.block(), bytes.len());
    if len != needed {
        return Err(Failure::usage(Error::IvLength { needed, len }));
    }
    Ok(bytes)
}

fn stream(
    args: &CryptArgs,
    mut session: Session,
    mut input: Input,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut decoder = Decoder::new(args.input_format);
    let mut encoder = Encoder::new(args.output_format.unwrap_or(Format::Raw));
    let mut bytes = Vec::new();
    loop {
        let piece = input.next()?;
        if piece.is_empty() {
            break;
        }
        bytes.clear();
        decoder.decode(piece, &mut bytes)?;
        output.write(&encoder.encode(session.update(&bytes)))?;
    }
    decoder.finish()?;
    output.write(&encoder.encode(session.finish()?))?;
    output.write(&encoder.finish())
}
