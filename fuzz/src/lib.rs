//! What the fuzz targets share: plain models of TEA and QQ messages, by their definitions and without
//! the library; a random source that the input decides; faults that are planted.

use std::{
    env, io,
    ops::Range,
    sync::{LazyLock, Once},
};

use arbitrary::Arbitrary;
use fasttea::{
    Be, Error, Le, Le64, Order, Parameters, Tea, Xeta, Xtea,
    aes::{Aes128, Aes192, Aes256},
    backend::{self, Backend},
    cbc::CbcCipher,
    cipher::{BlockCipherEncrypt, KeyInit, KeySizeUser},
    rand_core::{TryCryptoRng, TryRng},
};

/// The backends of this processor; a run tells which.
pub fn backends() -> Vec<Backend> {
    static SHOWN: Once = Once::new();
    SHOWN.call_once(|| {
        let names: Vec<_> = backend::available().map(Backend::name).collect();
        eprintln!("backends: {}", names.join(", "));
    });
    backend::available().collect()
}

/// Damages a result on purpose where the environment asks for it: the check that follows has to find it.
/// Only what is longer than a few bytes, so that the fuzzer has to come there.
pub fn planted(what: &str, result: &mut [u8]) {
    static PLANT: LazyLock<Option<String>> = LazyLock::new(|| env::var("FASTTEA_FUZZ_PLANT").ok());
    if PLANT.as_deref() == Some(what)
        && let [_, _, _, .., last] = result
    {
        *last ^= 0x80;
    }
}

/// A byte order, chosen at run time.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum ByteOrder {
    Be,
    Le,
    Le64,
}

/// What a byte order means.
pub trait Words: Order {
    fn word(bytes: [u8; 4]) -> u32;
    fn load(block: [u8; 8]) -> [u32; 2];
    fn store(words: [u32; 2]) -> [u8; 8];
}

fn halves(block: u64) -> [u32; 2] {
    [(block >> 32) as u32, block as u32]
}

fn whole([high, low]: [u32; 2]) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

impl Words for Be {
    fn word(bytes: [u8; 4]) -> u32 {
        u32::from_be_bytes(bytes)
    }
    fn load(block: [u8; 8]) -> [u32; 2] {
        halves(u64::from_be_bytes(block))
    }
    fn store(words: [u32; 2]) -> [u8; 8] {
        whole(words).to_be_bytes()
    }
}

impl Words for Le {
    fn word(bytes: [u8; 4]) -> u32 {
        u32::from_le_bytes(bytes)
    }
    fn load(block: [u8; 8]) -> [u32; 2] {
        let [low, high] = halves(u64::from_le_bytes(block));
        [high, low]
    }
    fn store([first, second]: [u32; 2]) -> [u8; 8] {
        whole([second, first]).to_le_bytes()
    }
}

impl Words for Le64 {
    fn word(bytes: [u8; 4]) -> u32 {
        u32::from_le_bytes(bytes)
    }
    fn load(block: [u8; 8]) -> [u32; 2] {
        halves(u64::from_le_bytes(block))
    }
    fn store(words: [u32; 2]) -> [u8; 8] {
        whole(words).to_le_bytes()
    }
}

/// The sums of the cycles: QQ's, or a row of any length, a wrong one too.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Sums {
    Qq,
    Row { cycles: u8, first: u32, step: u32 },
}

impl Sums {
    pub fn table(self) -> Vec<u32> {
        let (cycles, first, step) = match self {
            Self::Qq => (16, 0x9e37_79b9, 0x9e37_79b9),
            Self::Row {
                cycles,
                first,
                step,
            } => (cycles % 66, first, step),
        };
        (0..u32::from(cycles))
            .map(|i| i.wrapping_mul(step).wrapping_add(first))
            .collect()
    }

