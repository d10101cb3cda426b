//! A table: a struct array whose children are columns.

use crate::arrow::error::{ArrowError, Fault};
use crate::arrow::ffi::{ArrowArray, ArrowSchema};
use crate::arrow::group::Groups;
use crate::arrow::list::{LIST, Lists, is_list};
use crate::arrow::metadata::{MetadataArray, gathered};
use crate::arrow::node::{Node, Result, at_row, name_of};
use crate::arrow::number::{Booleans, Numbers, doubles, instants, integers};
use crate::arrow::text::{TEXT, TextArray, is_text};
use crate::error::Excerpt;
use crate::ingest::{Checked, Codes, Column, ColumnError, ColumnSet, Columns, Offsets, Problem, Tags, Texts};
use crate::memory::try_push;

/// How a table is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Whether timestamps without a zone are taken as UTC instead of refused.
    pub naive_is_utc: bool,
    /// The name of the column whose values make rows a group.
    pub group: Option<&'a str>,
}

/// Which columns are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All that are known; at least one must be there.
    All,
    /// Those of a set; none needs to be there.
    Set(ColumnSet),
}

/// The known columns by name, with their aliases.
const NAMES: [(&str, ColumnSet); 13] = [
    ("content", ColumnSet::CONTENT),
    ("tokens", ColumnSet::TOKENS),
    ("kind", ColumnSet::KIND),
    ("source", ColumnSet::SOURCE),
    ("priority", ColumnSet::PRIORITY),
    ("tags", ColumnSet::TAGS),
    ("metadata", ColumnSet::METADATA),
    ("timestamp", ColumnSet::TIMESTAMP),
    ("future_relevance_hint", ColumnSet::FUTURE_RELEVANCE_HINT),
    ("futureRelevanceHint", ColumnSet::FUTURE_RELEVANCE_HINT),
    ("pinned", ColumnSet::PINNED),
    ("original_tokens", ColumnSet::ORIGINAL_TOKENS),
    ("originalTokens", ColumnSet::ORIGINAL_TOKENS),
];

/// A table whose columns were found, and not read yet.
#[derive(Debug)]
pub struct Table<'a> {
    rows: usize,
    columns: Vec<(ColumnSet, Node<'a>)>,
    group: Option<Node<'a>>,
    /// The groups of a list of structs.
    lists: Option<Groups>,
    naive_is_utc: bool,
}

