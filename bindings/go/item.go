package cupel

import "time"

// Well-known kinds. The set is open, and kinds are equal when they are equal
// under ASCII case folding.
const (
	KindMessage      = "Message"
	KindDocument     = "Document"
	KindToolOutput   = "ToolOutput"
	KindMemory       = "Memory"
	KindSystemPrompt = "SystemPrompt"
)

// Well-known sources. The set is open, and sources are equal when they are
// equal under ASCII case folding.
const (
	SourceChat = "Chat"
	SourceTool = "Tool"
	SourceRAG  = "Rag"
)

// An Item is one piece of context: a message, a document, the output of a tool.
// Content is required; the zero value of every other field is its default.
type Item struct {
	// Content is the text: UTF-8, not empty. No scorer reads it.
	Content string
	// Tokens is the size of the content in tokens, counted by the caller.
	Tokens int64
	// Kind is [KindMessage] if empty. Only white space is an error.
	Kind string
	// Source is [SourceChat] if empty. Only white space is an error.
	Source string
	// Priority is higher for what is more important.
	Priority Optional[int64]
	// Tags may be empty texts, and may repeat.
	Tags []string
	// Metadata maps keys to values of any type:
	//
	//   - A string, or a type whose underlying type is string, is a string.
	//   - A number, or a type whose underlying type is a number, is a double. So
	//     are *big.Int, *big.Float, *big.Rat, and a [json.Number] that is a
	//     number. An integer that a double cannot hold exactly, which only
	//     integers beyond 2^53 are, is other and keeps its decimal text;
	//     fractions are rounded to the nearest double.
	//   - Everything else is other: a value that is not a number to any scorer,
	//     and whose text a metadata-key scorer compares. The text is that of the
	//     String method of a [fmt.Stringer] (whatever its underlying type), RFC
	//     3339 for a [time.Time], and otherwise the value as compact JSON: true,
	//     null, [1,2]. [Other] gives a text directly.
	//
	// A pointer counts as the value it points to.
	Metadata map[string]any
	// Timestamp is the time of the content, exact to the nanosecond. The zero
	// Time means none. A time before [MinTime] is taken as MinTime, and one after
	// [MaxTime] as MaxTime.
	Timestamp time.Time
	// FutureRelevanceHint is read by the reflexive scorer. NaN and the infinities
	// are accepted; the scorer treats them as no hint.
	FutureRelevanceHint Optional[float64]
	// Pinned marks an item that is kept in any case. No scorer reads it.
	Pinned bool
	// OriginalTokens is the size in tokens before the content was shortened. No
	// scorer reads it.
	OriginalTokens Optional[int64]
}

// An Optional is a value or none. The zero Optional is none.
type Optional[T any] struct {
	// Value is the value if Valid.
	Value T
	// Valid is whether there is a value.
	Valid bool
}

// Some is the Optional that holds value.
func Some[T any](value T) Optional[T] { return Optional[T]{value, true} }

// Int64 is an Optional that holds value: Priority: cupel.Int64(3).
func Int64(value int64) Optional[int64] { return Some(value) }

// Float64 is an Optional that holds value.
func Float64(value float64) Optional[float64] { return Some(value) }
