package cupel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"time"
)

// MetadataType says how scorers see a metadata value.
type MetadataType uint8

const (
	// MetadataString is a text.
	MetadataString MetadataType = 0
	// MetadataDouble is a number.
	MetadataDouble MetadataType = 1
	// MetadataOther is neither, and has a text.
	MetadataOther MetadataType = 2
)

// Other is a metadata value that is neither text nor a number, given by its
// text. It is also what [Batch.Item] gives for such a value.
type Other string

// metadataValue sorts a Go value into the library's three types. The common
// types come first; the rest goes by what it is underneath.
func metadataValue(value any) (kind MetadataType, text string, number float64) {
	switch v := value.(type) {
	case string:
		return MetadataString, v, 0
	case float64:
		return MetadataDouble, "", v
	case int:
		return MetadataDouble, "", float64(v)
	case bool:
		return MetadataOther, strconv.FormatBool(v), 0
	case Other:
		return MetadataOther, string(v), 0
	case nil:
		return MetadataOther, "null", 0
	case json.Number:
		// Out of range is a number too: an infinity, the nearest there is.
		if number, err := strconv.ParseFloat(string(v), 64); err == nil || number != 0 {
			return MetadataDouble, "", number
		}
		return MetadataOther, string(v), 0
	case time.Time:
		return MetadataOther, v.Format(time.RFC3339Nano), 0
	}

	r := reflect.ValueOf(value)
	if r.Kind() == reflect.Pointer && r.IsNil() {
		return MetadataOther, "null", 0
	}
	switch v := value.(type) {
	case *big.Int:
		number, _ := v.Float64()
		return MetadataDouble, "", number
	case *big.Float:
		number, _ := v.Float64()
		return MetadataDouble, "", number
	case *big.Rat:
		number, _ := v.Float64()
		return MetadataDouble, "", number
	case *time.Time:
		return metadataValue(*v)
	case fmt.Stringer:
		return MetadataOther, v.String(), 0
	}

	switch r.Kind() {
	case reflect.String:
		return MetadataString, r.String(), 0
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return MetadataDouble, "", float64(r.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return MetadataDouble, "", float64(r.Uint())
	case reflect.Float32, reflect.Float64:
		return MetadataDouble, "", r.Float()
	case reflect.Pointer:
		// One level: a pointer to a pointer may point to itself.
		if element := r.Elem(); element.Kind() != reflect.Pointer {
			return metadataValue(element.Interface())
		}
	}
	return MetadataOther, jsonText(value), 0
}

// jsonText is the value as compact JSON, or as fmt prints it where JSON has no
// form for it.
func jsonText(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	return string(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
}
