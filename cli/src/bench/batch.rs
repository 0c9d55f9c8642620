//! Batches of QQ messages.

use core::{convert::Infallible, hint::black_box};

use fasttea::{
    Be, Parameters, Tea,
    backend::Backend,
    qq,
    rand_core::{TryCryptoRng, TryRng},
};

use super::case::{Case, Direction};
use crate::failure::Failure;

/// The messages of a batch, as many keys, and room for the results. Nothing is allocated while it runs.
pub(super) struct Batch {
    encrypt: bool,
    ciphers: Vec<qq::Cipher>,
    inputs: Vec<Vec<u8>>,
    outputs: Vec<Vec<u8>>,
}

impl Batch {
    pub(super) fn new(case: Case, backend: Backend) -> Result<Self, Failure> {
        let encrypt = case.direction == Direction::Encrypt;
        let lens = case.lens();
        let ciphers: Vec<_> = (0..)
            .take(lens.len())
            .map(|i| Tea::<Be>::from_parts([i, 2, 3, 4], Parameters::QQ).with_backend(backend))
            .map(qq::Cipher::from)
            .collect();
        let texts: Vec<Vec<u8>> = lens.iter().map(|len| vec![7; *len]).collect();
        let messages: Vec<Vec<u8>> = ciphers
            .iter()
            .zip(&texts)
            .map(|(cipher, text)| cipher.encrypt(text))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            encrypt,
            ciphers,
            outputs: messages.clone(),
            inputs: if encrypt { texts } else { messages },
        })
    }

    pub(super) fn run(&mut self) {
        let mut jobs: Vec<_> = self
            .ciphers
            .iter()
            .zip(&self.inputs)
            .zip(&mut self.outputs)
            .map(|((cipher, input), output)| qq::Job::new(cipher, input, output))
            .collect();
        if self.encrypt {
            qq::encrypt_batch_into(&mut Counting(0), black_box(&mut jobs));
        } else {
            qq::decrypt_batch_into(black_box(&mut jobs));
        }
    }

    pub(super) fn run_one_by_one(&mut self) {
        let messages = self.ciphers.iter().zip(&self.inputs).zip(&mut self.outputs);
        for ((cipher, input), output) in messages {
            let _ = black_box(if self.encrypt {
                cipher.encrypt_into(&mut Counting(0), black_box(input), output)
            } else {
                cipher.decrypt_into(black_box(input), output)
            });
        }
    }
}

/// Fill that costs nothing, so that the cipher alone is measured.
struct Counting(u64);

impl TryRng for Counting {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        self.try_next_u64().map(|number| (number >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        Ok(self.0)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        bytes.fill(self.0.to_le_bytes()[0]);
        Ok(())
    }
}

impl TryCryptoRng for Counting {}
