package cupel_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"reflect"
	"testing"
	"time"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

type (
	label  string
	level  int
	weekly time.Weekday // no String method
	loop   *loop
)

func pointer[T any](value T) *T { return &value }

func TestMetadataValues(t *testing.T) {
	huge, _ := new(big.Int).SetString("9007199254740993", 10)
	var self loop
	self = &self
	cases := []struct{ in, want any }{
		{"text", "text"},
		{"", ""},
		{label("text"), "text"},
		{pointer("text"), "text"},
		{0.1, 0.1},
		{math.Copysign(0, -1), math.Copysign(0, -1)},
		{math.Inf(1), math.Inf(1)},
		{float32(0.1), float64(float32(0.1))},
		{7, 7.0},
		{level(-7), -7.0},
		{weekly(2), 2.0},
		{int8(-8), -8.0},
		{int16(16), 16.0},
		{int32(32), 32.0},
		{int64(9007199254740993), cupel.Other("9007199254740993")},
		{math.MinInt64, -9223372036854775808.0},
		{math.MaxInt64, cupel.Other("9223372036854775807")},
		{level(-9007199254740993), cupel.Other("-9007199254740993")},
		{pointer(9007199254740995), cupel.Other("9007199254740995")},
		{uint(1), 1.0},
		{uint8(8), 8.0},
		{uint16(16), 16.0},
		{uint32(32), 32.0},
		{uint64(math.MaxUint64), cupel.Other("18446744073709551615")},
		{uint64(1 << 63), 9223372036854775808.0},
		{uintptr(3), 3.0},
		{pointer(1.5), 1.5},
		{json.Number("1e3"), 1000.0},
		{json.Number("1e999"), math.Inf(1)},
		{json.Number("ten"), cupel.Other("ten")},
		{huge, cupel.Other("9007199254740993")},
		{big.NewInt(1 << 60), float64(1 << 60)},
		{json.Number("9007199254740993"), cupel.Other("9007199254740993")},
		{json.Number("9007199254740993.0"), 9007199254740992.0},
		{json.Number("-0"), math.Copysign(0, -1)},
		{big.NewFloat(0.5), 0.5},
		{big.NewRat(1, 3), 1.0 / 3},
		{true, cupel.Other("true")},
		{false, cupel.Other("false")},
		{nil, cupel.Other("null")},
		{(*string)(nil), cupel.Other("null")},
		{(*big.Int)(nil), cupel.Other("null")},
		{cupel.Other("as it is"), cupel.Other("as it is")},
		{time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), cupel.Other("2026-01-02T03:04:05.000000006Z")},
		{pointer(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), cupel.Other("2026-01-02T03:04:05Z")},
		{time.Minute, cupel.Other("1m0s")},
		{time.Tuesday, cupel.Other("Tuesday")},
		{[]any{1, "<a>", nil}, cupel.Other(`[1,"<a>",null]`)},
		{map[string]any{"b": 1, "a": 2}, cupel.Other(`{"a":2,"b":1}`)},
		{struct{ A int }{1}, cupel.Other(`{"A":1}`)},
		{complex(1, 2), cupel.Other("(1+2i)")},
	}
	for _, c := range cases {
		batch := newBatch(t, cupel.Item{Content: "a", Metadata: map[string]any{"k": c.in}})
		item, err := batch.Item(0)
		if err != nil {
			t.Errorf("%T %v: %v", c.in, c.in, err)
			continue
		}
		got := item.Metadata["k"]
		a, isA := got.(float64)
		b, isB := c.want.(float64)
		if isA && isB && math.Float64bits(a) == math.Float64bits(b) {
			continue
		}
		if isA || isB || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%T %v became %T %v, want %T %v", c.in, c.in, got, got, c.want, c.want)
		}
	}
	nan := newBatch(t, cupel.Item{Content: "a", Metadata: map[string]any{"k": math.NaN()}})
	if item, err := nan.Item(0); err != nil || !math.IsNaN(item.Metadata["k"].(float64)) {
		t.Errorf("NaN became %v, %v", item.Metadata["k"], err)
	}
	// A pointer to itself ends somewhere, as a text of some kind.
	var box any
	box = &box
	for _, endless := range []any{self, box} {
		if item, err := newBatch(t, cupel.Item{Content: "a", Metadata: map[string]any{"k": endless}}).Item(0); err != nil {
			t.Error(err)
		} else if _, ok := item.Metadata["k"].(cupel.Other); !ok {
			t.Errorf("got %T", item.Metadata["k"])
		}
	}
}

// What a value's own method does goes to the caller, and the batch goes on.
func TestMetadataThatPanics(t *testing.T) {
	batch := newBatch(t)
	boom := errors.New("boom")
	func() {
		defer func() {
			if got := recover(); got != boom {
				t.Errorf("recovered %v", got)
			}
		}()
		batch.Append(cupel.Item{Content: "a", Metadata: map[string]any{"k": panicking{boom}}})
	}()
	if err := batch.Append(fullItem); err != nil || batch.Len() != 1 {
		t.Errorf("append afterwards: %v, %d rows", err, batch.Len())
	}
}

type panicking struct{ value any }

func (p panicking) String() string { panic(p.value) }
