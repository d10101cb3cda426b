package cupel_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"testing"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

func TestJSONLines(t *testing.T) {
	items := mixedItems(25)
	batch := newBatch(t, items...)
	text, err := batch.JSONLines(3, 20)
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(text, []byte("\n")); lines != 20 {
		t.Errorf("%d lines", lines)
	}
	read := newBatch(t)
	if err := read.AppendJSON(text); err != nil {
		t.Fatal(err)
	}
	wantItems(t, read, items[3:23])
	if text, err := batch.JSONLines(25, 0); err != nil || len(text) != 0 {
		t.Errorf("%q, %v", text, err)
	}

	wantMessage(t, second(batch.JSONLines(0, 26)), cupel.ErrOutOfRange, "rows is 26: the batch has 25 rows from firstRow on")
	wantMessage(t, second(batch.JSONLines(-1, 1)), cupel.ErrOutOfRange, "firstRow is -1: it must be 0 or more")
	infinite := newBatch(t, items[0], cupel.Item{Content: "x", FutureRelevanceHint: cupel.Float64(math.Inf(1))})
	wantError(t, second(infinite.JSONLines(0, 2)), cupel.ErrInvalidArgument, "row 1: ")
	batch.Close()
	if _, err := batch.JSONLines(0, 0); err != cupel.ErrClosed {
		t.Error(err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestItemJSON(t *testing.T) {
	for _, item := range mixedItems(20) {
		text, err := json.Marshal(item)
		if err != nil {
			t.Fatal(err)
		}
		if pointed, err := json.Marshal(&item); err != nil || !bytes.Equal(pointed, text) {
			t.Errorf("%s, %v", pointed, err)
		}
		read := cupel.Item{Tags: []string{"to be replaced"}}
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		want, _ := newBatch(t, item).Item(0)
		if !reflect.DeepEqual(read, want) {
			t.Errorf("\n got %#v\nwant %#v", read, want)
		}
	}
	// Within other JSON, and a value that becomes JSON.
	text, err := json.Marshal(map[string]any{"items": []cupel.Item{{Content: "a", Metadata: map[string]any{"list": []int{1, 2}}}}})
	if err != nil || !bytes.Contains(text, []byte(`"list":[1,2]`)) {
		t.Errorf("%s, %v", text, err)
	}
	var list struct{ Items []cupel.Item }
	if err := json.Unmarshal(text, &list); err != nil || len(list.Items) != 1 || list.Items[0].Metadata["list"] != cupel.Other("[1,2]") {
		t.Errorf("%#v, %v", list, err)
	}
}

func TestItemJSONErrors(t *testing.T) {
	marshal := func(item cupel.Item) error { return second(item.MarshalJSON()) }
	wantMessage(t, marshal(cupel.Item{}), cupel.ErrEmptyContent, "item.Content is empty: an item needs content")
	wantMessage(t, marshal(cupel.Item{Content: "\xff"}), cupel.ErrInvalidUTF8, "item.Content is not valid UTF-8 at byte 0")
	wantError(t, marshal(cupel.Item{Content: "a", FutureRelevanceHint: cupel.Float64(math.NaN())}), cupel.ErrInvalidArgument, "item: ", "futureRelevanceHint")
	unchanged := cupel.Item{Content: "unchanged"}
	for _, text := range []string{`[]`, `[{"content":"a"}]`, `[{"content":"a"},{"content":"b"}]`, `{"tokens":1}`, `1`, ``, `{"content":"a"} {"content":"b"}`} {
		wantError(t, unchanged.UnmarshalJSON([]byte(text)), cupel.ErrInvalidJSON)
	}
	if err := json.Unmarshal([]byte("null"), &unchanged); err != nil || unchanged.Content != "unchanged" {
		t.Errorf("%v, %v", unchanged, err)
	}
}
