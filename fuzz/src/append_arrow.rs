//! Hostile Arrow tables: structs over buffers that are as long as lengths and offsets demand, with anything in them.
//!
//! A reader that goes slot by slot, without any cleverness, says what must come of them. What the interface cannot tell, such as a
//! last offset beyond the data, is the producer's promise and is kept here.

use std::ptr;

use arbitrary::{Result, Unstructured};
use cupel::arrow::{ArrowArray, ArrowSchema};
use cupel::capi::{self as c, cupel_arrow_options};

use crate::appending::Subject;
use crate::arrow::{Array, Exported};
use crate::capi::{self, Batch, Metadata};
use crate::values::{self, Row, row};

pub fn run(data: &[u8]) {
    let _ = attempt(&mut Unstructured::new(data));
}

fn attempt(u: &mut Unstructured<'_>) -> Result<()> {
    let mut subject = Subject::new();
    // Several in a row: what the batch has kept from one must not confuse the next.
    for _ in 0..=values::len(u, 2)? {
        let naive = u.arbitrary()?;
        let mut tables = Tables { hostile: u.arbitrary()?, naive, u };
        let hostile = tables.hostile;
        let table = tables.table()?;
        let exported = table.export();
        let mut memory = Vec::new();
        place(u, &table, exported.array, &mut memory)?;
        if hostile && u.ratio(1, 4)? {
            // What comes of a struct that is wrong in itself is not known, but that nothing goes wrong.
            let batch = &mut subject.batch;
            let rows = batch.len();
            let result = with_fault(u, &exported, || append(batch, &exported, naive))?;
            assert!(result.as_ref().map_or_else(|error| error.status, |()| 0) != c::CUPEL_STATUS_PANIC, "{result:?}");
            assert!(result.is_ok() || batch.len() == rows);
            (rows..batch.len()).for_each(|index| drop(row(batch, index)));
            continue;
        }
        let expected = expected(&table, naive);
        subject.append(|batch| append(batch, &exported, naive), expected, || !hostile, || shown(&table));
    }
    Ok(())
}

fn append(batch: &mut Batch, table: &Exported, naive_is_utc: bool) -> capi::Result<()> {
    let options = cupel_arrow_options {
        struct_size: size_of::<cupel_arrow_options>(),
        flags: u64::from(naive_is_utc) * c::CUPEL_ARROW_NAIVE_IS_UTC,
        group: ptr::null(),
        group_len: 0,
    };
    // SAFETY: every buffer is as long as the array demands, and lives until the table is dropped.
    capi::check(|error| unsafe {
        c::cupel_batch_append_arrow(batch.as_mut_ptr(), table.schema, table.array, &options, error)
    })
}

fn shown(array: &Array) -> String {
    let Array { name, format, length, offset, null_count, .. } = array;
    let children: Vec<String> = array.children.iter().chain(array.dictionary.as_deref()).map(shown).collect();
    format!("{name} {format} {length} {offset} {null_count} {:?} [{}]", array.buffers, children.join(", "))
}

/// Moves the buffers of an array to memory of just their length, aligned or not.
fn place(u: &mut Unstructured<'_>, array: &Array, raw: *mut ArrowArray, memory: &mut Vec<Vec<u8>>) -> Result<()> {
    for (index, bytes) in array.buffers.iter().enumerate() {
        let Some(bytes) = bytes else { continue };
        let shift = if u.ratio(1, 8)? { values::len(u, 7)? } else { 0 };
        let mut moved = Vec::with_capacity(shift + bytes.len());
        moved.resize(shift, 0xEE);
        moved.extend_from_slice(bytes);
        // SAFETY: the list has as many addresses as there are buffers.
        unsafe { *(*raw).buffers.add(index) = moved.as_ptr().wrapping_add(shift).cast() };
        memory.push(moved);
    }
    for (index, child) in array.children.iter().enumerate() {
        // SAFETY: the list has as many addresses as there are children.
        place(u, child, unsafe { *(*raw).children.add(index) }, memory)?;
    }
    match &array.dictionary {
        // SAFETY: it is there.
        Some(dictionary) => place(u, dictionary, unsafe { (*raw).dictionary }, memory),
        None => Ok(()),
    }
}

