package strictjson_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"mkt/fetch/internal/strictjson"
)

func TestRefuses(t *testing.T) {
	deep := strings.Repeat("[", 100_000)
	for name, body := range map[string]string{
		"nothing":            "",
		"white space":        " \n",
		"two values":         "{} {}",
		"not UTF-8":          "{\"a\":\"\xff\"}",
		"unpaired surrogate": `"\ud800"`,
		"surrogates swapped": `"\udc00\ud800"`,
		"control character":  "\"\n\"",
		"unknown escape":     `"\q"`,
		"cut":                `{"a":[1,2`,
		"cut in an escape":   `"\u00`,
		"deep":               deep,
		"deep and closed":    deep + strings.Repeat("]", 100_000),
		"comma":              `[1,]`,
		"key without quotes": `{a:1}`,
		"leading zero":       `01`,
		"bare point":         `1.`,
		"sign":               `+1`,
		"not a number":       `NaN`,
		"long number":        strings.Repeat("1", strictjson.MaxNumber+1),
		"long string":        `"` + strings.Repeat("a", strictjson.MaxString+1) + `"`,
	} {
		var d strictjson.Document
		err := d.Parse([]byte(body))
		var e *strictjson.Error
		if !errors.As(err, &e) || e.Rule == "" || e.Offset > len(body) {
			t.Errorf("%s: got %v, want an *Error", name, err)
		}
		if d.Root().Kind() != strictjson.Absent {
			t.Errorf("%s: a refused text has a root", name)
		}
	}
}

func TestWalk(t *testing.T) {
	var d strictjson.Document
	const body = ` {"b":[1, -0.50e+3,"x\/\u00fc\ud83d\ude00\n"],"a":{},"n":null,"t":true,"f":false} `
	if err := d.Parse([]byte(body)); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for k := range d.Root().Members() {
		keys = append(keys, k)
	}
	if got := strings.Join(keys, ","); got != "b,a,n,t,f" {
		t.Errorf("keys in order %s", got)
	}
	var items []string
	for v := range d.Root().Get("b").Items() {
		items = append(items, v.Text())
	}
	if got := strings.Join(items, "|"); got != "1|-0.50e+3|x/ü😀\n" {
		t.Errorf("items %q", got)
	}
	if v := d.Root().Get("none"); v.Kind() != strictjson.Absent || v.Text() != "" || v.Len() != 0 {
		t.Errorf("an absent member is %v %q", v.Kind(), v.Text())
	}
	if d.Root().Len() != 5 || d.Root().Get("b").Len() != 3 || d.Root().Get("a").Text() != "{}" {
		t.Error("lengths or text of containers")
	}
}

// A key that occurs twice is reported by its own object, and by no other.
func TestRepeatedKeys(t *testing.T) {
	for body, want := range map[string]string{
		`{"a":1,"b":{"c":1,"c":2}}`: ".b",
		`{"a":1,"\u0061":2}`:        ".",
		`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1,"a":1}`: ".",
		`[{"a":1},{"a":1,"b":[{"x":0},{"x":0,"x":0}]}]`:                                         ".[1].b[1]",
		`[{"a":{"a":{"a":1}}},{"a":1},["a","a"]]`:                                               "",
	} {
		var d strictjson.Document
		if err := d.Parse([]byte(body)); err != nil {
			t.Fatal(err)
		}
		var found []string
		var walk func(v strictjson.Value)
		walk = func(v strictjson.Value) {
			if v.Repeats() {
				found = append(found, v.Path())
			}
			for _, m := range v.Members() {
				walk(m)
			}
			for i := range v.Items() {
				walk(i)
			}
		}
		walk(d.Root())
		if got := strings.Join(found, " "); got != want {
			t.Errorf("%s: %q repeat a key, want %q", body, got, want)
		}
	}
	var d strictjson.Document
	if err := d.Parse([]byte(`{"a":1,"b":2,"a":3}`)); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"a": "1 false", "b": "2 true", "c": " true"} {
		v, ok := d.Root().Once(key)
		if got := fmt.Sprint(v.Text(), " ", ok); got != want {
			t.Errorf("once %s: %q, want %q", key, got, want)
		}
	}
	if d.Root().Len() != 3 || d.Root().Get("a").Text() != "1" {
		t.Error("a repeated member is not there, or it is not the first one")
	}
}

