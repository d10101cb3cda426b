package cupelarrow_test

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	cupel "github.com/libcupel/libcupel/bindings/go"
	cupelarrow "github.com/libcupel/libcupel/bindings/go/arrow"
)

func dictionaryOf(index, value arrow.DataType) arrow.DataType {
	return &arrow.DictionaryType{IndexType: index, ValueType: value}
}

func timestamp(unit arrow.TimeUnit, zone string) arrow.DataType {
	return &arrow.TimestampType{Unit: unit, TimeZone: zone}
}

// metadataStruct has a field for each key of the tests' metadata.
var metadataStruct = arrow.StructOf(
	arrow.Field{Name: "cupel:trust", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	arrow.Field{Name: "cupel:priority", Type: arrow.BinaryTypes.String, Nullable: true},
	arrow.Field{Name: "flag", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
)

// usual is what most producers write.
var usual = []arrow.Field{
	{Name: "content", Type: arrow.BinaryTypes.String},
	{Name: "tokens", Type: arrow.PrimitiveTypes.Int64},
	{Name: "kind", Type: dictionaryOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String), Nullable: true},
	{Name: "source", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "priority", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "tags", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true},
	{Name: "metadata", Type: metadataStruct, Nullable: true},
	{Name: "timestamp", Type: timestamp(arrow.Microsecond, "UTC"), Nullable: true},
	{Name: "futureRelevanceHint", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "pinned", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	{Name: "originalTokens", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "conversation", Type: arrow.PrimitiveTypes.Int64},
}

// with is the usual schema with another type for some columns.
func with(dataType arrow.DataType, names ...string) *arrow.Schema {
	fields := append([]arrow.Field(nil), usual...)
	for i := range fields {
		for _, name := range names {
			if fields[i].Name == name {
				fields[i].Type = dataType
			}
		}
	}
	return arrow.NewSchema(fields, nil)
}

// layouts are the schemas that the tests read the same rows with.
func layouts() map[string]*arrow.Schema {
	schemas := map[string]*arrow.Schema{"usual": arrow.NewSchema(usual, nil)}
	if testing.Short() {
		return schemas // without views, of which arrow-go 18.5 leaks the array of sizes
	}
	add := func(dataType arrow.DataType, names ...string) {
		schemas[fmt.Sprintf("%v %v", names, dataType)] = with(dataType, names...)
	}
	utf8, large, view := arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView
	for _, text := range []arrow.DataType{
		utf8, large, view,
		dictionaryOf(arrow.PrimitiveTypes.Int16, utf8), dictionaryOf(arrow.PrimitiveTypes.Uint32, utf8), dictionaryOf(arrow.PrimitiveTypes.Int64, utf8),
	} {
		add(text, "content", "kind", "source")
		for _, list := range []arrow.DataType{arrow.ListOf(text), arrow.LargeListOf(text), arrow.ListViewOf(text), arrow.LargeListViewOf(text)} {
			add(list, "tags")
		}
	}
	for _, integer := range []arrow.DataType{
		arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16,
		arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64, arrow.PrimitiveTypes.Float64,
	} {
		add(integer, "tokens", "priority", "originalTokens")
	}
	for _, unit := range []arrow.TimeUnit{arrow.Second, arrow.Millisecond, arrow.Microsecond, arrow.Nanosecond} {
		add(timestamp(unit, "Europe/Paris"), "timestamp")
	}
	for _, number := range []arrow.DataType{
		arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, &arrow.Decimal128Type{Precision: 20, Scale: 6}, &arrow.Decimal64Type{Precision: 12, Scale: 6},
	} {
		add(number, "futureRelevanceHint")
	}
	return schemas
}

// Every layout, whole and in slices, gives the rows that JSON gives.
func TestLayouts(t *testing.T) {
	rows := randomRows(150)
	for name, schema := range layouts() {
		t.Run(name, func(t *testing.T) {
			allocators(t, func(t *testing.T, mem memory.Allocator) {
				record := recordOf(t, mem, schema, rows)
				defer record.Release()
				for _, part := range [][2]int{{0, 150}, {1, 150}, {7, 8}, {13, 141}, {64, 128}, {150, 150}} {
					slice := record.NewSlice(int64(part[0]), int64(part[1]))
					batch := keep[*cupel.Batch](t)(cupel.NewBatch())
					if err := cupelarrow.AppendRecord(batch, slice, cupel.ArrowOptions{}); err != nil {
						t.Fatal(part, err)
					}
					want := batchOf(t, rows[part[0]:part[1]])
					wantRows(t, batch, want)

					scores := must[*array.Float64](t)(cupelarrow.ScoreRecord(wideScorer(t), slice, cupel.ArrowOptions{}))
					wantScores(t, scores.Float64Values(), must[[]float64](t)(wideScorer(t).Score(want)))
					scores.Release()
					slice.Release()
				}
			})
		})
	}
}

// A map has values of one type; other rows' JSON leaves out what it cannot have.
func TestMetadataMaps(t *testing.T) {
	rows := randomRows(80)
	text, number, flag := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64, arrow.FixedWidthTypes.Boolean
	for key, value := range map[string]arrow.DataType{"cupel:priority": text, "cupel:trust": number, "flag": flag} {
		entry := arrow.StructOf(arrow.Field{Name: "key", Type: text}, arrow.Field{Name: "value", Type: value, Nullable: true})
		for _, metadata := range []arrow.DataType{arrow.MapOf(text, value), arrow.ListOf(entry), arrow.LargeListViewOf(entry)} {
			t.Run(metadata.String(), func(t *testing.T) {
				asMap, asObject := without(rows, "metadata"), without(rows, "metadata")
				for i, row := range rows {
					if values, ok := row["metadata"].(map[string]any); ok && values[key] != nil {
						asMap[i]["metadata"] = []any{map[string]any{"key": key, "value": values[key]}, map[string]any{"key": "absent", "value": nil}}
						asObject[i]["metadata"] = map[string]any{key: values[key]}
					}
				}
				allocators(t, func(t *testing.T, mem memory.Allocator) {
					record := recordOf(t, mem, with(metadata, "metadata"), asMap)
					defer record.Release()
					slice := record.NewSlice(11, 70)
					defer slice.Release()
					batch := keep[*cupel.Batch](t)(cupel.NewBatch())
					if err := cupelarrow.AppendRecord(batch, slice, cupel.ArrowOptions{}); err != nil {
						t.Fatal(err)
					}
					wantRows(t, batch, batchOf(t, asObject[11:70]))
				})
			})
		}
	}
}

// Columns that are absent or of the null type have their defaults.
func TestFewColumns(t *testing.T) {
	rows := without(randomRows(30), "kind", "source", "priority", "tags", "metadata", "timestamp", "futureRelevanceHint", "pinned", "originalTokens")
	fields := []arrow.Field{usual[0], usual[1]}
	for range 2 {
		record := recordOf(t, memory.DefaultAllocator, arrow.NewSchema(fields, nil), rows)
		batch := keep[*cupel.Batch](t)(cupel.NewBatch())
		if err := cupelarrow.AppendRecord(batch, record, cupel.ArrowOptions{}); err != nil {
			t.Fatal(err)
		}
		wantRows(t, batch, batchOf(t, rows))
		fields = append(fields, arrow.Field{Name: "kind", Type: arrow.Null, Nullable: true}, arrow.Field{Name: "future_relevance_hint", Type: arrow.Null, Nullable: true})
	}
}

// The groups of a column are those of their offsets.
func TestGroups(t *testing.T) {
	rows := randomRows(150)
	wide := wideScorer(t)
	columns := []arrow.DataType{
		arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint16, arrow.BinaryTypes.String, dictionaryOf(arrow.PrimitiveTypes.Int16, arrow.BinaryTypes.String),
	}
	if !testing.Short() {
		columns = append(columns, arrow.BinaryTypes.StringView)
	}
	for _, column := range columns {
		grouped := without(rows)
		isText := column.ID() != arrow.INT64 && column.ID() != arrow.UINT16
		for _, row := range grouped {
			switch {
			case row["conversation"] == 3:
				row["conversation"] = nil
			case isText:
				row["conversation"] = fmt.Sprint("conversation ", row["conversation"])
			}
		}
		fields := append([]arrow.Field(nil), usual...)
		fields[len(fields)-1] = arrow.Field{Name: "conversation", Type: column, Nullable: true}
		record := recordOf(t, memory.DefaultAllocator, arrow.NewSchema(fields, nil), grouped)
		for _, part := range [][2]int{{0, 150}, {5, 139}, {40, 40}} {
			first, end := part[0], part[1]
			offsets := []int64{0}
			for i := first + 1; i < end; i++ {
				if rows[i]["conversation"] != rows[i-1]["conversation"] {
					offsets = append(offsets, int64(i-first))
				}
			}
			if first < end {
				offsets = append(offsets, int64(end-first))
			}
			want := make([]float64, end-first)
			if err := wide.ScoreGroups(batchOf(t, rows[first:end]), offsets, want); err != nil {
				t.Fatal(err)
			}
			slice := record.NewSlice(int64(first), int64(end))
			scores := must[*array.Float64](t)(cupelarrow.ScoreRecord(wide, slice, cupel.ArrowOptions{Group: "conversation"}))
			wantScores(t, scores.Float64Values(), want)
		}
	}
}

// A list of structs is a table: each list is a group.
func TestScoreArray(t *testing.T) {
	rows := randomRows(150)
	wide := wideScorer(t)
	fields := usual[:len(usual)-1]
	for _, lists := range []arrow.DataType{
		arrow.ListOf(arrow.StructOf(fields...)), arrow.LargeListOf(arrow.StructOf(fields...)),
		arrow.ListViewOf(arrow.StructOf(fields...)), arrow.LargeListViewOf(arrow.StructOf(fields...)),
	} {
		t.Run(lists.ID().String(), func(t *testing.T) {
			allocators(t, func(t *testing.T, mem memory.Allocator) {
				var nested [][]map[string]any
				offsets := []int64{0}
				for i, row := range without(rows, "conversation") {
					if i == 0 || rows[i]["conversation"] != rows[i-1]["conversation"] {
						nested = append(nested, nil)
						offsets = append(offsets, offsets[len(offsets)-1])
					}
					nested[len(nested)-1] = append(nested[len(nested)-1], row)
					offsets[len(offsets)-1]++
				}
				table := arrayOf(t, mem, lists, nested)
				defer table.Release()
				for _, part := range [][2]int{{0, len(nested)}, {2, len(nested) - 3}, {4, 4}} {
					first, end := offsets[part[0]], offsets[part[1]]
					groups := []int64{0}
					for _, offset := range offsets[part[0]+1 : part[1]+1] {
						groups = append(groups, offset-first)
					}
					want := make([]float64, end-first)
					if err := wide.ScoreGroups(batchOf(t, rows[first:end]), groups, want); err != nil {
						t.Fatal(err)
					}
					slice := array.NewSlice(table, int64(part[0]), int64(part[1]))
					scores := must[*array.Float64](t)(cupelarrow.ScoreArray(wide, slice, cupel.ArrowOptions{}))
					wantScores(t, scores.Float64Values(), want)
					scores.Release()
					slice.Release()
				}
			})
		})
	}
	// A struct array is a table without groups, and may be a slice.
	structs := arrayOf(t, memory.DefaultAllocator, arrow.StructOf(usual...), rows)
	slice := array.NewSlice(structs, 9, 77)
	scores := must[*array.Float64](t)(cupelarrow.ScoreArray(wide, slice, cupel.ArrowOptions{}))
	wantScores(t, scores.Float64Values(), must[[]float64](t)(wide.Score(batchOf(t, rows[9:77]))))
}
