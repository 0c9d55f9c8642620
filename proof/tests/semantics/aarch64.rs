//! The state of an aarch64 processor as a record.

use proof::{
    aarch64::{Aarch64, Instruction},
    machine::Machine as _,
    memory::Refusal,
    program::{Arch, Next},
    term::spell,
    terms::Values,
};
use yaxpeax_arm::armv8::a64::{Opcode, Operand};

use super::{AWAY, BASE, Probe, World, flags, put};

const GENERAL: usize = 0;
const STACK_POINTER: usize = 248;
const VECTORS: usize = 320;
const CARRY: u64 = 1 << 29;
const ZERO: u64 = 1 << 30;

impl Probe for Aarch64 {
    const ARCH: Arch = Arch::Arm;
    const RECORD: usize = 1408;
    const FLAGS: usize = 256;
    const TAKEN: usize = 264;
    const LENGTH: usize = 272;
    const MEMORY_AT: usize = 832;
    const CODE: usize = 1344;

    fn emulator() -> &'static [&'static str] {
        if cfg!(target_arch = "aarch64") {
            &[]
        } else {
            &["qemu-aarch64", "-cpu", "max"]
        }
    }

    fn flags_of_compiler() -> &'static [&'static str] {
        &[]
    }

    fn is_beyond(_: &Instruction) -> bool {
        false
    }

    fn instructions(code: &[u8]) -> Vec<Vec<u8>> {
        let decoded = Self::decode(code).expect("it is decoded").instructions;
        let away = u32::try_from(AWAY / 4).expect("near");
        let mut all = Vec::new();
        for (i, bytes) in decoded.iter().zip(code.chunks_exact(4)) {
            let mut word = u32::from_le_bytes(bytes.try_into().expect("4 bytes"));
            // The distance in words stands in so many bits from one on.
            let place = match i.decoded.opcode {
                Opcode::RET => continue,
                Opcode::B => Some((26, 0)),
                Opcode::Bcc(_) | Opcode::CBZ => Some((19, 5)),
                Opcode::TBZ | Opcode::TBNZ => Some((14, 5)),
                _ => None,
            };
            if let Some((bits, from)) = place {
                let all = (1 << bits) - 1;
                word = word & !(all << from) | away << from;
            }
            all.push(word.to_le_bytes().to_vec());
        }
        all
    }

    fn form(i: &Instruction) -> String {
        let name = i.to_string();
        let name = name.split(' ').next().unwrap_or_default();
        let operands = i.decoded.operands.iter().map(|operand| {
            let text = format!("{operand:?}");
            match operand {
                Operand::Nothing => String::new(),
                Operand::SIMDRegisterElements(size, _, element) => format!(" {size:?}/{element:?}"),
                Operand::SIMDRegister(size, _) => format!(" {size:?}"),
                Operand::Register(size, _) => format!(" {size:?}"),
                Operand::RegShift(style, bits, size, _) if *bits > 0 => {
                    format!(" {size:?} {style:?}")
                }
                Operand::RegShift(_, _, size, _) => format!(" {size:?}"),
                Operand::RegPreIndex(_, _, back) => {
                    format!(" place{}", if *back { "!" } else { "" })
                }
                _ => format!(" {}", text.split('(').next().unwrap_or_default()),
            }
        });
        name.to_owned() + &operands.collect::<String>()
    }

    fn random(i: &Instruction, world: &mut World) -> Self {
        let mut cpu = Self {
            general: core::array::from_fn(|_| world.bytes()),
            stack_pointer: BASE + Self::MEMORY_AT as u64 + 128 + 16 * world.dice.below(4),
            vector: core::array::from_fn(|_| world.bytes()),
            carry: Some(world.flags[0]),
            zero: Some(world.flags[1]),
        };
        let memory = BASE + Self::MEMORY_AT as u64 + 128 + world.dice.below(64);
        for operand in i.decoded.operands {
            let (base, address) = match operand {
                Operand::RegPreIndex(base, offset, _) => {
                    (base, memory.wrapping_add_signed(-i64::from(offset)))
                }
                Operand::RegPostIndex(base, _) => (base, memory),
                Operand::RegRegOffset(base, index, ..) => {
                    let by = world.dice.below(64);
                    cpu.general[usize::from(index)] = spell(by);
                    (base, memory - by)
                }
                _ => continue,
            };
            if base < 31 {
                cpu.general[usize::from(base)] = spell(address);
            }
        }
        cpu
    }

    fn execute(&mut self, i: &Instruction, world: &mut World) -> Result<Next, Refusal> {
        self.step(i, &mut world.terms, &mut world.memory)
    }

    fn record(&self, record: &mut [u8], values: &Values) {
        for (n, register) in self.general.iter().enumerate() {
            put(record, GENERAL + 8 * n, register, values);
        }
        put(record, STACK_POINTER, &spell(self.stack_pointer), values);
        for (n, register) in self.vector.iter().enumerate() {
            put(record, VECTORS + 16 * n, register, values);
        }
    }

    fn flags(&self) -> (u64, u64) {
        flags([(self.carry, CARRY), (self.zero, ZERO)])
    }
}
