package conformance

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

// The metadata values and texts of host values, which are the same in every
// language and in JSON.
func TestValues(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "tests", "conformance", "values.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			Name             string
			Host             *struct{ Type, Value string }
			JSON             *string
			Type, Text, Bits string
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	hosts, jsons := 0, 0
	for _, c := range file.Cases {
		want := func(t *testing.T, batch *cupel.Batch) {
			t.Helper()
			item, err := batch.Item(0)
			if err != nil {
				t.Fatal(err)
			}
			value := item.Metadata["k"]
			var got string
			switch v := value.(type) {
			case string:
				got = "string " + v
			case float64:
				got = fmt.Sprintf("double %#016x", math.Float64bits(v))
				if math.IsNaN(v) {
					got = "double "
				}
			case cupel.Other:
				got = "other " + string(v)
			}
			expected := c.Type + " " + c.Text
			if c.Type == "double" {
				expected = "double " + c.Bits
			}
			if got != expected {
				t.Errorf("got %q, want %q", got, expected)
			}
			scorer := cupel.Must(cupel.NewMetadataKey("k", c.Text, 2))
			defer scorer.Close()
			if score, err := scorer.ScoreRow(batch, 0); err != nil || score != 2 {
				t.Errorf("a scorer does not see the text %q: %v, %v", c.Text, score, err)
			}
		}
		if c.Host != nil {
			for name, value := range hostValues(t, c.Host.Type, c.Host.Value) {
				hosts++
				t.Run(c.Name+"/"+name, func(t *testing.T) {
					batch := cupel.Must(cupel.NewBatch(cupel.Item{Content: "a", Metadata: map[string]any{"k": value}}))
					defer batch.Close()
					want(t, batch)
				})
			}
		}
		if c.JSON != nil {
			jsons++
			t.Run(c.Name+"/JSON", func(t *testing.T) {
				batch := cupel.Must(cupel.NewBatch())
				defer batch.Close()
				if err := batch.AppendJSON([]byte(`{"content":"a","tokens":1,"metadata":{"k":` + *c.JSON + `}}`)); err != nil {
					t.Fatal(err)
				}
				want(t, batch)
			})
		}
	}
	if hosts == 0 || jsons == 0 {
		t.Errorf("%d host values and %d JSON values were tested", hosts, jsons)
	}
}

// hostValues are the values of Go, by type, that a case describes: none if Go
// has no such type.
func hostValues(t *testing.T, hostType, text string) map[string]any {
	values := make(map[string]any)
	switch hostType {
	case "null":
		values["nil"], values["*string"] = nil, (*string)(nil)
	case "bool":
		values["bool"] = text == "true"
	case "string":
		values["string"] = text
	case "int":
		if v, err := strconv.ParseInt(text, 10, 64); err == nil {
			values["int64"], values["int"] = v, int(v)
		}
		if v, err := strconv.ParseUint(text, 10, 64); err == nil {
			values["uint64"], values["uint"] = v, uint(v)
		}
		v, ok := new(big.Int).SetString(text, 10)
		if !ok {
			t.Fatalf("%q is not an integer", text)
		}
		values["*big.Int"], values["json.Number"] = v, json.Number(text)
	case "double":
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		values["float64"] = v
	case "decimal":
		v, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("%q is not a decimal", text)
		}
		values["*big.Rat"], values["json.Number"] = v, json.Number(text)
	case "datetime":
		v, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		values["time.Time"] = v
	case "array", "object":
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		values["json.Unmarshal"], values["json.RawMessage"] = v, json.RawMessage(text)
	case "localDatetime", "date": // Go has none
	default:
		t.Fatalf("%q is not a type of a host value", hostType)
	}
	return values
}