    /// The library's cipher, or `None` where it has to refuse, and does.
    pub fn tea<O: Order>(self, key: &[u8; 16]) -> Option<Tea<O>> {
        let Self::Row { .. } = self else {
            return Some(Tea::from_parts(key, Parameters::QQ));
        };
        let table = self.table();
        let sums = fasttea::Sums::new(&table);
        if !(1..=64).contains(&table.len()) {
            assert_eq!(sums.err(), Some(Error::SumsLength { len: table.len() }));
            return None;
        }
        Some(Tea::from_parts(key, sums.ok()?))
    }
}

/// QQ messages, by their definition.
pub struct Model {
    key: [u32; 4],
    sums: Vec<u32>,
}

impl Model {
    pub fn new<O: Words>(key: &[u8; 16], sums: Sums) -> Self {
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(key.as_chunks().0) {
            *word = O::word(*bytes);
        }
        Self {
            key: words,
            sums: sums.table(),
        }
    }

    fn half(word: u32, sum: u32, key: &[u32]) -> u32 {
        (word << 4).wrapping_add(key[0]) ^ word.wrapping_add(sum) ^ (word >> 5).wrapping_add(key[1])
    }

    fn encrypt(&self, [mut y, mut z]: [u32; 2]) -> [u32; 2] {
        for &sum in &self.sums {
            y = y.wrapping_add(Self::half(z, sum, &self.key[..2]));
            z = z.wrapping_add(Self::half(y, sum, &self.key[2..]));
        }
        [y, z]
    }

    fn decrypt(&self, [mut y, mut z]: [u32; 2]) -> [u32; 2] {
        for &sum in self.sums.iter().rev() {
            z = z.wrapping_sub(Self::half(y, sum, &self.key[2..]));
            y = y.wrapping_sub(Self::half(z, sum, &self.key[..2]));
        }
        [y, z]
    }

    /// Encrypts whole blocks; the rest stays.
    pub fn chain<O: Words>(&self, bytes: &mut [u8]) {
        let (mut ciphertext, mut mixed) = ([0; 2], [0; 2]);
        for block in bytes.as_chunks_mut().0 {
            let entering = xor(O::load(*block), ciphertext);
            ciphertext = xor(self.encrypt(entering), mixed);
            mixed = entering;
            *block = O::store(ciphertext);
        }
    }

    /// Decrypts whole blocks; the rest stays.
    pub fn unchain<O: Words>(&self, bytes: &mut [u8]) {
        let (mut ciphertext, mut mixed) = ([0; 2], [0; 2]);
        for block in bytes.as_chunks_mut().0 {
            let words = O::load(*block);
            mixed = self.decrypt(xor(words, mixed));
            *block = O::store(xor(mixed, ciphertext));
            ciphertext = words;
        }
    }
}

fn xor(a: [u32; 2], b: [u32; 2]) -> [u32; 2] {
    [a[0] ^ b[0], a[1] ^ b[1]]
}

/// What is wrong with a message's length.
pub fn length(len: usize) -> Result<(), Error> {
    match len {
        _ if !len.is_multiple_of(8) => Err(Error::NotBlockMultiple { block: 8, len }),
        0..16 => Err(Error::TooShort { len }),
        _ => Ok(()),
    }
}

/// Where the text is in a decrypted message.
pub fn text(plain: &[u8]) -> Result<Range<usize>, Error> {
    let len = plain.len();
    let (start, end) = (usize::from(plain[0] % 8) + 3, len - 7);
    if start <= end {
        Ok(start..end)
    } else {
        Err(Error::ImpossibleFill { len })
    }
}

/// The same with a look at the end.
pub fn checked_text(plain: &[u8]) -> Result<Range<usize>, Error> {
    let len = plain.len();
    let text = text(plain)?;
    if plain.ends_with(&[0; 7]) {
        Ok(text)
    } else {
        Err(Error::ZeroCheck { len })
    }
}

/// A cipher for CBC, chosen at run time.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Cipher {
    Tea(ByteOrder),
    Xtea(ByteOrder),
    Xeta(ByteOrder),
    Aes128,
    Aes192,
    Aes256,
}

