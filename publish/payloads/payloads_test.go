package payloads_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/health"
	"mkt/publish/layout"
	"mkt/publish/payloads"
)

// dataset is observed every hour.
type dataset struct {
	*testing.T
	mem    *durabletest.Mem
	at     time.Time
	source payloads.Source
	rules  string
	live   bool
}

func newDataset(t *testing.T) *dataset {
	return &dataset{T: t, mem: durabletest.NewMem(), at: time.Date(2026, 11, 20, 9, 7, 0, 0, time.UTC), source: payloads.Source{Provider: "p"}, rules: "1"}
}

// see records an answer of n fixtures, each with the fields; "name*2" is in every second one. Every fixture has the
// market "result" and those of fields that begin with "new ".
func (d *dataset) see(n int, fields ...string) {
	d.Helper()
	d.at = d.at.Add(time.Hour)
	answers := map[string]payloads.Field{"": {Has: 1, Objects: 1, Envelope: true}, "list": {Has: 1, Objects: n, Envelope: true}}
	markets := map[string]payloads.Market{"result": {Has: n, Usable: n, UsableIn: n}}
	for _, f := range fields {
		name, every, _ := strings.Cut(f, "*")
		share := 1
		fmt.Sscan(every, &share)
		switch {
		case name == "pager":
			answers[name] = payloads.Field{Has: 1, Envelope: true}
		case name == "RAW":
			markets["result"] = payloads.Market{Has: n}
		case strings.HasPrefix(name, "new "):
			markets[name] = payloads.Market{Has: n / share, Unknown: n / share}
		default:
			answers["list."+name] = payloads.Field{Has: n / share}
		}
	}
	check.Must(d, payloads.Record(d.mem, payloads.Observation{Source: d.source, Rules: d.rules, Cycle: layout.NewCycleID(d.at, "market_engine"), At: d.at, Live: d.live,
		Answers: map[string]map[string]payloads.Field{"odds": answers}, Fixtures: n, Markets: markets}))
}

// days sees the same every hour for a number of days.
func (d *dataset) days(days, n int, fields ...string) {
	d.Helper()
	for range days * 24 {
		d.see(n, fields...)
		d.want("")
	}
}

// want compares the changes, as "field_gone list.a, market_new x".
func (d *dataset) want(want string) payloads.Report {
	d.Helper()
	r, err := payloads.Read(d.mem)
	check.Must(d, err)
	var got []string
	for _, c := range r.Changes {
		got = append(got, string(c.Kind)+" "+c.Name)
	}
	if strings.Join(got, ", ") != want {
		d.Fatalf("%s: %q, want %q", d.at, strings.Join(got, ", "), want)
	}
	return r
}

func TestMemberIsGone(t *testing.T) {
	d := newDataset(t)
	d.days(4, 20, "a", "b", "pager")
	since := d.at.Add(time.Hour)
	d.see(20, "b", "pager")
	d.want("")
	d.see(20, "b", "pager")
	r := d.want("field_gone list.a")
	if c := r.First(); !c.Since.Equal(since) || c.Answers != "odds" || c.Has != 4*24*20 || c.Of != c.Has || c.After != layout.NewCycleID(since.Add(-time.Hour), "market_engine") {
		t.Errorf("%+v", c)
	}
	for range 4 { // of the envelope, more answers are needed: each is one item
		d.see(20, "b")
		d.want("field_gone list.a")
	}
	d.see(20, "b")
	d.want("field_gone list.a, field_gone pager")
	d.see(20, "a", "b", "pager")
	d.want("")
}

// One faulty cycle is no change, and the next change is found all the same.
func TestOneFaultyCycle(t *testing.T) {
	d := newDataset(t)
	d.days(4, 20, "a")
	d.see(20)
	d.see(20, "a")
	d.want("")
	d.see(20)
	d.see(20)
	d.want("field_gone list.a")
}

