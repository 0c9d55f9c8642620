//! Changed instructions that change no result, and why: what these tests let pass.

/// Where, what and why.
pub(crate) struct Equivalent {
    /// What one of the kernel's name has to hold.
    kernels: &'static [&'static str],
    /// How the instruction begins.
    begins: &'static [&'static str],
    /// What was done to it; nothing stands for anything.
    changes: &'static [&'static str],
    /// How many there are.
    pub(crate) count: usize,
    /// Why that is the same.
    pub(crate) why: &'static str,
}

impl Equivalent {
    /// The number of the reason why a mutant is no fault, if there is one.
    pub(crate) fn find(kernel: &str, instruction: &str, change: &str) -> Option<usize> {
        EQUIVALENT.iter().position(|e| {
            e.kernels.iter().any(|part| kernel.contains(part))
                && e.begins.iter().any(|begin| instruction.starts_with(begin))
                && (e.changes.is_empty() || e.changes.contains(&change))
        })
    }
}

const LEFT_OUT: &str = "left out";
const OPERATION: &str = "another operation";
const REGISTER: &str = "another register";
const NUMBER: &str = "another number";
const PLACE: &str = "another place";

/// All that is known.
pub(crate) const EQUIVALENT: &[Equivalent] = &[
    // -- x86_64, blocks
    Equivalent {
        kernels: &["blocks_ssse3", "blocks_avx2"],
        begins: &["cmp rax,8", "cmp rax,4", "jae "],
        changes: &[LEFT_OUT, NUMBER, OPERATION],
        count: 242,
        why: "a whole last group may as well go over the stack, and flags of an earlier comparison say the same",
    },
    Equivalent {
        kernels: &["blocks_ssse3", "blocks_avx2"],
        begins: &["lea rax,[r8"],
        changes: &[LEFT_OUT, REGISTER],
        count: 64,
        why: "rax still holds what it had before the rounds; the destination is not used any more",
    },
    Equivalent {
        kernels: &["encrypt_blocks_ssse3", "encrypt_blocks_avx2"],
        begins: &["xor r10,r10"],
        changes: &[LEFT_OUT, OPERATION, REGISTER],
        count: 36,
        why: "the rounds leave 0 in r10; 0 + 0 and another register xor 0 are the same",
    },
    Equivalent {
        kernels: &["blocks_avx512"],
        begins: &["cmp r8,", "ja ", "test r8,r8", "je "],
        changes: &[LEFT_OUT, NUMBER, OPERATION],
        count: 68,
        why: "a last group, or a pass, of no blocks is masked away",
    },
    Equivalent {
        kernels: &["blocks_avx512"],
        begins: &["cmova eax,r11d", "cmp rax,r11", "mov r11d,10h"],
        changes: &[LEFT_OUT, NUMBER, REGISTER],
        count: 116,
        why: "only the last of all groups has more blocks than fit, and masks have no use for further bits",
    },
    // -- x86_64, all vectors
    Equivalent {
        kernels: &["xtea_", "lanes_avx"],
        begins: &[
            "vbroadcasti128 ymm9,[rdi+8]",
            "vbroadcasti32x4 zmm19,[rdi+8]",
            "movdqu xmm9,[rdi+8]",
        ],
        changes: &[LEFT_OUT, REGISTER],
        count: 114,
        why: "the register still holds the byte order from the group before, or through XTEA's rounds",
    },
    Equivalent {
        kernels: &["lanes_"],
        begins: &["jmp ", "jne ", "b $+", "b.ne $+"],
        changes: &[LEFT_OUT],
        count: 67,
        why: "the comparisons with other numbers of groups fail, or no other number is left",
    },
    // -- x86_64, scalar
    Equivalent {
        kernels: &["scalar"],
        begins: &["test ecx,8", "test cl,8"],
        changes: &[NUMBER],
        count: 18,
        why: "it is 0, 8 or 32: bit 0 is never set",
    },
    Equivalent {
        kernels: &["scalar"],
        begins: &["neg eax", "neg ebp"],
        changes: &[LEFT_OUT, REGISTER],
        count: 8,
        why: "rotations count modulo 64, and bit 3 of a number and of its negative are the same",
    },
    Equivalent {
        kernels: &["scalar"],
        begins: &["cmovne r10,r11"],
        changes: &[OPERATION],
        count: 10,
        why: "the test before leaves no carry: not equal is above",
    },
    Equivalent {
        kernels: &["qq_"],
        begins: &["cmova rdi,rcx"],
        changes: &[OPERATION],
        count: 2,
        why: "at least one block is left: above 1 is not equal to 1",
    },
    Equivalent {
        kernels: &["blocks_scalar", "tea_cbc_encrypt_scalar"],
        begins: &[
            "mov [rsp+18h],rax",
            "mov [rsp+20h],rax",
            "mov [rsp+28h],rax",
            "mov [rsp+30h],rax",
        ],
        changes: &[LEFT_OUT, PLACE, REGISTER],
        count: 45,
        why: "the kernel shares the epilogue of the QQ kernels and had no secret there",
    },
    Equivalent {
        kernels: &["qq_"],
        begins: &["mov [rsp+30h],rax"],
        changes: &[LEFT_OUT, PLACE, REGISTER],
        count: 6,
        why: "a pointer stood there, no secret",
    },
    Equivalent {
        kernels: &["tea_decrypt_blocks_scalar", "qq_decrypt_scalar"],
        begins: &["mov r8d,eax"],
        changes: &[REGISTER],
        count: 2,
        why: "ecx holds the same",
    },
    Equivalent {
        kernels: &["qq_decrypt_scalar"],
        begins: &["mov [rcx],r10"],
        changes: &[REGISTER],
        count: 1,
        why: "the last block is its own next one, so r11 holds the same",
    },
    // -- aarch64
    Equivalent {
        kernels: &["blocks_scalar"],
        begins: &["tbz w5, #0x0"],
        changes: &[NUMBER],
        count: 8,
        why: "the order is 3, 0 or 4: bits 0 and 1 are the same",
    },
    Equivalent {
        kernels: &["blocks_neon", "blocks_sha3"],
        begins: &["cmp x8, #0x4"],
        changes: &[LEFT_OUT],
        count: 42,
        why: "the comparison that chose the number of groups says the same",
    },
    Equivalent {
        kernels: &["blocks_neon", "blocks_sha3"],
        begins: &["sub x8, x4, #"],
        changes: &[LEFT_OUT],
        count: 48,
        why: "x8 still holds it from before the rounds",
    },
    Equivalent {
        kernels: &["blocks_neon", "blocks_sha3"],
        begins: &["sub x8, x4, #0x0", "add x9, x2, #0x0", "add x9, x3, #0x0"],
        changes: &[OPERATION],
        count: 24,
        why: "plus 0 is minus 0",
    },
    Equivalent {
        kernels: &["lanes_neon", "lanes_sha3"],
        begins: &["ldur q17, [x0, #0x8]"],
        changes: &[LEFT_OUT, REGISTER],
        count: 316,
        why: "the register still holds the byte order from the group before, or through XTEA's rounds",
    },
    Equivalent {
        kernels: &["lanes_neon", "lanes_sha3"],
        begins: &[
            "ldr q30, [x0, #0x5",
            "ldr q30, [x0, #0x6",
            "ldr q31, [x0, #0x5",
            "ldr q31, [x0, #0x6",
        ],
        changes: &[LEFT_OUT, REGISTER],
        count: 399,
        why: "the targets move on by what the sources moved on by, which the registers still hold",
    },
];