/// Makes one of the structs wrong while `call` runs.
fn with_fault<T>(u: &mut Unstructured<'_>, table: &Exported, call: impl FnOnce() -> T) -> Result<T> {
    let mut structs = vec![(table.schema, table.array)];
    let mut next = 0;
    // SAFETY: the lists have as many addresses as they say, of structs that live as long as the table; what is written is undone
    // before anything is released.
    unsafe {
        while let Some(&(schema, array)) = structs.get(next) {
            for index in 0..(*schema).n_children as usize {
                structs.push((*(*schema).children.add(index), *(*array).children.add(index)));
            }
            if !(*schema).dictionary.is_null() {
                structs.push(((*schema).dictionary, (*array).dictionary));
            }
            next += 1;
        }
        let &(schema, array) = u.choose(&structs)?;
        let (old_schema, old_array): (ArrowSchema, ArrowArray) = (ptr::read(schema), ptr::read(array));
        let buffers: Vec<_> = (0..old_array.n_buffers as usize).map(|index| *old_array.buffers.add(index)).collect();
        let children: Vec<_> = (0..old_array.n_children as usize)
            .map(|index| (*old_schema.children.add(index), *old_array.children.add(index)))
            .collect();
        match u.int_in_range(0..=12_u8)? {
            0 => (*array).length = *u.choose(&[-1, i64::MIN, i64::MAX, 0, old_array.length / 2])?,
            1 => (*array).offset = *u.choose(&[-1, i64::MIN, i64::MAX, 0])?,
            // Fewer than 3 are no views, whose number of buffers is free.
            2 => (*array).n_buffers = *u.choose(&[-1, i64::MIN, 0, 1.min(old_array.n_buffers)])?,
            3 if !buffers.is_empty() => *old_array.buffers.add(u.choose_index(buffers.len())?) = ptr::null(),
            4 => (*array).buffers = ptr::null_mut(),
            5 => (*array).n_children = *u.choose(&[-1, 0])?,
            6 => (*schema).n_children = *u.choose(&[-1, 0])?,
            7 => (*array).children = ptr::null_mut(),
            8 if !children.is_empty() => {
                let index = u.choose_index(children.len())?;
                if u.arbitrary()? {
                    *old_schema.children.add(index) = ptr::null_mut();
                } else {
                    *old_array.children.add(index) = ptr::null_mut();
                }
            }
            9 => (*array).dictionary = ptr::null_mut(),
            10 if u.arbitrary()? => (*schema).release = None,
            10 => (*array).release = None,
            11 => {
                let formats =
                    [ptr::null(), c"z".as_ptr(), c"+r".as_ptr(), c"".as_ptr(), c"\xFF".as_ptr(), c"+w:x".as_ptr()];
                (*schema).format = *u.choose(&formats)?;
            }
            _ => (*schema).name = *u.choose(&[ptr::null(), c"\xFF".as_ptr(), c"content".as_ptr()])?,
        }
        let result = call();
        ptr::write(schema, old_schema);
        ptr::write(array, old_array);
        for (index, buffer) in buffers.into_iter().enumerate() {
            *(*array).buffers.add(index) = buffer;
        }
        for (index, (schema_child, array_child)) in children.into_iter().enumerate() {
            (*(*schema).children.add(index), *(*array).children.add(index)) = (schema_child, array_child);
        }
        Ok(result)
    }
}

/// Makes tables: all of whose values are in order, or not.
struct Tables<'a, 'b> {
    u: &'a mut Unstructured<'b>,
    hostile: bool,
    naive: bool,
}

/// Which slots of an array have a value.
struct Slots {
    offset: usize,
    /// A value for each slot from the beginning of the buffers.
    present: Vec<bool>,
    null_count: i64,
    validity: Option<Vec<u8>>,
}

/// What the texts of a column must be.
#[derive(Clone, Copy, PartialEq)]
enum Wanted {
    Any,
    /// Not blank.
    Name,
}

fn bytes_of<const N: usize, T: Copy>(values: &[T], bytes: fn(T) -> [u8; N]) -> Option<Vec<u8>> {
    Some(values.iter().flat_map(|&value| bytes(value)).collect())
}

impl Tables<'_, '_> {
    fn fault(&mut self) -> Result<bool> {
        Ok(self.hostile && self.u.ratio(1, 12)?)
    }

