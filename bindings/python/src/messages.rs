//! Chat messages as rows: OpenAI chat, OpenAI Responses, Anthropic.

use std::collections::HashMap;
use std::fmt;

use cupel::batch::{ItemBuilder, MetadataValue};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString};

use crate::batch::Batch;
use crate::convert::{boolean, instant, integer, text, wrong_type};
use crate::error::exception;
use crate::groups::{CallGroups, Links};

/// The metadata key under which a tool call and its results are one group.
pub const GROUP_KEY: &str = "cupel:group";

/// A message as a row.
pub struct Message {
    content: String,
    kind: Option<String>,
    tool: bool,
    tokens: i64,
    timestamp: Option<i64>,
    pinned: bool,
    links: Links,
}

impl Message {
    fn item(&self, group: Option<&str>) -> Result<cupel::Item, cupel::Error> {
        let mut builder = match &*self.content {
            "" => ItemBuilder::without_content(self.tokens)?,
            content => ItemBuilder::new(content, self.tokens)?,
        };
        if let Some(kind) = &self.kind {
            builder.kind(kind)?;
        }
        if self.tool {
            builder.source("Tool")?;
        }
        if let Some(timestamp) = self.timestamp {
            builder.timestamp(timestamp)?;
        }
        if self.pinned {
            builder.pinned(true)?;
        }
        if let Some(group) = group {
            builder.metadata(GROUP_KEY, MetadataValue::String(group))?;
        }
        builder.build()
    }
}

/// A field of a dict or of an SDK's object; `None` is absent.
fn field<'py>(value: &Bound<'py, PyAny>, name: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let found = if let Ok(dict) = value.cast::<PyDict>() {
        dict.get_item(name)?
    } else if let Ok(mapping) = value.cast::<PyMapping>() {
        if mapping.contains(name)? { Some(mapping.get_item(name)?) } else { None }
    } else {
        value.getattr_opt(name)?
    };
    Ok(found.filter(|value| !value.is_none()))
}

/// A field that is a text.
fn text_field<'py>(
    value: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
    at: fmt::Arguments<'_>,
) -> PyResult<Option<String>> {
    match field(value, name)? {
        Some(found) => Ok(Some(text(&found, format_args!("{at}.{name}"))?.to_owned())),
        None => Ok(None),
    }
}

/// What a message is put together of.
#[derive(Default)]
struct Reading {
    texts: Vec<String>,
    links: Links,
    /// Whether there is anything but results.
    other: bool,
}

impl Reading {
    fn push(&mut self, text: Option<String>) {
        self.texts.extend(text.filter(|text| !text.is_empty()));
    }

    /// What a call is made with, or gives: a text, or any other value as JSON.
    fn value(&mut self, value: Option<Bound<'_, PyAny>>, at: fmt::Arguments<'_>) -> PyResult<()> {
        let Some(value) = value else { return Ok(()) };
        if value.is_instance_of::<PyString>() {
            self.push(Some(text(&value, at)?.to_owned()));
        } else {
            let options = PyDict::new(value.py());
            options.set_item("ensure_ascii", false)?;
            let json = value.py().import("json")?.getattr("dumps")?.call((&value,), Some(&options));
            let json = json.or_else(|_| value.str().map(Bound::into_any))?;
            self.push(Some(text(&json, at)?.to_owned()));
        }
        Ok(())
    }

    /// A content: a text, or a list of parts.
    fn content(&mut self, content: &Bound<'_, PyAny>, at: fmt::Arguments<'_>) -> PyResult<()> {
        if content.is_instance_of::<PyString>() {
            self.other = true;
            self.push(Some(text(content, at)?.to_owned()));
            return Ok(());
        }
        let wrong = || wrong_type(at, "a str or a list of parts", content);
        if content.is_instance_of::<PyDict>() {
            return Err(wrong());
        }
        for (index, part) in content.try_iter().map_err(|_| wrong())?.enumerate() {
            self.part(&part?, format_args!("{at}[{index}]"))?;
        }
        Ok(())
    }

