package cupelarrow_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	cupel "github.com/libcupel/libcupel/bindings/go"
	cupelarrow "github.com/libcupel/libcupel/bindings/go/arrow"
)

// Score the messages of all conversations of a table, which is sorted by
// conversation.
func ExampleScoreRecord() {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "conversation", Type: arrow.BinaryTypes.String},
		{Name: "priority", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	}, nil)
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(`[
		{"conversation": "a", "priority": 1}, {"conversation": "a", "priority": 2}, {"conversation": "b", "priority": 1}
	]`))
	if err != nil {
		log.Fatal(err)
	}
	defer record.Release()
	scorer := cupel.Must(cupel.NewPriority())
	defer scorer.Close()

	scores, err := cupelarrow.ScoreRecord(scorer, record, cupel.ArrowOptions{Group: "conversation"})
	if err != nil {
		log.Fatal(err)
	}
	defer scores.Release()
	fmt.Println(scores)
	// Output: [0 1 1]
}
