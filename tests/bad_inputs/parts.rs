//! What ciphers are made of: keys, parameters, sums and byte orders.

use fasttea::{
    Be, ByteOrder, Error, Key, Le, Order, Parameters, Sums, Tea, Xeta, Xtea,
    cipher::{Array, KeyInit, consts::U16},
    qq,
};
use hex_literal::hex;

use crate::{
    KEY,
    common::{backends::backends, ecb, painted},
    with_order,
};

#[test]
pub(crate) fn a_key_of_another_length_is_refused() {
    for len in [0, 10, 15, 17, 20, 32] {
        let key = vec![0; len];
        let refused = Error::KeyLength { len };
        assert_eq!(Key::<Be>::try_from(&*key).unwrap_err(), refused);
        assert_eq!(Key::<Le>::try_from(&*key).unwrap_err(), refused);
        assert!(Tea::<Be>::new_from_slice(&key).is_err());
        assert!(Xtea::<Be>::new_from_slice(&key).is_err());
        assert!(Xeta::<Be>::new_from_slice(&key).is_err());
    }
}

/// Bytes at any address, words with and without signs, by value and by reference.
#[test]
pub(crate) fn every_form_of_a_key_makes_the_same_cipher() {
    fn check<O: Order>(words: [u32; 4], buffer: &[u8]) {
        let signed = words.map(|word| word as i32);
        let slice = &buffer[3..19];
        let bytes: [u8; 16] = slice.try_into().unwrap();
        let array = Array::<u8, U16>::from(bytes);
        let keys: [Key<O>; 8] = [
            bytes.into(),
            (&bytes).into(),
            (&array).into(),
            slice.try_into().unwrap(),
            words.into(),
            (&words).into(),
            signed.into(),
            (&signed).into(),
        ];
        for backend in backends() {
            for name in ["tea", "xtea", "xeta"] {
                let encrypted = keys.clone().map(|key| {
                    let mut block = [1; 8];
                    let cipher = ecb(name, key, 32, backend);
                    cipher.encrypt_slice(&mut block).unwrap();
                    block
                });
                assert_eq!(encrypted, [encrypted[0]; 8], "{name} {backend}");
            }
        }
        // RustCrypto's constructor makes the same again.
        let (mut ours, mut theirs) = ([1; 8], [1; 8]);
        Tea::<O>::from_key(words).encrypt_slice(&mut ours).unwrap();
        Tea::<O>::new(&array).encrypt_slice(&mut theirs).unwrap();
        assert_eq!(ours, theirs);
    }

    let mut buffer = painted(40);
    buffer[3..19].copy_from_slice(&hex!("00112233445566778899aabbccddeeff"));
    let be = [0x0011_2233, 0x4455_6677, 0x8899_aabb, 0xccdd_eeff];
    for order in ByteOrder::ALL {
        let words = match order {
            ByteOrder::Be => be,
            ByteOrder::Le | ByteOrder::Le64 => be.map(u32::swap_bytes),
        };
        with_order!(order, O => check::<O>(words, &buffer));
    }
}

/// The known answer that many libraries have.
#[test]
pub(crate) fn a_key_of_zeros_is_a_key() {
    let mut block = [0; 8];
    Xtea::<Be>::from_key([0u32; 4])
        .encrypt_slice(&mut block)
        .unwrap();
    assert_eq!(block, hex!("dee9d4d8f7131ed9"));
}

#[test]
pub(crate) fn twin_keys_make_the_same_tea() {
    let encrypt = |key: [u32; 4]| {
        let mut block = [9; 8];
        Tea::<Be>::from_key(key).encrypt_slice(&mut block).unwrap();
        block
    };
    let one = encrypt([1, 2, 3, 4]);
    assert_eq!(one, encrypt([0x8000_0001, 0x8000_0002, 3, 4]));
    assert_eq!(one, encrypt([1, 2, 0x8000_0003, 0x8000_0004]));
}

#[test]
pub(crate) fn cycles_are_1_to_64() {
    for cycles in [0, 65, u32::MAX] {
        let refused = Err(Error::Cycles { cycles });
        assert_eq!(Parameters::from_cycles(cycles), refused);
        assert_eq!(Parameters::new(cycles, 1), refused);
    }
    for cycles in 1..=64 {
        let parameters = Parameters::new(cycles, 5).unwrap();
        assert_eq!(parameters.cycles(), cycles);
        assert_eq!(parameters.rounds(), 2 * cycles);
        assert_eq!(parameters.delta(), 5);
        let standard = Parameters::new(cycles, 0x9e37_79b9);
        assert_eq!(Parameters::from_cycles(cycles), standard);
    }
    assert_eq!(Parameters::from_cycles(32), Ok(Parameters::STANDARD));
    assert_eq!(Parameters::from_cycles(16), Ok(Parameters::QQ));
    assert_eq!(Parameters::default(), Parameters::STANDARD);
}