    fn part(&mut self, part: &Bound<'_, PyAny>, at: fmt::Arguments<'_>) -> PyResult<()> {
        let py = part.py();
        if part.is_instance_of::<PyString>() {
            self.other = true;
            self.push(Some(text(part, at)?.to_owned()));
            return Ok(());
        }
        let Some(kind) = text_field(part, intern!(py, "type"), at)? else {
            return Err(PyTypeError::new_err(format!("{at} is neither a str nor a part with a type")));
        };
        if kind.ends_with("tool_result") {
            self.links.results.extend(text_field(part, intern!(py, "tool_use_id"), at)?);
            if let Some(content) = field(part, intern!(py, "content"))? {
                let other = self.other;
                if content.is_instance_of::<PyDict>() {
                    self.value(Some(content), at)?;
                } else {
                    self.content(&content, format_args!("{at}.content"))?;
                }
                self.other = other;
            }
            return Ok(());
        }
        self.other = true;
        if kind.ends_with("tool_use") {
            self.links.calls.extend(text_field(part, intern!(py, "id"), at)?);
            self.push(text_field(part, intern!(py, "name"), at)?);
            self.value(field(part, intern!(py, "input"))?, format_args!("{at}.input"))?;
        } else {
            self.push(text_field(part, intern!(py, "text"), at)?);
            self.push(text_field(part, intern!(py, "refusal"), at)?);
            self.push(text_field(part, intern!(py, "thinking"), at)?);
        }
        Ok(())
    }

    /// An item of the Responses API that is not a message, by its type.
    fn response_item(&mut self, value: &Bound<'_, PyAny>, kind: &str, at: fmt::Arguments<'_>) -> PyResult<()> {
        let py = value.py();
        if kind == "reasoning" {
            self.links.reasoning = true;
            for name in [intern!(py, "summary"), intern!(py, "content")] {
                if let Some(content) = field(value, name)? {
                    self.content(&content, format_args!("{at}.{name}"))?;
                }
            }
            return Ok(());
        }
        if kind.ends_with("_output") {
            self.links.results.extend(text_field(value, intern!(py, "call_id"), at)?);
            let Some(output) = field(value, intern!(py, "output"))? else { return Ok(()) };
            if output.is_instance_of::<PyString>() || output.is_instance_of::<pyo3::types::PyList>() {
                self.content(&output, format_args!("{at}.output"))?;
                self.other = false;
                return Ok(());
            }
            return self.value(Some(output), format_args!("{at}.output"));
        }
        self.other = true;
        match kind {
            "mcp_approval_request" => self.links.calls.extend(text_field(value, intern!(py, "id"), at)?),
            "mcp_approval_response" => {
                self.links.results.extend(text_field(value, intern!(py, "approval_request_id"), at)?);
            }
            _ => self.links.calls.extend(text_field(value, intern!(py, "call_id"), at)?),
        }
        self.push(text_field(value, intern!(py, "name"), at)?);
        let parts = [intern!(py, "arguments"), intern!(py, "input"), intern!(py, "action"), intern!(py, "output")];
        for name in parts {
            self.value(field(value, name)?, format_args!("{at}.{name}"))?;
        }
        Ok(())
    }

