//! QQ encryption with the caller's head and with random fill: every backend against the plain model, and
//! against the crate `tc_tea` where that knows the cipher.

#![no_main]

use arbitrary::Arbitrary;
use fasttea::{Be, Error, Le, Le64, qq};
use fasttea_fuzz::{ByteOrder, Model, Numbers, Sums, Words, backends, planted};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    order: ByteOrder,
    sums: Sums,
    key: [u8; 16],
    head: [u8; 10],
    /// The head is longer than needed by so much, and so is the output.
    head_room: i8,
    room: i8,
    seed: u64,
    /// How many random numbers there are.
    numbers: u8,
    text: &'a [u8],
}

fuzz_target!(|input: Input<'_>| match input.order {
    ByteOrder::Be => {
        run::<Be>(&input);
        if let Sums::Qq = input.sums {
            peer(&input);
        }
    }
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
    let text = input.text;
    let pad = (8 - (text.len() + 10) % 8) % 8;
    let head = &input.head[..pad + 3];
    let expected = |head: &[u8]| {
        let mut message = [head, text, &[0; 7]].concat();
        message[0] = message[0] & !7 | pad as u8;
        model.chain::<O>(&mut message);
        message
    };
    let with_fill = expected(head);
    let needed = with_fill.len();
    assert_eq!(qq::fill_len(text.len()), head.len());
    assert_eq!(qq::encrypted_len(text.len()), Some(needed));

    let random = || Numbers::ending(input.seed, (input.numbers % 4).into());
    let mut random_message: Option<Result<Vec<u8>, Error>> = None;
    for backend in backends() {
        let cipher = qq::Cipher::from(tea.clone().with_backend(backend));

        // The caller's head.
        let mut dst = vec![PAINT; needed.saturating_add_signed((input.room % 16).into())];
        let len = dst.len();
        let given = head
            .len()
            .saturating_add_signed((input.head_room % 3).into())
            .min(10);
        let fits = if len < needed {
            Err(Error::OutputTooSmall { needed, len })
        } else {
            Ok(needed)
        };
        let result = fits.and_then(|len| match head.len() {
            needed if needed != given => Err(Error::FillLength { needed, len: given }),
            _ => Ok(len),
        });
        let mut left = dst.clone();
        if result.is_ok() {
            left[..needed].copy_from_slice(&with_fill);
        }
        planted("encrypt_with_fill", &mut left);
        assert_eq!(
            cipher.encrypt_with_fill(&input.head[..given], text, &mut dst),
            result
        );
        assert_eq!(dst, left, "encrypt_with_fill");

        // Random fill: the same from every backend.
        let mut message = cipher.encrypt_with_rng(&mut random(), text);
        if let Ok(message) = &mut message {
            planted("encrypt_with_rng", message);
            let mut plain = message.clone();
            model.unchain::<O>(&mut plain);
            assert_eq!(*message, expected(&plain[..pad + 3]), "encrypt_with_rng");
            assert_eq!(cipher.decrypt(message).as_deref(), Ok(text));
        } else {
            assert_eq!(message, Err(Error::Random));
        }
        // A head takes two of them.
        assert_eq!(message.is_ok(), input.numbers % 4 >= 2);
        assert_eq!(&message, random_message.get_or_insert(message.clone()));

        // The same into an output.
        dst.fill(PAINT);
        left.fill(PAINT);
        let result = fits.and_then(|_| message.as_ref().map(Vec::len).map_err(|error| *error));
        if let (Ok(_), Ok(message)) = (result, &message) {
            left[..needed].copy_from_slice(message);
        }
        planted("encrypt_into", &mut left);
        assert_eq!(cipher.encrypt_into(&mut random(), text, &mut dst), result);
        assert_eq!(dst, left, "encrypt_into");
    }
}

/// Each reads what the other wrote.
fn peer(input: &Input<'_>) {
    let cipher = qq::Cipher::new(input.key);
    let mut ours = vec![0; qq::encrypted_len(input.text.len()).unwrap_or(0)];
    let head = &input.head[..qq::fill_len(input.text.len())];
    cipher
        .encrypt_with_fill(head, input.text, &mut ours)
        .expect("the lengths are right");
    let mut read = tc_tea::decrypt(&ours, input.key).expect("tc_tea reads ours");
    planted("tc_tea", &mut read);
    assert_eq!(read, input.text, "tc_tea");
    let theirs = tc_tea::encrypt(input.text, input.key).expect("tc_tea encrypts");
    assert_eq!(cipher.decrypt(&theirs).as_deref(), Ok(input.text));
}