    fn table(&mut self) -> Result<Array> {
        let (rows, offset) = (values::len(self.u, 8)?, values::len(self.u, 3)?);
        let mut children = Vec::new();
        let all = offset + rows;
        for (name, alias) in [
            ("content", "content"),
            ("tokens", "tokens"),
            ("kind", "kind"),
            ("source", "source"),
            ("priority", "priority"),
            ("original_tokens", "originalTokens"),
            ("timestamp", "timestamp"),
            ("future_relevance_hint", "futureRelevanceHint"),
            ("pinned", "pinned"),
            ("tags", "tags"),
            ("metadata", "metadata"),
            ("unknown", "unknown"),
        ] {
            if !self.u.ratio(1, 3)? {
                continue;
            }
            let name = if self.u.ratio(1, 4)? { alias } else { name };
            let as_if =
                if self.fault()? { *self.u.choose(&["kind", "priority", "pinned", "tags", "metadata"])? } else { name };
            let len = all + values::len(self.u, 2)?;
            let nulls = self.hostile;
            let child = match as_if {
                "content" => self.text(len, Wanted::Name, nulls)?,
                "tokens" => self.integer(len, nulls)?,
                "kind" | "source" => self.text(len, Wanted::Name, true)?,
                "priority" | "original_tokens" | "originalTokens" => self.integer(len, true)?,
                "timestamp" => self.instant(len)?,
                "pinned" => self.boolean(len)?,
                "tags" => self.list(len, |tables, len| tables.text(len, Wanted::Any, nulls))?,
                "metadata" => self.metadata(len)?,
                _ => self.number(len)?,
            };
            children.push(Array { name, ..child });
        }
        if children.iter().all(|child: &Array| child.name == "unknown") {
            children.push(Array { name: "tokens", ..self.integer(all, false)? });
        }
        if self.fault()? {
            let twice = self.u.choose(&children)?.clone();
            children.push(twice);
        }
        let nulls = self.hostile && self.u.ratio(1, 8)?;
        let slots = self.slots_at(offset, rows, nulls)?;
        Ok(array("+s", slots, Vec::new(), children))
    }

    /// The slots of an array of a length.
    fn slots(&mut self, len: usize, nulls: bool) -> Result<Slots> {
        let offset = if self.u.ratio(1, 3)? { values::len(self.u, 9)? } else { 0 };
        self.slots_at(offset, len, nulls)
    }

    fn slots_at(&mut self, offset: usize, len: usize, nulls: bool) -> Result<Slots> {
        let total = offset + len;
        let mut slots = Slots { offset, present: vec![true; total], null_count: 0, validity: None };
        if nulls && self.u.arbitrary()? {
            let mut bytes = vec![0; total.div_ceil(8)];
            for slot in 0..total {
                slots.present[slot] = self.u.ratio(2, 3)?;
                bytes[slot / 8] |= u8::from(slots.present[slot]) << (slot % 8);
            }
            slots.null_count = *self.u.choose(&[-1, -1, 1, 5, 0])?;
            if slots.null_count == 0 {
                // The validity is not looked at.
                slots.present.fill(true);
            }
            slots.validity = Some(bytes);
        } else {
            slots.null_count = *self.u.choose(&[0, -1])?;
        }
        Ok(slots)
    }

    /// A value for each slot: of those without one anything.
    fn each<T: for<'c> arbitrary::Arbitrary<'c>>(
        &mut self,
        slots: &Slots,
        mut value: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut all = Vec::new();
        for &present in &slots.present {
            all.push(if present && !self.fault()? { value(self)? } else { self.u.arbitrary()? });
        }
        Ok(all)
    }

    /// Anything for each slot.
    fn any<T: for<'c> arbitrary::Arbitrary<'c>>(&mut self, slots: &Slots) -> Result<Vec<T>> {
        self.each(slots, |tables| tables.u.arbitrary())
    }

    fn nothing(&mut self, len: usize) -> Result<Array> {
        let offset = values::len(self.u, 3)? as i64;
        Ok(Array { format: "n", length: len as i64, offset, null_count: len as i64, ..Array::default() })
    }

    fn integer(&mut self, len: usize, nulls: bool) -> Result<Array> {
        if nulls && self.u.ratio(1, 16)? {
            return self.nothing(len);
        }
        let format = *self.u.choose(&["c", "C", "s", "S", "i", "I", "l", "L", "g"])?;
        self.integers(format, len, nulls)
    }

    fn integers(&mut self, format: &'static str, len: usize, nulls: bool) -> Result<Array> {
        let slots = self.slots(len, nulls)?;
        let values = match format {
            "c" | "C" => bytes_of(&self.any::<u8>(&slots)?, u8::to_ne_bytes),
            "s" | "S" | "e" => bytes_of(&self.any::<u16>(&slots)?, u16::to_ne_bytes),
            "i" | "I" | "f" => bytes_of(&self.any::<u32>(&slots)?, u32::to_ne_bytes),
            "L" => bytes_of(&self.each(&slots, |tables| Ok(tables.u.arbitrary::<u64>()? >> 1))?, u64::to_ne_bytes),
            "g" => {
                let integral = |tables: &mut Self| {
                    let missing = nulls && tables.u.ratio(1, 8)?;
                    Ok(if missing { f64::NAN } else { tables.u.arbitrary::<i32>()?.into() })
                };
                bytes_of(&self.each(&slots, integral)?, f64::to_ne_bytes)
            }
            _ => bytes_of(&self.each(&slots, |tables| values::integer(tables.u))?, i64::to_ne_bytes),
        };
        Ok(array(format, slots, vec![values], Vec::new()))
    }

