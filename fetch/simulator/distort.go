package simulator

import (
	"bytes"
	"encoding/json"
	"slices"
)

// distort damages the content of an answer. An answer without items is returned
// unchanged.
func distort(d Dialect, kind FaultKind, a Answer, pick func(n int) int) Answer {
	if a.Items == nil {
		return a
	}
	format := d.Format()
	items, page := slices.Clone(a.Items), a.Page
	switch kind {
	case Wrong:
		a.Body = otherShape(d, a, pick)
		return a
	case WithoutIDs:
		for i := range items {
			items[i] = edited(items[i], func(object map[string]json.RawMessage) {
				for _, field := range format.IDs {
					delete(object, field)
				}
			})
		}
	case Duplicate:
		if len(items) > 0 {
			items = append(items, items[pick(len(items))])
		}
	case Shrink:
		items, page = shrunk(items, page)
	case BrokenFixture:
		if len(items) > 0 {
			breakOne(items, pick(len(items)), format.IDs)
		}
	}
	a.Body = d.Wrap(items, page)
	return a
}

// breakOne makes every field of a fixture but its ids unreadable: of the one at first, or of the next
// one if it has neither objects nor lists, as a fixture without markets.
func breakOne(items [][]byte, first int, ids []string) {
	for n := range items {
		i, isBroken := (first+n)%len(items), false
		items[i] = edited(items[i], func(object map[string]json.RawMessage) {
			for field, value := range object {
				if !slices.Contains(ids, field) {
					isBroken = isBroken || value[0] == '{' || value[0] == '['
					object[field] = json.RawMessage("17")
				}
			}
		})
		if isBroken {
			return
		}
	}
}

// otherShape returns valid JSON of a shape that the endpoint never has.
func otherShape(d Dialect, a Answer, pick func(n int) int) []byte {
	f := d.Format()
	list := slices.Concat([]byte{'['}, bytes.Join(a.Items, []byte{','}), []byte{']'})
	n := pick(4)
	switch {
	case f.List == "" && n != 2: // where an answer is a list, only an object has another shape
		n = 4
	case n == 0 && !bytes.Contains(a.Body, []byte(`"`+f.List+`":`)): // its list has a name of its own
		n = 3
	}
	switch n {
	case 4:
		return slices.Concat([]byte(`{"items":`), list, []byte{'}'})
	case 0:
		return bytes.Replace(a.Body, []byte(`"`+f.List+`":`), []byte(`"`+otherName(f.List)+`":`), 1)
	case 1:
		return bytes.Replace(d.Wrap(nil, nil), []byte(`"`+f.List+`":[]`), slices.Concat([]byte(`"`+f.List+`":{"items":`), list, []byte{'}'}), 1)
	case 2:
		return []byte(f.Nonsense)
	default:
		return list
	}
}

func otherName(list string) string {
	if list == "data" {
		return "items"
	}
	return "data"
}

// shrunk keeps the first 40 % of a list, counted over all its pages, or of the fixtures
// of any other answer.
func shrunk(items [][]byte, page *Page) ([][]byte, *Page) {
	if page == nil {
		return items[:len(items)*2/5], nil
	}
	p := *page
	p.Total = p.Total * 2 / 5
	keep := p.Total - (p.Number-1)*p.Size
	return items[:min(max(keep, 0), len(items))], &p
}

// edited returns an object with some of its fields changed, and any other value
// unchanged.
func edited(raw []byte, edit func(object map[string]json.RawMessage)) []byte {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return raw
	}
	edit(object)
	b, _ := json.Marshal(object)
	return b
}
