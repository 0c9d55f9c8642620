//! The rules for terms: random programs over all of them give terms whose values are what the operations give
//! on numbers. As a control, a rule that is wrong is found; and the equations that proofs need hold.

use proof::{
    term::{Byte, Term, four, or},
    terms::Terms,
};
use proptest::{
    prelude::*,
    test_runner::{TestError, TestRunner},
};

/// An operation on terms that are there already, which are told by numbers modulo how many there are.
#[derive(Clone, Debug)]
enum Operation {
    Number(u32),
    Symbol(u32),
    Add(usize, usize),
    Sub(usize, usize),
    Xor(usize, usize),
    Scale(usize, u32),
    Left(usize, u32),
    Right(usize, u32),
    /// Bytes of terms, each by the term and its place.
    Word([(usize, usize); 4]),
    /// A word of the eight bytes of two terms, shifted; the first term where there is no rule.
    Long([usize; 2], bool, u32, usize),
    /// The first term where there is no rule.
    Or(usize, usize),
    /// Addition by way of bytes.
    EachWord(usize, usize),
}

const SYMBOLS: usize = 4;

fn operation() -> impl Strategy<Value = Operation> {
    use Operation as O;
    // Few different terms, so that much cancels.
    let term = 0usize..8;
    let number = prop_oneof![0u32..4, Just(16), Just(u32::MAX), any::<u32>()];
    prop_oneof![
        1 => number.clone().prop_map(O::Number),
        2 => (0u32..4).prop_map(O::Symbol),
        4 => (term.clone(), term.clone()).prop_map(|(a, b)| O::Add(a, b)),
        4 => (term.clone(), term.clone()).prop_map(|(a, b)| O::Sub(a, b)),
        4 => (term.clone(), term.clone()).prop_map(|(a, b)| O::Xor(a, b)),
        2 => (term.clone(), number).prop_map(|(a, factor)| O::Scale(a, factor)),
        2 => (term.clone(), 0u32..40).prop_map(|(a, bits)| O::Left(a, bits)),
        2 => (term.clone(), 0u32..40).prop_map(|(a, bits)| O::Right(a, bits)),
        2 => (prop::array::uniform2(term.clone()), any::<bool>(), 0u32..64, 0usize..2)
            .prop_map(|(terms, left, bits, word)| O::Long(terms, left, if bits < 32 { bits } else { bits & 56 }, word)),
        2 => (term.clone(), term.clone()).prop_map(|(a, b)| O::Or(a, b)),
        1 => (term.clone(), term.clone()).prop_map(|(a, b)| O::EachWord(a, b)),
        3 => prop::array::uniform4((term.clone(), 0usize..4)).prop_map(O::Word),
        // Mostly bytes of one term.
        2 => (term, prop::array::uniform4(0usize..4)).prop_map(|(a, places)| O::Word(places.map(|p| (a, p)))),
    ]
}

fn programs() -> impl Strategy<Value = (Vec<Operation>, [u32; SYMBOLS])> {
    (
        prop::collection::vec(operation(), 1..60),
        any::<[u32; SYMBOLS]>(),
    )
}

