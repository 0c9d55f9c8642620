//! Kernels with one instruction changed, which the proof has to refuse.

use std::{collections::HashMap, sync::LazyLock};

use iced_x86::{Code, Instruction as X86Instruction, OpKind, Register};
use yaxpeax_arm::armv8::a64::{Opcode, Operand, SIMDSizeCode};

use crate::{
    aarch64::{self, Aarch64},
    machine::Machine,
    x86::X86,
};

/// What was changed, and the changed instruction.
pub type Mutant<I> = (&'static str, I);

/// A machine whose instructions can be changed.
pub trait Mutate: Machine {
    /// What can be made of an instruction.
    fn mutants(instruction: &Self::Instruction) -> Vec<Mutant<Self::Instruction>>;
}

/// Names of operations, and of what takes their place.
const OTHER_X86: &[(&str, &str)] = &[
    ("Add", "Sub"),
    ("Sub", "Add"),
    ("Xor", "Add"),
    ("Shl", "Shr"),
    ("Shr", "Shl"),
    ("Inc", "Dec"),
    ("Dec", "Inc"),
    ("Ja", "Jae"),
    ("Jae", "Ja"),
    ("Jb", "Jbe"),
    ("Je", "Jne"),
    ("Jne", "Je"),
    ("Cmova", "Cmovne"),
    ("Cmove", "Cmovne"),
    ("Cmovne", "Cmova"),
    ("Paddd", "Psubd"),
    ("Psubd", "Paddd"),
    ("Pxor", "Paddd"),
    ("Pslld", "Psrld"),
    ("Psrld", "Pslld"),
    ("Punpckldq", "Punpckhdq"),
    ("Punpckhdq", "Punpckldq"),
    ("Vpaddd", "Vpsubd"),
    ("Vpsubd", "Vpaddd"),
    ("Vpxor", "Vpaddd"),
    ("Vpxord", "Vpaddd"),
    ("Vpslld", "Vpsrld"),
    ("Vpsrld", "Vpslld"),
    ("Vpaddq", "Vpaddd"),
    ("Vunpcklps", "Vunpckhps"),
    ("Vunpckhps", "Vunpcklps"),
];

/// The encodings of an operation in the place of those of another.
static OTHER_CODE: LazyLock<HashMap<Code, Code>> = LazyLock::new(|| {
    let by_name: HashMap<String, Code> = Code::values()
        .map(|code| (format!("{code:?}"), code))
        .collect();
    let mut others = HashMap::new();
    for (name, &code) in &by_name {
        let mut parts: Vec<&str> = name.split('_').collect();
        for part in 0..parts.len().min(2) {
            if let Some((_, other)) = OTHER_X86.iter().find(|(from, _)| *from == parts[part]) {
                parts[part] = other;
                // The same operands, but for how many words a number is spread to.
                if let Some(&other) = by_name
                    .get(&parts.join("_"))
                    .or_else(|| by_name.get(&parts.join("_").replace("b64", "b32")))
                {
                    others.insert(code, other);
                }
                break;
            }
        }
    }
    others
});

/// A register of the same kind.
fn next_register(register: Register) -> Option<Register> {
    let of = |first: Register, count: usize| {
        Some(first + u32::try_from((register.number() + 1) % count).unwrap_or(0))
    };
    match register {
        _ if register.is_gpr64() => of(Register::RAX, 16),
        _ if register.is_gpr32() => of(Register::EAX, 16),
        _ if register.is_xmm() => of(Register::XMM0, 16),
        _ if register.is_ymm() => of(Register::YMM0, 16),
        _ if register.is_zmm() => of(Register::ZMM0, 32),
        _ => None,
    }
}

impl Mutate for X86 {
    fn mutants(i: &X86Instruction) -> Vec<Mutant<X86Instruction>> {
        let mut all = Vec::new();
        let mut add = |what, change: &dyn Fn(&mut X86Instruction)| {
            let mut mutant = *i;
            change(&mut mutant);
            all.push((what, mutant));
        };
        let mut nop = X86Instruction::new();
        nop.set_code(Code::Nopd);
        add("left out", &|m| *m = nop);
        if let Some(&other) = OTHER_CODE.get(&i.code()) {
            add("another operation", &|m| m.set_code(other));
        }
        for operand in 0..i.op_count() {
            match i.op_kind(operand) {
                OpKind::Register => {
                    if let Some(next) = next_register(i.op_register(operand)) {
                        add("another register", &|m| m.set_op_register(operand, next));
                    }
                }
                OpKind::Memory => {
                    let place = i.memory_displacement64();
                    for by in [4, -4] {
                        add("another place", &|m| {
                            m.set_memory_displacement64(place.wrapping_add_signed(by));
                        });
                    }
                    if let Some(next) = next_register(i.memory_base()) {
                        add("another base", &|m| m.set_memory_base(next));
                    }
                    if i.memory_index() != Register::None {
                        add("no index", &|m| m.set_memory_index(Register::None));
                    }
                }
                OpKind::Immediate8 => {
                    for by in [1, u8::MAX] {
                        add("another number", &|m| {
                            m.set_immediate8(i.immediate8().wrapping_add(by));
                        });
                    }
                }
                OpKind::Immediate32 => {
                    for by in [1, u32::MAX] {
                        add("another number", &|m| {
                            m.set_immediate32(i.immediate32().wrapping_add(by));
                        });
                    }
                }
                OpKind::Immediate8to32 => {
                    for by in [1, -1] {
                        add("another number", &|m| {
                            m.set_immediate8to32(i.immediate8to32().wrapping_add(by));
                        });
                    }
                }
                OpKind::Immediate8to64 => {
                    for by in [1, -1] {
                        add("another number", &|m| {
                            m.set_immediate8to64(i.immediate8to64().wrapping_add(by));
                        });
                    }
                }
                OpKind::Immediate32to64 => {
                    for by in [1, -1] {
                        add("another number", &|m| {
                            m.set_immediate32to64(i.immediate32to64().wrapping_add(by));
                        });
                    }
                }
                _ => {}
            }
        }
        all
    }
}

/// What takes the place of an operation.
fn other_arm(opcode: Opcode) -> Option<Opcode> {
    use Opcode as O;
    Some(match opcode {
        O::ADD => O::SUB,
        O::SUB => O::ADD,
        O::ADDS => O::SUBS,
        O::SUBS => O::ADDS,
        O::EOR => O::ADD,
        O::SHL => O::USHR,
        O::USHR => O::SHL,
        O::USRA => O::USHR,
        O::ZIP1 => O::ZIP2,
        O::ZIP2 => O::ZIP1,
        O::UZP1 => O::UZP2,
        O::UZP2 => O::UZP1,
        O::TBZ => O::TBNZ,
        O::TBNZ => O::TBZ,
        // hi and hs, eq and ne
        O::Bcc(8) => O::Bcc(2),
        O::Bcc(2) => O::Bcc(8),
        O::Bcc(condition) => O::Bcc(condition ^ 1),
        _ => return None,
    })
}

/// An operand with a number or a register changed in each way.
fn other_operands(operand: Operand) -> Vec<Mutant<Operand>> {
    use Operand as P;
    let next = |register: u16| (register + 1) % 31;
    let register = |operand| vec![("another register", operand)];
    match operand {
        // The register that is zero.
        P::Register(_, 31) => Vec::new(),
        P::Register(of, r) => register(P::Register(of, next(r))),
        P::RegisterOrSP(of, r) => register(P::RegisterOrSP(of, next(r))),
        P::SIMDRegister(of, r) => register(P::SIMDRegister(of, next(r))),
        P::SIMDRegisterElements(of, r, element) => {
            register(P::SIMDRegisterElements(of, next(r), element))
        }
        P::SIMDRegisterGroup(of, r, element, n) => {
            register(P::SIMDRegisterGroup(of, next(r), element, n))
        }
        P::SIMDRegisterGroupLane(r, of, n, lane) => vec![
            (
                "another register",
                P::SIMDRegisterGroupLane(next(r), of, n, lane),
            ),
            (
                "another place",
                P::SIMDRegisterGroupLane(r, of, n, lane ^ 1),
            ),
        ],
        P::RegShift(style, bits, of, r) => {
            let mut all = register(P::RegShift(style, bits, of, next(r)));
            all.push(("another number", P::RegShift(style, bits + 1, of, r)));
            if bits > 0 {
                all.push(("another number", P::RegShift(style, bits - 1, of, r)));
            }
            all
        }
        P::Immediate(n) => [1, u32::MAX]
            .map(|by| ("another number", P::Immediate(n.wrapping_add(by))))
            .to_vec(),
        P::Imm16(n) => vec![("another number", P::Imm16(n ^ 1))],
        P::ImmShift(n, bits) => vec![("another number", P::ImmShift(n + 1, bits))],
        P::RegPreIndex(r, offset, back) => {
            let mut all = [4, -4]
                .map(|by| ("another place", P::RegPreIndex(r, offset + by, back)))
                .to_vec();
            all.push(("another base", P::RegPreIndex(next(r), offset, back)));
            all
        }
        P::RegPostIndex(r, offset) => {
            let mut all = [4, -4]
                .map(|by| ("another step", P::RegPostIndex(r, offset + by)))
                .to_vec();
            all.push(("another base", P::RegPostIndex(next(r), offset)));
            all
        }
        P::RegRegOffset(base, index, of, style, bits) => vec![
            (
                "another base",
                P::RegRegOffset(next(base), index, of, style, bits),
            ),
            (
                "another index",
                P::RegRegOffset(base, next(index), of, style, bits),
            ),
        ],
        P::ConditionCode(condition) => vec![("another condition", P::ConditionCode(condition ^ 1))],
        _ => Vec::new(),
    }
}

impl Mutate for Aarch64 {
    fn mutants(i: &aarch64::Instruction) -> Vec<Mutant<aarch64::Instruction>> {
        let mut left_out = *i;
        left_out.decoded.opcode = Opcode::HINT;
        left_out.decoded.operands = [
            Operand::ControlReg(0),
            Operand::Immediate(0),
            Operand::Nothing,
            Operand::Nothing,
        ];
        let mut all = vec![("left out", left_out)];
        if let Some(other) = other_arm(i.decoded.opcode) {
            let mut mutant = *i;
            mutant.decoded.opcode = other;
            // Xor is of bytes, addition of words.
            if other == Opcode::ADD {
                for operand in &mut mutant.decoded.operands {
                    if let Operand::SIMDRegisterElements(_, _, element) = operand {
                        *element = SIMDSizeCode::S;
                    }
                }
            }
            all.push(("another operation", mutant));
        }
        for (n, &operand) in i.decoded.operands.iter().enumerate() {
            for (what, other) in other_operands(operand) {
                let mut mutant = *i;
                mutant.decoded.operands[n] = other;
                all.push((what, mutant));
            }
        }
        all
    }
}
