package live

import (
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/publish/table"
)

func of[T any](v T) *T { return &v }

func sampleLive(now time.Time) *liveView {
	f := &liveView{Tenant: "acme", FixtureID: "fx_a", Home: of("Home"), Away: of("Away"), League: of("League"), InPlay: true, FreshAt: now.Add(-3 * time.Second), StaleAt: of(now.Add(time.Minute)),
		Period: of("1H"), Minute: of(int32(16)), Second: of(int32(7)), Running: of(true), ScoreHome: of(int32(1)), ScoreAway: of(int32(0)),
		MomentumHome: of(int32(60)), Leader: of("HOME"), Strength: of("CLEAR"), Detailed: true}
	for m := int32(1); m <= 17; m++ {
		b := liveBucket{Minute: m, State: "VALUE", Home: of(m), Away: of(17 - m)}
		switch m {
		case 2:
			b = liveBucket{Minute: m, State: "MISSING"}
		case 3:
			b = liveBucket{Minute: m, State: "NULL"}
		case 4:
			b = liveBucket{Minute: m, State: "ZERO", Home: of(int32(0)), Away: of(int32(0))}
		}
		f.Buckets = append(f.Buckets, b)
	}
	f.Timeline = []liveEntry{{At: now.Add(-2 * time.Minute), State: "KICK_OFF", Certainty: "INFERRED", SideProven: "NONE", Until: now.Add(-time.Minute)},
		{At: now.Add(-time.Minute), Minute: of(int32(15)), Second: of(int32(9)), State: "GOAL", Certainty: "EXACT", SideProven: "HOME", Until: now}}
	f.Withdrawn = []liveWithdrawn{{State: "CARD", SideProven: "NONE", WithdrawnAt: now.Add(-5 * time.Minute), Reason: "PROVIDER_TOOK_BACK"},
		{State: "GOAL", SideProven: "AWAY", Minute: of(int32(12)), Second: of(int32(40)), WithdrawnAt: now.Add(-2 * time.Minute), Reason: "COUNTER_FELL"}}
	return f
}

const drawnLive = `Home  1 : 0  Away
League, fx_a, acme
1H 16:07, seen 3s ago

momentum  home 60 ████████████████████████░░░░░░░░░░░░░░░░ 40 away   HOME, CLEAR

pressure by minute, at most 17
      │            ▂▃▅▆█
      │      ▁▃▄▆▇██████
 home │▁   ▇████████████
      │▆
      │█   █▇▆▄▃▁
 away │█   ███████▇▅▄▂▁
      └─·?──────────────
                     15

timeline, newest first
  15:09  GOAL      HOME  EXACT     1m0s
  --:--  KICK_OFF        INFERRED  1m0s

taken back, newest first
  12:40  GOAL  AWAY  COUNTER_FELL        08:58:00 UTC
  --:--  CARD        PROVIDER_TOOK_BACK  08:55:00 UTC
`

func TestDrawLive(t *testing.T) {
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	f := sampleLive(now)
	var b strings.Builder
	check.Must(t, f.draw(&b, now))
	if b.String() != drawnLive {
		t.Errorf("got\n%s\nwant\n%s", b.String(), drawnLive)
	}
	b.Reset()
	f.Withdrawn = append(f.Withdrawn, make([]liveWithdrawn, 9)...)
	if f.draw(&b, now); !strings.Contains(b.String(), "12:40  GOAL") || strings.Contains(b.String(), "08:55:00") || !strings.HasSuffix(b.String(), "\n  and 1 before, in --output json\n") {
		t.Errorf("eleven withdrawn entries: %s", b.String())
	}
	f.Withdrawn = nil
	b.Reset()
	if f.draw(&b, now); strings.Contains(b.String(), "taken back") {
		t.Errorf("nothing was taken back: %s", b.String())
	}
	b.Reset()
	row := table.LiveCounterRow{Metric: "red_cards", HomeText: of("0"), AwayText: of("2")}
	f.Men = redCardSharesOf([]table.LiveCounterRow{{Metric: "corners", HomeText: of("9"), AwayText: of("9")}, row})
	if f.draw(&b, now); !strings.Contains(b.String(), "HOME, CLEAR\n          red cards 0-2: away keeps 4/9 of its pressure\n\n") {
		t.Errorf("two men short: %s", b.String())
	}
	row.HomeText = nil
	if f.Men = redCardSharesOf([]table.LiveCounterRow{row}); f.Men != nil {
		t.Errorf("red cards of one side alone: %+v", f.Men)
	}
	b.Reset()
	if f.draw(&b, now.Add(time.Minute+1)); !strings.Contains(b.String(), "momentum  none: FEED_STALE") {
		t.Errorf("a stale feed: %s", b.String())
	}
	b.Reset()
	if (&liveView{Reason: of("NOT_IN_PLAY")}).draw(&b, now); !strings.Contains(b.String(), "?  ? : ?  ?\n") || !strings.Contains(b.String(), "left play, ? --:--") {
		t.Errorf("a match about which nothing is known: %s", b.String())
	}
}
