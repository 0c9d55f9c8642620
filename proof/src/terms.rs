//! Numbers modulo 2^32 as terms over symbols, each in a normal form and stored once: two terms with the same
//! index are equal whatever the symbols stand for. README.md has the rules and why they are sound.

use core::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::term::{Byte, Term, four, known, spell};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `constant`.
    Number,
    /// The symbol with the number `constant`.
    Symbol,
    /// `constant` plus the products of coefficient and atom, by rising atoms. No coefficient is 0, no atom is a
    /// number or a sum, and one atom alone is not a sum.
    Sum,
    /// `constant` xor terms, by rising terms. None is a number or an xor, and one alone is not an xor.
    Xor,
    /// A term shifted to the right by `constant` bits, 1 to 31.
    Shift,
    /// Four bytes that are not those of one term, nor all known.
    Bytes,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    kind: Kind,
    constant: u32,
    first: u32,
    len: u32,
}

/// All terms of a run.
#[derive(Debug)]
pub struct Terms {
    nodes: Vec<Node>,
    /// The (coefficient, atom) of sums, (0, term) of xors and shifts, (0, byte) of bytes.
    parts: Vec<(u32, u32)>,
    index: HashTable<u32>,
    scratch: Vec<(u32, u32)>,
}

impl Default for Terms {
    fn default() -> Self {
        let mut terms = Self {
            nodes: Vec::new(),
            parts: Vec::new(),
            index: HashTable::new(),
            scratch: Vec::new(),
        };
        terms.clear();
        terms
    }
}

fn hash(kind: Kind, constant: u32, parts: &[(u32, u32)]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u32(constant << 3 ^ kind as u32);
    for &(factor, of) in parts {
        hasher.write_u64(u64::from(factor) << 32 | u64::from(of));
    }
    hasher.finish()
}