    fn number(&mut self, len: usize) -> Result<Array> {
        let slots = self.slots(len, true)?;
        let formats = ["g", "g", "e", "f", "d:5,2", "d:38,-40", "d:9,2,32", "d:18,-3,64", "d:3,1,128", "", "n"];
        let format = *self.u.choose(&formats)?;
        let values = match format {
            "" => return self.integer(len, true),
            "n" => return self.nothing(len),
            "e" => bytes_of(&self.any::<u16>(&slots)?, u16::to_ne_bytes),
            "f" | "d:9,2,32" => bytes_of(&self.any::<u32>(&slots)?, u32::to_ne_bytes),
            "d:18,-3,64" => bytes_of(&self.any::<u64>(&slots)?, u64::to_ne_bytes),
            "g" => bytes_of(&self.each(&slots, |tables| values::double(tables.u))?, f64::to_ne_bytes),
            _ => bytes_of(&self.any::<u128>(&slots)?, u128::to_ne_bytes),
        };
        Ok(array(format, slots, vec![values], Vec::new()))
    }

    fn instant(&mut self, len: usize) -> Result<Array> {
        let zoned = !(self.fault()? || self.naive && self.u.arbitrary()?);
        let (format, most) = *self.u.choose(if zoned {
            &[("tsn:UTC", i64::MAX), ("tsu:Etc/UTC", 1 << 53), ("tsm:+01:00", 1 << 43), ("tss:Z", 1 << 33), ("n", 0)]
        } else {
            &[("tsn:", i64::MAX), ("tsu:", 1 << 53), ("tsm:", 1 << 43), ("tss:", 1 << 33), ("n", 0)]
        })?;
        if format == "n" {
            return self.nothing(len);
        }
        let slots = self.slots(len, true)?;
        let values = self.each(&slots, |tables| tables.u.int_in_range(-most..=most))?;
        Ok(array(format, slots, vec![bytes_of(&values, i64::to_ne_bytes)], Vec::new()))
    }

    fn boolean(&mut self, len: usize) -> Result<Array> {
        if self.u.ratio(1, 16)? {
            return self.nothing(len);
        }
        let slots = self.slots(len, true)?;
        let bytes = (0..slots.present.len().div_ceil(8)).map(|_| self.u.arbitrary()).collect::<Result<Vec<u8>>>()?;
        Ok(array("b", slots, vec![Some(bytes)], Vec::new()))
    }

    fn text(&mut self, len: usize, wanted: Wanted, nulls: bool) -> Result<Array> {
        if nulls && self.u.ratio(1, 16)? {
            return self.nothing(len);
        }
        if self.u.ratio(2, 3)? {
            return self.plain_text(len, wanted, nulls);
        }
        let texts = 1 + values::len(self.u, 5)?;
        let dictionary = Some(Box::new(self.plain_text(texts, wanted, nulls)?));
        let slots = self.slots(len, nulls)?;
        let format = *self.u.choose(&["c", "C", "s", "S", "i", "I", "l", "L"])?;
        let code = |tables: &mut Self| tables.u.int_in_range(0..=texts as u8 - 1);
        let codes = match format {
            "c" | "C" => bytes_of(&self.each::<u8>(&slots, code)?, u8::to_ne_bytes),
            "s" | "S" => bytes_of(&self.each::<u16>(&slots, |tables| code(tables).map(u16::from))?, u16::to_ne_bytes),
            "i" | "I" => bytes_of(&self.each::<u32>(&slots, |tables| code(tables).map(u32::from))?, u32::to_ne_bytes),
            _ => bytes_of(&self.each::<u64>(&slots, |tables| code(tables).map(u64::from))?, u64::to_ne_bytes),
        };
        Ok(Array { dictionary, ..array(format, slots, vec![codes], Vec::new()) })
    }

    /// The bytes of a slot: of one without a text anything.
    fn bytes(&mut self, present: bool, wanted: Wanted) -> Result<Vec<u8>> {
        if !present || self.fault()? {
            let len = values::len(self.u, 20)?.min(self.u.len());
            return Ok(self.u.bytes(len)?.to_vec());
        }
        let text = if wanted == Wanted::Name { values::name(self.u)? } else { values::text(self.u)? };
        Ok(text.into_bytes())
    }

