//! The ciphers and how they are chained, written down as their authors define them, over terms.

use crate::{
    term::{Byte, Term},
    terms::Terms,
};

/// The words of a block.
pub type Words = [Term; 2];

/// How words stand in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// Big-endian words.
    Be,
    /// Little-endian words.
    Le,
    /// One little-endian number, the first word in its high half.
    Le64,
}

impl ByteOrder {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Be, Self::Le, Self::Le64];

    /// What messages call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Be => "be",
            Self::Le => "le",
            Self::Le64 => "le64",
        }
    }

    /// The place in memory of each byte of a block, from the first word's lowest byte on.
    #[must_use]
    pub fn places(self) -> [u8; 8] {
        match self {
            Self::Be => [3, 2, 1, 0, 7, 6, 5, 4],
            Self::Le => [0, 1, 2, 3, 4, 5, 6, 7],
            Self::Le64 => [4, 5, 6, 7, 0, 1, 2, 3],
        }
    }

    /// The words of the block that stands at the beginning of some bytes.
    pub fn split(self, terms: &mut Terms, block: &[Byte]) -> Words {
        let [a, b, c, d, e, f, g, h] = self.places().map(|place| block[usize::from(place)]);
        [terms.word([a, b, c, d]), terms.word([e, f, g, h])]
    }

    /// The block of two words.
    #[must_use]
    pub fn join(self, terms: &Terms, [x, y]: Words) -> [Byte; 8] {
        let mut block = [Byte::ZERO; 8];
        let bytes = terms.bytes(x).into_iter().chain(terms.bytes(y));
        for (place, byte) in self.places().into_iter().zip(bytes) {
            block[usize::from(place)] = byte;
        }
        block
    }
}

/// A cipher with its key.
#[derive(Clone, Debug)]
pub enum Cipher {
    /// The key, and the sum of each cycle.
    Tea([Term; 4], Vec<Term>),
    /// Sum plus key word of each half-round, two a cycle.
    Xtea(Vec<Term>),
}

impl Cipher {
    /// Encrypts a block.
    pub fn encrypt(&self, t: &mut Terms, [mut x, mut y]: Words) -> Words {
        match self {
            Self::Tea(k, sums) => {
                for &sum in sums {
                    let f = tea_mix(t, y, sum, k[0], k[1]);
                    x = t.add(x, f);
                    let f = tea_mix(t, x, sum, k[2], k[3]);
                    y = t.add(y, f);
                }
            }
            Self::Xtea(keys) => {
                for pair in keys.chunks_exact(2) {
                    let f = xtea_mix(t, y, pair[0]);
                    x = t.add(x, f);
                    let f = xtea_mix(t, x, pair[1]);
                    y = t.add(y, f);
                }
            }
        }
        [x, y]
    }

    /// Decrypts a block.
    pub fn decrypt(&self, t: &mut Terms, [mut x, mut y]: Words) -> Words {
        match self {
            Self::Tea(k, sums) => {
                for &sum in sums.iter().rev() {
                    let f = tea_mix(t, x, sum, k[2], k[3]);
                    y = t.sub(y, f);
                    let f = tea_mix(t, y, sum, k[0], k[1]);
                    x = t.sub(x, f);
                }
            }
            Self::Xtea(keys) => {
                for pair in keys.chunks_exact(2).rev() {
                    let f = xtea_mix(t, x, pair[1]);
                    y = t.sub(y, f);
                    let f = xtea_mix(t, y, pair[0]);
                    x = t.sub(x, f);
                }
            }
        }
        [x, y]
    }
}

/// `((v << 4) + a) ^ (v + sum) ^ ((v >> 5) + b)`
fn tea_mix(t: &mut Terms, v: Term, sum: Term, a: Term, b: Term) -> Term {
    let left = t.left(v, 4);
    let left = t.add(left, a);
    let right = t.right(v, 5);
    let right = t.add(right, b);
    let middle = t.add(v, sum);
    let mixed = t.xor(left, middle);
    t.xor(mixed, right)
}

/// `(((v << 4) ^ (v >> 5)) + v) ^ key`
fn xtea_mix(t: &mut Terms, v: Term, key: Term) -> Term {
    let left = t.left(v, 4);
    let right = t.right(v, 5);
    let mixed = t.xor(left, right);
    let sum = t.add(mixed, v);
    t.xor(sum, key)
}

/// How blocks depend on those before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Not at all: encryption.
    EcbEncrypt,
    /// Not at all: decryption.
    EcbDecrypt,
    /// Each block is combined with the ciphertext before it.
    CbcEncrypt,
    /// What enters the cipher chains too.
    QqEncrypt,
    /// And back.
    QqDecrypt,
}

/// What one block leaves for the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// The ciphertext.
    pub ciphertext: Words,
    /// What entered the cipher.
    pub mixed: Words,
}

fn xor(t: &mut Terms, a: Words, b: Words) -> Words {
    [t.xor(a[0], b[0]), t.xor(a[1], b[1])]
}

impl Mode {
    /// The block after the cipher, and the state that is left.
    pub fn block(self, t: &mut Terms, cipher: &Cipher, state: &mut State, block: Words) -> Words {
        match self {
            Self::EcbEncrypt => cipher.encrypt(t, block),
            Self::EcbDecrypt => cipher.decrypt(t, block),
            Self::CbcEncrypt => {
                let mixed = xor(t, block, state.ciphertext);
                state.ciphertext = cipher.encrypt(t, mixed);
                state.ciphertext
            }
            Self::QqEncrypt => {
                let mixed = xor(t, block, state.ciphertext);
                let encrypted = cipher.encrypt(t, mixed);
                let ciphertext = xor(t, encrypted, state.mixed);
                *state = State { ciphertext, mixed };
                ciphertext
            }
            Self::QqDecrypt => {
                let into = xor(t, block, state.mixed);
                let mixed = cipher.decrypt(t, into);
                let plaintext = xor(t, mixed, state.ciphertext);
                *state = State {
                    ciphertext: block,
                    mixed,
                };
                plaintext
            }
        }
    }
}
