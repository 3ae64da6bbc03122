package providertest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"mkt/fetch/provider"
	"mkt/publish/football"
)

// places: a traced reading reads the same, and every price it gives stands in the
// payload where the trace says, digit by digit.
func (s Suite) places(t *testing.T) {
	for name, x := range s.markets() {
		t.Run(name, func(t *testing.T) {
			trace := new(provider.Trace)
			p := provider.Payload{Number: 1, Endpoint: x.Endpoint, Body: x.Body, Trace: trace}
			sheet, err := s.Provider.Markets.ReadMarkets(p, provider.Listing{})
			if err != nil {
				t.Fatal(err)
			}
			prices := 0
			for _, f := range sheet.Fixtures {
				for _, o := range f.Offers {
					for _, row := range o.Rows {
						for _, price := range []football.Field[string]{row.Decimal, row.Fractional} {
							if digits, ok := price.Get(); ok {
								prices++
								HoldsDigits(t, x.Body, trace, row.Place, digits)
							}
						}
					}
				}
			}
			if prices == 0 {
				t.Skip("no prices in it")
			}
		})
	}
}

// HoldsDigits checks that the price of the row that begins at place stands in the
// body where the trace says: found by a walk of its own, not the reader's.
func HoldsDigits(t testing.TB, body []byte, trace *provider.Trace, place uint32, digits string) {
	t.Helper()
	for _, found := range trace.Of(provider.Subject{Row: place}) {
		switch found.Field {
		case provider.FieldDecimal, provider.FieldFractional, provider.FieldPacked:
		default:
			continue
		}
		there, err := Resolve(body, found.Path)
		if err != nil {
			t.Errorf("%v", err)
			return
		}
		if there != found.Text {
			t.Errorf("%s: %s, the trace says %s", found.Path, there, found.Text)
			return
		}
		if text := plain(there); text == digits || found.Field == provider.FieldPacked && strings.Contains(text, digits) {
			return
		}
	}
	t.Errorf("row at byte %d: nothing found holds %s", place, digits)
}

// plain is the content of a string, and of anything else its characters.
func plain(raw string) string {
	var text string
	if json.Unmarshal([]byte(raw), &text) == nil {
		return text
	}
	return raw
}

// Resolve is what stands at a path of a body, as it stands there.
func Resolve(body []byte, path string) (string, error) {
	value := json.RawMessage(body)
	for rest := strings.TrimPrefix(path, "."); rest != ""; {
		var err error
		switch {
		case strings.HasPrefix(rest, `["`):
			end := strings.Index(rest, `"]`) // no key in any payload holds it
			var key string
			if err = json.Unmarshal([]byte(rest[1:end+1]), &key); err == nil {
				value, err = memberOf(value, key)
			}
			rest = rest[end+2:]
		case rest[0] == '[':
			end := strings.IndexByte(rest, ']')
			var n int
			if n, err = strconv.Atoi(rest[1:end]); err == nil {
				value, err = itemOf(value, n)
			}
			rest = rest[end+1:]
		default:
			rest = strings.TrimPrefix(rest, ".")
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			value, err = memberOf(value, rest[:end])
			rest = rest[end:]
		}
		if err != nil {
			return "", fmt.Errorf("path %s: %w", path, err)
		}
	}
	return string(value), nil
}

func memberOf(value json.RawMessage, key string) (json.RawMessage, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(value, &object); err != nil {
		return nil, err
	}
	v, ok := object[key]
	if !ok {
		return nil, fmt.Errorf("no member %q", key)
	}
	return v, nil
}

func itemOf(value json.RawMessage, n int) (json.RawMessage, error) {
	var array []json.RawMessage
	if err := json.Unmarshal(value, &array); err != nil {
		return nil, err
	}
	if n >= len(array) {
		return nil, fmt.Errorf("no item %d", n)
	}
	return array[n], nil
}