    fn plain_text(&mut self, len: usize, wanted: Wanted, nulls: bool) -> Result<Array> {
        let slots = self.slots(len, nulls)?;
        let format = *self.u.choose(&["u", "U", "vu"])?;
        if format == "vu" {
            return self.views(slots, wanted);
        }
        let mut data = vec![b'x'; values::len(self.u, 3)?];
        let mut offsets = vec![data.len() as i64];
        for &present in &slots.present {
            data.extend(self.bytes(present, wanted)?);
            offsets.push(data.len() as i64);
        }
        if self.fault()? {
            // The last one is the producer's promise: none is beyond the data.
            let index = self.u.choose_index(offsets.len())?;
            offsets[index] = (values::integer(self.u)? >> self.u.int_in_range(0..=62)?).min(data.len() as i64);
        }
        let mut offsets = match format {
            "u" => bytes_of(&offsets.iter().map(|&offset| offset as i32).collect::<Vec<_>>(), i32::to_ne_bytes),
            _ => bytes_of(&offsets, i64::to_ne_bytes),
        };
        if slots.present.is_empty() && self.u.arbitrary()? {
            // An empty array needs none.
            offsets = if self.u.arbitrary()? { None } else { Some(Vec::new()) };
        }
        Ok(array(format, slots, vec![offsets, Some(data)], Vec::new()))
    }

    fn views(&mut self, slots: Slots, wanted: Wanted) -> Result<Array> {
        let mut data = vec![Vec::new(); 1 + values::len(self.u, 2)?];
        let mut views = Vec::new();
        for &present in &slots.present {
            let bytes = self.bytes(present, wanted)?;
            let mut view = [0_u8; 16];
            view[..4].copy_from_slice(&(bytes.len() as i32).to_ne_bytes());
            if bytes.len() <= 12 {
                view[4..4 + bytes.len()].copy_from_slice(&bytes);
            } else {
                let buffer = self.u.choose_index(data.len())?;
                view[4..8].copy_from_slice(&bytes[..4]);
                view[8..12].copy_from_slice(&(buffer as i32).to_ne_bytes());
                view[12..].copy_from_slice(&(data[buffer].len() as i32).to_ne_bytes());
                data[buffer].extend(bytes);
            }
            if !present || self.fault()? {
                let field = 4 * self.u.choose_index(4)?;
                view[field..field + 4].copy_from_slice(&self.u.arbitrary::<[u8; 4]>()?);
            }
            views.extend(view);
        }
        let mut sizes: Vec<i64> = data.iter().map(|data| data.len() as i64).collect();
        if self.fault()? {
            // Never more than there is.
            let index = self.u.choose_index(sizes.len())?;
            sizes[index] = values::integer(self.u)?.min(sizes[index]);
        }
        let mut buffers = vec![Some(views)];
        buffers.extend(data.into_iter().map(Some));
        buffers.push(bytes_of(&sizes, i64::to_ne_bytes));
        Ok(array("vu", slots, buffers, Vec::new()))
    }

    /// Lists of any layout. Every offset into a child is checked against its length, so that any may be wrong.
    fn list(&mut self, len: usize, child: impl FnOnce(&mut Self, usize) -> Result<Array>) -> Result<Array> {
        if self.u.ratio(1, 16)? {
            return self.nothing(len);
        }
        let format = *self.u.choose(&["+l", "+L", "+vl", "+vL", "+w:0", "+w:1", "+w:2", "+w:3"])?;
        self.lists(format, len, child)
    }

    fn lists(
        &mut self,
        format: &'static str,
        len: usize,
        child: impl FnOnce(&mut Self, usize) -> Result<Array>,
    ) -> Result<Array> {
        let slots = self.slots(len, true)?;
        let total = slots.present.len();
        if let Some(width) = format.strip_prefix("+w:") {
            let width: usize = width.parse().unwrap();
            let short = usize::from(self.fault()?);
            let child_len = (total * width).saturating_sub(short) + values::len(self.u, 1)?;
            let child = child(self, child_len)?;
            return Ok(array(format, slots, Vec::new(), vec![child]));
        }
        let mut end = values::len(self.u, 2)? as i64;
        let (mut offsets, mut sizes) = (vec![end], Vec::new());
        for _ in 0..total {
            let size = values::len(self.u, 3)? as i64;
            sizes.push(size);
            end += size;
            offsets.push(end);
        }
        let mut child_len = end as usize + values::len(self.u, 2)?;
        if self.fault()? {
            child_len = child_len.saturating_sub(1 + values::len(self.u, 3)?);
        }
        let is_view = format.starts_with("+v");
        if is_view {
            offsets.pop();
            for slot in 0..total {
                if !slots.present[slot] {
                    (offsets[slot], sizes[slot]) = (values::integer(self.u)?, values::integer(self.u)?);
                } else if self.u.arbitrary()? {
                    // Anywhere in the child, over slots of other rows or of none.
                    let size = values::len(self.u, child_len.min(3))?;
                    (offsets[slot], sizes[slot]) = (values::len(self.u, child_len - size)? as i64, size as i64);
                }
            }
        }
        if self.fault()? {
            let index = self.u.choose_index(offsets.len().max(1))?;
            let value = values::integer(self.u)?;
            if self.u.arbitrary()? && !sizes.is_empty() {
                let index = index.min(sizes.len() - 1);
                sizes[index] = value;
            } else if let Some(offset) = offsets.get_mut(index) {
                *offset = value;
            }
        }
        let wide = matches!(format, "+L" | "+vL");
        let encoded = |values: &[i64]| match wide {
            true => bytes_of(values, i64::to_ne_bytes),
            false => bytes_of(&values.iter().map(|&value| value as i32).collect::<Vec<_>>(), i32::to_ne_bytes),
        };
        let mut buffers = vec![encoded(&offsets)];
        if is_view {
            buffers.push(encoded(&sizes));
        } else if total == 0 && self.u.arbitrary()? {
            buffers = vec![if self.u.arbitrary()? { None } else { Some(Vec::new()) }];
        }
        let child = child(self, child_len)?;
        Ok(array(format, slots, buffers, vec![Array { name: "item", ..child }]))
    }

