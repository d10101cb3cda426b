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

// An Item is one piece of context: a message, a document, a tool's output.
// Content is required; the zero value of every other field is its default.
type Item struct {
	// Content is the text itself: UTF-8, not empty. No scorer reads it.
	Content string
	// Tokens is how long the content is, counted by the caller.
	Tokens int64
	// Kind is [KindMessage] where empty. Only white space is an error.
	Kind string
	// Source is [SourceChat] where empty. Only white space is an error.
	Source string
	// Priority is higher for what is more important.
	Priority Optional[int64]
	// Tags may be empty texts, and may repeat.
	Tags []string
	// Metadata maps keys to values of any type:
	//
	//   - A string, or a type whose underlying type is string, is a string.
	//   - An integer or floating-point number, or a type whose underlying type
	//     is one, is a double: the nearest. So are *big.Int, *big.Float,
	//     *big.Rat, and a [json.Number] that is a number.
	//   - Everything else is other: a value that no scorer takes for a number,
	//     whose text a metadata-key scorer can compare. The text is that of
	//     the String method of a [fmt.Stringer] (whatever its underlying type),
	//     RFC 3339 for a [time.Time], and otherwise the value as JSON: true,
	//     null, [1,2]. [Other] gives a text of one's own.
	//
	// A pointer counts as what it points to.
	Metadata map[string]any
	// Timestamp is when the content came to be, exact to the nanosecond. The
	// zero Time means none. A time before [MinTime] or after [MaxTime] is taken
	// for that one; so the zero Time as an instant, in the year 1, is written
	// MinTime.
	Timestamp time.Time
	// FutureRelevanceHint is what the reflexive scorer reads. NaN and the
	// infinities are legal, and count as none.
	FutureRelevanceHint Optional[float64]
	// Pinned marks what is to be kept in any case. No scorer reads it.
	Pinned bool
	// OriginalTokens is how long the content was before it was shortened. No
	// scorer reads it.
	OriginalTokens Optional[int64]
}

// An Optional is a value or none. The zero Optional is none.
type Optional[T any] struct {
	// Value is the value, where there is one.
	Value T
	// Valid says whether there is one.
	Valid bool
}

// Some is the Optional that holds value.
func Some[T any](value T) Optional[T] { return Optional[T]{value, true} }

// Int64 is an Optional that holds value: Priority: cupel.Int64(3).
func Int64(value int64) Optional[int64] { return Some(value) }

// Float64 is an Optional that holds value.
func Float64(value float64) Optional[float64] { return Some(value) }
