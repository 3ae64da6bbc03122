package layout_test

import (
	"errors"
	"testing"

	"mkt/publish/layout"
)

// A header is decoded whole, or not at all.
func TestDecodeHeader(t *testing.T) {
	type header struct {
		Format int    `json:"format"`
		Name   string `json:"name"`
	}
	for text, want := range map[string]struct {
		header header
		newer  bool
		ok     bool
	}{
		`{"format":1,"name":"a","later":[1]}`:     {header{1, "a"}, false, true},
		" {\"name\":\"a\",\"format\":2}\n":        {header{2, "a"}, false, true},
		`{"name":"a"}`:                            {header{0, "a"}, false, true},
		`{"format":3,"name":"a"}`:                 {header{}, true, false},
		`{"format":3,"name":{"now":"an object"}}`: {header{}, true, false},
		`{"format":2,"name":{"now":"an object"}}`: {header{Format: 2}, false, false},
		`{"format":2,"name":"a"} {"format":2}`:    {header{}, false, false},
		`{"format":2,"name":"a"`:                  {header{}, false, false},
		`{"format":"two","name":"a"}`:             {header{Name: "a"}, false, false},
		``:                                        {header{}, false, false},
	} {
		var got header
		err := layout.DecodeHeader("header", []byte(text), 2, &got)
		if errors.Is(err, layout.ErrNewer) != want.newer || (err == nil) != want.ok || got != want.header {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	var other struct {
		Name string `json:"name"`
	}
	if err := layout.DecodeHeader("header", []byte(`{"format":3,"name":"a"}`), 2, &other); !errors.Is(err, layout.ErrNewer) {
		t.Errorf("a format that the header does not have is not looked at: %v", err)
	}
}