impl<'a> Table<'a> {
    /// Finds the columns of a struct array, or of a list of structs, each list of which is a group. A type without an array is a
    /// table without rows.
    ///
    /// # Safety
    ///
    /// `schema` and `array` are NULL, released, or as Arrow's C data interface demands, with all that they point at; they are not
    /// changed or released while the result is used.
    pub unsafe fn find(
        schema: *const ArrowSchema,
        array: Option<*const ArrowArray>,
        options: Options<'a>,
        wanted: Wanted,
        lists: bool,
    ) -> Result<Self> {
        // SAFETY: the caller's promise.
        let mut root = unsafe { Node::new(schema, array, "")? };
        let mut groups = None;
        if lists && is_list(root.format) {
            if options.group.is_some() {
                return Err(
                    root.fault(None, Fault::Value("is a list, whose lists are the groups: it takes no group column"))
                );
            }
            let (offsets, child) = group_lists(&root)?;
            groups = Some(offsets);
            root = child;
        }
        if root.format != "+s" || root.dictionary()?.is_some() {
            return Err(root.wrong_type(if lists { "a struct, or a list of structs" } else { "a struct" }));
        }
        root.expect(1, root.children_len() as i64)?;
        if let Some(row) = root.first_null() {
            return Err(root.fault(Some(row), Fault::Null));
        }
        let mut table = Self {
            rows: root.len,
            columns: Vec::new(),
            group: None,
            lists: groups,
            naive_is_utc: options.naive_is_utc,
        };
        let mut found = ColumnSet::NONE;
        for index in 0..root.children_len() {
            let schema = root.child_schema(index);
            if schema.is_null() {
                return Err(root.fault(None, Fault::Malformed("a child is NULL")));
            }
            // SAFETY: not null, and as the interface demands.
            let Some(name) = (unsafe { name_of(schema) }) else { continue };
            let is_group = options.group == Some(name);
            let known = NAMES.iter().find(|(known, _)| *known == name).map(|&(_, column)| column);
            if !is_group && known.is_none() {
                continue;
            }
            // Structs of other columns are not looked at.
            let node = || root.named(name).child(index);
            if is_group {
                if table.group.is_some() {
                    return Err(ArrowError::column(name, None, Fault::Twice));
                }
                table.group = Some(node()?);
            }
            if let Some(column) = known {
                if found.contains(column) {
                    return Err(ArrowError::column(name, None, Fault::Twice));
                }
                found = found.with(column);
                if wanted == Wanted::All || matches!(wanted, Wanted::Set(set) if set.contains(column)) {
                    try_push(&mut table.columns, (column, node()?))?;
                }
            }
        }
        if wanted == Wanted::All && found == ColumnSet::NONE {
            return Err(ArrowError::table(Fault::Absent(
                "of a known name: content, tokens, kind, source, priority, tags, metadata, \
                                                       timestamp, future_relevance_hint, pinned or original_tokens",
            )));
        }
        if let Some(group) = options.group
            && table.group.is_none()
        {
            return Err(ArrowError::column(
                group,
                None,
                Fault::Value("is the group column, and the table has none of that name"),
            ));
        }
        Ok(table)
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Whether it is a list of structs, whose lists are the groups.
    pub fn is_of_lists(&self) -> bool {
        self.lists.is_some()
    }

    /// The groups of the rows.
    pub fn groups(&self) -> Result<Groups> {
        Self::groups_of(std::slice::from_ref(self))
    }

    /// The groups of the rows of tables with one schema, which follow each other: a group may go on from one to the next.
    pub fn groups_of(tables: &[Self]) -> Result<Groups> {
        if tables.iter().any(|table| table.lists.is_some()) {
            let (mut offsets, mut first) = (Vec::new(), 0);
            try_push(&mut offsets, 0)?;
            for table in tables {
                let lists = table.lists.as_ref().map_or(&[][..], |lists| lists.offsets());
                for &offset in lists.iter().skip(1) {
                    try_push(&mut offsets, first + offset)?;
                }
                first += table.rows as i64;
            }
            return Ok(Groups(offsets));
        }
        let mut columns = Vec::new();
        for group in tables.iter().filter_map(|table| table.group) {
            try_push(&mut columns, group)?;
        }
        if columns.is_empty() { Groups::one(tables.iter().map(Self::rows).sum()) } else { Groups::of(&columns) }
    }

    /// Reads some rows, and has `take` append them.
    pub fn read<T>(
        &self,
        first: usize,
        len: usize,
        take: impl FnOnce(&Checked<'_>) -> std::result::Result<T, crate::error::Error>,
    ) -> std::result::Result<T, ReadError> {
        let mut blank_nulls = false;
        loop {
            let mut arrays = Arrays::default();
            for &(column, node) in &self.columns {
                let mut node = node.part(first, len)?;
                node.blank_nulls = blank_nulls;
                arrays.read(column, &node, self.naive_is_utc).map_err(|error| at_row(error, first))?;
            }
            match arrays.columns(len).check() {
                Ok(checked) => return Ok(take(&checked)?),
                // Bytes that are not UTF-8 are legal under nulls, and rare: they are looked for once they are found.
                Err(ColumnError { problem: Problem::Utf8 { .. }, .. }) if !blank_nulls => blank_nulls = true,
                Err(error) => return Err(at_row(arrays.locate(error), first).into()),
            }
        }
    }
}

/// Why a table was not read: what is wrong with it, or what the batch said.
#[derive(Debug)]
pub enum ReadError {
    /// The table is refused.
    Table(ArrowError),
    /// The rows could not be appended.
    Append(crate::error::Error),
}

impl From<ArrowError> for ReadError {
    fn from(error: ArrowError) -> Self {
        Self::Table(error)
    }
}

impl From<crate::error::Error> for ReadError {
    fn from(error: crate::error::Error) -> Self {
        Self::Append(error)
    }
}

/// The lists of a node as groups of the structs between the first offset and the last.
fn group_lists<'a>(node: &Node<'a>) -> Result<(Groups, Node<'a>)> {
    // Nulls do not matter: every struct has a score, and those under a null list are a group of their own.
    let lists = Lists::read(&node.without_validity())?;
    let mut offsets = Vec::new();
    match lists.offsets() {
        Some(own) => crate::memory::try_extend(&mut offsets, own)?,
        None => {
            // Empty lists lie nowhere.
            let start = (0..lists.len()).map(|row| lists.slots(row)).find(|slots| !slots.is_empty());
            let start = start.map_or(0, |slots| slots.start);
            let mut end = start;
            try_push(&mut offsets, 0)?;
            for row in 0..lists.len() {
                let slots = lists.slots(row);
                if slots.is_empty() {
                    try_push(&mut offsets, (end - start) as i64)?;
                    continue;
                }
                if slots.start != end {
                    return Err(node.fault(Some(row), Fault::Value("does not begin where the list before it ends")));
                }
                end = slots.end;
                try_push(&mut offsets, (end - start) as i64)?;
            }
            return Ok((Groups(offsets), lists.child.part(start, end - start)?));
        }
    }
    Ok((Groups(offsets), lists.child))
}

/// The columns of some rows.
#[derive(Debug, Default)]
struct Arrays<'a> {
    content: Option<TextArray<'a>>,
    tokens: Option<Numbers<'a, i64>>,
    kind: Option<TextArray<'a>>,
    source: Option<TextArray<'a>>,
    priority: Option<Numbers<'a, i64>>,
    timestamp: Option<Numbers<'a, i64>>,
    future_relevance_hint: Option<Numbers<'a, f64>>,
    pinned: Option<Booleans<'a>>,
    original_tokens: Option<Numbers<'a, i64>>,
    tags: Option<TagArray<'a>>,
    metadata: Option<MetadataArray<'a>>,
}

