//! CBC sessions in any pieces, by every call, with resets and with calls that fail in between: against one
//! call, and against RustCrypto's `cbc` over the portable cipher.

#![no_main]

use arbitrary::Arbitrary;
use fasttea::{
    Error,
    cbc::{CbcCipher, Decryptor, Encryptor},
    cipher::{
        Array, Block, BlockModeDecrypt, BlockModeEncrypt, BlockSizeUser, InOutBuf, InnerIvInit,
        IvState,
    },
};
use fasttea_fuzz::{Build, Cipher, Numbers, Options, Visit, backends, planted};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input {
    cipher: Cipher,
    options: Options,
    seed: u64,
    steps: Vec<Step>,
}

/// A call, of so many blocks.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Step {
    Slice(u8),
    Blocks(u8),
    Single,
    Between(u8),
    InOut(u8),
    /// A new session where the last one was.
    Resume,
    Reset(u8),
    /// Calls that fail.
    PartOfBlock(u8),
    Unequal(u8),
    WrongIv(u8),
}

impl Step {
    fn blocks(self) -> usize {
        match self {
            Self::Slice(n) | Self::Blocks(n) | Self::Between(n) | Self::InOut(n) => n.into(),
            Self::Single => 1,
            _ => 0,
        }
    }
}

/// The most blocks of one input.
const MOST: usize = 1000;

fuzz_target!(|input: Input| {
    let mut total = 0;
    let fit = |step: &&Step| {
        total += step.blocks();
        total <= MOST
    };
    let steps: Vec<_> = input.steps.iter().take_while(fit).copied().collect();
    input.cipher.visit(Run {
        steps: &steps,
        seed: input.seed,
        options: input.options,
    });
});

struct Run<'a> {
    steps: &'a [Step],
    seed: u64,
    options: Options,
}

impl Visit for Run<'_> {
    fn visit<C: Build>(self) {
        let mut numbers = Numbers::new(self.seed);
        let key = numbers.array();
        let text = numbers
            .bytes(C::block_size() * self.steps.iter().map(|step| step.blocks()).sum::<usize>());
        let segments = segments(self.steps, C::block_size());

        let mut message = text.clone();
        let mut again = text.clone();
        let portable = fasttea::backend::by_name("portable").expect("always there");
        let cipher = C::build(&key, self.options, portable);
        let mut start = 0;
        for (reset, len) in &segments {
            let bytes = start..start + len;
            let iv = iv::<C>(*reset);
            cbc::Encryptor::inner_iv_init(cipher.clone(), &iv)
                .encrypt_blocks(whole::<C>(&mut message[bytes.clone()]));
            again[bytes.clone()].copy_from_slice(&message[bytes.clone()]);
            cbc::Decryptor::inner_iv_init(cipher.clone(), &iv)
                .decrypt_blocks(whole::<C>(&mut again[bytes]));
            start += len;
        }
        assert_eq!(again, text, "RustCrypto's own round trip");

        for backend in backends() {
            let cipher = C::build(&key, self.options, backend);
            self.check::<C, Encryptor<C>>(&cipher, &segments, &text, &message);
            self.check::<C, Decryptor<C>>(&cipher, &segments, &message, &text);
        }
    }
}

impl Run<'_> {
    fn check<C: Build, S: Session<C>>(
        &self,
        cipher: &C,
        segments: &[(u8, usize)],
        before: &[u8],
        after: &[u8],
    ) {
        // One call.
        let mut bytes = before.to_vec();
        let mut rest = &mut bytes[..];
        for (reset, len) in segments {
            let (now, later) = rest.split_at_mut(*len);
            let mut session = S::inner_iv_init(cipher.clone(), &iv::<C>(*reset));
            assert_eq!(session.slice(now), Ok(()));
            rest = later;
        }
        planted("one_call", &mut bytes);
        assert_eq!(bytes, after, "one call");

        // The steps.
        bytes.copy_from_slice(before);
        let mut rest = &mut bytes[..];
        let mut session = S::inner_iv_init(cipher.clone(), &iv::<C>(0));
        for step in self.steps {
            let (now, later) = rest.split_at_mut(C::block_size() * step.blocks());
            step.run(&mut session, cipher, now);
            rest = later;
        }
        planted("steps", &mut bytes);
        assert_eq!(bytes, after, "the steps");
    }
}

