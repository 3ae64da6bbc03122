package terminal

import "testing"

// TestCut counts columns, not bytes: wide characters take two, combining marks none.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		line    string
		columns int
		want    string
	}{
		{"Arsenal", 0, "Arsenal"}, {"Arsenal", 7, "Arsenal"}, {"Arsenal", 6, "Arsen…"}, {"Arsenal", 1, "…"},
		{"東京都", 6, "東京都"}, {"東京都", 5, "東京…"}, {"東京都", 4, "東…"},
		{"e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"}, {"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
	} {
		if got := Cut(c.line, c.columns); got != c.want {
			t.Errorf("%q in %d columns: %q, want %q", c.line, c.columns, got, c.want)
		}
	}
}
