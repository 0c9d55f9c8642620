//! ECB, CBC and CTR over input of any length.

use ctr::{
    CtrCore,
    flavors::{Ctr64BE, Ctr64LE, Ctr128BE, CtrFlavor},
};
use fasttea::{
    Be, ByteOrder, Error, Le, Le64, Order, Parameters, Tea, Xeta, Xtea,
    aes::{Aes128, Aes192, Aes256},
    backend::Backend,
    cbc::{self, CbcCipher},
    cipher::{
        Array, Block, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, BlockSizeUser,
        InnerIvInit, KeyInit, StreamCipher, StreamCipherCore, StreamCipherCoreWrapper,
        array::ArraySize,
        block_padding::{Padding as _, Pkcs7},
        consts::{U8, U16},
    },
};

use crate::{args::Padding, failure::Failure, key::Key};

/// The ciphers that have modes.
#[derive(Clone, Copy)]
pub(crate) enum BlockCipher {
    Tea,
    Xtea,
    Xeta,
    Aes128,
    Aes192,
    Aes256,
}

impl BlockCipher {
    pub(crate) fn is_aes(self) -> bool {
        matches!(self, Self::Aes128 | Self::Aes192 | Self::Aes256)
    }

    pub(crate) fn key_len(self) -> usize {
        match self {
            Self::Tea | Self::Xtea | Self::Xeta | Self::Aes128 => 16,
            Self::Aes192 => 24,
            Self::Aes256 => 32,
        }
    }

    /// The block size in bytes.
    pub(crate) fn block(self) -> usize {
        if self.is_aes() { 16 } else { 8 }
    }
}

/// What the arguments say of any cipher.
pub(crate) struct Settings {
    pub(crate) key: Key,
    pub(crate) parameters: Parameters,
    pub(crate) byte_order: ByteOrder,
    pub(crate) backend: Backend,
}

/// A mode with its IV, if it has one.
pub(crate) enum Mode {
    Ecb,
    Cbc(Vec<u8>),
    Ctr(Vec<u8>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Encrypt,
    Decrypt,
}

/// Encrypts or decrypts bytes in place: whole blocks, or any number in CTR.
type Transform = Box<dyn FnMut(&mut [u8])>;

/// A cipher in a mode, on its way through the input.
pub(crate) struct Session {
    transform: Transform,
    /// The block size in bytes.
    block: usize,
    direction: Direction,
    /// Nothing for CTR, which takes any length.
    padding: Option<Padding>,
    /// Input that waits for more.
    pending: Vec<u8>,
    seen: u64,
}

impl Session {
    pub(crate) fn new(
        cipher: BlockCipher,
        settings: &Settings,
        mode: &Mode,
        direction: Direction,
        padding: Option<Padding>,
    ) -> Result<Self, Failure> {
        let transform = match settings.byte_order {
            ByteOrder::Be => transform::<Be, Ctr64BE>(cipher, settings, mode, direction),
            ByteOrder::Le => transform::<Le, Ctr64LE>(cipher, settings, mode, direction),
            ByteOrder::Le64 => transform::<Le64, Ctr64LE>(cipher, settings, mode, direction),
        };
        Ok(Self {
            // The library refuses arguments here, not data.
            transform: transform.map_err(Failure::usage)?,
            block: cipher.block(),
            direction,
            padding,
            pending: Vec::new(),
            seen: 0,
        })
    }

    /// The output that the next piece of the input makes.
    pub(crate) fn update(&mut self, piece: &[u8]) -> Vec<u8> {
        self.seen += piece.len() as u64;
        self.pending.extend_from_slice(piece);
        let len = self.pending.len();
        let now = match (self.padding, self.direction) {
            (None, _) => len,
            // The last block waits, since it may be the one with the padding.
            (Some(Padding::Pkcs7), Direction::Decrypt) => {
                len.saturating_sub(1) / self.block * self.block
            }
            _ => len / self.block * self.block,
        };
        let rest = self.pending.split_off(now);
        let mut out = core::mem::replace(&mut self.pending, rest);
        (self.transform)(&mut out);
        out
    }

