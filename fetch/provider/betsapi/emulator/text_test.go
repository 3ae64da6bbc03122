package emulator

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mkt/internal/testing/needs"
)

// The simulator writes JSON in ASCII, with the meant texts.
func TestAppendText(t *testing.T) {
	if got := string(quotedText("KIL/Hemne \"Ö\" 東 \U0001F600\r\n\x01")); got != `"KIL\/Hemne \"\u00d6\" \u6771 \ud83d\ude00\r\n\u0001"` {
		t.Errorf("got %s", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.String().Draw(t, "text")
		b := appendText(nil, want)
		var got string
		if err := json.Unmarshal(b, &got); err != nil || got != strings.ToValidUTF8(want, "\ufffd") {
			t.Fatalf("%q is written %s and read %q: %v", want, b, got, err)
		}
		for _, c := range b {
			if c < 0x20 || c > 0x7e && c != 0x7f {
				t.Fatalf("%s holds byte %#x", b, c)
			}
		}
	})
}

// The key that a name makes is the recorded one, for every recorded market.
func TestMarketKeyOfRecordings(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(needs.Shared(t, "providers/betsapi/bet365-prematch"), "*.json"))
	if len(files) == 0 {
		t.Fatal("no recordings")
	}
	seen := 0
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for key, e := range v {
				if m, ok := e.(map[string]any); ok {
					if name, ok := m["name"].(string); ok && m["odds"] != nil {
						seen++
						if got := marketKey(name); got != strings.TrimSuffix(key, "-") {
							t.Errorf("%q makes %q, recorded %q", name, got, key)
						}
					}
				}
				walk(e)
			}
		}
	}
	for _, file := range files {
		var v any
		body, err := os.ReadFile(file)
		if err != nil || json.Unmarshal(body, &v) != nil {
			t.Fatalf("%s: %v", file, err)
		}
		walk(v)
	}
	if seen < 150 {
		t.Errorf("only %d markets seen", seen)
	}
}
