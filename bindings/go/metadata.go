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

// MetadataType is the type of a metadata value in the library.
type MetadataType uint8

const (
	// MetadataString is a text.
	MetadataString MetadataType = 0
	// MetadataDouble is a number.
	MetadataDouble MetadataType = 1
	// MetadataOther is neither; scorers see its text.
	MetadataOther MetadataType = 2
)

// Other is the text of a metadata value that is neither a string nor a double.
// [Batch.Item] gives it for such a value.
type Other string

// metadataValue gives the library's value of a Go value. The common types are
// tested first, and the others by their underlying type.
func metadataValue(value any) (kind MetadataType, text string, number float64) {
	switch v := value.(type) {
	case string:
		return MetadataString, v, 0
	case float64:
		return MetadataDouble, "", v
	case int:
		return integerValue(int64(v))
	case bool:
		return MetadataOther, strconv.FormatBool(v), 0
	case Other:
		return MetadataOther, string(v), 0
	case nil:
		return MetadataOther, "null", 0
	case json.Number:
		if integer, ok := new(big.Int).SetString(string(v), 10); ok && integer.Sign() != 0 {
			return bigValue(integer)
		}
		// Too large a number is an infinity, the nearest double.
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
		return bigValue(v)
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
		return integerValue(r.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return bigValue(new(big.Int).SetUint64(r.Uint()))
	case reflect.Float32, reflect.Float64:
		return MetadataDouble, "", r.Float()
	case reflect.Pointer:
		if isEndless(r) {
			return MetadataOther, fmt.Sprintf("%p", value), 0
		}
		if element := r.Elem(); element.Kind() != reflect.Pointer {
			return metadataValue(element.Interface())
		}
	}
	return MetadataOther, jsonText(value), 0
}

// integerValue is a double if a double holds the integer exactly, else its text:
// an id must not become another id.
func integerValue(integer int64) (kind MetadataType, text string, number float64) {
	if -1<<53 <= integer && integer <= 1<<53 {
		return MetadataDouble, "", float64(integer)
	}
	return bigValue(big.NewInt(integer))
}

func bigValue(integer *big.Int) (kind MetadataType, text string, number float64) {
	if number, accuracy := integer.Float64(); accuracy == big.Exact {
		return MetadataDouble, "", number
	}
	return MetadataOther, integer.String(), 0
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

// isEndless reports whether a chain of pointers leads back into itself. The
// encoding/json of Go 1.27 follows one until the stack overflows, which nothing
// recovers from.
func isEndless(v reflect.Value) bool {
	for range 100 {
		if v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface {
			return false
		}
		v = v.Elem()
	}
	return true
}
