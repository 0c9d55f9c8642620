//! What stops a run though a processor would do it: operands without a rule, and what would make a result depend
//! on where things lie or on how many blocks there are beyond those that are tried.

use proof::{
    aarch64::Aarch64,
    fresh::Fresh,
    kernel::MANY,
    machine::Machine,
    memory::{Access, Memory, Refusal, SOURCE},
    terms::Terms,
    x86::X86,
};

const TABLE: u64 = 0x1000_0000_0003;
const TEXT: u64 = 0x2000_0000_0005;

/// Executes instructions with the address of a table, that of a text and the number of blocks as arguments. All
/// calls of up to 3 blocks count as tried.
fn run<M: Machine>(code: &[u8]) -> Result<(), Refusal> {
    let (mut terms, mut fresh) = (Terms::default(), Fresh::default());
    let mut memory = Memory::default();
    (memory.blocks, memory.tried) = (MANY as u64, 3);
    for (name, base) in [("the table", TABLE), (SOURCE, TEXT)] {
        memory.add(
            name,
            base,
            Access::Read,
            fresh.bytes::<64>(&mut terms).to_vec(),
        );
    }
    let stack = fresh.bytes::<64>(&mut terms).to_vec();
    memory.add("the stack", M::STACK_TOP - 64, Access::Stack, stack);
    let arguments = [TABLE, TEXT, MANY as u64];
    let mut cpu = M::enter(&arguments, &mut memory, &mut fresh, &mut terms);
    for instruction in M::decode(code)?.instructions {
        cpu.step(&instruction, &mut terms, &mut memory)?;
    }
    Ok(())
}

#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Runs,
    Origin,
    NoRule,
    Access,
}

fn check<M: Machine>(cases: &[(&str, &[u8], Outcome)]) {
    for (what, code, expected) in cases {
        let outcome = match run::<M>(code) {
            Ok(()) => Outcome::Runs,
            Err(Refusal::Origin(_)) => Outcome::Origin,
            Err(Refusal::Unknown(_)) => Outcome::NoRule,
            Err(Refusal::Access(_)) => Outcome::Access,
            Err(other) => panic!("{what}: {other}"),
        };
        assert_eq!(outcome, *expected, "{what}");
    }
}

#[test]
fn x86_64() {
    use Outcome::{Access, NoRule, Origin, Runs};
    check::<X86>(&[
        // rdi is the table, rsi the text, rdx the number of blocks.
        ("cmp rdx, 3", &[0x48, 0x83, 0xfa, 3], Runs),
        ("cmp rdx, 4", &[0x48, 0x83, 0xfa, 4], Origin),
        ("dec rdx", &[0x48, 0xff, 0xca], Runs),
        ("xor edx, edx", &[0x31, 0xd2], Runs),
        ("lea rax, [rsi + 64]", &[0x48, 0x8d, 0x46, 64], Runs),
        (
            "lea r10, [rdx - 2]; test r10, r10",
            &[0x4c, 0x8d, 0x52, 0xfe, 0x4d, 0x85, 0xd2],
            Runs,
        ),
        (
            "lea r10, [rdx - 1000]; test r10, r10",
            &[0x4c, 0x8d, 0x92, 0x18, 0xfc, 0xff, 0xff, 0x4d, 0x85, 0xd2],
            Origin,
        ),
        (
            "lea rax, [rsi * 8]",
            &[0x48, 0x8d, 0x04, 0xf5, 0, 0, 0, 0],
            Origin,
        ),
        ("lea rax, [rsi + rdx]", &[0x48, 0x8d, 0x04, 0x16], Origin),
        ("shl rdx, 3", &[0x48, 0xc1, 0xe2, 3], Origin),
        ("mov eax, edx", &[0x89, 0xd0], Origin),
        ("cmp rdx, rsi", &[0x48, 0x39, 0xf2], Origin),
        ("test esi, 7", &[0xf7, 0xc6, 7, 0, 0, 0], Origin),
        ("test rsi, rsi", &[0x48, 0x85, 0xf6], Origin),
        ("sub rdi, rsi", &[0x48, 0x29, 0xf7], Origin),
        ("cmp rdi, rdi", &[0x48, 0x39, 0xff], Runs),
        ("cmp rsi, rsi", &[0x48, 0x39, 0xf6], Origin),
        // The processor reads in any case.
        (
            "cmp rdi, rdi; cmovne rax, [rsi - 4096]",
            &[
                0x48, 0x39, 0xff, 0x48, 0x0f, 0x45, 0x86, 0, 0xf0, 0xff, 0xff,
            ],
            Access,
        ),
        ("push 0", &[0x6a, 0], Runs),
        ("pslld xmm6, xmm9", &[0x66, 0x41, 0x0f, 0xf2, 0xf1], NoRule),
        (
            "vpslld ymm8, ymm8, [rdi - 4096]",
            &[0xc5, 0x3d, 0xf2, 0x87, 0, 0xf0, 0xff, 0xff],
            NoRule,
        ),
        (
            "vpslld zmm8, zmm8, xmm0",
            &[0x62, 0x71, 0x3d, 0x48, 0xf2, 0xc0],
            NoRule,
        ),
        (
            "vpslld zmm8, [rdi], 4",
            &[0x62, 0xf1, 0x3d, 0x48, 0x72, 0x37, 4],
            NoRule,
        ),
    ]);
}

#[test]
fn aarch64() {
    use Outcome::{NoRule, Origin, Runs};
    let cases = [
        // x0 is the table, x1 the text, x2 the number of blocks.
        ("cmp x2, #3", 0xf100_0c5f_u32, Runs),
        ("cmp x2, #4", 0xf100_105f, Origin),
        ("cbz x2", 0xb400_0042, Runs),
        ("cmp x2, x1", 0xeb01_005f, Origin),
        ("cmp x1, x0", 0xeb00_003f, Origin),
        ("cmp x0, x0", 0xeb00_001f, Runs),
        ("tbz w1, #0", 0x3600_0041, Origin),
        ("lsr x3, x2, #1", 0xd341_fc43, Origin),
        ("mov w3, w2", 0x2a02_03e3, Origin),
        ("str w2, [sp, #-16]!", 0xb81f_0fe2, Origin),
        ("add x3, x1, x2", 0x8b02_0023, Origin),
        ("sub x3, x2, #1000", 0xd10f_a043, Runs),
        ("ldr x3, [x1, x2, lsl #3]", 0xf862_7823, Origin),
        ("tst x1, #7", 0xf240_083f, NoRule),
        ("and x3, x1, #7", 0x9240_0823, NoRule),
        ("add w10, w6, w12, uxtb", 0x0b2c_00ca, NoRule),
        ("add w10, w6, w12, uxtb #2", 0x0b2c_08ca, NoRule),
        ("add wsp, w6, #4", 0x1100_10df, NoRule),
    ];
    for (what, code, expected) in cases {
        check::<Aarch64>(&[(what, &code.to_le_bytes(), expected)]);
    }
    let compared = [0xd10f_a043_u32, 0xb400_0043]
        .map(u32::to_le_bytes)
        .concat();
    check::<Aarch64>(&[("sub x3, x2, #1000; cbz x3", &compared, Origin)]);
}
