package explain_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/explain"
	"mkt/fetch/raw"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// play is a world of a fixture in play: 24 samples eight seconds apart, from the
// tenth minute on, with a corner that the provider's own list has, too.
func play(t testing.TB) *world {
	w := newWorld(t, football.LiveIntelligence)
	for i := range 24 {
		s := 600 + 8*i
		corners := 1
		if i >= 10 {
			corners = 2
		}
		list := fmt.Sprintf(`{"id":"501","sport_id":"1","time":"1795165200","time_status":"1","league":{"id":"1","name":"Coast League"},
			"home":{"id":"2","name":"Harbour"},"away":{"id":"3","name":"Lighthouse"},"ss":"1-0","bet365_id":"9001",
			"timer":{"tm":%d,"ts":%d,"tt":"1","ta":0,"md":0},"stats":{"attacks":["%d","9"],"dangerous_attacks":["%d","4"],"corners":["%d","0"],"xg":["",""]}}`,
			s/60, s%60, 20+i, 5+i/2, corners)
		answers := []answer{{endpoint: "events/inplay", body: `{"success":1,"pager":{"page":1,"per_page":1000,"total":1},"results":[` + list + `]}`}}
		if i == 11 {
			detail := strings.Replace(list, `"stats"`, `"events":[{"id":"77","text":"12' - 2nd Corner - Harbour"}],"stats"`, 1)
			answers = append(answers, answer{endpoint: "event/view", body: `{"success":1,"results":[` + detail + `]}`})
		}
		w.cycle(time.Duration(8*i)*time.Second, nil, answers...)
	}
	return w
}

// TestLive explains what live intelligence shows, and a person has read the golden.
func TestLive(t *testing.T) {
	w := play(t)
	id := rows[table.LiveRow](w, layout.LiveFile)[0].FixtureID
	var b strings.Builder
	for _, value := range []string{"", "/momentum", "/minute/12", "/minute/12/home", "/minute/40", "/timeline", "/timeline/2", "/counter/corners", "/counter/saves", "/score", "/clock"} {
		r, err := w.explain(snapshot.Newest, id+value)
		must(t, err)
		if r.Kind != "live" {
			t.Errorf("%s: a %s", value, r.Kind)
		}
		write(&b, r)
	}
	golden(t, "testdata/live.txt", b.String())
	if _, err := w.explain(snapshot.Newest, id+"/timeline/99"); !errors.Is(err, explain.ErrUnknown) {
		t.Errorf("an entry that is not there: %v", err)
	}
}

// TestLivePacked: the same comes out when the samples were rolled up, and from the
// samples alone when the snapshot is gone.
func TestLivePacked(t *testing.T) {
	w := play(t)
	id := rows[table.LiveRow](w, layout.LiveFile)[0].FixtureID
	text := func(at snapshot.Moment) string {
		var b strings.Builder
		for _, value := range []string{"/minute/12", "/timeline", "/momentum"} {
			r, err := w.explain(at, id+value)
			must(t, err)
			for i := range r.Sources {
				r.Sources[i].File = "" // it moved
			}
			r.Notes = nil
			write(&b, r)
		}
		return b.String()
	}
	before := text(snapshot.Newest)
	n, err := raw.Roll(w.mem, layout.NewCycleID(began.Add(2*time.Hour), string(w.product)))
	if err != nil || n != 24 {
		t.Fatalf("%d rolled up: %v", n, err)
	}
	if after := text(snapshot.Newest); after != before {
		t.Errorf("packed it is\n%s\nand was\n%s", after, before)
	}
	c, _, err := snapshot.Head(w.mem)
	must(t, err)
	must(t, w.mem.RemoveAll(c.Dir()))
	r, err := w.explain(snapshot.Newest, id+"/minute/12")
	must(t, err)
	if len(r.Values) != 1 || r.Values[0].Value == "" || !strings.Contains(r.Notes[0], "deleted by retention") {
		t.Errorf("without the snapshot: %+v", r)
	}
}
