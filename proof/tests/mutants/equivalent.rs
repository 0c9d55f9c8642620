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
        begins: &["lea rax,[rcx"],
        changes: &[LEFT_OUT, REGISTER],
        count: 64,
        why: "rax still holds what it had before the rounds; the destination is not used any more",
    },
    Equivalent {
        kernels: &["blocks_ssse3", "blocks_avx2"],
        begins: &["cmp rax,8", "cmp rax,4", "cmp r10,rax"],
        changes: &[REGISTER],
        count: 32,
        why: "if the last group is the first one, rax is rcx",
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
        begins: &["cmp rcx,", "ja ", "test rcx,rcx", "je "],
        changes: &[LEFT_OUT, NUMBER, OPERATION],
        count: 68,
        why: "a last group, or a pass, of no blocks is masked away",
    },
    Equivalent {
        kernels: &["blocks_avx512"],
        begins: &["cmova eax,r11d", "cmp rax,r11", "mov r11d,10h"],
        changes: &[LEFT_OUT, NUMBER, REGISTER],
        count: 148,
        why: "only the last of all groups has more blocks than fit, and masks have no use for further bits",
    },
    Equivalent {
        kernels: &["blocks_avx512"],
        begins: &["bts r11d,eax"],
        changes: &[REGISTER],
        count: 16,
        why: "bits count modulo 32: in every other group ecx says the same",
    },
    // -- all vectors
    Equivalent {
        kernels: &["xtea_"],
        begins: &[
            "vbroadcasti128 ymm9,[rdi+8]",
            "vbroadcasti32x4 zmm19,[rdi+8]",
            "movdqu xmm9,[rdi+8]",
            "ldur q17, [x0, #0x8]",
        ],
        changes: &[LEFT_OUT, REGISTER],
        count: 50,
        why: "XTEA's rounds leave the byte order where it is",
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
        why: "it is -8, -32 or 0: bit 0 is never set",
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
        begins: &["tbz w4, #0x0"],
        changes: &[NUMBER],
        count: 8,
        why: "the byte order begins with 3, 0 or 4: bits 0 and 1 are the same",
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
        begins: &["sub x8, x3, #"],
        changes: &[LEFT_OUT],
        count: 48,
        why: "x8 still holds it from before the rounds",
    },
    Equivalent {
        kernels: &["blocks_", "scalar"],
        begins: &[
            "sub x8, x3, #0x0",
            "add x9, x1, #0x0",
            "add x9, x2, #0x0",
            "cmp x17, #0x0",
            "cmp x7, #0x0",
        ],
        changes: &[OPERATION],
        count: 33,
        why: "plus 0 is minus 0",
    },
];
