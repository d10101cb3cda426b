package cupelarrow_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	cupel "github.com/libcupel/libcupel/bindings/go"
	cupelarrow "github.com/libcupel/libcupel/bindings/go/arrow"
)

func wantError(t testing.TB, err error, status cupel.Status, part string) {
	t.Helper()
	var failed *cupel.Error
	if !errors.As(err, &failed) || failed.Status != status || !strings.Contains(failed.Message, part) {
		t.Errorf("got %v, want %v with %q", err, status, part)
	}
}

// The error names the column and the row, and the batch is as before.
func TestRefusedTables(t *testing.T) {
	text, list := arrow.BinaryTypes.String, arrow.ListOf(arrow.BinaryTypes.String)
	for name, c := range map[string]struct {
		dataType arrow.DataType
		values   string // a list of JSON
		status   cupel.Status
		message  string
	}{
		"content":         {text, `["a", null, "c"]`, cupel.ErrInvalidArgument, "content[1] is null"},
		"tokens":          {arrow.PrimitiveTypes.Int32, `[1, 2, null]`, cupel.ErrInvalidArgument, "tokens[2] is null"},
		"kind":            {text, `["a", " ", "c"]`, cupel.ErrEmptyKind, "kind[1]"},
		"source":          {arrow.PrimitiveTypes.Int32, `[1, 2, 3]`, cupel.ErrInvalidArgument, `source has the type "i": it must be`},
		"priority":        {arrow.PrimitiveTypes.Float64, `[1, 2.5, 3]`, cupel.ErrInvalidArgument, "priority[1]"},
		"original_tokens": {arrow.PrimitiveTypes.Float64, `[1, 2, 1e300]`, cupel.ErrInvalidArgument, "original_tokens[2]"},
		"timestamp":       {timestamp(arrow.Second, ""), `["2026-01-01T00:00:00", null, null]`, cupel.ErrInvalidArgument, "timestamp"},
		"tags":            {list, `[["a"], ["b", null], []]`, cupel.ErrInvalidArgument, "tags[1]"},
		"metadata":        {arrow.MapOf(text, list), `[null, null, null]`, cupel.ErrInvalidArgument, "metadata has"},
		"Content":         {text, `["a", "b", "c"]`, cupel.ErrInvalidArgument, "the table has no column"},
	} {
		t.Run(name, func(t *testing.T) {
			allocators(t, func(t *testing.T, mem memory.Allocator) {
				column, _, err := array.FromJSON(mem, c.dataType, strings.NewReader(c.values))
				if err != nil {
					t.Fatal(err)
				}
				defer column.Release()
				schema := arrow.NewSchema([]arrow.Field{{Name: name, Type: c.dataType, Nullable: true}}, nil)
				record := array.NewRecordBatch(schema, []arrow.Array{column}, 3)
				defer record.Release()
				rows := randomRows(5)
				batch := batchOf(t, rows)
				wantError(t, cupelarrow.AppendRecord(batch, record, cupel.ArrowOptions{}), c.status, c.message)
				wantRows(t, batch, batchOf(t, rows))
			})
		})
	}
}

func TestNaiveTimestamps(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "timestamp", Type: timestamp(arrow.Millisecond, "")}}, nil)
	record := recordOf(t, memory.DefaultAllocator, schema, []map[string]any{{"timestamp": "2026-01-02T03:04:05.678"}})
	batch := keep[*cupel.Batch](t)(cupel.NewBatch())
	if err := cupelarrow.AppendRecord(batch, record, cupel.ArrowOptions{NaiveIsUTC: true}); err != nil {
		t.Fatal(err)
	}
	item := must[cupel.Item](t)(batch.Item(0))
	if want := time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC); !item.Timestamp.Equal(want) {
		t.Errorf("%v, want %v", item.Timestamp, want)
	}
}

func TestScoringErrors(t *testing.T) {
	record := recordOf(t, memory.DefaultAllocator, arrow.NewSchema(usual, nil), []map[string]any{
		{"content": "a", "tokens": 1, "conversation": 1},
		{"content": "b", "tokens": 1, "conversation": 2},
		{"content": "c", "tokens": 1, "conversation": 1},
	})
	recency := keep[*cupel.Scorer](t)(cupel.NewRecency())
	custom := keep[*cupel.Scorer](t)(cupel.NewCustom(func(*cupel.Batch, []float64) error { return nil }))
	broken := errors.New("the clock stopped")
	clock := keep[*cupel.Clock](t)(cupel.NewCustomClock(func() (time.Time, error) { return now, broken }))
	decay := keep[*cupel.Scorer](t)(cupel.NewDecayWindow(clock, time.Hour))
	fail := func(scorer *cupel.Scorer, options cupel.ArrowOptions) error {
		scores, err := cupelarrow.ScoreRecord(scorer, record, options)
		if scores != nil {
			t.Errorf("scores %v with %v", scores, err)
		}
		return err
	}
	wantError(t, fail(recency, cupel.ArrowOptions{Group: "conversation"}), cupel.ErrInvalidArgument, "conversation[2] comes back")
	wantError(t, fail(recency, cupel.ArrowOptions{Group: "nowhere_to_be_found"}), cupel.ErrInvalidArgument, "nowhere_to_be_found")
	wantError(t, fail(recency, cupel.ArrowOptions{Group: "\xff"}), cupel.ErrInvalidUTF8, "options.Group")
	wantError(t, fail(recency, cupel.ArrowOptions{Group: "tags"}), cupel.ErrInvalidArgument, "tags has the type")
	wantError(t, fail(custom, cupel.ArrowOptions{}), cupel.ErrInvalidArgument, "a custom scorer cannot score groups")
	if err := fail(decay, cupel.ArrowOptions{}); !errors.Is(err, broken) || !errors.Is(err, cupel.ErrCallbackFailed) {
		t.Errorf("got %v", err)
	}
	closed := must[*cupel.Scorer](t)(cupel.NewRecency())
	closed.Close()
	for _, err := range []error{fail(closed, cupel.ArrowOptions{}), fail(nil, cupel.ArrowOptions{}), cupelarrow.AppendRecord(nil, record, cupel.ArrowOptions{})} {
		if !errors.Is(err, cupel.ErrClosed) {
			t.Errorf("got %v", err)
		}
	}
	_, err := cupelarrow.ScoreRecord(recency, nil, cupel.ArrowOptions{})
	wantError(t, err, cupel.ErrNullArgument, "record is nil")
	_, err = cupelarrow.ScoreArray(recency, nil, cupel.ArrowOptions{})
	wantError(t, err, cupel.ErrNullArgument, "table is nil")
	_, err = cupelarrow.ScoreArray(recency, record.Column(0), cupel.ArrowOptions{})
	wantError(t, err, cupel.ErrInvalidArgument, `has the type "u"`)
	wantError(t, cupelarrow.AppendRecord(keep[*cupel.Batch](t)(cupel.NewBatch()), nil, cupel.ArrowOptions{}), cupel.ErrNullArgument, "record is nil")

	// The functions below, with addresses of nothing.
	batch := keep[*cupel.Batch](t)(cupel.NewBatch())
	wantError(t, batch.AppendArrow(nil, nil, cupel.ArrowOptions{}), cupel.ErrNullArgument, "schema is nil")
	wantError(t, batch.AppendArrowStream(nil, cupel.ArrowOptions{}), cupel.ErrNullArgument, "stream is nil")
	wantError(t, recency.ScoreArrow(nil, nil, cupel.ArrowOptions{}, nil), cupel.ErrNullArgument, "schema is nil")
}