    /// A message with a role, or a content.
    fn message(&mut self, value: &Bound<'_, PyAny>, at: fmt::Arguments<'_>) -> PyResult<()> {
        let py = value.py();
        if let Some(content) = field(value, intern!(py, "content"))? {
            self.content(&content, format_args!("{at}.content"))?;
        }
        self.push(text_field(value, intern!(py, "refusal"), at)?);
        if let Some(list) = field(value, intern!(py, "tool_calls"))? {
            let wrong = || wrong_type(format_args!("{at}.tool_calls"), "a list of calls", &list);
            for (index, call) in list.try_iter().map_err(|_| wrong())?.enumerate() {
                let (call, at) = (call?, format!("{at}.tool_calls[{index}]"));
                let at = format_args!("{at}");
                self.links.calls.extend(text_field(&call, intern!(py, "id"), at)?);
                match field(&call, intern!(py, "function"))? {
                    Some(function) => self.function(&function, format_args!("{at}.function"))?,
                    None => {
                        if let Some(custom) = field(&call, intern!(py, "custom"))? {
                            self.function(&custom, format_args!("{at}.custom"))?;
                        }
                    }
                }
            }
        }
        if let Some(function) = field(value, intern!(py, "function_call"))? {
            self.links.unnamed_call = true;
            self.function(&function, format_args!("{at}.function_call"))?;
        }
        self.links.results.extend(text_field(value, intern!(py, "tool_call_id"), at)?);
        Ok(())
    }

    fn function(&mut self, function: &Bound<'_, PyAny>, at: fmt::Arguments<'_>) -> PyResult<()> {
        let py = function.py();
        self.push(text_field(function, intern!(py, "name"), at)?);
        for name in [intern!(py, "arguments"), intern!(py, "input")] {
            self.value(field(function, name)?, format_args!("{at}.{name}"))?;
        }
        Ok(())
    }
}

/// Reads a message, without its tokens and timestamp.
fn message(value: &Bound<'_, PyAny>, at: fmt::Arguments<'_>) -> PyResult<Message> {
    let py = value.py();
    let mut reading = Reading::default();
    let role = text_field(value, intern!(py, "role"), at)?;
    let kind = text_field(value, intern!(py, "type"), at)?.filter(|kind| kind != "message");
    match (&role, &kind) {
        (None, Some(kind)) => reading.response_item(value, kind, at)?,
        (None, None) if field(value, intern!(py, "content"))?.is_none() => {
            return Err(PyTypeError::new_err(format!("{at} is no message: it has neither role nor type")));
        }
        _ => reading.message(value, at)?,
    }
    let role = role.as_deref();
    reading.links.unnamed_result = role == Some("function") && reading.links.results.is_empty();
    let is_output = kind.as_deref().is_some_and(|kind| kind.ends_with("_output"));
    let tool = matches!(role, Some("tool" | "function")) || is_output;
    let tool = tool || (!reading.links.results.is_empty() && !reading.other);
    let kind = match role {
        Some("system" | "developer") => Some("SystemPrompt"),
        _ if tool => Some("ToolOutput"),
        _ => None,
    };
    Ok(Message {
        content: reading.texts.join("\n"),
        kind: kind.map(str::to_owned),
        tool,
        tokens: 0,
        timestamp: None,
        pinned: false,
        links: reading.links,
    })
}

/// What is said of messages beside them.
pub struct Beside<'a, 'py> {
    pub tokens: Option<&'a Bound<'py, PyAny>>,
    pub timestamps: Option<&'a Bound<'py, PyAny>>,
    pub kinds: Option<&'a Bound<'py, PyAny>>,
    pub pinned: Option<&'a Bound<'py, PyAny>>,
}