    /// The output at the end of the input.
    pub(crate) fn finish(mut self) -> Result<Vec<u8>, Failure> {
        let len = self.seen;
        let mut last = core::mem::take(&mut self.pending);
        match (self.padding, self.direction) {
            (None | Some(Padding::KeepTail), _) => {}
            (Some(Padding::Pkcs7), Direction::Encrypt) => {
                last = if self.block == 8 {
                    pad::<U8>(&last)
                } else {
                    pad::<U16>(&last)
                };
                (self.transform)(&mut last);
            }
            (Some(Padding::Pkcs7), Direction::Decrypt) => {
                if len == 0 {
                    return Err(Failure::run(format!(
                        "0 bytes are too short: padding makes at least {}",
                        self.block
                    )));
                }
                if last.len() != self.block {
                    return Err(not_whole_blocks(self.block, len));
                }
                (self.transform)(&mut last);
                let text = Pkcs7::raw_unpad(&last).map_err(|_| {
                    Failure::run(format!(
                        "wrong key or damaged input: the {len} bytes do not end in PKCS #7 padding"
                    ))
                })?;
                last.truncate(text.len());
            }
            (Some(Padding::None), _) if !last.is_empty() => {
                return Err(not_whole_blocks(self.block, len));
            }
            (Some(Padding::None), _) => {}
        }
        Ok(last)
    }
}

fn not_whole_blocks(block: usize, len: u64) -> Failure {
    // A longer input is possible where addresses have 32 bits.
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    Error::NotBlockMultiple { block, len }.into()
}

/// The last block, of which `text` is the begin.
fn pad<N: ArraySize>(text: &[u8]) -> Vec<u8> {
    let mut block = Array::<u8, N>::default();
    block[..text.len()].copy_from_slice(text);
    Pkcs7::pad(&mut block, text.len());
    block.to_vec()
}

/// In CTR the counter of TEA and its kin is a number of 64 bits in the words' byte order, and that of AES
/// a big-endian one of 128.
fn transform<O: Order, F: CtrFlavor<U8> + 'static>(
    cipher: BlockCipher,
    settings: &Settings,
    mode: &Mode,
    direction: Direction,
) -> Result<Transform, Error> {
    let &Settings {
        ref key,
        parameters,
        backend,
        ..
    } = settings;
    let tea_key = || fasttea::Key::<O>::try_from(&key[..]);
    match cipher {
        BlockCipher::Tea => {
            let tea = Tea::from_parts(tea_key()?, parameters).with_backend(backend);
            with_mode::<_, F>(tea, mode, direction, key_stream_8)
        }
        BlockCipher::Xtea => {
            let xtea = Xtea::from_parts(tea_key()?, parameters).with_backend(backend);
            with_mode::<_, F>(xtea, mode, direction, key_stream_8)
        }
        BlockCipher::Xeta => {
            let xeta = Xeta::from_parts(tea_key()?, parameters);
            with_mode::<_, F>(xeta, mode, direction, key_stream_8)
        }
        BlockCipher::Aes128 => with_aes::<Aes128>(key, mode, direction),
        BlockCipher::Aes192 => with_aes::<Aes192>(key, mode, direction),
        BlockCipher::Aes256 => with_aes::<Aes256>(key, mode, direction),
    }
}

fn with_aes<C>(key: &[u8], mode: &Mode, direction: Direction) -> Result<Transform, Error>
where
    C: KeyInit + BlockCipherEncrypt<BlockSize = U16> + CbcCipher + 'static,
{
    // The key was read with this length.
    let cipher = C::new_from_slice(key).map_err(|_| Error::KeyLength { len: key.len() })?;
    with_mode::<C, Ctr128BE>(cipher, mode, direction, key_stream_16)
}

/// `key_stream` makes a stream cipher of CTR's core.
fn with_mode<C, F>(
    cipher: C,
    mode: &Mode,
    direction: Direction,
    key_stream: fn(CtrCore<C, F>) -> Transform,
) -> Result<Transform, Error>
where
    C: BlockCipherEncrypt + CbcCipher + 'static,
    F: CtrFlavor<C::BlockSize>,
{
    Ok(match (mode, direction) {
        (Mode::Ecb, Direction::Encrypt) => {
            Box::new(move |bytes| cipher.encrypt_blocks(blocks::<C>(bytes)))
        }
        (Mode::Ecb, Direction::Decrypt) => {
            Box::new(move |bytes| cipher.decrypt_blocks(blocks::<C>(bytes)))
        }
        (Mode::Cbc(iv), Direction::Encrypt) => {
            let mut cbc = cbc::Encryptor::start(cipher, iv)?;
            Box::new(move |bytes| cbc.encrypt_blocks(blocks::<C>(bytes)))
        }
        (Mode::Cbc(iv), Direction::Decrypt) => {
            let mut cbc = cbc::Decryptor::start(cipher, iv)?;
            Box::new(move |bytes| cbc.decrypt_blocks(blocks::<C>(bytes)))
        }
        (Mode::Ctr(iv), _) => {
            let core = CtrCore::<C, F>::inner_iv_slice_init(cipher, iv);
            let core = core.map_err(|_| Error::IvLength {
                needed: C::block_size(),
                len: iv.len(),
            })?;
            key_stream(core)
        }
    })
}

// Twice, since the buffer's bound on the block size has no public name.
fn key_stream_8(core: impl StreamCipherCore<BlockSize = U8> + 'static) -> Transform {
    let mut stream = StreamCipherCoreWrapper::from_core(core);
    Box::new(move |bytes| stream.apply_keystream(bytes))
}

fn key_stream_16(core: impl StreamCipherCore<BlockSize = U16> + 'static) -> Transform {
    let mut stream = StreamCipherCoreWrapper::from_core(core);
    Box::new(move |bytes| stream.apply_keystream(bytes))
}

fn blocks<C: BlockSizeUser>(bytes: &mut [u8]) -> &mut [Block<C>] {
    Array::slice_as_chunks_mut(bytes).0
}
