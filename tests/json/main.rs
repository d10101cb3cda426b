//! What is read from JSON and written as JSON, and what is refused with which path, line and column.

mod items;
mod scorers;
mod selectors;
