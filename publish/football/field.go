package football

// State is the state of one field in the provider's payload. The zero value is Missing.
type State uint8

const (
	// Missing: the field was not in the payload.
	Missing State = iota
	// Null: the field was in the payload without a value (null, or the provider's form of
	// it, such as an empty string).
	Null
	// Present: the field had a value; a real zero is Present.
	Present
)

// Field keeps the three states of a provider's field distinct from the payload to the
// JSON. Its zero value is missing. It may be copied.
//
// Source: interface specification, section 2.1 ("Missing is not zero").
type Field[T any] struct {
	state State
	value T
}

// Of returns a field with value v; an empty string and a zero are values.
func Of[T any](v T) Field[T] { return Field[T]{state: Present, value: v} }

// NullField returns a field that was sent without a value.
func NullField[T any]() Field[T] { return Field[T]{state: Null} }

// State returns the state of the field.
func (f Field[T]) State() State { return f.state }

// Get returns the value and whether there is one.
func (f Field[T]) Get() (T, bool) { return f.value, f.state == Present }

// Or returns the value, or other when there is none.
func (f Field[T]) Or(other T) T {
	if f.state == Present {
		return f.value
	}
	return other
}
