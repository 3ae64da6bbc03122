package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mkt/publish/steps"
	"mkt/serve/internal/api"
)

var pathStart = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// hour is a point of a publication that many hours after pathStart. price is "" for none and "-" for a
// selection that went away.
func hour(n int, price string) *steps.Point {
	p := &steps.Point{At: steps.At{Seq: uint64(n) + 1, Cycle: "c", PublishedAt: pathStart.Add(time.Duration(n) * time.Hour)}}
	if price == "-" {
		return p
	}
	p.Present, p.Publishable, p.FetchedAt = true, true, p.PublishedAt.Add(-time.Minute)
	if price != "" {
		p.OddsDecimalText = &price
	}
	return p
}

// Every state of a closing price with each of its reasons, and of an opening price.
func TestJudgedPrices(t *testing.T) {
	t.Parallel()
	unfit := hour(1, "2.1")
	unfit.Publishable, unfit.Reasons = false, []string{"SUSPENDED"}
	late := hour(3, "2.2")
	late.FetchedAt = pathStart.Add(2*time.Hour + time.Minute) // published after kick-off, retrieved after it
	early := hour(3, "2.3")
	early.FetchedAt = pathStart.Add(2*time.Hour - time.Minute) // published after kick-off, retrieved before it
	for name, c := range map[string]struct {
		kickOffs         []int // hours; -1 is none
		notFromStart     bool
		judged           int
		points           []*steps.Point
		opening, closing string
	}{
		"before kick-off":                        {[]int{2}, false, 1, []*steps.Point{hour(0, "1.9")}, "FINAL <nil> 1.9", "PROVISIONAL BEFORE_KICK_OFF 1.9"},
		"after kick-off":                         {[]int{2}, false, 3, []*steps.Point{hour(0, "1.9"), hour(1, "2.0")}, "FINAL <nil> 1.9", "FINAL <nil> 2.0"},
		"published at kick-off":                  {[]int{2}, false, 2, []*steps.Point{hour(0, "1.9")}, "FINAL <nil> 1.9", "FINAL <nil> 1.9"},
		"a price that was retrieved too late":    {[]int{2}, false, 4, []*steps.Point{hour(0, "1.9"), late}, "FINAL <nil> 1.9", "FINAL <nil> 1.9"},
		"one that was published too late":        {[]int{2}, false, 4, []*steps.Point{hour(0, "1.9"), early}, "FINAL <nil> 1.9", "FINAL <nil> 2.3"},
		"no kick-off":                            {[]int{-1}, false, 3, []*steps.Point{hour(0, "1.9")}, "FINAL <nil> 1.9", "UNAVAILABLE NO_KICK_OFF none"},
		"the kick-off was there and is not now":  {[]int{2, -1}, false, 3, []*steps.Point{hour(0, "1.9")}, "FINAL <nil> 1.9", "FINAL <nil> 1.9"},
		"it moved later":                         {[]int{2, 5}, false, 4, []*steps.Point{hour(0, "1.9"), hour(3, "2.2")}, "FINAL <nil> 1.9", "PROVISIONAL BEFORE_KICK_OFF 2.2"},
		"it moved earlier":                       {[]int{5, 2}, false, 4, []*steps.Point{hour(0, "1.9"), hour(3, "2.2")}, "FINAL <nil> 1.9", "FINAL <nil> 1.9"},
		"not recorded":                           {[]int{-9}, true, 3, []*steps.Point{hour(0, "1.9")}, "UNAVAILABLE NOT_RECORDED 1.9", "UNAVAILABLE NOT_RECORDED none"},
		"recorded from the middle on":            {[]int{2}, true, 3, []*steps.Point{hour(1, "1.9")}, "UNAVAILABLE NOT_RECORDED 1.9", "FINAL <nil> 1.9"},
		"it came after kick-off":                 {[]int{2}, false, 4, []*steps.Point{hour(3, "1.9")}, "FINAL <nil> 1.9", "UNAVAILABLE AFTER_KICK_OFF none"},
		"it was not offered":                     {[]int{2}, false, 3, []*steps.Point{hour(0, "1.9"), hour(1, "-")}, "FINAL <nil> 1.9", "UNAVAILABLE NOT_OFFERED gone"},
		"it was offered again":                   {[]int{3}, false, 4, []*steps.Point{hour(0, "1.9"), hour(1, "-"), hour(2, "1.7")}, "FINAL <nil> 1.9", "FINAL <nil> 1.7"},
		"it had no price":                        {[]int{2}, false, 3, []*steps.Point{hour(0, "1.9"), hour(1, "")}, "FINAL <nil> 1.9", "UNAVAILABLE NO_PRICE null"},
		"it never had one":                       {[]int{2}, false, 3, []*steps.Point{hour(0, "")}, "UNAVAILABLE NO_PRICE none", "UNAVAILABLE NO_PRICE null"},
		"the first price came after a null":      {[]int{2}, false, 3, []*steps.Point{hour(0, ""), hour(1, "1.8")}, "FINAL <nil> 1.8", "FINAL <nil> 1.8"},
		"the service did not vouch for it":       {[]int{2}, false, 3, []*steps.Point{hour(0, "1.9"), unfit}, "FINAL <nil> 1.9", "UNAVAILABLE NOT_PUBLISHABLE 2.1"},
		"nor for the first one":                  {[]int{2}, false, 3, []*steps.Point{unfit, hour(1, "1.9")}, "UNAVAILABLE NOT_PUBLISHABLE 2.1", "FINAL <nil> 1.9"},
		"nor before kick-off, which is not over": {[]int{2}, false, 1, []*steps.Point{hour(0, "1.9"), unfit}, "FINAL <nil> 1.9", "PROVISIONAL BEFORE_KICK_OFF 2.1"},
	} {
		p := &steps.Path{FixtureID: "fx_a", MarketID: "mk_a", JudgedAt: pathStart.Add(time.Duration(c.judged) * time.Hour), Selections: []steps.Selection{{ID: "sl_a", Points: c.points}}}
		for i, h := range c.kickOffs {
			k := steps.KickOff{At: hour(i, "").At, Present: true}
			k.Before = c.notFromStart
			if at := pathStart.Add(time.Duration(h) * time.Hour); h != -1 {
				k.StartsAt = &at
			}
			p.KickOffs = append(p.KickOffs, k)
		}
		body, _, _ := api.AppendPath(nil, p, api.PathPage{Limit: 200})
		type judged struct {
			State  string
			Reason any
			Point  *struct {
				Present bool
				Odds    struct{ Decimal json.Number }
			}
		}
		var got struct {
			KickOffMoved bool `json:"kick_off_moved"`
			Selections   []struct{ Opening, Closing judged }
		}
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, body)
		}
		words := func(j judged) string {
			point := "none"
			switch {
			case j.Point == nil:
			case !j.Point.Present:
				point = "gone"
			case j.Point.Odds.Decimal == "":
				point = "null"
			default:
				point = j.Point.Odds.Decimal.String()
			}
			return fmt.Sprint(j.State, " ", j.Reason, " ", point)
		}
		if s := got.Selections[0]; words(s.Opening) != c.opening || words(s.Closing) != c.closing {
			t.Errorf("%s: opening %q, closing %q; want %q, %q", name, words(s.Opening), words(s.Closing), c.opening, c.closing)
		}
		if got.KickOffMoved != (len(c.kickOffs) > 1) {
			t.Errorf("%s: the kick-off moved: %t", name, got.KickOffMoved)
		}
	}
}