/// The tags of all rows.
#[derive(Debug)]
struct TagArray<'a> {
    lists: Vec<i64>,
    tags: Option<TextArray<'a>>,
    /// The numbers of the texts, where they are not in the order of the rows.
    codes: Option<Vec<u32>>,
}

impl<'a> TagArray<'a> {
    fn read(node: &Node<'a>) -> Result<Self> {
        let mut own = Vec::new();
        if node.is_null_type() {
            crate::memory::try_pad(&mut own, node.len + 1, 0)?;
            return Ok(Self { lists: own, tags: None, codes: None });
        }
        if !is_list(node.format) || node.dictionary()?.is_some() {
            return Err(node.wrong_type(LIST));
        }
        let lists = Lists::read(node)?;
        if !is_text(&lists.child) && !lists.child.is_null_type() {
            return Err(node.fault(None, Fault::Type { format: Excerpt::new(lists.child.format), wanted: TEXT }));
        }
        let tags = TextArray::read(&lists.child)?;
        let present = |row: usize, slot: usize| match tags.is_present(slot) {
            true => Ok(true),
            false => Err(node.fault(Some(row), Fault::Value("has a null tag"))),
        };
        if let Some(offsets) = lists.offsets() {
            if tags.nullable().validity.is_some()
                && let Some(slot) = (0..lists.child.len).find(|&slot| !tags.is_present(slot))
            {
                present(lists.row_of(slot).unwrap_or_default(), slot)?;
            }
            crate::memory::try_extend(&mut own, offsets)?;
            return Ok(Self { lists: own, tags: Some(tags), codes: None });
        }
        let (lists, slots) = lists.gather(present)?;
        let codes = Some(gathered(&tags, &slots)?);
        Ok(Self { lists, tags: Some(tags), codes })
    }