/// Reads messages. `first` is the position of the first one, for timestamps by position.
pub fn read(messages: &Bound<'_, PyAny>, beside: &Beside<'_, '_>, first: usize) -> PyResult<Vec<Message>> {
    let mut read = Vec::new();
    if messages.is_instance_of::<PyString>() || messages.is_instance_of::<PyDict>() {
        return Err(wrong_type("messages", "an iterable of messages", messages));
    }
    let iterator = messages.try_iter().map_err(|_| wrong_type("messages", "an iterable of messages", messages))?;
    for (index, value) in iterator.enumerate() {
        read.push(message(&value?, format_args!("messages[{index}]"))?);
    }
    match beside.tokens {
        None => {}
        Some(count) if count.is_callable() => {
            for (index, message) in read.iter_mut().enumerate() {
                let counted = count.call1((&message.content,))?;
                message.tokens = integer(&counted, format_args!("what tokens returns for messages[{index}]"))?;
            }
        }
        Some(list) => each(list, "tokens", &mut read, |message, value, at| {
            message.tokens = integer(value, at)?;
            Ok(())
        })?,
    }
    match beside.timestamps {
        Some(by) if by.is_instance_of::<PyString>() => {
            if text(by, "timestamps")? != "position" {
                let message = format!("timestamps is {}: it must be \"position\" or a list", by.repr()?);
                return Err(PyValueError::new_err(message));
            }
            by_position(&mut read, first);
        }
        None => by_position(&mut read, first),
        Some(list) => each(list, "timestamps", &mut read, |message, value, at| {
            message.timestamp = if value.is_none() { None } else { Some(instant(value, at)?) };
            Ok(())
        })?,
    }
    if let Some(list) = beside.kinds {
        each(list, "kinds", &mut read, |message, value, at| {
            if !value.is_none() {
                message.kind = Some(text(value, at)?.to_owned());
            }
            Ok(())
        })?;
    }
    if let Some(list) = beside.pinned {
        each(list, "pinned", &mut read, |message, value, at| {
            message.pinned = boolean(value, at)?;
            Ok(())
        })?;
    }
    Ok(read)
}

/// Message i has the instant i ns.
fn by_position(messages: &mut [Message], first: usize) {
    for (index, message) in messages.iter_mut().enumerate() {
        message.timestamp = i64::try_from(first + index).ok();
    }
}

/// Goes through a list that has a value for each message.
fn each<'py>(
    list: &Bound<'py, PyAny>,
    name: &str,
    messages: &mut [Message],
    mut set: impl FnMut(&mut Message, &Bound<'py, PyAny>, fmt::Arguments<'_>) -> PyResult<()>,
) -> PyResult<()> {
    let count = messages.len();
    let mut given = 0;
    for value in list.try_iter().map_err(|_| wrong_type(name, "an iterable with a value for each message", list))? {
        let value = value?;
        if let Some(message) = messages.get_mut(given) {
            set(message, &value, format_args!("{name}[{given}]"))?;
        }
        given += 1;
    }
    if given == count {
        Ok(())
    } else {
        Err(PyValueError::new_err(format!("{name} has {given} values: there are {count} messages")))
    }
}

/// Appends messages, all of them or none.
pub fn append(py: Python<'_>, batch: &mut cupel::Batch, known: &mut CallGroups, messages: &[Message]) -> PyResult<()> {
    let links: Vec<&Links> = messages.iter().map(|message| &message.links).collect();
    let (groups, calls) = known.group(&links, batch.len());
    let items = messages.iter().zip(&groups).map(|(message, group)| message.item(group.as_deref()));
    batch.try_extend(items).map_err(|error| exception(py, error))?;
    known.extend(calls);
    Ok(())
}

/// A batch of chat messages, one row each, in order: OpenAI chat messages, items of OpenAI's Responses, or Anthropic messages, as
/// dicts or as the SDKs' objects.
///
/// `tokens` counts the tokens of a text, or has a count for each message. `timestamps` is "position", where message i has the
/// instant i ns, or has an instant or None for each message; `kinds` a kind or None, and `pinned` a bool. A tool call and its
/// results are one group: they have the same text at the metadata key "cupel:group".
#[pyfunction]
#[pyo3(signature = (messages, *, tokens=None, timestamps=None, kinds=None, pinned=None))]
pub fn from_messages(
    messages: &Bound<'_, PyAny>,
    tokens: Option<&Bound<'_, PyAny>>,
    timestamps: Option<&Bound<'_, PyAny>>,
    kinds: Option<&Bound<'_, PyAny>>,
    pinned: Option<&Bound<'_, PyAny>>,
) -> PyResult<Batch> {
    let (mut batch, mut groups) = (cupel::Batch::new(), HashMap::new().into());
    let read = read(messages, &Beside { tokens, timestamps, kinds, pinned }, 0)?;
    append(messages.py(), &mut batch, &mut groups, &read)?;
    Ok(Batch::with_groups(batch, groups))
}
