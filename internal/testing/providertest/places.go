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

// places checks that a traced reading reads the same, and every price is in the
// payload at the position reported by the trace, digit by digit.
func (s Suite) places(t *testing.T) {
	prices := 0
	for name, x := range s.markets() {
		t.Run(name, func(t *testing.T) {
			trace := new(provider.Trace)
			p := provider.Payload{Number: 1, Endpoint: x.Endpoint, Body: x.Body, Trace: trace}
			sheet, err := s.Provider.Markets.ReadMarkets(p, provider.Listing{})
			if err != nil {
				t.Fatal(err)
			}
			prices += checkPlaces(t, sheet, NewTree(x.Body), trace)
		})
	}
	if prices == 0 && len(s.markets()) > 0 {
		t.Error("no sample has a price")
	}
}

// HoldsDigits checks that the price of the row that begins at place is in the payload
// at the position reported by the trace. It finds the position without the reader.
func HoldsDigits(t testing.TB, body *Tree, trace *provider.Trace, place uint32, digits string) {
	t.Helper()
	for _, found := range trace.Of(provider.Subject{Row: place}) {
		switch found.Field {
		case provider.FieldDecimal, provider.FieldFractional, provider.FieldPacked:
		default:
			continue
		}
		there, err := body.At(found.Path)
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

// Tree is a payload as the standard library parses it, level by level and on demand.
type Tree struct {
	text    json.RawMessage
	members map[string]*Tree
	items   []*Tree
}

// NewTree returns the tree of a payload.
func NewTree(body []byte) *Tree { return &Tree{text: body} }

// At returns the text at a path, unchanged.
func (n *Tree) At(path string) (string, error) {
	at := n
	for rest := strings.TrimPrefix(path, "."); rest != "" && at != nil; {
		switch {
		case strings.HasPrefix(rest, `["`):
			end := strings.Index(rest, `"]`) // no key of any payload holds it
			var key string
			if err := json.Unmarshal([]byte(rest[1:end+1]), &key); err != nil {
				return "", err
			}
			at, rest = at.member(key), rest[end+2:]
		case rest[0] == '[':
			end := strings.IndexByte(rest, ']')
			number, err := strconv.Atoi(rest[1:end])
			if err != nil {
				return "", err
			}
			at, rest = at.item(number), rest[end+1:]
		default:
			rest = strings.TrimPrefix(rest, ".")
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			at, rest = at.member(rest[:end]), rest[end:]
		}
	}
	if at == nil {
		return "", fmt.Errorf("nothing stands at %s", path)
	}
	return string(at.text), nil
}

// member is nil if there is none.
func (n *Tree) member(key string) *Tree {
	if n.members == nil {
		var object map[string]json.RawMessage
		_ = json.Unmarshal(n.text, &object) // a value other than an object has no members
		n.members = make(map[string]*Tree, len(object))
		for k, v := range object {
			n.members[k] = NewTree(v)
		}
	}
	return n.members[key]
}

// item is nil if there is none.
func (n *Tree) item(number int) *Tree {
	if n.items == nil {
		var array []json.RawMessage
		_ = json.Unmarshal(n.text, &array) // a value other than an array has no items
		for _, v := range array {
			n.items = append(n.items, NewTree(v))
		}
	}
	if number >= len(n.items) {
		return nil
	}
	return n.items[number]
}

// checkPlaces checks that every price of a sheet stands at its place in the answer, and returns how
// many rows there are.
func checkPlaces(t *testing.T, s provider.Sheet, tree *Tree, trace *provider.Trace) (rows int) {
	t.Helper()
	for _, f := range s.Fixtures {
		for _, o := range f.Offers {
			for _, row := range o.Rows {
				rows++
				for _, price := range []football.Field[string]{row.Decimal, row.Fractional} {
					if digits, ok := price.Get(); ok {
						HoldsDigits(t, tree, trace, row.Place, digits)
					}
				}
			}
		}
	}
	return rows
}
