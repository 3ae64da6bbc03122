package api_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mkt/publish/football"
	"mkt/publish/table"
	"mkt/serve/internal/api"
)

// An unknown momentum is never shown as a number, whatever the row lacks.
func TestMomentumIsANumberOrAReason(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		row := table.LiveRow{FixtureID: "fx_a", InPlay: rapid.Bool().Draw(rt, "in play"), FreshAt: fetched,
			StaleAt: rapid.Ptr(rapid.Custom(func(rt *rapid.T) time.Time {
				return fetched.Add(time.Duration(rapid.IntRange(-9, 9).Draw(rt, "s")) * time.Second)
			}), true).Draw(rt, "stale"),
			MomentumHome: rapid.Ptr(rapid.Int32Range(0, 100), true).Draw(rt, "home"),
			UnavailableReason: rapid.Ptr(rapid.Custom(func(rt *rapid.T) string {
				return string(rapid.SampledFrom(football.UnavailableReasons()).Draw(rt, "reason"))
			}), true).Draw(rt, "why")}
		if row.MomentumHome != nil {
			row.MomentumAway = ptr(100 - *row.MomentumHome)
		}
		f := api.NewLiveFixture(&row, api.LiveDetail{})
		var got struct {
			Momentum *struct {
				Momentum struct{ Home, Away *int32 }
			}
			Reason *string `json:"unavailable_reason"`
		}
		if err := json.Unmarshal(f.AppendMomentum(nil, fetched), &got); err != nil {
			rt.Fatal(err)
		}
		stale := row.InPlay && row.StaleAt != nil && row.StaleAt.Before(fetched)
		wantNumber := row.MomentumHome != nil && row.UnavailableReason == nil && !stale
		if (got.Momentum != nil) != wantNumber || (got.Reason == nil) != wantNumber || f.StaleAt(fetched) != stale {
			rt.Fatalf("%+v has %+v", row, got)
		}
	})
}

// If the feed became too old, the timeline ends as the pipeline would end it: without a
// gap, and without a scoreboard that goes back.
func TestTimelineOfAStaleFeed(t *testing.T) {
	stale := fetched.Add(time.Minute)
	row := table.LiveRow{FixtureID: "fx_a", InPlay: true, FreshAt: fetched, StaleAt: &stale, ClockMinute: ptr(int32(45)), ClockSecond: ptr(int32(0)),
		VisualState: ptr("HALF_TIME"), DetailRank: ptr(int32(1))}
	f := api.NewLiveFixture(&row, api.LiveDetail{Timeline: []table.LiveTimelineRow{
		{At: fetched.Add(-time.Minute), Until: fetched.Add(-time.Second), State: "CALM", Certainty: "UNKNOWN", SideProven: "NONE"},
		{At: fetched.Add(-time.Second), Until: fetched, State: "HALF_TIME", Certainty: "INFERRED", SideProven: "NONE", Minute: ptr(int32(47)), Second: ptr(int32(12))},
	}})
	type entry struct {
		At, Until      time.Time
		Minute, Second *int32
		State          string
	}
	at := func(now time.Time) []entry {
		var got struct{ Timeline []entry }
		must(t, json.Unmarshal(f.AppendTimeline(nil, now), &got))
		return got.Timeline
	}
	if got := at(stale); len(got) != 2 || !got[1].Until.Equal(fetched) || got[0].Minute != nil {
		t.Errorf("not stale yet: %+v", got)
	}
	if got := at(stale.Add(5 * time.Second)); len(got) != 3 || !got[2].Until.Equal(stale) {
		t.Errorf("a sample may be on its way: %+v", got)
	}
	got := at(stale.Add(25 * time.Second))
	if len(got) != 3 {
		t.Fatalf("stale: %+v", got)
	}
	last := got[2]
	if !got[1].Until.Equal(stale) || !last.At.Equal(stale) || !last.Until.Equal(stale.Add(15*time.Second)) || last.State != "STALE" || *last.Minute != 47 || *last.Second != 12 {
		t.Errorf("stale: %+v", got)
	}
}

