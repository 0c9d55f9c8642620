//! Blocks of bytes, to be read at one place and written at the same or another.

use cipher::{Array, InOut, InOutBuf, array::ArraySize, consts::U8};

use crate::error::Error;

/// A block of eight bytes.
pub(crate) type Block = Array<u8, U8>;

/// Any number of them.
pub(crate) type Blocks<'inp, 'out> = InOutBuf<'inp, 'out, Block>;

/// One block as a buffer of blocks.
#[inline]
pub(crate) fn single<'inp, 'out, N: ArraySize>(
    block: InOut<'inp, 'out, Array<u8, N>>,
) -> InOutBuf<'inp, 'out, Array<u8, N>> {
    block.into_buf().into_chunks().0
}

/// The blocks of a slice, which has nothing else.
#[inline]
pub(crate) fn whole_blocks<N: ArraySize>(
    bytes: &mut [u8],
) -> Result<InOutBuf<'_, '_, Array<u8, N>>, Error> {
    let len = bytes.len();
    match Array::slice_as_chunks_mut(bytes) {
        (blocks, []) => Ok(blocks.into()),
        _ => Err(Error::NotBlockMultiple {
            block: N::USIZE,
            len,
        }),
    }
}
