// Package cupel scores pieces of context for a language model: which messages,
// documents and tool outputs are most worth their place in a limited window.
//
// A host puts its items into a [Batch] and hands that to a [Scorer], and has
// one float64 for each in one call: higher means more worth keeping. Eleven
// scorers come with the library, from recency to trust; a Go function can be
// one too ([NewCustom]), and [NewComposite] and [NewScaled] combine them.
//
//	batch, err := cupel.NewBatch(items...)
//	if err != nil {
//		return err
//	}
//	defer batch.Close()
//	scores, err := scorer.Score(batch)
//
// The package is a binding of the C library libcupel and needs cgo. Scores are
// the same bits as from every other language. README.md beside it shows how to
// link the library.
//
// # Ownership
//
// A [Batch], a [Scorer] and a [Clock] hold memory that is not Go's. Close frees
// it; it may be called twice, at any time, and in any order, since a composite
// keeps its own share of its children. An object that is not closed is closed
// by the garbage collector, which knows nothing of the size of what it frees:
// close large batches. What is used after Close gives [ErrClosed].
//
// # Goroutines
//
// Scorers and clocks never change and may be used by any number of goroutines
// at once; so may a batch that is only scored and read. To change a batch while
// something else uses it gives [ErrBusy], and never a torn read.
//
// # Crossings
//
// A call into C costs some tens of nanoseconds, and the package makes one per
// call of its own, however many items it is about: append many items at once,
// and score a batch and not its rows. [Scorer.ScoreInto] uses a slice again.
//
// # Errors
//
// What the library refuses comes as an [*Error] that has a [Status], to test
// for with [errors.Is], and the library's own message, which names the
// argument, its position and the value. A call that fails has changed nothing.
package cupel