// After a week, the new form is the known one.
func TestNewFormIsAccepted(t *testing.T) {
	d := newDataset(t)
	d.days(4, 20, "a", "b")
	for range 7*24 - 1 {
		d.see(20, "b", "c", "new x*3")
	}
	d.want("field_gone list.a, field_new list.c, market_new new x")
	d.see(20, "b", "c", "new x*3")
	d.see(20, "b", "c", "new x*3")
	d.want("")
	d.days(8, 20, "b", "c", "new x*3")
}

func TestNothingIsFoundWithoutEnoughPast(t *testing.T) {
	d := newDataset(t)
	d.days(2, 20, "a", "b")
	d.days(2, 20, "b", "c", "new x")
}

// What comes and goes is not missed: at night, in small lists, and by chance.
func TestWhatComesAndGoes(t *testing.T) {
	d := newDataset(t)
	for range 4 {
		for range 16 {
			d.see(40, "always", "day", "half*2")
			d.want("")
		}
		for range 8 {
			d.see(3, "always")
			d.want("")
		}
	}
	for range 5 {
		d.see(3)
	}
	d.want("field_gone list.always")
	for range 5 {
		d.see(40, "always")
	}
	d.want("field_gone list.day, field_gone list.half")
}

// A list without an entry says nothing about members.
func TestEmptyList(t *testing.T) {
	d := newDataset(t)
	d.days(4, 5, "a")
	d.days(1, 0)
}

// A new name matters if it is in a fifth of the fixtures, and in three.
func TestNewMarket(t *testing.T) {
	for _, c := range []struct {
		n     int
		field string
		want  string
	}{{20, "new x*5", "market_new new x"}, {20, "new x*6", ""}, {20, "new x*20", ""}, {4, "new x*2", ""}, {3, "new x", "market_new new x"}} {
		d := newDataset(t)
		d.days(4, c.n)
		d.see(c.n, c.field)
		d.want("")
		d.see(c.n, c.field)
		d.want(c.want)
	}
}

// A name that begins in one fixture is found when it is in many.
func TestNewMarketGrows(t *testing.T) {
	d := newDataset(t)
	d.days(4, 20)
	d.days(2, 20, "new x*20")
	d.see(20, "new x*2")
	d.see(20, "new x*2")
	d.want("market_new new x")
}

func TestLostMarkets(t *testing.T) {
	d := newDataset(t)
	d.days(4, 20, "a")
	d.see(10, "RAW")
	d.see(10, "RAW")
	if r := d.want("field_gone list.a"); r.LostMarkets != 10 || r.LostFixtures != 10 {
		t.Errorf("%+v", r)
	}
	d.rules = "2" // what the operator's rules do not map is not lost by the provider
	d.see(10, "RAW")
	if r := d.want("field_gone list.a"); r.LostMarkets != 0 {
		t.Errorf("%+v", r)
	}
}

// In play, what a match has depends on its time.
func TestLiveNeedsAnHour(t *testing.T) {
	d := newDataset(t)
	d.live = true
	d.days(4, 20, "a")
	d.see(20)
	d.at = d.at.Add(-50 * time.Minute)
	d.see(20)
	d.want("")
	d.see(20)
	d.want("field_gone list.a")
}

// What the operator changes is no change of the provider, and a pause begins a new memory.
func TestOtherSource(t *testing.T) {
	for name, change := range map[string]func(*dataset){
		"provider":   func(d *dataset) { d.source.Provider = "q" },
		"bookmaker":  func(d *dataset) { d.source.Bookmaker = "q" },
		"connection": func(d *dataset) { d.source.Connection = "q" },
		"plan":       func(d *dataset) { d.source.Plan = "q" },
		"pause":      func(d *dataset) { d.at = d.at.AddDate(0, 0, 5) },
		"damage": func(d *dataset) {
			check.Must(d, d.mem.RemoveAll("state/payload_week.json"))
			check.Must(d, durable.Create(d.mem, "state/payload_week.json", durable.Bytes([]byte(`{"format":1,"answers":[]}`))))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDataset(t)
			d.days(4, 20, "a")
			change(d)
			d.days(2, 20, "b", "new x")
		})
	}
}