impl Step {
    fn run<C: Build, S: Session<C>>(self, session: &mut S, cipher: &C, bytes: &mut [u8]) {
        let size = C::block_size();
        match self {
            Self::Slice(_) => assert_eq!(session.slice(bytes), Ok(())),
            Self::Blocks(_) => session.blocks(whole::<C>(bytes)),
            Self::Single => session.single(&mut whole::<C>(bytes)[0]),
            Self::Between(_) => {
                let source = bytes.to_vec();
                let source = Block::<C>::slice_as_chunks(&source).0;
                assert!(session.between(source, whole::<C>(bytes)));
            }
            Self::InOut(_) => {
                let source = bytes.to_vec();
                let source = Block::<C>::slice_as_chunks(&source).0;
                let blocks = InOutBuf::new(source, whole::<C>(bytes)).expect("of one length");
                session.inout(blocks);
            }
            Self::Resume => {
                let value = session.iv_state();
                *session = S::inner_iv_init(cipher.clone(), &value);
            }
            Self::Reset(reset) => assert_eq!(session.start(&iv::<C>(reset)), Ok(())),
            Self::PartOfBlock(len) => {
                let len = usize::from(len) / size * size + 1 + usize::from(len) % (size - 1);
                let mut bytes = vec![0xee; len];
                let error = Error::NotBlockMultiple { block: size, len };
                assert_eq!(session.slice(&mut bytes), Err(error));
                assert_eq!(bytes, vec![0xee; len]);
            }
            Self::Unequal(len) => {
                let source = vec![Array::default(); len.into()];
                let mut target = vec![Array::default(); usize::from(len) ^ 1];
                assert!(!session.between(&source, &mut target));
                assert!(target.iter().all(|block| *block == Array::default()));
            }
            Self::WrongIv(len) => {
                let len = usize::from(len);
                if len != size {
                    let error = Error::IvLength { needed: size, len };
                    assert_eq!(session.start(&vec![0; len]), Err(error));
                }
            }
        }
    }
}

/// What lies between resets: the number that makes the IV, and the length.
fn segments(steps: &[Step], size: usize) -> Vec<(u8, usize)> {
    let mut all = Vec::new();
    let mut segment = (0, 0);
    for step in steps {
        if let Step::Reset(reset) = step {
            all.push(segment);
            segment = (*reset, 0);
        }
        segment.1 += size * step.blocks();
    }
    all.push(segment);
    all
}

fn iv<C: BlockSizeUser>(number: u8) -> Block<C> {
    let bytes = Numbers::new(number.into()).bytes(C::block_size());
    Block::<C>::try_from(&bytes[..]).expect("one block")
}

fn whole<C: BlockSizeUser>(bytes: &mut [u8]) -> &mut [Block<C>] {
    let (blocks, rest) = Block::<C>::slice_as_chunks_mut(bytes);
    assert!(rest.is_empty());
    blocks
}

/// Both directions by the same names.
trait Session<C: CbcCipher>:
    InnerIvInit<Inner = C>
    + IvState
    + BlockSizeUser<BlockSize = C::BlockSize>
    + fasttea::cipher::IvSizeUser<IvSize = C::BlockSize>
{
    fn slice(&mut self, bytes: &mut [u8]) -> Result<(), Error>;
    fn blocks(&mut self, blocks: &mut [Block<C>]);
    fn single(&mut self, block: &mut Block<C>);
    fn between(&mut self, source: &[Block<C>], target: &mut [Block<C>]) -> bool;
    fn inout(&mut self, blocks: InOutBuf<'_, '_, Block<C>>);
    fn start(&mut self, iv: &[u8]) -> Result<(), Error>;
}

macro_rules! session {
    ($Session:ident: $slice:ident $blocks:ident $single:ident $between:ident $inout:ident) => {
        impl<C: CbcCipher> Session<C> for $Session<C> {
            fn slice(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
                self.$slice(bytes)
            }
            fn blocks(&mut self, blocks: &mut [Block<C>]) {
                self.$blocks(blocks);
            }
            fn single(&mut self, block: &mut Block<C>) {
                self.$single(block);
            }
            fn between(&mut self, source: &[Block<C>], target: &mut [Block<C>]) -> bool {
                self.$between(source, target).is_ok()
            }
            fn inout(&mut self, blocks: InOutBuf<'_, '_, Block<C>>) {
                self.$inout(blocks);
            }
            fn start(&mut self, iv: &[u8]) -> Result<(), Error> {
                self.reset(iv)
            }
        }
    };
}
session! { Encryptor: encrypt_slice encrypt_blocks encrypt_block encrypt_blocks_b2b encrypt_blocks_inout }
session! { Decryptor: decrypt_slice decrypt_blocks decrypt_block decrypt_blocks_b2b decrypt_blocks_inout }
