//! Bad and unusual inputs. `tests/data/bad_inputs.json` lists those on which other libraries fail; all of
//! them are tested here or named as tested elsewhere.

#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;

mod blocks;
mod modes;
mod open;
mod parts;
mod seal;

use fasttea::qq;
use rand_core::{TryCryptoRng, TryRng};

const KEY: &[u8; 16] = b"12345678ABCDEFGH";

fn cipher() -> qq::Cipher {
    qq::Cipher::new(KEY)
}

fn seal(head: &[u8], text: &[u8]) -> Vec<u8> {
    let mut message = vec![0; qq::encrypted_len(text.len()).unwrap()];
    cipher()
        .encrypt_with_fill(head, text, &mut message)
        .unwrap();
    message
}

/// A source of random bytes that has none.
struct Failing;

impl TryRng for Failing {
    type Error = std::io::Error;
    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Err(std::io::ErrorKind::Other.into())
    }
    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Err(std::io::ErrorKind::Other.into())
    }
    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
        Err(std::io::ErrorKind::Other.into())
    }
}
impl TryCryptoRng for Failing {}

/// The test of each case that has no message. The functions are here so that the compiler finds them.
const TESTED: [(&str, fn()); 34] = [
    ("B23", open::only_the_low_three_bits_of_the_first_byte_count),
    ("B24", open::a_small_output_stays_as_it_was),
    ("B26", open::damaged_messages_leave_no_text),
    ("B27", seal::a_message_is_as_long_as_its_text_and_fill),
    ("B28", seal::a_message_is_as_long_as_its_text_and_fill),
    (
        "B31",
        seal::every_way_makes_the_same_message_of_the_same_fill,
    ),
    ("B32", seal::no_two_messages_are_the_same),
    ("B33", seal::a_failing_random_source_is_an_error),
    ("B34", seal::a_fill_of_another_length_is_refused),
    ("B37", seal::lengths_above_4_gib_are_right),
    ("B38", parts::a_key_of_another_length_is_refused),
    ("B39", parts::a_key_of_another_length_is_refused),
    ("B40", parts::a_key_of_another_length_is_refused),
    ("B45", parts::every_form_of_a_key_makes_the_same_cipher),
    ("B47", parts::a_key_of_zeros_is_a_key),
    ("B48", parts::twin_keys_make_the_same_tea),
    ("B49", parts::cycles_are_1_to_64),
    ("B50", parts::rounds_are_even_and_2_to_128),
    ("B53", parts::another_delta_makes_another_cipher),
    ("B54", blocks::nothing_changes_nothing),
    ("B55", blocks::part_of_a_block_is_refused),
    ("B58", blocks::any_number_at_any_address_is_as_one_by_one),
    ("B59", blocks::any_number_at_any_address_is_as_one_by_one),
    ("B60", modes::an_iv_of_another_length_is_refused),
    ("B66", modes::wrong_padding_is_refused),
    ("B67", modes::wrong_padding_is_refused),
    ("B69", modes::a_counter_wraps_to_zero),
    ("B71", modes::an_iv_of_another_length_is_refused),
    ("B72", modes::a_key_stream_is_the_same_byte_by_byte),
    ("B74", modes::a_key_stream_is_the_same_byte_by_byte),
    ("B75", modes::a_counter_wraps_to_zero),
    ("B89", blocks::part_of_a_block_is_refused),
    ("B90", blocks::look_alikes_are_other_ciphers),
    ("B91", parts::debug_shows_no_key),
];

/// Cases that do not apply or are tested elsewhere, and why or where.
const NOT_HERE: [(&str, &str); 19] = [
    (
        "B36",
        "the calls take slices, so no length from the network reaches them",
    ),
    (
        "B41",
        "XXTEA's key helper waits; the plain constructors are tested as B38",
    ),
    (
        "B43",
        "XXTEA's key helper waits; the plain constructors are tested as B39",
    ),
    (
        "B56",
        "keeping the tail is the command line's: cli/tests/cli.rs",
    ),
    ("B61", "does not compile: no constructor goes without an IV"),
    ("B62", "tests/cbc.rs: refused_calls_change_nothing"),
    (
        "B64",
        "tests/cbc.rs: every_backend_agrees_with_the_crate_cbc",
    ),
    ("B68", "tests/cbc.rs: sessions_of_one_key_are_independent"),
    (
        "B77",
        "a type alias that anybody can write: ctr::Ctr64BE<Xtea<Le>>",
    ),
    (
        "B78",
        "the crate ctr's documentation; its sessions go on where they were (B74 seeks back)",
    ),
    ("B79", "XXTEA waits"),
    ("B80", "XXTEA waits"),
    ("B81", "XXTEA waits"),
    ("B83", "XXTEA waits"),
    ("B84", "XXTEA waits"),
    ("B86", "XXTEA waits"),
    ("B87", "there is no Tibia packet layer, only blocks"),
    (
        "B92",
        "tests/differential.rs compares the backends, portable among them",
    ),
    ("B93", "ci/test-targets.sh: all tests on s390x"),
];

#[test]
fn no_case_is_left_over() {
    let cases = common::data::bad_inputs();
    assert!(cases.len() >= 69);
    let mut listed = TESTED.map(|(id, _)| id).to_vec();
    listed.extend(NOT_HERE.map(|(id, _)| id));
    for case in cases {
        let id = &*case.id;
        if case.hex.is_some() {
            assert_eq!(case.area, "qq-dec", "{id}");
            assert!(
                open::OUTCOMES
                    .iter()
                    .any(|known| case.outcome.starts_with(known)),
                "{id} has no test"
            );
        } else {
            let at = listed.iter().position(|listed| *listed == id);
            listed.remove(at.unwrap_or_else(|| panic!("{id} is in neither list")));
        }
    }
    assert!(listed.is_empty(), "there are no such cases: {listed:?}");
}
