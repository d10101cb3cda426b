//! The open sets of kinds and sources.

/// The kind of an item whose kind was not set.
pub const DEFAULT_KIND: &str = "Message";

/// The source of an item whose source was not set.
pub const DEFAULT_SOURCE: &str = "Chat";

/// The kinds that everybody knows; any other text that is not blank is a kind as well.
pub const WELL_KNOWN_KINDS: [&str; 5] = ["Message", "Document", "ToolOutput", "Memory", "SystemPrompt"];

/// The sources that everybody knows; any other text that is not blank is a source as well.
pub const WELL_KNOWN_SOURCES: [&str; 3] = ["Chat", "Tool", "Rag"];
