//! Texts and random sources for QQ messages.

use fasttea::{Error, qq};
use rand_core::{TryCryptoRng, TryRng};

use crate::{Failing, cipher, common::painted, seal};

#[test]
pub(crate) fn a_message_is_as_long_as_its_text_and_fill() {
    for (texts, len) in [(0..=6, 16), (7..=14, 24), (15..=22, 32)] {
        for text_len in texts {
            let text = painted(text_len);
            let message = cipher().encrypt(&text).unwrap();
            assert_eq!(message.len(), len);
            assert_eq!(cipher().decrypt(&message).unwrap(), text);
        }
    }
}

#[test]
pub(crate) fn lengths_above_4_gib_are_right() {
    if let Ok(len) = usize::try_from((1u64 << 32) + 5) {
        assert_eq!(qq::encrypted_len(len), Some(len + 11));
    }
}

/// Random bytes that are always the same.
struct Fixed(u8);

impl TryRng for Fixed {
    type Error = core::convert::Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Ok(u32::from_le_bytes([self.0; 4]))
    }
    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(u64::from_le_bytes([self.0; 8]))
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        bytes.fill(self.0);
        Ok(())
    }
}
impl TryCryptoRng for Fixed {}

/// Every bit of the fill is in the message, and nothing behind it is touched.
#[test]
pub(crate) fn every_way_makes_the_same_message_of_the_same_fill() {
    for text_len in 0..40 {
        let text = painted(text_len);
        for byte in [0x00, 0x5a, 0xff] {
            let message = seal(&vec![byte; qq::fill_len(text_len)], &text);
            let mut dst = vec![0xee; message.len() + 9];
            let len = cipher()
                .encrypt_into(&mut Fixed(byte), &text, &mut dst)
                .unwrap();
            assert_eq!(len, message.len());
            assert_eq!(dst[..len], message);
            assert_eq!(dst[len..], [0xee; 9]);
            let owned = cipher().encrypt_with_rng(&mut Fixed(byte), &text).unwrap();
            assert_eq!(owned, message);
        }
        let head = painted(qq::fill_len(text_len));
        let message = seal(&head, &text);
        let mut dst = vec![0xee; message.len() + 9];
        let len = cipher().encrypt_with_fill(&head, &text, &mut dst).unwrap();
        assert_eq!(dst[..len], message);
        assert_eq!(dst[len..], [0xee; 9]);
    }
}

#[test]
pub(crate) fn no_two_messages_are_the_same() {
    let messages: Vec<_> = (0..2).map(|_| cipher().encrypt(b"same").unwrap()).collect();
    assert_ne!(messages[0], messages[1]);
    // From another thread.
    let other = std::thread::spawn(|| cipher().encrypt(b"same").unwrap())
        .join()
        .unwrap();
    assert!(!messages.contains(&other));
    // Across the generator's reseeding, with as much fill as there is: 69 bits do not repeat.
    let mut heads: Vec<_> = (0..20_000)
        .map(|_| cipher().encrypt(b"").unwrap())
        .collect();
    heads.sort_unstable();
    heads.dedup();
    assert_eq!(heads.len(), 20_000);
}

#[test]
pub(crate) fn a_failing_random_source_is_an_error() {
    let mut dst = [0xee; 32];
    assert_eq!(
        cipher().encrypt_into(&mut Failing, b"text", &mut dst),
        Err(Error::Random)
    );
    assert_eq!(dst, [0xee; 32]);
    assert_eq!(
        cipher().encrypt_with_rng(&mut Failing, b"text"),
        Err(Error::Random)
    );
}

#[test]
pub(crate) fn a_fill_of_another_length_is_refused() {
    for len in [0, 5, 7, 16] {
        let mut dst = [0xee; 24];
        assert_eq!(
            cipher().encrypt_with_fill(&painted(len), b"hello world", &mut dst),
            Err(Error::FillLength { needed: 6, len })
        );
        assert_eq!(dst, [0xee; 24]);
    }
}
