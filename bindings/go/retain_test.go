package cupel_test

import (
	"math"
	"reflect"
	"testing"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

// wantItems compares the rows of a batch, and its scores with those of a batch that
// has had these rows only.
func wantItems(t *testing.T, batch *cupel.Batch, items []cupel.Item) {
	t.Helper()
	if batch.Len() != len(items) {
		t.Fatalf("%d rows, want %d", batch.Len(), len(items))
	}
	fresh := newBatch(t, items...)
	for row := range items {
		got, err := batch.Item(row)
		want, _ := fresh.Item(row)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("row %d (%v):\n got %#v\nwant %#v", row, err, got, want)
		}
	}
	wantSameScores(t, wideScorer(t, now), batch, fresh)
}

func TestRetain(t *testing.T) {
	items := mixedItems(40)
	batch := newBatch(t, items...)
	keep := make([]bool, 40)
	var kept []cupel.Item
	for i := range keep {
		if keep[i] = i%3 != 1; keep[i] {
			kept = append(kept, items[i])
		}
	}
	if err := batch.Retain(keep); err != nil {
		t.Fatal(err)
	}
	wantItems(t, batch, kept)
	if err := batch.RetainRows([]int{0, 2, 3, 10, 25}); err != nil {
		t.Fatal(err)
	}
	kept = []cupel.Item{kept[0], kept[2], kept[3], kept[10], kept[25]}
	wantItems(t, batch, kept)
	// A sliding window: new rows in, old ones out.
	for i := range 30 {
		if err := batch.Append(items[i]); err != nil {
			t.Fatal(err)
		}
		if err := batch.KeepLast(6); err != nil {
			t.Fatal(err)
		}
		kept = append(kept, items[i])
		kept = kept[max(0, len(kept)-6):]
		wantItems(t, batch, kept)
	}
	if err := batch.KeepLast(math.MaxInt); err != nil {
		t.Fatal(err)
	}
	wantItems(t, batch, kept)
	if err := batch.RetainRows(nil); err != nil || batch.Len() != 0 {
		t.Errorf("%v, %d rows", err, batch.Len())
	}
	for _, err := range []error{batch.Retain(nil), batch.KeepLast(0), batch.RetainRows([]int{})} {
		if err != nil {
			t.Errorf("of no rows: %v", err)
		}
	}
}

func TestRetainErrors(t *testing.T) {
	items := mixedItems(5)
	batch := newBatch(t, items...)
	wantError(t, batch.Retain(make([]bool, 4)), cupel.ErrLengthMismatch, "len(keep) is 4: ", "5")
	wantError(t, batch.Retain(nil), cupel.ErrLengthMismatch, "len(keep) is 0: ")
	wantError(t, batch.RetainRows([]int{0, 2, 2}), cupel.ErrInvalidArgument, "rows[2] is 2: ")
	wantError(t, batch.RetainRows([]int{3, 1}), cupel.ErrInvalidArgument, "rows[1] is 1: ")
	wantError(t, batch.RetainRows([]int{0, 5}), cupel.ErrOutOfRange, "rows[1] is 5: ")
	wantMessage(t, batch.RetainRows([]int{-1}), cupel.ErrOutOfRange, "rows[0] is -1: it must be 0 or more")
	wantError(t, batch.RetainRows([]int{1, math.MaxUint32 + 1}), cupel.ErrOutOfRange, "rows[1] is 4294967296: ")
	wantMessage(t, batch.KeepLast(-1), cupel.ErrOutOfRange, "rows is -1: it must be 0 or more")
	wantItems(t, batch, items)
	batch.Close()
	for _, err := range []error{batch.Retain(nil), batch.RetainRows(nil), batch.KeepLast(1), (*cupel.Batch)(nil).KeepLast(1)} {
		if err != cupel.ErrClosed {
			t.Errorf("got %v", err)
		}
	}
}