// FuzzPathPages: whatever the path, the limit, the span and the position before, no page has more points
// than asked for, and the pages in turn have every point of the whole path once, in its order.
func FuzzPathPages(f *testing.F) {
	f.Add([]byte{0, 1, 2, 0, 1, 3}, uint8(2), int16(0), int16(9), "")
	f.Add([]byte{9, 9, 9, 200, 7}, uint8(1), int16(-1), int16(0), "00000000000000000002sl_b")
	f.Add([]byte{}, uint8(200), int16(0), int16(0), "\xff")
	f.Fuzz(func(t *testing.T, moves []byte, limit uint8, from, to int16, after string) {
		p := &steps.Path{FixtureID: "fx_a", MarketID: "mk_a", JudgedAt: pathStart}
		for i, m := range moves { // an hour passes with every eighth move
			s := int(m % 5)
			for len(p.Selections) <= s {
				k := len(p.Selections)
				p.Selections = append(p.Selections, steps.Selection{ID: "sl_" + string(rune('a'+k)), Points: []*steps.Point{hour(i/8, "1.5")}})
			}
			points := &p.Selections[s].Points
			if n := i/8 + 1; (*points)[len(*points)-1].Seq < uint64(n)+1 {
				*points = append(*points, hour(n, []string{"2.5", "", "-"}[m/5%3]))
			}
		}
		at := func(n int16) time.Time {
			if n <= 0 {
				return time.Time{}
			}
			return pathStart.Add(time.Duration(n) * time.Hour)
		}
		of := api.PathPage{From: at(from), To: at(to), Limit: max(1, int(limit))}
		read := func(of api.PathPage) (points []string, last string, more bool) {
			body, last, more := api.AppendPath(nil, p, of)
			var page struct {
				Selections []struct {
					ID     string `json:"selection_id"`
					Points []struct{ Seq int }
				}
			}
			if err := json.Unmarshal(body, &page); err != nil {
				t.Fatalf("%v\n%s", err, body)
			}
			for seq := range len(moves) + 3 {
				for _, s := range page.Selections {
					for _, x := range s.Points {
						if x.Seq == seq {
							points = append(points, fmt.Sprint(seq, s.ID))
						}
					}
				}
			}
			return points, last, more
		}
		strange := of
		strange.After = after
		if points, _, _ := read(strange); len(points) > of.Limit {
			t.Fatalf("%d points, limit %d", len(points), of.Limit)
		}
		whole := of
		whole.Limit = 1 << 20
		want, _, more := read(whole)
		if more {
			t.Fatal("the whole path has more pages")
		}
		var got []string
		for more = true; more; {
			var points []string
			if points, of.After, more = read(of); len(points) > of.Limit || more && len(points) < of.Limit {
				t.Fatalf("%d points, limit %d, more %t", len(points), of.Limit, more)
			}
			got = append(got, points...)
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Fatalf("pages: %v\nwhole: %v", got, want)
		}
	})
}
