package explain_test

import (
	"strings"
	"testing"

	"mkt/cmd/mkt/internal/explain"
)

// FuzzParseTarget: any target is parsed, or refused in one line.
func FuzzParseTarget(f *testing.F) {
	const fx = "fx_aaaaaaaaaaaaaaaaaaaaaaaaaa"
	for _, s := range []string{fx, "mk_bbbbbbbbbbbbbbbbbbbbbbbbbb~cdefghij", fx + "/momentum", fx + "/minute/37", fx + "/timeline", "fx_", "/", fx + "//"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_, err := explain.ParseTarget(s)
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", s, err)
		}
	})
}
