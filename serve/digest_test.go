package serve_test

import (
	"encoding/json"
	"testing"
)

// A fixture has one content_digest in the list, by itself and in its event, so a client can
// compare events with the list.
func TestOneDigest(t *testing.T) {
	t.Parallel()
	w := published(t, 3, 1).start()
	type digested struct {
		FixtureID     string `json:"fixture_id"`
		ContentDigest string `json:"content_digest"`
	}
	read := func(path string, into any) {
		t.Helper()
		must(t, json.Unmarshal([]byte(w.get(path, "acme").body), &struct{ Data any }{into}))
	}
	var listed, events []digested
	read("/fixtures", &listed)
	read("/changes", &events)
	of := map[string]string{}
	for _, e := range events {
		of[e.FixtureID] = e.ContentDigest
	}
	for _, f := range listed {
		var single digested
		read("/fixtures/"+f.FixtureID, &single)
		if f.ContentDigest == "" || single != f || of[f.FixtureID] != f.ContentDigest {
			t.Errorf("in the list %+v, by itself %+v, in the event %q", f, single, of[f.FixtureID])
		}
	}
	if len(listed) != 3 {
		t.Errorf("%d fixtures", len(listed))
	}
}