    fn view(&self) -> Tags<'_> {
        let none = Texts { data: &[], offsets: Offsets::I64(&[0]), codes: None };
        let tags = match (&self.tags, &self.codes) {
            (None, _) => none,
            (Some(tags), None) => tags.texts(),
            (Some(tags), Some(codes)) => Texts { codes: Some(Codes::U32(codes)), ..tags.dictionary() },
        };
        Tags { lists: Offsets::I64(&self.lists), tags }
    }
}

impl<'a> Arrays<'a> {
    fn read(&mut self, column: ColumnSet, node: &Node<'a>, naive_is_utc: bool) -> Result<()> {
        let no_null = |row: Option<usize>| match row {
            Some(row) => Err(node.fault(Some(row), Fault::Null)),
            None => Ok(()),
        };
        match column {
            ColumnSet::CONTENT => {
                let content = TextArray::read(node)?;
                if content.nullable().validity.is_some() {
                    no_null((0..node.len).find(|&row| !content.is_present(row)))?;
                }
                self.content = Some(content);
            }
            ColumnSet::TOKENS => {
                let tokens = integers(node)?;
                if tokens.values().validity.is_some() {
                    no_null((0..node.len).find(|&row| tokens.get(row).is_none()))?;
                }
                self.tokens = Some(tokens);
            }
            ColumnSet::KIND => self.kind = Some(TextArray::read(node)?),
            ColumnSet::SOURCE => self.source = Some(TextArray::read(node)?),
            ColumnSet::PRIORITY => self.priority = Some(integers(node)?),
            ColumnSet::TIMESTAMP => self.timestamp = Some(instants(node, naive_is_utc)?),
            ColumnSet::FUTURE_RELEVANCE_HINT => self.future_relevance_hint = Some(doubles(node)?),
            ColumnSet::PINNED => self.pinned = Some(Booleans::read(node)?),
            ColumnSet::ORIGINAL_TOKENS => self.original_tokens = Some(integers(node)?),
            ColumnSet::TAGS => self.tags = Some(TagArray::read(node)?),
            _ => self.metadata = Some(MetadataArray::read(node)?),
        }
        Ok(())
    }

    fn columns(&self, rows: usize) -> Columns<'_> {
        Columns {
            rows,
            content: self.content.as_ref().map(TextArray::texts),
            tokens: self.tokens.as_ref().map(|tokens| tokens.values().values),
            kind: self.kind.as_ref().map(TextArray::nullable),
            source: self.source.as_ref().map(TextArray::nullable),
            priority: self.priority.as_ref().map(Numbers::values),
            timestamp: self.timestamp.as_ref().map(Numbers::values),
            future_relevance_hint: self.future_relevance_hint.as_ref().map(Numbers::values),
            pinned: self.pinned.as_ref().map(Booleans::view),
            original_tokens: self.original_tokens.as_ref().map(Numbers::values),
            tags: self.tags.as_ref().map(TagArray::view),
            metadata: self.metadata.as_ref().map(MetadataArray::view),
        }
    }

    /// What the checks of columns found, with the row it is in.
    fn locate(&self, error: ColumnError) -> ArrowError {
        let row = error.index.map(|slot| match error.column {
            Column::Tags => self
                .tags
                .as_ref()
                .map_or(slot, |tags| tags.lists.partition_point(|&first| first as usize <= slot).saturating_sub(1)),
            Column::MetadataKeys | Column::MetadataTexts | Column::MetadataTypes | Column::MetadataNumbers => {
                self.metadata.as_ref().map_or(slot, |metadata| metadata.row_of(slot))
            }
            _ => slot,
        });
        ArrowError { column: Excerpt::new(error.column.name()), row, fault: Fault::Column(error) }
    }
}
