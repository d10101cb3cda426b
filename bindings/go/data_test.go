package cupel_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	cupel "github.com/libcupel/libcupel/bindings/go"
)

// randomItems are typical of an agent's history: five kinds, up to three of 50
// tags, priorities 0 to 9, timestamps over a month, trust and another metadata
// key; one value in ten is missing. They are the same each time.
func randomItems(n int) []cupel.Item {
	random := rand.New(rand.NewPCG(1, 2))
	kinds := []string{cupel.KindMessage, cupel.KindDocument, cupel.KindToolOutput, cupel.KindMemory, cupel.KindSystemPrompt}
	tags := make([]string, 50)
	for i := range tags {
		tags[i] = fmt.Sprintf("tag-%d", i)
	}
	trusts := make([]any, 100)
	for i := range trusts {
		trusts[i] = float64(i) / 100
	}
	priorities := []any{"high", "normal", "low"}
	missing := func() bool { return random.IntN(10) == 0 }
	start := time.Unix(1_758_000_000, 0).UTC()
	items := make([]cupel.Item, n)
	for i := range items {
		item := &items[i]
		item.Content = fmt.Sprintf("the content of item %d, a sentence of a usual length", i)
		item.Tokens = int64(random.IntN(1000))
		item.Kind = kinds[random.IntN(len(kinds))]
		item.Source = cupel.SourceChat
		if !missing() {
			item.Priority = cupel.Int64(int64(random.IntN(10)))
		}
		if !missing() {
			item.Timestamp = start.Add(time.Duration(random.IntN(30*24*3600*1000)) * time.Millisecond)
		}
		if !missing() {
			item.FutureRelevanceHint = cupel.Float64(random.Float64())
		}
		for range random.IntN(4) {
			item.Tags = append(item.Tags, tags[random.IntN(len(tags))])
		}
		if !missing() {
			item.Metadata = map[string]any{"cupel:trust": trusts[random.IntN(100)], "cupel:priority": priorities[random.IntN(3)]}
		}
	}
	return items
}

// columnsOf lays items out as a host that holds flat arrays has them: kinds by
// code, everything else text by text.
func columnsOf(items []cupel.Item) *cupel.Columns {
	text := func(c *cupel.TextColumn, s string) {
		c.Data = append(c.Data, s...)
		c.Offsets = append(c.Offsets, int64(len(c.Data)))
	}
	n := len(items)
	c := &cupel.Columns{
		Rows:                        n,
		Tokens:                      make([]int64, n),
		Priority:                    make([]int64, n),
		PriorityValidity:            make([]bool, n),
		Timestamp:                   make([]int64, n),
		TimestampValidity:           make([]bool, n),
		FutureRelevanceHint:         make([]float64, n),
		FutureRelevanceHintValidity: make([]bool, n),
		Pinned:                      make([]bool, n),
		OriginalTokens:              make([]int64, n),
		OriginalTokensValidity:      make([]bool, n),
		TagLists:                    []int64{0},
		MetadataLists:               []int64{0},
		MetadataTypes:               []cupel.MetadataType{},
		MetadataNumbers:             []float64{},
	}
	for _, column := range []*cupel.TextColumn{&c.Content, &c.Kind, &c.Source, &c.Tags, &c.MetadataKeys, &c.MetadataTexts} {
		column.Offsets = []int64{0}
	}
	codes := map[string]uint32{}
	for i := range items {
		item := &items[i]
		text(&c.Content, item.Content)
		c.Tokens[i] = item.Tokens
		code, known := codes[item.Kind]
		if !known {
			code = uint32(len(codes))
			codes[item.Kind] = code
			text(&c.Kind, item.Kind)
		}
		c.Kind.Codes = append(c.Kind.Codes, code)
		text(&c.Source, item.Source)
		c.Priority[i], c.PriorityValidity[i] = item.Priority.Value, item.Priority.Valid
		if !item.Timestamp.IsZero() {
			c.Timestamp[i], c.TimestampValidity[i] = item.Timestamp.UnixNano(), true
		}
		c.FutureRelevanceHint[i], c.FutureRelevanceHintValidity[i] = item.FutureRelevanceHint.Value, item.FutureRelevanceHint.Valid
		c.Pinned[i] = item.Pinned
		c.OriginalTokens[i], c.OriginalTokensValidity[i] = item.OriginalTokens.Value, item.OriginalTokens.Valid
		for _, tag := range item.Tags {
			text(&c.Tags, tag)
		}
		c.TagLists = append(c.TagLists, int64(len(c.Tags.Offsets)-1))
		for key, value := range item.Metadata {
			text(&c.MetadataKeys, key)
			kind, s, number := cupel.MetadataOther, "", 0.0
			switch v := value.(type) {
			case string:
				kind, s = cupel.MetadataString, v
			case float64:
				kind, number = cupel.MetadataDouble, v
			case cupel.Other:
				s = string(v)
			default:
				panic(fmt.Sprintf("%T", value))
			}
			c.MetadataTypes = append(c.MetadataTypes, kind)
			text(&c.MetadataTexts, s)
			c.MetadataNumbers = append(c.MetadataNumbers, number)
		}
		c.MetadataLists = append(c.MetadataLists, int64(len(c.MetadataTypes)))
	}
	return c
}

// wideJSON reads every field that any scorer reads, but the clock.
const wideJSON = `{"scorers": [
	{"type": "recency", "weight": 4},
	{"type": "kind", "weight": 3},
	{"type": "frequency", "weight": 2},
	{"type": "metadataTrust", "weight": 1, "defaultScore": 0.25},
	{"type": "priority", "weight": 0.7},
	{"type": "reflexive", "weight": 0.3},
	{"type": "tag", "weight": 1, "tagWeights": {"tag-1": 1, "tag-2": 2.5, "tag-30": 0.1}},
	{"type": "scaled", "weight": 1, "innerScorer": {"type": "metadataKey", "key": "cupel:priority", "value": "high", "boost": 1.5}}
]}`

// wideScorer is wideJSON and a decay.
func wideScorer(t testing.TB, now time.Time) *cupel.Scorer {
	fixed := clock(t)(cupel.NewFixedClock(now))
	return scorer(t)(cupel.NewComposite(
		cupel.WeightedScorer{Scorer: scorer(t)(cupel.NewScorerFromJSON([]byte(wideJSON), nil)), Weight: 3},
		cupel.WeightedScorer{Scorer: scorer(t)(cupel.NewDecayExponential(fixed, 36*time.Hour)), Weight: 1},
	))
}
