package transform_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"mkt/fetch/raw"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/table"
	"mkt/transform"
	"mkt/transform/tracking"
)

// tick is the input of one cycle of live intelligence.
type tick struct {
	after time.Duration // since the first
	items []string      // of the list
	views []string      // items of event/view
	cut   bool          // the pager announces more pages
	back  time.Duration // the clock was set back by so much since the first
	body  string        // replaces the list's body
}

func (k tick) id() layout.CycleID {
	return layout.NewCycleID(began.Add(k.after), string(football.LiveIntelligence))
}

func (k tick) archive(fsys durable.FS) error {
	at := began.Add(k.after)
	out, err := raw.Create(fsys, k.id(), nil)
	if err != nil {
		return err
	}
	total := len(k.items)
	if k.cut {
		total += 2000
	}
	body := k.body
	if body == "" {
		body = fmt.Sprintf(`{"success":1,"pager":{"page":1,"per_page":1000,"total":%d},"results":[%s]}`, total, strings.Join(k.items, ","))
	}
	answers := []raw.Response{{Endpoint: "events/inplay", Query: url.Values{"page": {"1"}}}}
	bodies := []string{body}
	if len(k.views) > 0 {
		answers = append(answers, raw.Response{Endpoint: "event/view"})
		bodies = append(bodies, `{"success":1,"results":[`+strings.Join(k.views, ",")+`]}`)
	}
	for i, a := range answers {
		a.Path, a.Attempt, a.Status, a.FetchedAt = "/"+a.Endpoint, 1, 200, at.Add(time.Duration(300*(i+1))*time.Millisecond-k.back)
		if _, err := out.Add(a, []byte(bodies[i])); err != nil {
			return err
		}
	}
	_, err = out.Seal(raw.Cycle{ClientID: "acme", Product: football.LiveIntelligence, Provider: "betsapi", StartedAt: at,
		FinishedAt: at.Add(time.Second), Outcome: raw.Complete, ListingComplete: !k.cut})
	return err
}

func (k tick) transform(root durable.FS) (transform.Summary, error) {
	return k.transformWith(root, nil, nil)
}

func (k tick) transformWith(root durable.FS, received *raw.Received, states *tracking.States) (transform.Summary, error) {
	o := options(root, root)
	o.Received, o.States = received, states
	o.Product, o.Cycle = football.LiveIntelligence, k.id()
	o.Now = func() time.Time { return began.Add(k.after + 2*time.Second) }
	return transform.Run(context.Background(), o)
}

func play(t testing.TB, root durable.FS, ticks ...tick) (last transform.Summary) {
	t.Helper()
	for _, k := range ticks {
		must(t, k.archive(root))
		s, err := k.transform(root)
		must(t, err)
		last = s
	}
	return last
}

// compact compacts all cycles and returns their number.
func compact(t testing.TB, root durable.FS) int {
	t.Helper()
	n, err := raw.Compact(root, layout.NewCycleID(began.Add(4*time.Hour), string(football.LiveIntelligence)))
	must(t, err)
	return n
}

func damage(t testing.TB, root durable.FS, name string) {
	t.Helper()
	data, err := durable.ReadFile(root, name, 1<<30)
	must(t, err)
	data[len(data)/2] ^= 0x10
	must(t, durable.Overwrite(root, name, data))
}

// item is one fixture of a list: its event id, FI ("" for none), clock, and other fields.
func item(event, fi string, minute, second int, more ...string) string {
	if fi != "" {
		more = append(more, `"bet365_id":"`+fi+`"`)
	}
	status := "1"
	half := 0
	if minute >= 45 {
		half = 1
	}
	if minute < 0 {
		status, minute = "3", 90
	}
	more = append([]string{
		`"id":"` + event + `"`, `"sport_id":"1"`, `"time":"1795165200"`, `"time_status":"` + status + `"`, `"league":{"id":"1","name":"Coast League"}`,
		`"home":{"id":"2","name":"Home ` + event + `"}`, `"away":{"id":"3","name":"Away ` + event + `"}`, `"ss":"1-0"`,
		fmt.Sprintf(`"timer":{"tm":%d,"ts":%d,"tt":"1","ta":0,"md":%d}`, minute, second, half),
	}, more...)
	return "{" + strings.Join(more, ",") + "}"
}

// stats are counters of attacks and dangerous attacks of both sides.
func stats(attacks, dangerous int) string {
	return fmt.Sprintf(`"stats":{"attacks":["%d","%d"],"dangerous_attacks":["%d","%d"],"on_target":["1","0"],"xg":["","0.05"],"redcards":["0","0"]}`,
		attacks, attacks/2, dangerous, dangerous/3)
}

// minutes are n ticks of one fixture, eight seconds apart, from the tenth minute on.
func minutes(n int) (ticks []tick) {
	for i := range n {
		s := 600 + 8*i
		ticks = append(ticks, tick{after: time.Duration(8*i) * time.Second, items: []string{
			item("501", "9001", s/60, s%60, stats(20+i, 5+i/2)), item("502", "", s/60, s%60),
		}})
	}
	return ticks
}

func liveRows[T table.Row](t testing.TB, fsys durable.FS, k tick, name string) []T {
	t.Helper()
	return rowsOf[T](t, fsys, k.id(), name)
}

// liveRow is the row of the fixture with that home team, nil if there is none.
func liveRow(t testing.TB, fsys durable.FS, k tick, event string) *table.LiveRow {
	t.Helper()
	for _, row := range liveRows[table.LiveRow](t, fsys, k, layout.LiveFile) {
		if row.Home != nil && *row.Home == "Home "+event {
			return &row
		}
	}
	return nil
}

// word formats a nullable column.
func word[T any](p *T) string {
	if p == nil {
		return "-"
	}
	return fmt.Sprint(*p)
}

func canonicalFiles(t testing.TB, fsys durable.FS) map[string]string {
	t.Helper()
	return files(t, fsys, layout.CanonicalDir)
}

func newMem() *durabletest.Mem { return durabletest.NewMem() }