/// Runs a program on terms and on numbers beside. `wrong` makes an addition of every xor of terms.
fn check(program: &[Operation], symbols: [u32; SYMBOLS], wrong: bool) -> Result<(), TestCaseError> {
    use Operation as O;
    let mut terms = Terms::default();
    let mut all: Vec<(Term, u32)> = vec![(terms.number(0), 0)];
    for operation in program {
        // The latest ones.
        let get = |n: &usize| all[all.len() - 1 - n % all.len()];
        all.push(match operation {
            O::Number(n) => (terms.number(*n), *n),
            O::Symbol(n) => (terms.symbol(*n), symbols[*n as usize]),
            O::Add(a, b) => (
                terms.add(get(a).0, get(b).0),
                get(a).1.wrapping_add(get(b).1),
            ),
            O::Sub(a, b) => (
                terms.sub(get(a).0, get(b).0),
                get(a).1.wrapping_sub(get(b).1),
            ),
            O::Xor(a, b) if wrong => (terms.add(get(a).0, get(b).0), get(a).1 ^ get(b).1),
            O::Xor(a, b) => (terms.xor(get(a).0, get(b).0), get(a).1 ^ get(b).1),
            O::Scale(a, factor) => (
                terms.scale(get(a).0, *factor),
                get(a).1.wrapping_mul(*factor),
            ),
            O::Left(a, bits) => (
                terms.left(get(a).0, *bits),
                get(a).1.checked_shl(*bits).unwrap_or(0),
            ),
            O::Right(a, bits) => (
                terms.right(get(a).0, *bits),
                get(a).1.checked_shr(*bits).unwrap_or(0),
            ),
            O::Word(parts) => {
                let bytes = parts.map(|(a, place)| terms.bytes(get(&a).0)[place]);
                let number = parts.map(|(a, place)| get(&a).1.to_le_bytes()[place]);
                (terms.word(bytes), u32::from_le_bytes(number))
            }
            O::Long([a, b], left, bits, word) => {
                let (a, b) = (get(a), get(b));
                let mut bytes = [Byte::ZERO; 8];
                bytes[..4].copy_from_slice(&terms.bytes(a.0));
                bytes[4..].copy_from_slice(&terms.bytes(b.0));
                let number = u64::from(b.1) << 32 | u64::from(a.1);
                let number = if *left {
                    number << bits
                } else {
                    number >> bits
                };
                let halves = [number & u64::from(u32::MAX), number >> 32];
                match terms.shift(bytes, 8, *left, *bits) {
                    Some(shifted) => (
                        terms.word(four(&shifted, *word)),
                        u32::try_from(halves[*word]).expect("half"),
                    ),
                    None => a,
                }
            }
            O::Or(a, b) => {
                let (a, b) = (get(a), get(b));
                match or(&terms.bytes(a.0), &terms.bytes(b.0)) {
                    Some(bytes) => (terms.word(bytes), a.1 | b.1),
                    None => a,
                }
            }
            O::EachWord(a, b) => {
                let (a, b) = (get(a), get(b));
                let (x, y) = (terms.bytes(a.0), terms.bytes(b.0));
                let bytes = terms.each_word(&x, &y, 4, Terms::add);
                (terms.word(bytes), a.1.wrapping_add(b.1))
            }
        });
    }
    let values = terms.evaluate(|symbol| symbols[symbol as usize]);
    for &(term, number) in &all {
        prop_assert_eq!(values.term(term), number, "{}", terms.show(term, 4));
        for (byte, expected) in terms.bytes(term).into_iter().zip(number.to_le_bytes()) {
            prop_assert_eq!(values.byte(byte), expected);
        }
        prop_assert!(terms.value(term).is_none_or(|value| value == number));
    }
    // Equal terms are equal numbers: that is what a proof rests on.
    for &(a, x) in &all {
        prop_assert!(all.iter().all(|&(b, y)| a != b || x == y));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values((program, symbols) in programs()) {
        check(&program, symbols, false)?;
    }
}

#[test]
fn a_wrong_rule_is_found() {
    let mut runner = TestRunner::new(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let result = runner.run(&programs(), |(program, symbols)| {
        check(&program, symbols, true)
    });
    assert!(matches!(result, Err(TestError::Fail(..))));
}

#[test]
fn what_is_equal_is_one_term() {
    let t = &mut Terms::default();
    let [x, y, z] = [0, 1, 2].map(|n| t.symbol(n));
    let number = t.number(0x1234_5678);

    let (a, b) = (t.add(x, y), t.add(y, x));
    assert_eq!(a, b);
    let (a, b) = (t.add(a, z), t.add(y, z));
    let b = t.add(x, b);
    assert_eq!(a, b);
    assert_eq!(t.sub(a, a), t.number(0));
    let back = t.add(x, y);
    assert_eq!(t.sub(back, y), x);

    // (x + y) << 4 is (x << 4) + (y << 4).
    let sum = t.add(x, y);
    let shifted = t.left(sum, 4);
    let (p, q) = (t.left(x, 4), t.left(y, 4));
    assert_eq!(t.add(p, q), shifted);
    assert_eq!(t.left(x, 32), t.number(0));

    let (a, b) = (t.xor(x, number), t.xor(y, x));
    let c = t.xor(a, b);
    let d = t.xor(number, y);
    assert_eq!(c, d);
    assert_eq!(t.xor(c, c), t.number(0));

    // Bytes that are put together again.
    let bytes = t.bytes(c);
    assert_eq!(t.word(bytes), c);
    let [p, q, r, s] = t.bytes(x);
    let swapped = t.word([s, r, q, p]);
    let [p, q, r, s] = t.bytes(swapped);
    assert_eq!(t.word([s, r, q, p]), x);
}
