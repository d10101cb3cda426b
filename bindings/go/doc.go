// Package cupel scores pieces of context for a language model, such as messages,
// documents and tool outputs, and chooses which to keep under a budget of tokens.
//
// A program appends items to a [Batch] and scores it with a [Scorer]. The result
// is one float64 for each item, in one call; higher means more worth keeping. The
// library has scorers for recency, priority, kind, tags, metadata and age. A Go
// function can be a scorer ([NewCustom]), and [NewComposite] and [NewScaled]
// combine scorers.
//
//	batch, err := cupel.NewBatch(items...)
//	if err != nil {
//		return err
//	}
//	defer batch.Close()
//	scores, err := scorer.Score(batch)
//
// A [Selector] chooses the rows to keep under a budget of tokens, and their order.
//
// The package is a binding of the C library libcupel and needs cgo. Scores have
// the same bits as in every other language. README.md shows how to link the
// library.
//
// # Ownership
//
// A [Batch], a [Scorer], a [Clock] and a [Selector] own memory of the library. Close frees it.
// Close may be called more than once, at any time, and in any order: a composite
// keeps its own share of its children. The garbage collector closes an unreachable
// object, but does not know the size of its memory: close large batches. Use after
// Close gives [ErrClosed].
//
// # Goroutines
//
// Scorers, clocks and selectors are immutable and may be used by any number of goroutines
// concurrently. So may a batch that is only scored and read. Changing a batch that
// is in use gives [ErrBusy].
//
// # Cost of calls
//
// A call into C costs some tens of nanoseconds, and the package makes one for a
// call of its own, however many items it has: append many items at once, and score
// a batch rather than its rows. [Scorer.ScoreInto] reuses a slice, a custom scorer
// reads its batch by column ([Batch.ReadColumns]), and [Scorer.ScoreGroups] scores
// many conversations in one call.
//
// # Errors
//
// An error of the library is an [*Error]. It has a [Status], to test for with
// [errors.Is], and a message that names the argument, its position and the value.
// A call that fails has changed nothing.
package cupel