#[test]
pub(crate) fn rounds_are_even_and_2_to_128() {
    for rounds in [1, 63, 129, u32::MAX] {
        let refused = Err(Error::OddRounds { rounds });
        assert_eq!(Parameters::from_rounds(rounds), refused);
    }
    for (rounds, cycles) in [(0, 0), (130, 65)] {
        let refused = Err(Error::Cycles { cycles });
        assert_eq!(Parameters::from_rounds(rounds), refused);
    }
    for cycles in 1..=64 {
        let parameters = Parameters::from_cycles(cycles);
        assert_eq!(Parameters::from_rounds(2 * cycles), parameters);
    }
}

#[test]
fn sums_are_1_to_64() {
    for len in [0, 65, 1000] {
        assert_eq!(Sums::new(&vec![1; len]), Err(Error::SumsLength { len }));
    }
    for cycles in 1..=64 {
        let table: Vec<u32> = (1..=cycles).map(|cycle| 5 * cycle).collect();
        let sums = Sums::new(&table).unwrap();
        assert_eq!(sums.cycles(), cycles);
        assert_eq!(sums.as_ref(), table);
        assert_eq!(Sums::from(Parameters::new(cycles, 5).unwrap()), sums);
    }
}

#[test]
pub(crate) fn another_delta_makes_another_cipher() {
    assert_eq!(Parameters::new(32, 0), Err(Error::ZeroDelta));
    for backend in backends() {
        let mut seen = Vec::new();
        for delta in [0x9e37_79b9, 0x61c8_8647, 0x1234_5678] {
            let mut block = [0; 8];
            let cipher = Xtea::<Be>::from_parts(KEY, Parameters::new(32, delta).unwrap())
                .with_backend(backend);
            cipher.encrypt_slice(&mut block).unwrap();
            assert!(!seen.contains(&block));
            seen.push(block);
            cipher.decrypt_slice(&mut block).unwrap();
            assert_eq!(block, [0; 8]);
        }
    }
}

#[test]
fn byte_orders_are_found_by_the_names_that_they_show() {
    let names = ByteOrder::ALL.map(|order| order.to_string());
    assert_eq!(names, ["be", "le", "le64"]);
    for order in ByteOrder::ALL {
        assert_eq!(order.name().parse(), Ok(order));
        assert_eq!(format!("{order:>6}").trim_start(), order.name());
        with_order!(order, O => assert_eq!(O::BYTE_ORDER, order));
    }
    for name in ["", "BE", "le ", "le32", "big", "be64"] {
        assert_eq!(name.parse::<ByteOrder>(), Err(Error::UnknownByteOrder));
    }
}

#[test]
pub(crate) fn debug_shows_no_key() {
    let key = [0x4b4b_4b4bu32; 4];
    for shown in [
        format!("{:?}", Key::<Be>::from(key)),
        format!("{:?}", Tea::<Be>::from_key(key)),
        format!("{:?}", Xtea::<Le>::from_key(key)),
        format!("{:?}", Xeta::<Le>::from_key(key)),
        format!("{:?}", qq::Cipher::new(key)),
    ] {
        assert!(shown.ends_with("{ .. }"), "{shown}");
        assert!(!shown.contains("4b") && !shown.contains("75"), "{shown}");
    }
}

/// An error is enough to find what was wrong: every number in it is shown.
#[test]
fn errors_show_their_numbers() {
    for error in [
        Error::KeyLength { len: 71 },
        Error::Cycles { cycles: 71 },
        Error::OddRounds { rounds: 71 },
        Error::SumsLength { len: 71 },
        Error::TooShort { len: 71 },
        Error::TooLong { len: 71 },
        Error::ImpossibleFill { len: 71 },
        Error::ZeroCheck { len: 71 },
    ] {
        assert!(error.to_string().contains("71"), "{error}");
    }
    let (needed, len) = (53, 71);
    for error in [
        Error::IvLength { needed, len },
        Error::NotBlockMultiple { block: 53, len },
        Error::OutputTooSmall { needed, len },
        Error::FillLength { needed, len },
    ] {
        let shown = error.to_string();
        assert!(shown.contains("53") && shown.contains("71"), "{shown}");
    }
}
