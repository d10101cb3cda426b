//! What is read from JSON and written as JSON, and what is refused with which path, line and column.

mod items;
mod reader;
mod scorers;
mod selectors;
mod writing;