// TestStringsOutliveReuse: strings stay when the document is used again.
func TestStringsOutliveReuse(t *testing.T) {
	var d strictjson.Document
	body := []byte(`["first"]`)
	if err := d.Parse(body); err != nil {
		t.Fatal(err)
	}
	first := ""
	for v := range d.Root().Items() {
		first = v.Text()
	}
	copy(body, `["other"]`)
	if err := d.Parse(body); err != nil || first != "first" {
		t.Errorf("%v, %q", err, first)
	}
}

// FuzzParse compares Parse with jsontext, which follows RFC 8259 just as strictly:
// both accept the same texts, but for the limits, and read the same values.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,{"b":"c\u00e9"}],"d":null}`, `[1e9,-0,0.5]`, `{"a":1,"a":2}`, `"\ud83d\ude00"`, `"\ud800"`, "\"\xff\"", `[[[`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var d strictjson.Document
		err := d.Parse(body)
		isValid := jsontext.Value(body).IsValid(jsontext.AllowDuplicateNames(true))
		if err != nil {
			if isValid && !isLimit(err) {
				t.Fatalf("refused valid text: %v", err)
			}
			return
		}
		if !isValid {
			t.Fatal("accepted what jsontext refuses")
		}
		repeats := compare(t, d.Root(), jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true)))
		if isUnique := jsontext.Value(body).IsValid(); repeats == isUnique {
			t.Fatalf("an object repeats a key: %v, and jsontext says %v", repeats, !isUnique)
		}
		placed(t, d.Root(), ".", body)
	})
}

// placed holds the way, the beginning and the text of every value against the body.
func placed(t *testing.T, v strictjson.Value, path string, body []byte) {
	t.Helper()
	if from := v.Start(); v.Raw() == "" || !bytes.HasPrefix(body[from:], []byte(v.Raw())) {
		t.Fatalf("%s does not stand at %d", path, from)
	}
	if v.Path() != path {
		t.Fatalf("%s, want %s", v.Path(), path)
	}
	if v.Kind() == strictjson.Array {
		n := 0
		for item := range v.Items() {
			placed(t, item, fmt.Sprintf("%s[%d]", path, n), body)
			n++
		}
	}
}

func isLimit(err error) bool {
	var e *strictjson.Error
	return errors.As(err, &e) && slices.Contains([]string{strictjson.RuleDepth, strictjson.RuleString, strictjson.RuleNumber, strictjson.RuleValues}, e.Rule)
}

// compare compares a value with the one that the decoder reads next, and reports
// whether an object in it repeats a key.
func compare(t *testing.T, got strictjson.Value, want *jsontext.Decoder) (repeats bool) {
	t.Helper()
	next := func(kind jsontext.Kind, text string) {
		t.Helper()
		token, err := want.ReadToken()
		if err != nil || token.Kind() != kind || token.String() != text {
			t.Fatalf("%q of kind %v, want %q of kind %v (%v)", text, kind, token, token.Kind(), err)
		}
	}
	switch got.Kind() {
	case strictjson.Object:
		next('{', "{")
		for key, v := range got.Members() {
			next('"', key)
			repeats = compare(t, v, want) || repeats
		}
		next('}', "}")
	case strictjson.Array:
		next('[', "[")
		for v := range got.Items() {
			repeats = compare(t, v, want) || repeats
		}
		next(']', "]")
	default:
		next(map[strictjson.Kind]jsontext.Kind{strictjson.String: '"', strictjson.Number: '0', strictjson.True: 't', strictjson.False: 'f', strictjson.Null: 'n'}[got.Kind()], got.Text())
	}
	return repeats || got.Repeats()
}
