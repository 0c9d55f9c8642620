//! QQ decryption of any bytes, in every way and by every backend, against the plain model: the same
//! verdict, the same text, and no text where it failed.

#![no_main]

use arbitrary::Arbitrary;
use fasttea::{Be, Error, Le, Le64, qq};
use fasttea_fuzz::{ByteOrder, Model, Sums, Words, backends, checked_text, length, planted, text};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    order: ByteOrder,
    sums: Sums,
    key: [u8; 16],
    /// The output is longer than the text by so much.
    room: i8,
    /// Whether the bytes are what the message has to decrypt to: a fuzzer finds no seven zeros.
    decrypted: bool,
    /// Whether these bytes, if so, end in seven zeros.
    zeros: bool,
    bytes: &'a [u8],
}

fuzz_target!(|input: Input<'_>| match input.order {
    ByteOrder::Be => run::<Be>(&input),
    ByteOrder::Le => run::<Le>(&input),
    ByteOrder::Le64 => run::<Le64>(&input),
});

/// What an output holds before.
const PAINT: u8 = 0xee;

fn run<O: Words>(input: &Input<'_>) {
    let Some(tea) = input.sums.tea::<O>(&input.key) else {
        return;
    };
    let model = Model::new::<O>(&input.key, input.sums);
    let mut message = input.bytes.to_vec();
    if input.decrypted {
        if input.zeros {
            let start = message.len().saturating_sub(7);
            message[start..].fill(0);
        }
        model.chain::<O>(&mut message);
    }
    let mut plain = message.clone();
    model.unchain::<O>(&mut plain);

    let len = length(message.len());
    let unchecked = len.and_then(|()| text(&plain));
    let checked = len.and_then(|()| checked_text(&plain));
    for backend in backends() {
        let cipher = qq::Cipher::from(tea.clone().with_backend(backend));
        let all = Ways {
            cipher: &cipher,
            message: &message,
            plain: &plain,
        };
        all.to_vec("decrypt", cipher.decrypt(&message), &checked);
        let result = cipher.decrypt_unchecked_tail(&message);
        all.to_vec("decrypt_unchecked_tail", result, &unchecked);
        all.in_place(&checked);
        all.output(&unchecked, &checked, input.room);
        all.batch(&checked);
        all.batch_output(&checked, input.room);
    }
}

type Text = Result<std::ops::Range<usize>, Error>;

/// One backend, and what it is to decrypt.
struct Ways<'a, O> {
    cipher: &'a qq::Cipher<O>,
    message: &'a [u8],
    plain: &'a [u8],
}

impl<O: Words> Ways<'_, O> {
    fn expected(&self, text: &Text) -> Result<Vec<u8>, Error> {
        text.clone().map(|text| self.plain[text].to_vec())
    }

    fn to_vec(&self, what: &str, mut result: Result<Vec<u8>, Error>, text: &Text) {
        if let Ok(text) = &mut result {
            planted(what, text);
        }
        assert_eq!(result, self.expected(text), "{what}");
    }

    fn in_place(&self, text: &Text) {
        let mut bytes = self.message.to_vec();
        let result = self.cipher.decrypt_in_place(&mut bytes);
        let result = result.map(|text| text.to_vec());
        assert_eq!(result, self.expected(text), "decrypt_in_place");
        let mut left = match text {
            Ok(_) => self.plain.to_vec(),
            Err(Error::ImpossibleFill { .. } | Error::ZeroCheck { .. }) => vec![0; bytes.len()],
            Err(_) => self.message.to_vec(),
        };
        planted("decrypt_in_place", &mut left);
        assert_eq!(bytes, left, "decrypt_in_place");
    }

    /// The output is looked at before the tail is.
    fn output(&self, unchecked: &Text, checked: &Text, room: i8) {
        let needed = unchecked.as_ref().map_or(0, |text| text.len());
        let mut dst = vec![PAINT; needed.saturating_add_signed(room.into())];
        let len = dst.len();
        let mut left = dst.clone();
        let expected = match (unchecked, checked) {
            (Err(error), _) => Err(*error),
            (Ok(_), _) if len < needed => Err(Error::OutputTooSmall { needed, len }),
            (Ok(_), Err(error)) => {
                left[..needed].fill(0);
                Err(*error)
            }
            (Ok(_), Ok(text)) => {
                left[..needed].copy_from_slice(&self.plain[text.clone()]);
                Ok(needed)
            }
        };
        let result = self.cipher.decrypt_into(self.message, &mut dst);
        assert_eq!(result, expected, "decrypt_into");
        planted("decrypt_into", &mut left);
        assert_eq!(dst, left, "decrypt_into");
    }

    /// With a shorter message on either side.
    fn batch(&self, text: &Text) {
        let short = &self.message[..self.message.len().saturating_sub(8)];
        let alone = self.cipher.decrypt(short);
        let mut results = self.cipher.decrypt_batch(&[short, self.message, short]);
        if let Ok(text) = &mut results[1] {
            planted("decrypt_batch", text);
        }
        let expected = [alone.clone(), self.expected(text), alone];
        assert_eq!(results, expected, "decrypt_batch");
    }

    fn batch_output(&self, text: &Text, room: i8) {
        let needed = self.message.len();
        let mut outputs = [(); 3].map(|()| vec![PAINT; needed.saturating_add_signed(room.into())]);
        let len = outputs[0].len();
        let mut left = outputs[0].clone();
        let expected = match text {
            Err(error @ (Error::TooShort { .. } | Error::NotBlockMultiple { .. })) => Err(*error),
            _ if len < needed => Err(Error::OutputTooSmall { needed, len }),
            Err(error) => {
                left[..needed].fill(0);
                Err(*error)
            }
            Ok(text) => {
                left[..needed].fill(0);
                left[..text.len()].copy_from_slice(&self.plain[text.clone()]);
                Ok(text.len())
            }
        };
        let mut jobs = outputs
            .each_mut()
            .map(|output| qq::Job::new(self.cipher, self.message, output));
        qq::decrypt_batch_into(&mut jobs);
        for job in &jobs {
            assert_eq!(job.result(), Some(expected), "decrypt_batch_into");
        }
        planted("decrypt_batch_into", &mut left);
        for output in &outputs {
            assert_eq!(output, &left, "decrypt_batch_into");
        }
    }
}
