package cupel

// #include "shim.h"
// #cgo noescape cupel_scorer_columns
// #cgo nocallback cupel_scorer_columns
import "C"

import (
	"math/bits"
	"strings"
)

// A ColumnSet is a set of fields of items: the bits of its columns.
type ColumnSet uint32

// The columns.
const (
	ColumnContent             ColumnSet = C.CUPEL_COLUMN_CONTENT
	ColumnTokens              ColumnSet = C.CUPEL_COLUMN_TOKENS
	ColumnKind                ColumnSet = C.CUPEL_COLUMN_KIND
	ColumnSource              ColumnSet = C.CUPEL_COLUMN_SOURCE
	ColumnPriority            ColumnSet = C.CUPEL_COLUMN_PRIORITY
	ColumnTags                ColumnSet = C.CUPEL_COLUMN_TAGS
	ColumnMetadata            ColumnSet = C.CUPEL_COLUMN_METADATA
	ColumnTimestamp           ColumnSet = C.CUPEL_COLUMN_TIMESTAMP
	ColumnFutureRelevanceHint ColumnSet = C.CUPEL_COLUMN_FUTURE_RELEVANCE_HINT
	ColumnPinned              ColumnSet = C.CUPEL_COLUMN_PINNED
	ColumnOriginalTokens      ColumnSet = C.CUPEL_COLUMN_ORIGINAL_TOKENS

	AllColumns ColumnSet = 1<<11 - 1
)

var columnNames = [...]string{
	"content", "tokens", "kind", "source", "priority", "tags", "metadata", "timestamp", "future_relevance_hint", "pinned", "original_tokens",
}

// Names gives the names of the columns in an Arrow table, such as "priority".
func (c ColumnSet) Names() []string {
	names := make([]string, 0, bits.OnesCount32(uint32(c)))
	for bit, name := range columnNames {
		if c>>bit&1 != 0 {
			names = append(names, name)
		}
	}
	return names
}

// String gives the names with commas between them.
func (c ColumnSet) String() string { return strings.Join(c.Names(), ",") }

// Columns gives the fields that the scorer reads, with those that it is made of:
// what a table needs to be scored. A custom scorer may read all. No scorer of the
// library reads the content.
func (s *Scorer) Columns() (ColumnSet, error) {
	scorer, err := s.use()
	if err != nil {
		return 0, err
	}
	defer s.used()
	var columns C.uint32_t
	var cError *C.cupel_error
	err = check(C.cupel_scorer_columns(scorer, &columns, &cError), &cError)
	return ColumnSet(columns), err
}
