//! The state of an x86_64 processor as a record.

use iced_x86::{Code, Instruction, Mnemonic, OpKind, Register};
use proof::{
    machine::Machine as _,
    memory::Refusal,
    program::{Arch, Next},
    term::spell,
    terms::Values,
    x86::X86,
};

use super::{AWAY, BASE, Probe, World, flags, put};

const GENERAL: usize = 0;
const MASKS: usize = 192;
const VECTORS: usize = 256;
const CARRY: u64 = 1;
const ZERO: u64 = 1 << 6;
const RSP: usize = 4;

/// All of AVX-512 that the kernels use.
fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::is_x86_feature_detected!("avx512bw") && std::is_x86_feature_detected!("avx512vl");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

impl Probe for X86 {
    const ARCH: Arch = Arch::X86;
    const RECORD: usize = 2880;
    const FLAGS: usize = 128;
    const TAKEN: usize = 136;
    const LENGTH: usize = 144;
    const MEMORY_AT: usize = 2304;
    const CODE: usize = 2816;

    fn emulator() -> &'static [&'static str] {
        &[]
    }

    fn flags_of_compiler() -> &'static [&'static str] {
        if has_avx512() { &["-DAVX512"] } else { &[] }
    }

    fn is_beyond(i: &Instruction) -> bool {
        let evex =
            i.code().encoding() == iced_x86::EncodingKind::EVEX || i.mnemonic() == Mnemonic::Kmovd;
        evex && !has_avx512()
    }

    fn instructions(code: &[u8]) -> Vec<Vec<u8>> {
        let decoded = Self::decode(code).expect("it is decoded").instructions;
        let mut all = Vec::new();
        for i in decoded.iter().filter(|i| i.code() != Code::Retnq) {
            let start = usize::try_from(i.ip()).expect("an offset");
            let mut bytes = code[start..start + i.len()].to_vec();
            if i.op_count() > 0 && i.op_kind(0) == OpKind::NearBranch64 {
                let distance =
                    i32::try_from(AWAY).expect("near") - i32::try_from(i.len()).expect("short");
                let (len, distance) = (bytes.len(), distance.to_le_bytes());
                let width = if len == 2 { 1 } else { 4 };
                bytes[len - width..].copy_from_slice(&distance[..width]);
            }
            all.push(bytes);
        }
        all
    }

    fn form(i: &Instruction) -> String {
        let name = format!("{:?}", i.mnemonic()).to_lowercase();
        let mut form = format!("{name} {:?}", i.code());
        if i.op_mask() != Register::None {
            form += " with a mask";
        }
        if i.is_broadcast() {
            form += " spread";
        }
        form
    }

    fn random(i: &Instruction, world: &mut World) -> Self {
        let mut cpu = Self {
            general: core::array::from_fn(|_| world.bytes()),
            vector: core::array::from_fn(|_| world.bytes()),
            mask: core::array::from_fn(|_| Some(world.dice.roll())),
            carry: Some(world.flags[0]),
            zero: Some(world.flags[1]),
            dirty: false,
        };
        if !has_avx512() {
            cpu.mask = [Some(0); 8];
            let zero = [proof::term::Byte::ZERO; 64];
            cpu.vector[16..].fill(zero);
            for register in &mut cpu.vector[..16] {
                register[32..].copy_from_slice(&zero[32..]);
            }
        }
        let memory = BASE + Self::MEMORY_AT as u64 + 128 + world.dice.below(64);
        cpu.general[RSP] = spell(memory);
        if !matches!(i.mnemonic(), Mnemonic::Lea | Mnemonic::Nop)
            && i.memory_base() != Register::None
        {
            let mut base = memory.wrapping_sub(i.memory_displacement64());
            if i.memory_index() != Register::None {
                let index = world.dice.below(4);
                cpu.general[i.memory_index().number()] = spell(index);
                base = base.wrapping_sub(index * u64::from(i.memory_index_scale()));
            }
            cpu.general[i.memory_base().number()] = spell(base);
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
        for (n, register) in self.vector.iter().enumerate() {
            put(record, VECTORS + 64 * n, register, values);
        }
        for (n, mask) in self.mask.iter().enumerate() {
            put(record, MASKS + 8 * n, &spell(mask.unwrap_or(0)), values);
        }
    }

    fn flags(&self) -> (u64, u64) {
        flags([(self.carry, CARRY), (self.zero, ZERO)])
    }
}