    fn value(&mut self, len: usize) -> Result<Array> {
        match self.u.int_in_range(0..=3_u8)? {
            0 | 1 => self.text(len, Wanted::Any, true),
            2 => self.number(len),
            _ => self.boolean(len),
        }
    }

    fn metadata(&mut self, len: usize) -> Result<Array> {
        let nulls = self.hostile;
        let entries = |tables: &mut Self, len: usize| {
            let nulls_here = nulls && tables.u.ratio(1, 8)?;
            let slots = tables.slots(len, nulls_here)?;
            let total = slots.present.len();
            let key = Array { name: "key", ..tables.text(total, Wanted::Any, nulls)? };
            let value = Array { name: "value", ..tables.value(total)? };
            Ok(array("+s", slots, Vec::new(), vec![key, value]))
        };
        match self.u.int_in_range(0..=2_u8)? {
            0 => self.lists("+m", len, entries),
            1 => self.list(len, entries),
            _ => {
                let slots = self.slots(len, true)?;
                let mut fields = Vec::new();
                for _ in 0..values::len(self.u, 3)? {
                    let name = *self.u.choose(&["a", "cupel:trust", "", "b"])?;
                    fields.push(Array { name, ..self.value(slots.present.len())? });
                }
                Ok(array("+s", slots, Vec::new(), fields))
            }
        }
    }
}

/// An array of some slots, with the buffers after its validity.
fn array(format: &'static str, slots: Slots, buffers: Vec<Option<Vec<u8>>>, children: Vec<Array>) -> Array {
    Array {
        format,
        length: (slots.present.len() - slots.offset) as i64,
        offset: slots.offset as i64,
        null_count: slots.null_count,
        buffers: std::iter::once(slots.validity).chain(buffers).collect(),
        children,
        ..Array::default()
    }
}

/// The rows that must come of a table; nothing when something that a row has is not in order.
fn expected(table: &Array, naive_is_utc: bool) -> Option<Vec<Row>> {
    (0..table.length as usize).map(|row| expected_row(table, row, naive_is_utc)).collect()
}

fn expected_row(table: &Array, row: usize, naive_is_utc: bool) -> Option<Row> {
    let mut expected = Row { kind: "Message".to_owned(), source: "Chat".to_owned(), ..Row::default() };
    if !is_present(table, row) {
        return None;
    }
    let slot = table.offset as usize + row;
    for column in &table.children {
        match column.name {
            "content" => expected.content = text(column, slot)?.filter(|text| !text.is_empty())?,
            "tokens" => expected.tokens = integer(column, slot)??,
            "kind" => expected.kind = name(column, slot, expected.kind)?,
            "source" => expected.source = name(column, slot, expected.source)?,
            "priority" => expected.priority = integer(column, slot)?,
            "original_tokens" | "originalTokens" => expected.original_tokens = integer(column, slot)?,
            "timestamp" => expected.timestamp = instant(column, slot, naive_is_utc)?,
            "future_relevance_hint" | "futureRelevanceHint" => expected.hint = number(column, slot)?,
            "pinned" => expected.pinned = boolean(column, slot)? == Some(true),
            "tags" => {
                for slot in list(column, slot)? {
                    expected.tags.push(text(&column.children[0], slot)??);
                }
            }
            "metadata" => {
                for (key, value) in metadata(column, slot)? {
                    expected.set_metadata(key, value);
                }
            }
            _ => {}
        }
    }
    Some(expected)
}