impl Terms {
    /// Forgets all terms.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.parts.clear();
        self.index.clear();
        for number in 0..=255 {
            self.number(number);
        }
    }

    fn intern(&mut self, kind: Kind, constant: u32, parts: &[(u32, u32)]) -> Term {
        let Self {
            nodes,
            parts: pool,
            index,
            ..
        } = self;
        let of = |node: &Node| node.first as usize..(node.first + node.len) as usize;
        let hash_of = hash(kind, constant, parts);
        let same = |&at: &u32| {
            let node = &nodes[at as usize];
            node.kind == kind && node.constant == constant && pool[of(node)] == *parts
        };
        if let Some(&at) = index.find(hash_of, same) {
            return Term(at);
        }
        let narrow = |n: usize| u32::try_from(n).expect("fewer than 2^30 terms");
        let at = narrow(nodes.len());
        assert!(at < 1 << 30);
        nodes.push(Node {
            kind,
            constant,
            first: narrow(pool.len()),
            len: narrow(parts.len()),
        });
        pool.extend_from_slice(parts);
        index.insert_unique(hash_of, at, |&at| {
            let node = &nodes[at as usize];
            hash(node.kind, node.constant, &pool[of(node)])
        });
        Term(at)
    }

    fn node(&self, term: Term) -> Node {
        self.nodes[term.0 as usize]
    }

    fn parts(&self, node: Node) -> &[(u32, u32)] {
        &self.parts[node.first as usize..(node.first + node.len) as usize]
    }

    /// A number.
    pub fn number(&mut self, value: u32) -> Term {
        self.intern(Kind::Number, value, &[])
    }

    /// A symbol, by its number.
    pub fn symbol(&mut self, number: u32) -> Term {
        self.intern(Kind::Symbol, number, &[])
    }

    /// The value of a term that is a number.
    #[must_use]
    pub fn value(&self, term: Term) -> Option<u32> {
        let node = self.node(term);
        (node.kind == Kind::Number).then_some(node.constant)
    }

    /// The number of the symbol that a byte is a part of.
    #[must_use]
    pub fn symbol_of(&self, byte: Byte) -> Option<u32> {
        let node = self.node(byte.term());
        (node.kind == Kind::Symbol).then_some(node.constant)
    }

    /// `f·a + g·b`.
    fn combine(&mut self, f: u32, a: Term, g: u32, b: Term) -> Term {
        let mut out = core::mem::take(&mut self.scratch);
        out.clear();
        let (node_a, node_b) = (self.node(a), self.node(b));
        let (own_a, own_b) = ([(1, a.0)], [(1, b.0)]);
        let (mut constant, xs) = self.linear(node_a, &own_a);
        let (constant_b, ys) = self.linear(node_b, &own_b);
        constant = constant
            .wrapping_mul(f)
            .wrapping_add(constant_b.wrapping_mul(g));
        let (mut i, mut j) = (0, 0);
        while i < xs.len() || j < ys.len() {
            let x = xs.get(i).map_or(u32::MAX, |part| part.1);
            let y = ys.get(j).map_or(u32::MAX, |part| part.1);
            let mut factor = 0u32;
            if x <= y {
                factor = xs[i].0.wrapping_mul(f);
                i += 1;
            }
            if y <= x {
                factor = factor.wrapping_add(ys[j].0.wrapping_mul(g));
                j += 1;
            }
            if factor != 0 {
                out.push((factor, x.min(y)));
            }
        }
        let term = match out[..] {
            [] => self.number(constant),
            [(1, atom)] if constant == 0 => Term(atom),
            _ => self.intern(Kind::Sum, constant, &out),
        };
        self.scratch = out;
        term
    }

    /// A term as a constant and products.
    fn linear<'a>(&'a self, node: Node, own: &'a [(u32, u32)]) -> (u32, &'a [(u32, u32)]) {
        match node.kind {
            Kind::Number => (node.constant, &[]),
            Kind::Sum => (node.constant, self.parts(node)),
            _ => (0, own),
        }
    }

    /// `a + b`.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        self.combine(1, a, 1, b)
    }

    /// `a - b`.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        self.combine(1, a, u32::MAX, b)
    }

    /// `a · factor`.
    pub fn scale(&mut self, a: Term, factor: u32) -> Term {
        self.combine(factor, a, 0, Term(0))
    }

    /// `a << bits`, which is 0 for 32 and more.
    pub fn left(&mut self, a: Term, bits: u32) -> Term {
        self.scale(a, 1u32.checked_shl(bits).unwrap_or(0))
    }

    /// `a >> bits`, which is 0 for 32 and more.
    pub fn right(&mut self, a: Term, bits: u32) -> Term {
        match (bits, self.value(a)) {
            (0, _) => a,
            (32.., _) => self.number(0),
            (_, Some(value)) => self.number(value >> bits),
            _ => self.intern(Kind::Shift, bits, &[(0, a.0)]),
        }
    }

    /// `a ^ b`.
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        let mut out = core::mem::take(&mut self.scratch);
        out.clear();
        let (node_a, node_b) = (self.node(a), self.node(b));
        let (own_a, own_b) = ([(0, a.0)], [(0, b.0)]);
        let (mut constant, xs) = self.set(node_a, &own_a);
        let (constant_b, ys) = self.set(node_b, &own_b);
        constant ^= constant_b;
        let (mut i, mut j) = (0, 0);
        while i < xs.len() || j < ys.len() {
            let x = xs.get(i).map_or(u32::MAX, |part| part.1);
            let y = ys.get(j).map_or(u32::MAX, |part| part.1);
            if x != y {
                out.push((0, x.min(y)));
            }
            i += usize::from(x <= y);
            j += usize::from(y <= x);
        }
        let term = match out[..] {
            [] => self.number(constant),
            [(_, one)] if constant == 0 => Term(one),
            _ => self.intern(Kind::Xor, constant, &out),
        };
        self.scratch = out;
        term
    }

    /// A term as a constant and a set to be xored.
    fn set<'a>(&'a self, node: Node, own: &'a [(u32, u32)]) -> (u32, &'a [(u32, u32)]) {
        match node.kind {
            Kind::Number => (node.constant, &[]),
            Kind::Xor => (node.constant, self.parts(node)),
            _ => (0, own),
        }
    }

    /// The bytes of a term, the lowest first.
    #[must_use]
    pub fn bytes(&self, term: Term) -> [Byte; 4] {
        let node = self.node(term);
        match node.kind {
            Kind::Number => node.constant.to_le_bytes().map(Byte::known),
            Kind::Bytes => {
                let parts = self.parts(node);
                [0, 1, 2, 3].map(|place: usize| Byte(parts[place].1))
            }
            _ => [0, 1, 2, 3].map(|place| Byte(term.0 << 2 | place)),
        }
    }

    /// The bytes of words that follow each other.
    pub fn spell(&self, words: impl IntoIterator<Item = Term>) -> Vec<Byte> {
        words
            .into_iter()
            .flat_map(|word| self.bytes(word))
            .collect()
    }

    /// The term of four bytes, the lowest first.
    pub fn word(&mut self, bytes: [Byte; 4]) -> Term {
        let [a, b, c, d] = bytes;
        // Never so for known bytes, which are all at place 0.
        if a.place() == 0 && (b.0, c.0, d.0) == (a.0 + 1, a.0 + 2, a.0 + 3) {
            return a.term();
        }
        match bytes.map(Byte::value) {
            [Some(a), Some(b), Some(c), Some(d)] => self.number(u32::from_le_bytes([a, b, c, d])),
            _ => self.intern(Kind::Bytes, 0, &bytes.map(|byte| (0, byte.0))),
        }
    }

    /// An operation on each pair of words of the first `size` bytes; the others are 0.
    pub fn each_word<const N: usize>(
        &mut self,
        a: &[Byte; N],
        b: &[Byte; N],
        size: usize,
        mut f: impl FnMut(&mut Self, Term, Term) -> Term,
    ) -> [Byte; N] {
        let mut out = [Byte::ZERO; N];
        for (n, out) in out[..size].chunks_exact_mut(4).enumerate() {
            let (x, y) = (self.word(four(a, n)), self.word(four(b, n)));
            let term = f(self, x, y);
            out.copy_from_slice(&self.bytes(term));
        }
        out
    }

    /// A value of 4 or 8 bytes shifted by a number of bits that is smaller: in 4 bytes any, in 8 if it is known or the
    /// shift is by whole bytes.
    pub fn shift(
        &mut self,
        value: [Byte; 8],
        size: usize,
        left: bool,
        bits: u32,
    ) -> Option<[Byte; 8]> {
        let mut out = [Byte::ZERO; 8];
        let bytes = bits as usize / 8;
        match known(&value[..size]) {
            Some(number) => {
                let shifted = if left { number << bits } else { number >> bits };
                out[..size].copy_from_slice(&spell(shifted)[..size]);
            }
            None if size == 4 => {
                let term = self.word(four(&value, 0));
                let term = if left {
                    self.left(term, bits)
                } else {
                    self.right(term, bits)
                };
                out[..4].copy_from_slice(&self.bytes(term));
            }
            None if bits % 8 == 0 && left => out[bytes..].copy_from_slice(&value[..8 - bytes]),
            None if bits % 8 == 0 => out[..8 - bytes].copy_from_slice(&value[bytes..]),
            None => return None,
        }
        Some(out)
    }

    /// The values of all terms where the symbols have these values. A term's parts come before it.
    #[must_use]
    pub fn evaluate(&self, symbol: impl Fn(u32) -> u32) -> Values {
        let mut values: Vec<u32> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let parts = self.parts(*node).iter().copied();
            let of = |term: u32| values[term as usize];
            let start = node.constant;
            values.push(match node.kind {
                Kind::Number => start,
                Kind::Symbol => symbol(start),
                Kind::Sum => parts.fold(start, |sum, (factor, atom)| {
                    sum.wrapping_add(factor.wrapping_mul(of(atom)))
                }),
                Kind::Xor => parts.fold(start, |all, (_, term)| all ^ of(term)),
                Kind::Shift => parts.fold(0, |_, (_, term)| of(term) >> start),
                Kind::Bytes => parts.rev().fold(0, |word, (_, byte)| {
                    word << 8 | of(byte >> 2) >> (8 * (byte & 3)) & 0xff
                }),
            });
        }
        Values(values)
    }

    /// A term in words, for messages; what lies deep is left out.
    #[must_use]
    pub fn show(&self, term: Term, depth: usize) -> String {
        let node = self.node(term);
        if depth == 0 && !matches!(node.kind, Kind::Number | Kind::Symbol) {
            return "…".to_owned();
        }
        let list = |sign: &str| {
            let parts = self.parts(node).iter().map(|&(factor, of)| {
                let inner = self.show(Term(of), depth - 1);
                if node.kind == Kind::Sum {
                    format!("{factor:#x}·{inner}")
                } else {
                    inner
                }
            });
            format!(
                "({:#x} {sign} {})",
                node.constant,
                parts.collect::<Vec<_>>().join(&format!(" {sign} "))
            )
        };
        match node.kind {
            Kind::Number => format!("{:#x}", node.constant),
            Kind::Symbol => format!("s{:x}", node.constant),
            Kind::Sum => list("+"),
            Kind::Xor => list("^"),
            Kind::Shift => {
                format!(
                    "({} >> {})",
                    self.show(Term(self.parts(node)[0].1), depth - 1),
                    node.constant
                )
            }
            Kind::Bytes => {
                let bytes = self.parts(node).iter().map(|&(_, byte)| {
                    format!("{}[{}]", self.show(Term(byte >> 2), depth - 1), byte & 3)
                });
                format!("({})", bytes.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// What `Terms::evaluate` gives.
#[derive(Debug)]
pub struct Values(Vec<u32>);

impl Values {
    /// The value of a term.
    #[must_use]
    pub fn term(&self, term: Term) -> u32 {
        self.0[term.0 as usize]
    }

    /// The value of a byte.
    #[must_use]
    pub fn byte(&self, byte: Byte) -> u8 {
        self.term(byte.term()).to_le_bytes()[byte.place() as usize]
    }
}
