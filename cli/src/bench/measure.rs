//! The calls whose time is taken.

use core::hint::black_box;

use fasttea::{
    Be, Parameters, Tea, Xtea,
    backend::Backend,
    cbc::{self, CbcCipher},
    qq,
};

use super::{
    batch::Batch,
    case::{Case, Direction, Op},
};
use crate::{
    clock::{self, Time},
    failure::Failure,
};

const KEY: [u8; 16] = *b"0123456789ABCDEF";
const IV: [u8; 8] = [7; 8];

/// The time of one call.
pub(super) fn time(case: Case, backend: Backend, budget: f64) -> Result<Time, Failure> {
    let parameters = Parameters::from_cycles(case.cycles)?;
    let tea = Tea::<Be>::from_parts(KEY, parameters).with_backend(backend);
    let xtea = Xtea::<Be>::from_parts(KEY, parameters).with_backend(backend);
    let mut bytes: Vec<u8> = (0..251).cycle().take(case.bytes).collect();
    let bytes = &mut bytes[..];
    let encrypt = case.direction == Direction::Encrypt;
    Ok(match (case.op, case.cipher, encrypt) {
        (Op::Blocks, "tea", true) => of(budget, bytes, |bytes| tea.encrypt_slice(bytes)),
        (Op::Blocks, "tea", false) => of(budget, bytes, |bytes| tea.decrypt_slice(bytes)),
        (Op::Blocks, _, true) => of(budget, bytes, |bytes| xtea.encrypt_slice(bytes)),
        (Op::Blocks, _, false) => of(budget, bytes, |bytes| xtea.decrypt_slice(bytes)),
        (Op::Cbc, "tea", _) => of_cbc(budget, bytes, tea, encrypt)?,
        (Op::Cbc, _, _) => of_cbc(budget, bytes, xtea, encrypt)?,
        (Op::Qq, _, true) => {
            let cipher = qq::Cipher::from(tea);
            of(budget, bytes, |text| black_box(cipher.encrypt(text)))
        }
        (Op::Qq, _, false) => {
            let cipher = qq::Cipher::from(tea);
            let mut message = cipher.encrypt(bytes)?;
            of(budget, &mut message, |message| {
                black_box(cipher.decrypt(message))
            })
        }
        (Op::Batch, _, _) => {
            let mut batch = Batch::new(case, backend)?;
            clock::measure(budget, || batch.run())
        }
    })
}

/// The time of a batch's messages, each in a call of its own.
pub(super) fn one_by_one(case: Case, backend: Backend, budget: f64) -> Result<Time, Failure> {
    let mut batch = Batch::new(case, backend)?;
    Ok(clock::measure(budget, || batch.run_one_by_one()))
}

fn of_cbc(
    budget: f64,
    bytes: &mut [u8],
    cipher: impl CbcCipher,
    encrypt: bool,
) -> Result<Time, Failure> {
    Ok(if encrypt {
        let mut session = cbc::Encryptor::start(cipher, &IV)?;
        of(budget, bytes, |bytes| session.encrypt_slice(bytes))
    } else {
        let mut session = cbc::Decryptor::start(cipher, &IV)?;
        of(budget, bytes, |bytes| session.decrypt_slice(bytes))
    })
}

/// Lengths are multiples of 8 and random bytes are at hand, so that no call can fail.
fn of<T>(budget: f64, bytes: &mut [u8], mut call: impl FnMut(&mut [u8]) -> T) -> Time {
    clock::measure(budget, || {
        let _ = call(black_box(bytes));
    })
}
