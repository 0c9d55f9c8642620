//! Two versions of the crate in one program. In the other one the kernels for encryption and
//! decryption have changed places, so each shows by its answers whose kernels it runs.

/// The known answer by this version, and how the other one tells that it decrypts when asked to encrypt.
macro_rules! check {
    ($Cipher:ident, $key:expr, $text:expr, $answer:expr) => {
        let key: [u8; 16] = u128::to_be_bytes($key);
        let ours = fasttea::$Cipher::<fasttea::Be>::from_key(&key);
        let theirs = other::$Cipher::<other::Be>::from_key(&key);
        for count in [1, 67] {
            let text = u64::to_be_bytes($text).repeat(count);
            let answer = u64::to_be_bytes($answer).repeat(count);

            let mut bytes = text.clone();
            ours.encrypt_slice(&mut bytes).unwrap();
            assert_eq!(bytes, answer, "this version's kernels do not run");
            ours.decrypt_slice(&mut bytes).unwrap();
            assert_eq!(bytes, text, "this version's kernels do not run");

            let mut bytes = answer.clone();
            theirs.encrypt_slice(&mut bytes).unwrap();
            assert_eq!(bytes, text, "the other version's kernels do not run");
            theirs.decrypt_slice(&mut bytes).unwrap();
            assert_eq!(bytes, answer, "the other version's kernels do not run");
        }
    };
}

fn main() {
    let backends = [
        fasttea::backend::active().name(),
        other::backend::active().name(),
    ];
    assert!(!backends.contains(&"portable"), "no assembly");
    check!(
        Tea,
        0x00112233445566778899aabbccddeeff,
        0x0123456789abcdef,
        0x126c6b92c0653a3e
    );
    check!(
        Xtea,
        0x000102030405060708090a0b0c0d0e0f,
        0x4142434445464748,
        0x497df3d072612cb5
    );
    println!("each version runs its own kernels");
}
