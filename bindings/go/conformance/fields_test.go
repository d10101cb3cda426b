package conformance

import (
	"fmt"
	"math"
	"time"
)

// fields is a TOML table, and where it stands. A value of a wrong type is a
// malformed vector and panics with a malformed.
type fields struct {
	path  string
	table map[string]any
}

type malformed string

func (m malformed) Error() string { return "not a vector: " + string(m) }

func (f fields) malformed(format string, arguments ...any) malformed {
	return malformed(f.path + ": " + fmt.Sprintf(format, arguments...))
}

func (f fields) has(name string) bool { return f.table[name] != nil }

// read is the value, or the zero value where there is none.
func read[T any](f fields, name string) T {
	var none T
	value, given := f.table[name]
	if !given {
		return none
	}
	typed, ok := value.(T)
	if !ok {
		panic(f.malformed("%s is %T, not %T", name, value, none))
	}
	return typed
}

func must[T any](f fields, name string) T {
	if !f.has(name) {
		panic(f.malformed("%s is missing", name))
	}
	return read[T](f, name)
}

func number(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	}
	return 0, false
}

func (f fields) number(name string, otherwise float64) float64 {
	if !f.has(name) {
		return otherwise
	}
	value, ok := number(f.table[name])
	if !ok {
		panic(f.malformed("%s is %T, not a number", name, f.table[name]))
	}
	return value
}

func (f fields) mustNumber(name string) float64 {
	must[any](f, name)
	return f.number(name, 0)
}

// list is an array of tables, which the reader may give in two types.
func (f fields) list(name string) []fields {
	var list []fields
	add := func(table map[string]any) {
		list = append(list, fields{fmt.Sprintf("%s.%s[%d]", f.path, name, len(list)), table})
	}
	switch entries := f.table[name].(type) {
	case nil:
	case []map[string]any:
		for _, entry := range entries {
			add(entry)
		}
	case []any:
		for _, entry := range entries {
			table, ok := entry.(map[string]any)
			if !ok {
				panic(f.malformed("%s has a %T, not a table", name, entry))
			}
			add(table)
		}
	default:
		panic(f.malformed("%s is %T, not an array of tables", name, entries))
	}
	return list
}

func (f fields) mustList(name string) []fields {
	must[any](f, name)
	return f.list(name)
}

func (f fields) sub(name string) fields {
	return fields{f.path + "." + name, read[map[string]any](f, name)}
}

func (f fields) texts(name string) []string {
	var texts []string
	for _, value := range read[[]any](f, name) {
		text, ok := value.(string)
		if !ok {
			panic(f.malformed("%s has a %T, not a text", name, value))
		}
		texts = append(texts, text)
	}
	return texts
}

func (f fields) numbers(name string) []float64 {
	var numbers []float64
	for _, value := range read[[]any](f, name) {
		n, ok := number(value)
		if !ok {
			panic(f.malformed("%s has a %T, not a number", name, value))
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// instant is in Unix nanoseconds: a datetime, or name_ns.
func (f fields) instant(name string) (nanoseconds int64, given bool) {
	if f.has(name + "_ns") {
		return must[int64](f, name+"_ns"), true
	}
	if !f.has(name) {
		return 0, false
	}
	t := must[time.Time](f, name)
	nanoseconds = t.UnixNano()
	if !time.Unix(0, nanoseconds).Equal(t) {
		panic(f.malformed("%s is out of range", name))
	}
	return nanoseconds, true
}

func (f fields) mustInstant(name string) time.Time {
	nanoseconds, given := f.instant(name)
	if !given {
		panic(f.malformed("%s is missing", name))
	}
	return time.Unix(0, nanoseconds)
}

// duration is name_secs to the nearest nanosecond, or name_ns. Seconds beyond
// the range of a duration are taken for its end.
func (f fields) duration(name string) time.Duration {
	if f.has(name + "_ns") {
		return time.Duration(must[int64](f, name+"_ns"))
	}
	nanoseconds := math.Round(f.mustNumber(name+"_secs") * 1e9)
	switch {
	case math.IsNaN(nanoseconds):
		return 0
	case nanoseconds >= math.MaxInt64:
		return math.MaxInt64
	case nanoseconds <= math.MinInt64:
		return math.MinInt64
	}
	return time.Duration(nanoseconds)
}
