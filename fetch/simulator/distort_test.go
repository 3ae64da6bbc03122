package simulator

import "testing"

// TestBreakOne: a fixture that has nothing but its ids cannot be broken, so the next one is.
func TestBreakOne(t *testing.T) {
	items := [][]byte{[]byte(`{"id":"1","odds":[]}`), []byte(`{"id":"2"}`), []byte(`{"id":"3"}`)}
	breakOne(items, 1, []string{"id"})
	for i, want := range []string{`{"id":"1","odds":17}`, `{"id":"2"}`, `{"id":"3"}`} {
		if string(items[i]) != want {
			t.Errorf("fixture %d: %s, want %s", i, items[i], want)
		}
	}
	only := [][]byte{[]byte(`{"id":"2"}`)}
	if breakOne(only, 0, []string{"id"}); string(only[0]) != `{"id":"2"}` {
		t.Errorf("a fixture without other fields: %s", only[0])
	}
}
