package content

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"time"
	"unicode/utf8"

	"mkt/publish/table"
	"mkt/publish/table/columnar"
)

// ErrInvalid: bytes are not the content of a fixture.
var ErrInvalid = errors.New("not the content of a fixture")

// Parse reads the rows in the content of a fixture. Other rows have other bytes.
func Parse(data []byte) (fixture table.FixtureRow, markets []table.MarketRow, err error) {
	r := contentReader{rest: data, codes: fixtureColumns().codes}
	if err = r.row(fixtureColumns().slots, reflect.ValueOf(&fixture).Elem(), 0, 0); err != nil {
		return fixture, nil, err
	}
	r.codes = marketColumns().codes
	for len(r.rest) > 0 {
		var m table.MarketRow
		if err = r.row(marketColumns().slots, reflect.ValueOf(&m).Elem(), 0, 0); err != nil {
			return fixture, nil, err
		}
		markets = append(markets, m)
	}
	if !bytes.Equal(Of(fixture, markets), data) {
		return fixture, nil, fmt.Errorf("%w: its rows are spelled in another way", ErrInvalid)
	}
	return fixture, markets, nil
}

// endOfTime is the end of the year 9999, in milliseconds since 1970.
const endOfTime = 253402300800000

// contentReader reads rows in the order in which a [Digester] adds them.
type contentReader struct {
	rest  []byte
	codes []int // by leaf
}

func (r *contentReader) row(slots []columnar.Slot, row reflect.Value, rep, depth byte) error {
	for i := range slots {
		s, field := &slots[i], row.Field(i)
		if s.Kind == columnar.RowsSlot {
			if err := r.list(s, field, rep, depth); err != nil {
				return err
			}
			continue
		}
		code := r.codes[s.Leaf]
		if code == notDigested || code >= ifAny && !r.next(code&^ifAny) {
			continue
		}
		if err := r.field(s, field, byte(code), rep, depth); err != nil {
			return err
		}
	}
	return nil
}

// next reports whether a value of a column follows.
func (r *contentReader) next(code int) bool { return len(r.rest) > 1 && int(r.rest[0]) == code }

// at reports whether a value of a column with these levels follows.
func (r *contentReader) at(code, levels byte) bool {
	return r.next(int(code)) && r.rest[1] == levels
}

// level reads a column's code and levels.
func (r *contentReader) level(code byte) (byte, error) {
	if !r.next(int(code)) {
		return 0, fmt.Errorf("%w: column %d is missing", ErrInvalid, code)
	}
	levels := r.rest[1]
	r.rest = r.rest[2:]
	return levels, nil
}

func (r *contentReader) field(s *columnar.Slot, field reflect.Value, code, rep, depth byte) error {
	levels, err := r.level(code)
	if err != nil {
		return err
	}
	def := depth + s.Optional
	if s.Kind == columnar.TextsSlot {
		def = depth + 1
	}
	if levels != rep<<4|def {
		if levels == rep<<4|depth {
			return nil // no value
		}
		return fmt.Errorf("%w: column %d has the levels %x", ErrInvalid, code, levels)
	}
	if s.Kind == columnar.TextsSlot {
		return r.texts(field, code, def)
	}
	if s.IsText {
		text, err := r.text()
		if s.Optional == 1 {
			field.Set(reflect.ValueOf(&text))
			return err
		}
		field.SetString(text)
		return err
	}
	if len(r.rest) < 8 {
		return fmt.Errorf("%w: column %d is cut off", ErrInvalid, code)
	}
	bits := binary.LittleEndian.Uint64(r.rest)
	r.rest = r.rest[8:]
	switch s.Kind {
	case columnar.IntegerSlot:
		field.SetInt(int64(int32(bits)))
	case columnar.OptionalIntegerSlot:
		number := int32(bits)
		field.Set(reflect.ValueOf(&number))
	case columnar.BooleanSlot:
		field.SetBool(bits != 0)
	case columnar.OptionalBooleanSlot:
		is := bits != 0
		field.Set(reflect.ValueOf(&is))
	case columnar.OptionalFloatSlot:
		number := math.Float64frombits(bits)
		field.Set(reflect.ValueOf(&number))
	case columnar.TimeSlot, columnar.OptionalTimeSlot:
		if bits >= endOfTime {
			return fmt.Errorf("%w: column %d is not a time between 1970 and 9999", ErrInvalid, code)
		}
		at := time.UnixMilli(int64(bits)).UTC()
		if s.Kind == columnar.TimeSlot {
			field.Set(reflect.ValueOf(at))
			return nil
		}
		field.Set(reflect.ValueOf(&at))
	default:
		return fmt.Errorf("%w: column %d is of an unknown kind", ErrInvalid, code)
	}
	return nil
}

func (r *contentReader) text() (string, error) {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > uint64(len(r.rest)-size) {
		return "", fmt.Errorf("%w: a text is cut off", ErrInvalid)
	}
	text := string(r.rest[size : size+int(n)])
	if !utf8.ValidString(text) {
		return "", fmt.Errorf("%w: a text is not UTF-8", ErrInvalid)
	}
	r.rest = r.rest[size+int(n):]
	return text, nil
}

func (r *contentReader) texts(field reflect.Value, code, def byte) error {
	var all []string
	for {
		text, err := r.text()
		if err != nil {
			return err
		}
		all = append(all, text)
		if !r.at(code, def<<4|def) {
			field.Set(reflect.ValueOf(all))
			return nil
		}
		r.rest = r.rest[2:]
	}
}

// list reads the rows of a list. The first column of a row tells a row from an empty list, whose columns
// have the levels of the row around them.
func (r *contentReader) list(s *columnar.Slot, field reflect.Value, rep, depth byte) error {
	first := byte(r.codes[s.Leaf])
	if r.codes[s.Leaf] >= ifAny && !r.next(int(first)) {
		return nil
	}
	if r.at(first, rep<<4|depth) {
		for leaf := range s.Leaves {
			if code := r.codes[s.Leaf+leaf]; code != notDigested {
				if levels, err := r.level(byte(code)); err != nil || levels != rep<<4|depth {
					return fmt.Errorf("%w: column %d contradicts an empty list", ErrInvalid, code)
				}
			}
		}
		return nil
	}
	for {
		row := reflect.New(field.Type().Elem()).Elem()
		if err := r.row(s.Rows, row, rep, depth+1); err != nil {
			return err
		}
		field.Set(reflect.Append(field, row))
		if rep = depth + 1; !r.next(int(first)) || r.rest[1]>>4 != rep {
			return nil
		}
	}
}
