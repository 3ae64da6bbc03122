package strictjson

import "testing"

// TestPlace: every value of a document knows its way, its beginning and its text.
func TestPlace(t *testing.T) {
	const text = ` {"results": [7, {"sp":{"a b":[{"odds":"1.90"},null]}, "1h":"x\"y", "ü":[[true]]}]}`
	var d Document
	if err := d.Parse([]byte(text)); err != nil {
		t.Fatal(err)
	}
	results := d.Root().Get("results")
	var second Value
	for v := range results.Items() {
		second = v
	}
	var inner, row Value
	for v := range second.Get("ü").Items() {
		for w := range v.Items() {
			inner = w
		}
	}
	for v := range second.Get("sp").Get("a b").Items() {
		if v.Kind() == Object {
			row = v
		}
	}
	for _, c := range []struct {
		v         Value
		path, raw string
	}{
		{d.Root(), ".", text[1:]},
		{results, ".results", text[13 : len(text)-1]},
		{row.Get("odds"), `.results[1].sp["a b"][0].odds`, `"1.90"`},
		{row, `.results[1].sp["a b"][0]`, `{"odds":"1.90"}`},
		{second.Get("1h"), `.results[1]["1h"]`, `"x\"y"`},
		{inner, `.results[1]["ü"][0][0]`, "true"},
		{second.Get("nothing"), "", ""},
	} {
		if c.v.Path() != c.path || c.v.Raw() != c.raw {
			t.Errorf("%s %s, want %s %s", c.v.Path(), c.v.Raw(), c.path, c.raw)
		}
		if from := c.v.Start(); c.raw != "" && text[from:from+len(c.raw)] != c.raw {
			t.Errorf("%s begins at %d", c.path, from)
		}
	}
}

// An array or object is empty if it has no item or member.
func TestIsEmpty(t *testing.T) {
	var d Document
	if err := d.Parse([]byte(`[[],{},[[]],{"a":[]},"",null,0]`)); err != nil {
		t.Fatal(err)
	}
	i := 0
	for v := range d.Root().Items() {
		if want := i < 2; v.IsEmpty() != want || (Value{}).IsEmpty() {
			t.Errorf("%s: %v, want %v", v.Raw(), v.IsEmpty(), want)
		}
		i++
	}
}
