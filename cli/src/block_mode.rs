//! ECB, CBC and CTR over input of any length.

use fasttea::{
    Be, Error, Le, Le64, Order, Tea, Xeta, Xtea,
    backend::Backend,
    cbc::{self, CbcCipher},
    cipher::{
        Array, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, InnerIvInit, StreamCipher,
        StreamCipherCoreWrapper,
        block_padding::{Padding as _, Pkcs7},
        consts::U8,
    },
};

use crate::{
    args::{Padding, WordOrder},
    failure::Failure,
    key::Key,
};

const BLOCK: usize = 8;

/// The ciphers that have modes.
#[derive(Clone, Copy)]
pub(crate) enum BlockCipher {
    Tea,
    Xtea,
    Xeta,
}

/// What the arguments say of any cipher.
pub(crate) struct Parameters {
    pub(crate) key: Key,
    pub(crate) cycles: u32,
    pub(crate) delta: u32,
    pub(crate) order: WordOrder,
    pub(crate) backend: Backend,
}

/// A mode with its IV, if it has one.
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    Ecb,
    Cbc([u8; BLOCK]),
    Ctr([u8; BLOCK]),
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
    direction: Direction,
    /// Nothing for CTR, which takes any length.
    padding: Option<Padding>,
    /// Input that waits for more.
    pending: Vec<u8>,
    seen: usize,
}

impl Session {
    pub(crate) fn new(
        cipher: BlockCipher,
        parameters: &Parameters,
        mode: Mode,
        direction: Direction,
        padding: Option<Padding>,
    ) -> Result<Self, Failure> {
        let transform = match parameters.order {
            WordOrder::Be => transform::<Be>(cipher, parameters, mode, direction),
            WordOrder::Le => transform::<Le>(cipher, parameters, mode, direction),
            WordOrder::Le64 => transform::<Le64>(cipher, parameters, mode, direction),
        };
        Ok(Self {
            // The library refuses arguments here, not data.
            transform: transform.map_err(Failure::usage)?,
            direction,
            padding,
            pending: Vec::new(),
            seen: 0,
        })
    }

    /// The output that the next piece of the input makes.
    pub(crate) fn update(&mut self, piece: &[u8]) -> Vec<u8> {
        self.seen += piece.len();
        self.pending.extend_from_slice(piece);
        let len = self.pending.len();
        let now = match (self.padding, self.direction) {
            (None, _) => len,
            // The last block waits, since it may be the one with the padding.
            (Some(Padding::Pkcs7), Direction::Decrypt) => len.saturating_sub(1) / BLOCK * BLOCK,
            _ => len / BLOCK * BLOCK,
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
                let mut block = Array::<u8, U8>::default();
                let at = last.len();
                block[..at].copy_from_slice(&last);
                Pkcs7::pad(&mut block, at);
                (self.transform)(&mut block);
                last = block.to_vec();
            }
            (Some(Padding::Pkcs7), Direction::Decrypt) => {
                if len == 0 {
                    return Err(Failure::run(
                        "0 bytes are too short: padding makes at least 8",
                    ));
                }
                let mut block = whole_block(&last, len)?;
                (self.transform)(&mut block);
                last = Pkcs7::unpad(&block)
                    .map_err(|_| {
                        Failure::run(format!(
                            "wrong key or damaged input: the {len} bytes do not end in PKCS #7 \
                             padding"
                        ))
                    })?
                    .to_vec();
            }
            (Some(Padding::None), _) if !last.is_empty() => {
                return Err(Error::NotBlockMultiple { len }.into());
            }
            (Some(Padding::None), _) => {}
        }
        Ok(last)
    }
}

fn whole_block(bytes: &[u8], len: usize) -> Result<Array<u8, U8>, Failure> {
    Array::try_from(bytes).map_err(|_| Error::NotBlockMultiple { len }.into())
}

fn transform<O: Order>(
    cipher: BlockCipher,
    parameters: &Parameters,
    mode: Mode,
    direction: Direction,
) -> Result<Transform, Error> {
    let &Parameters {
        ref key,
        cycles,
        delta,
        order,
        backend,
    } = parameters;
    let key = fasttea::Key::<O>::from(&**key);
    Ok(match cipher {
        BlockCipher::Tea => {
            let tea = Tea::with_delta(key, cycles, delta)?.with_backend(backend);
            with_mode(tea, order, mode, direction)
        }
        BlockCipher::Xtea => {
            let xtea = Xtea::with_delta(key, cycles, delta)?.with_backend(backend);
            with_mode(xtea, order, mode, direction)
        }
        BlockCipher::Xeta => {
            let xeta = Xeta::with_delta(key, cycles, delta)?;
            with_mode(xeta, order, mode, direction)
        }
    })
}

fn with_mode<C>(cipher: C, order: WordOrder, mode: Mode, direction: Direction) -> Transform
where
    C: BlockCipherEncrypt<BlockSize = U8> + CbcCipher + 'static,
{
    match (mode, direction) {
        (Mode::Ecb, Direction::Encrypt) => {
            Box::new(move |bytes| cipher.encrypt_blocks(blocks(bytes)))
        }
        (Mode::Ecb, Direction::Decrypt) => {
            Box::new(move |bytes| cipher.decrypt_blocks(blocks(bytes)))
        }
        (Mode::Cbc(iv), Direction::Encrypt) => {
            let mut cbc = cbc::Encryptor::inner_iv_init(cipher, &iv.into());
            Box::new(move |bytes| cbc.encrypt_blocks(blocks(bytes)))
        }
        (Mode::Cbc(iv), Direction::Decrypt) => {
            let mut cbc = cbc::Decryptor::inner_iv_init(cipher, &iv.into());
            Box::new(move |bytes| cbc.decrypt_blocks(blocks(bytes)))
        }
        // The counter is a number of 64 bits in the same order as the words.
        (Mode::Ctr(iv), _) => match order {
            WordOrder::Be => {
                let core =
                    ctr::CtrCore::<C, ctr::flavors::Ctr64BE>::inner_iv_init(cipher, &iv.into());
                let mut ctr = StreamCipherCoreWrapper::from_core(core);
                Box::new(move |bytes| ctr.apply_keystream(bytes))
            }
            WordOrder::Le | WordOrder::Le64 => {
                let core =
                    ctr::CtrCore::<C, ctr::flavors::Ctr64LE>::inner_iv_init(cipher, &iv.into());
                let mut ctr = StreamCipherCoreWrapper::from_core(core);
                Box::new(move |bytes| ctr.apply_keystream(bytes))
            }
        },
    }
}

fn blocks(bytes: &mut [u8]) -> &mut [Array<u8, U8>] {
    Array::slice_as_chunks_mut(bytes).0
}
