package strictjson

import (
	"errors"
	"strings"
	"testing"
)

// Count never counts fewer values than the index has, and few more in real texts.
func TestCount(t *testing.T) {
	for text, most := range map[string]int{
		`1`:                              1,
		`[]`:                             2,
		`{}`:                             2,
		`[1,2,3]`:                        4,
		`{"a":1,"b":[true,null]}`:        7,
		`["a,b:c[{", "\"[\\", "\\\"",2]`: 5,
		`[[],[],{}]`:                     7,
	} {
		var d Document
		if err := d.Parse([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if n := Count([]byte(text), MaxValues); n < len(d.nodes) || n > most {
			t.Errorf("%s: %d, the index has %d; want at most %d", text, n, len(d.nodes), most)
		}
	}
	for _, cut := range []string{`"`, `"\`, `"\"`, `["abc`, ``, `{"a\\":"`} {
		if n := Count([]byte(cut), MaxValues); n < 1 || n > 3 {
			t.Errorf("%q: %d", cut, n)
		}
	}
}

// A text with too many values is refused before anything is made of it.
func TestTooManyValues(t *testing.T) {
	body := []byte("[" + strings.Repeat("[],", 10<<20) + "1]")
	var d Document
	var e *Error
	allocated := testing.AllocsPerRun(1, func() {
		if err := d.Parse(body); !errors.As(err, &e) || e.Rule != RuleValues {
			t.Fatal(err)
		}
	})
	if d.Size() != 0 || allocated > 2 {
		t.Errorf("room for %d values, %v allocations", d.Size(), allocated)
	}
	for _, most := range []string{
		"[" + strings.Repeat("1,", MaxValues-2) + "1]",
		"[" + strings.Repeat(`"`+strings.Repeat(",:[{", MaxString/4)+`",`, 9) + "1]", // which are no values
	} {
		if err := d.Parse([]byte(most)); err != nil {
			t.Error(err)
		}
	}
}

// FuzzCount holds Count against Parse.
func FuzzCount(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":"c\u00e9"}],"d":null}`, `[[],{},""]`, `["\\",",\"["]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		n := Count(body, MaxValues)
		var d Document
		if d.Parse(body) == nil && (n < len(d.nodes) || n > 2*len(d.nodes)) {
			t.Fatalf("counted %d values, the index has %d", n, len(d.nodes))
		}
	})
}
