//! Lists of every layout, as the slots of each row.

use std::ops::Range;

use bytemuck::Pod;

use crate::arrow::buffer::Buffer;
use crate::arrow::error::Fault;
use crate::arrow::node::{Node, Result};
use crate::arrow::text::read_offsets;
use crate::memory::{try_push, try_reserve};

/// Lists: the slots of each row in a child, which is cut to the part that the lists cover.
#[derive(Debug)]
pub(super) struct Lists<'a> {
    pub child: Node<'a>,
    rows: Rows<'a>,
}

#[derive(Debug)]
enum Rows<'a> {
    /// Every row begins where the one before ends: 64-bit offsets into the child.
    Offsets(Buffer<'a, i64>),
    /// A row may begin anywhere, and slots may belong to no row.
    Spans(Vec<(usize, usize)>),
}

/// What a list column takes, for messages.
pub(super) const LIST: &str = "a list: list, large_list, list_view, large_list_view, or fixed-size";

/// Whether a type is a list.
pub(super) fn is_list(format: &str) -> bool {
    matches!(format, "+l" | "+L" | "+vl" | "+vL") || format.starts_with("+w:")
}

impl<'a> Lists<'a> {
    /// The lists of a node. A null list has no slots, whatever it covers.
    pub fn read(node: &Node<'a>) -> Result<Self> {
        match node.format {
            "+l" | "+m" => Self::by_offsets::<i32>(node),
            "+L" => Self::by_offsets::<i64>(node),
            "+vl" => Self::by_views::<i32>(node),
            "+vL" => Self::by_views::<i64>(node),
            format => match format.strip_prefix("+w:").map(str::parse::<usize>) {
                Some(Ok(width)) => Self::of_width(node, width),
                _ => Err(node.wrong_type(LIST)),
            },
        }
    }

    fn by_offsets<T: Pod + Default + Into<i64>>(node: &Node<'a>) -> Result<Self> {
        node.expect(2, 1)?;
        let offsets = read_offsets::<T>(node)?;
        let at = |index: usize| -> i64 { offsets[index].into() };
        let refuse = |row, value: i64, rule| node.fault(Some(row), Fault::OutOfRange { value: value.into(), rule });
        if at(0) < 0 {
            return Err(refuse(0, at(0), "an offset must not be negative"));
        }
        let is_present = node.presence();
        let mut hides_slots = false;
        for row in 0..node.len {
            if at(row) > at(row + 1) {
                return Err(refuse(row, at(row + 1), "offsets must never go down"));
            }
            hides_slots |= at(row) < at(row + 1) && !is_present(row);
        }
        let (first, last) = (at(0) as usize, at(node.len) as usize);
        let child = node.child_at(0, first, last - first)?;
        if hides_slots {
            return Self::spans(node, child, |row| (at(row) as usize - first, (at(row + 1) - at(row)) as usize));
        }
        let mut own = Vec::new();
        try_reserve(&mut own, node.len + 1)?;
        own.extend((0..=node.len).map(|row| at(row) - at(0)));
        Ok(Self { child, rows: Rows::Offsets(Buffer::Own(own)) })
    }

    fn by_views<T: Pod + Into<i64>>(node: &Node<'a>) -> Result<Self> {
        node.expect(3, 1)?;
        let (offsets, sizes) = (node.values::<T>(1)?, node.values::<T>(2)?);
        let len = node.whole_child(0)?.len;
        let is_present = node.presence();
        // The part of the child that the lists cover: a part of a table must not read the whole child.
        let (mut first, mut end) = (len, 0);
        for row in (0..node.len).filter(|&row| is_present(row)) {
            let (start, size): (i64, i64) = (offsets[row].into(), sizes[row].into());
            if start < 0 || size < 0 || i128::from(start) + i128::from(size) > len as i128 {
                let value = if size < 0 { size } else { start };
                let rule = "a list must lie inside its child";
                return Err(node.fault(Some(row), Fault::OutOfRange { value: value.into(), rule }));
            }
            if size > 0 {
                (first, end) = (first.min(start as usize), end.max((start + size) as usize));
            }
        }
        let first = first.min(end);
        let child = node.child_at(0, first, end - first)?;
        Self::spans(node, child, |row| {
            let (start, size): (i64, i64) = (offsets[row].into(), sizes[row].into());
            // An empty list may begin outside the part.
            if size > 0 { (start as usize - first, size as usize) } else { (0, 0) }
        })
    }

    fn of_width(node: &Node<'a>, width: usize) -> Result<Self> {
        node.expect(1, 1)?;
        let slots = |rows: usize| {
            rows.checked_mul(width)
                .filter(|&slots| slots < isize::MAX as usize / 32)
                .ok_or_else(|| node.fault(None, Fault::Malformed("the length of the lists overflows")))
        };
        let child = node.child_at(0, slots(node.offset)?, slots(node.len)?)?;
        Self::spans(node, child, |row| (row * width, width))
    }

    /// Lists whose first slot and length `span` gives. A null list is empty, and `span` is not asked for it.
    fn spans(node: &Node<'a>, child: Node<'a>, span: impl Fn(usize) -> (usize, usize)) -> Result<Self> {
        let is_present = node.presence();
        let mut spans = Vec::new();
        try_reserve(&mut spans, node.len)?;
        spans.extend((0..node.len).map(|row| if is_present(row) { span(row) } else { (0, 0) }));
        Ok(Self { child, rows: Rows::Spans(spans) })
    }

    /// How many lists there are.
    pub fn len(&self) -> usize {
        match &self.rows {
            Rows::Offsets(offsets) => offsets.len() - 1,
            Rows::Spans(spans) => spans.len(),
        }
    }

    /// The slots of a row in the child.
    pub fn slots(&self, row: usize) -> Range<usize> {
        match &self.rows {
            Rows::Offsets(offsets) => offsets[row] as usize..offsets[row + 1] as usize,
            Rows::Spans(spans) => spans[row].0..spans[row].0 + spans[row].1,
        }
    }

    /// The offsets into the child, where every slot belongs to the row after the one before it.
    pub fn offsets(&self) -> Option<&[i64]> {
        match &self.rows {
            Rows::Offsets(offsets) => Some(offsets),
            Rows::Spans(_) => None,
        }
    }

    /// The row that has a slot of the child.
    pub fn row_of(&self, slot: usize) -> Option<usize> {
        match &self.rows {
            Rows::Offsets(offsets) => {
                let row = offsets.partition_point(|&first| first as usize <= slot).checked_sub(1)?;
                (row < self.len()).then_some(row)
            }
            Rows::Spans(_) => (0..self.len()).find(|&row| self.slots(row).contains(&slot)),
        }
    }

    /// Puts slots together row by row: the offsets of the rows, and the slots of the child that `wanted` lets through.
    pub fn gather(&self, mut wanted: impl FnMut(usize, usize) -> Result<bool>) -> Result<(Vec<i64>, Vec<u32>)> {
        let (mut offsets, mut gathered) = (Vec::new(), Vec::new());
        try_reserve(&mut offsets, self.len() + 1)?;
        offsets.push(0);
        for row in 0..self.len() {
            for slot in self.slots(row) {
                if wanted(row, slot)? {
                    let number = u32::try_from(slot).map_err(|_| {
                        self.child.fault(Some(row), Fault::Malformed("a list has more than 2^32 values"))
                    })?;
                    try_push(&mut gathered, number)?;
                }
            }
            offsets.push(gathered.len() as i64);
        }
        Ok((offsets, gathered))
    }
}