// Requests at the same moment get the same answers, although the first of them renders.
func TestLiveFixtureAtOnce(t *testing.T) {
	row := table.LiveRow{FixtureID: "fx_a", InPlay: true, FreshAt: fetched, DetailRank: ptr(int32(1))}
	d := api.LiveDetail{
		Counters: []table.LiveCounterRow{{Metric: "attacks", State: "VALUE", HomeText: ptr("3")}},
		Timeline: []table.LiveTimelineRow{{At: fetched, Until: fetched, State: "CALM"}, {At: fetched, Until: fetched, State: "HALF_TIME"}},
		Buckets:  []table.LiveBucketRow{{Minute: 1, State: "ZERO", Home: ptr(int32(0)), Away: ptr(int32(0))}},
	}
	answers := func(f *api.LiveFixture) string {
		return string(f.AppendStats(f.AppendTimeline(f.AppendSingle(nil, fetched), fetched)))
	}
	want, shared := answers(api.NewLiveFixture(&row, d)), api.NewLiveFixture(&row, d)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got := answers(shared); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	all.Wait()
	if !strings.Contains(want, "CALM") || !strings.Contains(want, "attacks") {
		t.Error(want)
	}
}

// Stoppage time is reported in the same way by the pipeline and by the entry of a stale feed,
// and a half says how many of its minutes are known. Rows of older files have neither. A minute or half without
// a value has no number.
func TestOptionalFieldsOfAMatch(t *testing.T) {
	stale := fetched.Add(time.Minute)
	row := table.LiveRow{FixtureID: "fx_a", InPlay: true, FreshAt: fetched, StaleAt: &stale, ClockPeriod: ptr("1H"), ClockMinute: ptr(int32(46)), ClockSecond: ptr(int32(30)), DetailRank: ptr(int32(1))}
	f := api.NewLiveFixture(&row, api.LiveDetail{
		Timeline: []table.LiveTimelineRow{
			{At: fetched.Add(-time.Minute), Until: fetched.Add(-time.Second), State: "CALM", Certainty: "INFERRED", SideProven: "NONE", Minute: ptr(int32(44)), Second: ptr(int32(50))},
			{At: fetched.Add(-time.Second), Until: fetched, State: "GOAL", Certainty: "INFERRED", SideProven: "HOME", Minute: ptr(int32(45)), Second: ptr(int32(0)), Added: ptr(int32(1))},
		},
		Buckets: []table.LiveBucketRow{{Minute: 1, State: "NULL", Home: ptr(int32(0))}, {Minute: 2, State: "ZERO", Home: ptr(int32(0))}},
		Periods: []table.LivePeriodRow{
			{Half: 1, State: "MISSING", Home: ptr(int32(7)), Minutes: ptr(int32(45)), Known: ptr(int32(44)), KnownHome: ptr(int32(7)), KnownAway: ptr(int32(0))},
			{Half: 2, State: "MISSING"}, {Half: 5, State: "ZERO"}, // the contract has no key for a fifth
		},
	})
	timeline := string(f.AppendTimeline(nil, stale.Add(time.Minute)))
	for _, want := range []string{`"minute":44,"second":50,"state":"CALM"`, `"minute":45,"second":0,"state":"GOAL"`, `"added":1}`, `"minute":45,"second":0,"state":"STALE"`, `"added":2}]`} {
		if !strings.Contains(timeline, want) {
			t.Errorf("no %s in %s", want, timeline)
		}
	}
	want := `"periods":{"pjesa_1":{"state":"MUNGON","home":null,"away":null,"minutes":45,"minutes_known":44,"home_known":7,"away_known":0},"pjesa_2":{"state":"MUNGON","home":null,"away":null}}`
	minutes := `"kova":[{"tm":1,"h":null,"a":null,"state":"NULL"},{"tm":2,"h":0,"a":null,"state":"ZERO"}]`
	if stats := string(f.AppendStats(nil)); !strings.Contains(stats, want) || !strings.Contains(stats, minutes) {
		t.Errorf("no %s or no %s in %s", want, minutes, stats)
	}
}