/// What to do with a cipher of any type.
pub trait Visit {
    fn visit<C: Build>(self);
}

impl Cipher {
    pub fn visit(self, visit: impl Visit) {
        match self {
            Self::Tea(ByteOrder::Be) => visit.visit::<Tea<Be>>(),
            Self::Tea(ByteOrder::Le) => visit.visit::<Tea<Le>>(),
            Self::Tea(ByteOrder::Le64) => visit.visit::<Tea<Le64>>(),
            Self::Xtea(ByteOrder::Be) => visit.visit::<Xtea<Be>>(),
            Self::Xtea(ByteOrder::Le) => visit.visit::<Xtea<Le>>(),
            Self::Xtea(ByteOrder::Le64) => visit.visit::<Xtea<Le64>>(),
            Self::Xeta(ByteOrder::Be) => visit.visit::<Xeta<Be>>(),
            Self::Xeta(ByteOrder::Le) => visit.visit::<Xeta<Le>>(),
            Self::Xeta(ByteOrder::Le64) => visit.visit::<Xeta<Le64>>(),
            Self::Aes128 => visit.visit::<Aes128>(),
            Self::Aes192 => visit.visit::<Aes192>(),
            Self::Aes256 => visit.visit::<Aes256>(),
        }
    }
}

/// What AES has no choice of, and any number of which is taken.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub struct Options {
    cycles: u8,
    delta: u32,
}

impl Options {
    fn parameters(self) -> Parameters {
        Parameters::new(u32::from(self.cycles % 64) + 1, self.delta.max(1))
            .expect("1 to 64 cycles, and no delta of 0")
    }
}

/// A cipher from a key that is long enough for all of them.
pub trait Build: CbcCipher + BlockCipherEncrypt + Clone {
    fn build(key: &[u8; 32], options: Options, backend: Backend) -> Self;
}

macro_rules! build {
    ($($Cipher:ident $(.$with_backend:ident)?),*) => {$(
        impl<O: Order> Build for $Cipher<O> {
            #[allow(unused_variables)]
            fn build(key: &[u8; 32], options: Options, backend: Backend) -> Self {
                let key = key.first_chunk::<16>().expect("16 of 32");
                Self::from_parts(key, options.parameters())$(.$with_backend(backend))?
            }
        }
    )*};
}
build! { Tea.with_backend, Xtea.with_backend, Xeta }

macro_rules! build_aes {
    ($($Cipher:ident)*) => {$(
        impl Build for $Cipher {
            fn build(key: &[u8; 32], _: Options, _: Backend) -> Self {
                Self::new_from_slice(&key[..Self::key_size()]).expect("the right length")
            }
        }
    )*};
}
build_aes! { Aes128 Aes192 Aes256 }

/// Numbers that a seed decides (SplitMix64), and an end to them.
#[derive(Clone)]
pub struct Numbers {
    seed: u64,
    left: usize,
}

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Self::ending(seed, usize::MAX)
    }

    /// A random source that fails after so many calls.
    pub fn ending(seed: u64, left: usize) -> Self {
        Self { seed, left }
    }

    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        let words = (0..len.div_ceil(8)).flat_map(|_| self.next().to_le_bytes());
        words.take(len).collect()
    }

    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.bytes(N));
        bytes
    }

    fn next(&mut self) -> u64 {
        self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.seed ^ self.seed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }
}

impl TryRng for Numbers {
    type Error = io::Error;

    fn try_next_u32(&mut self) -> Result<u32, io::Error> {
        Ok(self.try_next_u64()? as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, io::Error> {
        self.left = self.left.checked_sub(1).ok_or(io::ErrorKind::Other)?;
        Ok(self.next())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), io::Error> {
        self.left = self.left.checked_sub(1).ok_or(io::ErrorKind::Other)?;
        bytes.copy_from_slice(&self.bytes(bytes.len()));
        Ok(())
    }
}

impl TryCryptoRng for Numbers {}