fn name(array: &Array, slot: usize, default: String) -> Option<String> {
    text(array, slot)?.map_or(Some(default), |name| Some(name).filter(|name| !name.trim().is_empty()))
}

fn bit(bytes: &[u8], index: usize) -> bool {
    bytes[index / 8] >> (index % 8) & 1 == 1
}

/// Whether a slot, counted from the array's offset, has a value.
fn is_present(array: &Array, slot: usize) -> bool {
    match array.buffers.first() {
        Some(Some(validity)) if array.null_count != 0 => bit(validity, array.offset as usize + slot),
        _ => array.format != "n",
    }
}

/// The bytes of a value of fixed width.
fn value<const N: usize>(array: &Array, buffer: usize, index: usize) -> [u8; N] {
    let bytes = array.buffers[buffer].as_ref().unwrap();
    let start = (array.offset as usize + index) * N;
    bytes[start..start + N].try_into().unwrap()
}

/// An integer of the array's type.
fn whole(array: &Array, slot: usize) -> Option<i128> {
    Some(match array.format {
        "c" => i8::from_ne_bytes(value(array, 1, slot)).into(),
        "C" => u8::from_ne_bytes(value(array, 1, slot)).into(),
        "s" => i16::from_ne_bytes(value(array, 1, slot)).into(),
        "S" => u16::from_ne_bytes(value(array, 1, slot)).into(),
        "i" => i32::from_ne_bytes(value(array, 1, slot)).into(),
        "I" => u32::from_ne_bytes(value(array, 1, slot)).into(),
        "l" => i64::from_ne_bytes(value(array, 1, slot)).into(),
        "L" => u64::from_ne_bytes(value(array, 1, slot)).into(),
        _ => return None,
    })
}

fn integer(array: &Array, slot: usize) -> Option<Option<i64>> {
    if !is_present(array, slot) {
        return Some(None);
    }
    if array.format == "g" {
        let number = f64::from_ne_bytes(value(array, 1, slot));
        // No integer of 64 bits is a double that has a fraction, or one of the ends above.
        return match number {
            _ if number.is_nan() => Some(None),
            _ if number as i64 as f64 == number && number != 2_f64.powi(63) => Some(Some(number as i64)),
            _ => None,
        };
    }
    i64::try_from(whole(array, slot)?).ok().map(Some)
}

fn number(array: &Array, slot: usize) -> Option<Option<f64>> {
    if !is_present(array, slot) {
        return Some(None);
    }
    let decimal = |digits: i128, scale: i32| format!("{digits}e{}", -scale).parse::<f64>().ok().map(Some);
    match array.format {
        "g" => Some(Some(f64::from_ne_bytes(value(array, 1, slot)))),
        "f" => Some(Some(f32::from_ne_bytes(value(array, 1, slot)).into())),
        "e" => {
            let bits = u16::from_ne_bytes(value(array, 1, slot));
            // The fields of a single-precision float of the same value; less exponents are below its normal numbers.
            let (sign, exponent, fraction) =
                (u32::from(bits >> 15), u32::from(bits >> 10 & 31), u32::from(bits & 1023));
            let magnitude = match exponent {
                0 => f64::from(fraction) / 16_777_216.0,
                31 if fraction == 0 => f64::INFINITY,
                31 => f64::NAN,
                _ => f32::from_bits((exponent + 112) << 23 | fraction << 13).into(),
            };
            Some(Some(if sign == 1 { -magnitude } else { magnitude }))
        }
        "d:5,2" => decimal(i128::from_ne_bytes(value(array, 1, slot)), 2),
        "d:38,-40" => decimal(i128::from_ne_bytes(value(array, 1, slot)), -40),
        "d:3,1,128" => decimal(i128::from_ne_bytes(value(array, 1, slot)), 1),
        "d:9,2,32" => decimal(i32::from_ne_bytes(value(array, 1, slot)).into(), 2),
        "d:18,-3,64" => decimal(i64::from_ne_bytes(value(array, 1, slot)).into(), -3),
        _ => whole(array, slot).map(|whole| Some(whole as f64)),
    }
}

fn instant(array: &Array, slot: usize, naive_is_utc: bool) -> Option<Option<i64>> {
    if array.format == "n" {
        return Some(None);
    }
    let (unit, zone) = array.format.split_once(':')?;
    let factor = match unit {
        "tsn" => 1,
        "tsu" => 1_000,
        "tsm" => 1_000_000,
        "tss" => 1_000_000_000,
        _ => return None,
    };
    if zone.is_empty() && !naive_is_utc {
        return None;
    }
    if !is_present(array, slot) {
        return Some(None);
    }
    i64::from_ne_bytes(value(array, 1, slot)).checked_mul(factor).map(Some)
}

