package cupel

// #include "shim.h"
// #cgo noescape cupel_selector_from_json
// #cgo nocallback cupel_selector_from_json
// #cgo noescape cupel_selector_to_json
// #cgo nocallback cupel_selector_to_json
import "C"

// NewSelectorFromJSON makes the selector that the JSON describes, with its
// scorer. Decay scorers in it read clock; nil means the system clock. The error
// gives the JSON path, the line and the column.
func NewSelectorFromJSON(json []byte, clock *Clock) (*Selector, error) {
	now, clock, err := clockOrSystem(clock)
	if err != nil {
		return nil, err
	}
	defer clock.used()
	return newSelector(clock.calls, func(out **C.cupel_selector, cError **C.cupel_error) C.cupel_status {
		return C.cupel_selector_from_json(chars(json), C.size_t(len(json)), now, out, cError)
	})
}

// MarshalJSON gives the policy as JSON that [NewSelectorFromJSON] reads. Clocks
// are not part of it. A custom scorer gives an error.
func (s *Selector) MarshalJSON() ([]byte, error) {
	selector, err := s.use()
	if err != nil {
		return nil, err
	}
	defer s.used()
	return jsonOf(func(text **C.cupel_text, cError **C.cupel_error) C.cupel_status {
		return C.cupel_selector_to_json(selector, text, cError)
	})
}

// UnmarshalJSON makes s the selector that the JSON describes, as
// [NewSelectorFromJSON] does with the system clock. s must be a zero Selector: a
// selector is immutable, so one that is already made gives [ErrInvalidArgument].
// The JSON value null leaves s unchanged.
func (s *Selector) UnmarshalJSON(json []byte) error {
	if string(json) == "null" {
		return nil
	}
	if s.handle != nil {
		return failure(ErrInvalidArgument, "the Selector to read JSON into is already made: it must be a zero Selector")
	}
	read, err := NewSelectorFromJSON(json, nil)
	if err != nil {
		return err
	}
	s.calls = read.calls
	s.own(read.disown())
	return nil
}
