// Package byitem fills batches as a C program does, by one call per field. The
// tests hold the binding's batches against it, and the benchmarks its price.
package byitem

// The package finds the library as the binding does; see link.go there.

/*
#cgo !cupel_nopkgconfig,!cupel_static pkg-config: cupel
#cgo !cupel_nopkgconfig,cupel_static pkg-config: --static cupel
#cgo cupel_nopkgconfig,!cupel_static LDFLAGS: -lcupel
#cgo cupel_nopkgconfig,cupel_static,!linux LDFLAGS: -lcupel
#cgo cupel_static,linux LDFLAGS: -l:libcupel.a -Wl,--as-needed -lpthread -lm -ldl
#include <cupel.h>

#cgo noescape cupel_item_builder_new
#cgo nocallback cupel_item_builder_new
#cgo noescape cupel_item_builder_reset
#cgo nocallback cupel_item_builder_reset
#cgo noescape cupel_item_builder_set_kind
#cgo nocallback cupel_item_builder_set_kind
#cgo noescape cupel_item_builder_set_source
#cgo nocallback cupel_item_builder_set_source
#cgo noescape cupel_item_builder_add_tag
#cgo nocallback cupel_item_builder_add_tag
#cgo noescape cupel_item_builder_set_priority
#cgo nocallback cupel_item_builder_set_priority
#cgo noescape cupel_item_builder_set_original_tokens
#cgo nocallback cupel_item_builder_set_original_tokens
#cgo noescape cupel_item_builder_set_timestamp
#cgo nocallback cupel_item_builder_set_timestamp
#cgo noescape cupel_item_builder_set_future_relevance_hint
#cgo nocallback cupel_item_builder_set_future_relevance_hint
#cgo noescape cupel_item_builder_set_pinned
#cgo nocallback cupel_item_builder_set_pinned
#cgo noescape cupel_item_builder_set_metadata_string
#cgo nocallback cupel_item_builder_set_metadata_string
#cgo noescape cupel_item_builder_set_metadata_double
#cgo nocallback cupel_item_builder_set_metadata_double
#cgo noescape cupel_item_builder_set_metadata_other
#cgo nocallback cupel_item_builder_set_metadata_other
#cgo noescape cupel_item_builder_build
#cgo nocallback cupel_item_builder_build
#cgo noescape cupel_item_builder_free
#cgo nocallback cupel_item_builder_free
#cgo noescape cupel_item_free
#cgo nocallback cupel_item_free
#cgo noescape cupel_batch_new
#cgo nocallback cupel_batch_new
#cgo noescape cupel_batch_push
#cgo nocallback cupel_batch_push
#cgo noescape cupel_batch_free
#cgo nocallback cupel_batch_free
#cgo noescape cupel_scorer_from_json
#cgo nocallback cupel_scorer_from_json
#cgo noescape cupel_scorer_score_batch
#cgo nocallback cupel_scorer_score_batch
*/
import "C"

import (
	"fmt"
	"unsafe"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

// Score scores the items with the scorer that the JSON describes.
func Score(scorer []byte, items []cupel.Item) ([]float64, error) {
	var s *C.cupel_scorer
	if err := check("scorer", C.cupel_scorer_from_json(bytes(scorer), C.size_t(len(scorer)), nil, &s, nil)); err != nil {
		return nil, err
	}
	defer C.cupel_scorer_free(s)
	batch, err := NewBatch(items)
	if err != nil {
		return nil, err
	}
	defer batch.Close()
	scores := make([]float64, len(items))
	return scores, check("score", C.cupel_scorer_score_batch(s, batch.c, (*C.double)(unsafe.SliceData(scores)), C.size_t(len(scores)), nil))
}

// A Batch is a C batch.
type Batch struct{ c *C.cupel_batch }

// NewBatch makes a batch of the items, whose metadata values are string,
// float64 or cupel.Other.
func NewBatch(items []cupel.Item) (*Batch, error) {
	batch := new(Batch)
	if err := check("batch", C.cupel_batch_new(C.size_t(len(items)), &batch.c, nil)); err != nil {
		return nil, err
	}
	var builder *C.cupel_item_builder
	defer func() { C.cupel_item_builder_free(builder) }()
	for i := range items {
		if err := push(batch.c, &builder, &items[i]); err != nil {
			batch.Close()
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
	}
	return batch, nil
}

// Close frees the batch.
func (b *Batch) Close() { C.cupel_batch_free(b.c) }

func push(batch *C.cupel_batch, builder **C.cupel_item_builder, item *cupel.Item) error {
	var status C.cupel_status
	if *builder == nil {
		status = C.cupel_item_builder_new(text(item.Content), length(item.Content), C.int64_t(item.Tokens), builder, nil)
	} else {
		status = C.cupel_item_builder_reset(*builder, text(item.Content), length(item.Content), C.int64_t(item.Tokens), nil)
	}
	if status == 0 && item.Kind != "" {
		status = C.cupel_item_builder_set_kind(*builder, text(item.Kind), length(item.Kind), nil)
	}
	if status == 0 && item.Source != "" {
		status = C.cupel_item_builder_set_source(*builder, text(item.Source), length(item.Source), nil)
	}
	if status == 0 && item.Priority.Valid {
		status = C.cupel_item_builder_set_priority(*builder, C.int64_t(item.Priority.Value), nil)
	}
	if status == 0 && item.OriginalTokens.Valid {
		status = C.cupel_item_builder_set_original_tokens(*builder, C.int64_t(item.OriginalTokens.Value), nil)
	}
	if status == 0 && !item.Timestamp.IsZero() {
		status = C.cupel_item_builder_set_timestamp(*builder, C.int64_t(item.Timestamp.UnixNano()), nil)
	}
	if status == 0 && item.FutureRelevanceHint.Valid {
		status = C.cupel_item_builder_set_future_relevance_hint(*builder, C.double(item.FutureRelevanceHint.Value), nil)
	}
	if status == 0 && item.Pinned {
		status = C.cupel_item_builder_set_pinned(*builder, true, nil)
	}
	for _, tag := range item.Tags {
		if status == 0 {
			status = C.cupel_item_builder_add_tag(*builder, text(tag), length(tag), nil)
		}
	}
	for key, value := range item.Metadata {
		if status != 0 {
			break
		}
		switch v := value.(type) {
		case string:
			status = C.cupel_item_builder_set_metadata_string(*builder, text(key), length(key), text(v), length(v), nil)
		case float64:
			status = C.cupel_item_builder_set_metadata_double(*builder, text(key), length(key), C.double(v), nil)
		case cupel.Other:
			status = C.cupel_item_builder_set_metadata_other(*builder, text(key), length(key), text(string(v)), length(string(v)), nil)
		default:
			return fmt.Errorf("metadata %q: %T", key, value)
		}
	}
	var built *C.cupel_item
	if status == 0 {
		status = C.cupel_item_builder_build(*builder, &built, nil)
	}
	if status == 0 {
		status = C.cupel_batch_push(batch, built, nil)
		C.cupel_item_free(built)
	}
	return check("push", status)
}

func check(what string, status C.cupel_status) error {
	if status != 0 {
		return fmt.Errorf("%s: %w", what, cupel.Status(status))
	}
	return nil
}

func text(s string) *C.char { return (*C.char)(unsafe.Pointer(unsafe.StringData(s))) }

func length(s string) C.size_t { return C.size_t(len(s)) }

func bytes(b []byte) *C.char { return (*C.char)(unsafe.Pointer(unsafe.SliceData(b))) }