// A cycle that was observed, or an older one, changes nothing.
func TestOlderCycle(t *testing.T) {
	d := newDataset(t)
	d.days(1, 20, "a")
	before, err := durable.ReadFile(d.mem, "state/payload_week.json", 1<<20)
	check.Must(t, err)
	for _, hours := range []int{1, 2, 20} {
		now := d.at
		d.at = d.at.Add(-time.Duration(hours) * time.Hour)
		d.see(1, "z")
		d.at = now
	}
	if after, _ := durable.ReadFile(d.mem, "state/payload_week.json", 1<<20); string(after) != string(before) {
		t.Error("it is another file")
	}
}

// Keys that are no names of members fill no disk.
func TestTooManyNames(t *testing.T) {
	d := newDataset(t)
	for hour := range 24 * 4 {
		var fields []string
		for i := range 600 {
			fields = append(fields, fmt.Sprintf("new market of hour %d and number %d", hour, i))
		}
		d.see(20, fields...)
		d.want("")
	}
	if info, err := d.mem.Stat("state/payload_week.json"); err != nil || info.Size() > 1<<20 {
		t.Error(info.Size(), err)
	}
}

// A memory that somebody edited or that is damaged begins again, or is read as far as it has sense: no cycle
// fails because of it, and no reader.
func TestDamagedMemory(t *testing.T) {
	d := newDataset(t)
	d.see(20, "a")
	check.Must(t, health.OverwriteState(d.mem, "state/payload_week.json", []byte(`{"format": 1, "source": {"provider": "p"}, "at": "`+d.at.Format(time.RFC3339)+`",
		"answers": {"odds": {"list.a": null}, "none": null}, "markets": {"result": null}}`)))
	d.see(20, "a")
	d.want("")
	for _, change := range []string{`{"kind": "field_gone", "name": "a", "has": 0, "of": 0}`, `{"kind": "unknown", "name": "a", "has": 1, "of": 1}`} {
		check.Must(t, health.OverwriteState(d.mem, "state/payload.json", []byte(`{"format": 1, "source": {"provider": "p"}, "changes": [`+change+`]}`)))
		d.want("")
	}
}

// A memory that is full has the same markets every time that the cycles are made.
func TestFullMemoryIsTheSame(t *testing.T) {
	at := time.Date(2026, 11, 20, 9, 7, 0, 0, time.UTC)
	var first []byte
	for range 5 {
		mem := durabletest.NewMem()
		for cycle := range 3 {
			at := at.Add(time.Duration(cycle) * time.Hour)
			markets := map[string]payloads.Market{}
			for n := range 450 {
				markets[fmt.Sprint(cycle, "-", n)] = payloads.Market{Has: 1, Title: "x"}
			}
			check.Must(t, payloads.Record(mem, payloads.Observation{Cycle: layout.NewCycleID(at, "market_engine"), At: at, Fixtures: 3, Markets: markets}))
		}
		got, err := durable.ReadFile(mem, "state/payload_week.json", 1<<20)
		check.Must(t, err)
		if first == nil {
			first = got
		}
		if !bytes.Equal(got, first) {
			t.Fatal("another time it has other markets")
		}
	}
}

// Whatever the memory and the report hold, a cycle is observed, and a report is read.
func FuzzState(f *testing.F) {
	f.Add([]byte(`{"format": 1, "source": {"provider": "p"}, "cycle": "20261120T080700Z-market_engine", "answers": {"odds": {"list.a": null}}, "markets": {"result": {"days": [null]}}}`))
	f.Add([]byte(`{"format": 1, "changes": [{"kind": "field_gone", "of": 0}, null]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		mem := durabletest.NewMem()
		for _, name := range []string{"state/payload_week.json", "state/payload.json"} {
			check.Must(t, health.OverwriteState(mem, name, data))
		}
		if report, err := payloads.Read(mem); err != nil || len(report.Changes) > 0 && report.First().Of < 1 {
			t.Errorf("%+v, %v", report, err)
		}
		d := newDataset(t)
		d.mem = mem
		for range 3 {
			d.see(5, "a", "new market")
		}
	})
}