fn boolean(array: &Array, slot: usize) -> Option<Option<bool>> {
    if !is_present(array, slot) {
        return Some(None);
    }
    (array.format == "b").then(|| Some(bit(array.buffers[1].as_ref().unwrap(), array.offset as usize + slot)))
}

fn text(array: &Array, slot: usize) -> Option<Option<String>> {
    if !is_present(array, slot) {
        return Some(None);
    }
    if let Some(dictionary) = &array.dictionary {
        let code = usize::try_from(whole(array, slot)?).ok().filter(|&code| code < dictionary.length as usize)?;
        return text(dictionary, code);
    }
    let ends = match array.format {
        "u" => [0, 1].map(|next| i32::from_ne_bytes(value(array, 1, slot + next)).into()),
        "U" => [0, 1].map(|next| i64::from_ne_bytes(value(array, 1, slot + next))),
        "vu" => return view(array, value(array, 1, slot)).map(Some),
        _ => return None,
    };
    let bytes = array.buffers[2].as_ref()?.get(usize::try_from(ends[0]).ok()?..usize::try_from(ends[1]).ok()?)?;
    String::from_utf8(bytes.to_vec()).ok().map(Some)
}

fn view(array: &Array, view: [u8; 16]) -> Option<String> {
    let field = |at: usize| usize::try_from(i32::from_ne_bytes(view[at..at + 4].try_into().unwrap())).ok();
    let len = field(0)?;
    if len <= 12 {
        return String::from_utf8(view[4..4 + len].to_vec()).ok();
    }
    let sizes = array.buffers.last()?.as_ref()?;
    let size = i64::from_ne_bytes(sizes.get(field(8)? * 8..field(8)? * 8 + 8)?.try_into().unwrap());
    let (start, end) = (field(12)?, field(12)? + len);
    if end as i64 > size {
        return None;
    }
    String::from_utf8(array.buffers[2 + field(8)?].as_ref()?.get(start..end)?.to_vec()).ok()
}

/// The slots of a list in its child.
fn list(array: &Array, slot: usize) -> Option<std::ops::Range<usize>> {
    if !is_present(array, slot) {
        return Some(0..0);
    }
    let range = |start: i64, end: i64| {
        let range = usize::try_from(start).ok()?..usize::try_from(end).ok()?;
        (range.start <= range.end && range.end <= array.children[0].length as usize).then_some(range)
    };
    let narrow = |buffer, index| i64::from(i32::from_ne_bytes(value(array, buffer, index)));
    let wide = |buffer, index| i64::from_ne_bytes(value(array, buffer, index));
    match array.format {
        "+l" | "+m" => range(narrow(1, slot), narrow(1, slot + 1)),
        "+L" => range(wide(1, slot), wide(1, slot + 1)),
        "+vl" => range(narrow(1, slot), narrow(1, slot) + narrow(2, slot)),
        "+vL" => range(wide(1, slot), wide(1, slot).checked_add(wide(2, slot))?),
        format => {
            let width: i64 = format.strip_prefix("+w:")?.parse().ok()?;
            let slot = array.offset + slot as i64;
            range(slot * width, (slot + 1) * width)
        }
    }
}

fn metadata(array: &Array, slot: usize) -> Option<Vec<(String, Metadata)>> {
    let mut entries = Vec::new();
    if array.format == "+s" {
        if is_present(array, slot) {
            for field in &array.children {
                let value = metadata_value(field, array.offset as usize + slot)?;
                entries.extend(value.map(|value| (field.name.to_owned(), value)));
            }
        }
        return Some(entries);
    }
    for slot in list(array, slot)? {
        let entry = &array.children[0];
        if !is_present(entry, slot) {
            return None;
        }
        let [keys, values] = &entry.children[..] else { return None };
        let slot = entry.offset as usize + slot;
        let key = text(keys, slot);
        // A null key is refused; what is wrong with a key that has no value is of no account.
        if key == Some(None) {
            return None;
        }
        if let Some(value) = metadata_value(values, slot)? {
            entries.push((key??, value));
        }
    }
    Some(entries)
}

fn metadata_value(array: &Array, slot: usize) -> Option<Option<Metadata>> {
    if array.format == "n" {
        return Some(None);
    }
    if array.dictionary.is_some() || matches!(array.format, "u" | "U" | "vu") {
        return Some(text(array, slot)?.map(Metadata::String));
    }
    match array.format {
        "b" => Some(boolean(array, slot)?.map(|value| Metadata::Other(value.to_string()))),
        _ => Some(number(array, slot)?.map(Metadata::Double)),
    }
}
