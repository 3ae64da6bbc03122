package history_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"mkt/internal/evidence/history"
	"mkt/internal/testing/check"
	"mkt/publish/steps"
	"mkt/publish/table"
)

// moved is a path on which two selections of a market have the same price, which moves in the newest publication.
func moved(prices ...string) *history.Path {
	p := &history.Path{Fixture: table.FixtureRow{FixtureID: "fx_1"}, Closing: -1, FromStart: true}
	home, away := history.Series{SelectionID: "sl_HOME", Name: "HOME"}, history.Series{SelectionID: "sl_AWAY", Name: "AWAY"}
	for i, price := range prices {
		at := start.Add(time.Duration(i) * (time.Hour + time.Nanosecond))
		x := history.PointOf(&table.SelectionRow{OddsDecimalText: &price, Publishable: true})
		home.Points, away.Points = append(home.Points, x), append(away.Points, x)
		p.Steps = append(p.Steps, history.Step{Point: steps.Point{At: steps.At{Version: uint64(i) + 1, PublishedAt: at}, Present: true, FetchedAt: at}})
		p.Until = at
	}
	p.Markets = []history.Market{{MarketRow: table.MarketRow{FixtureID: "fx_1", MarketID: "mk_1"}, Newest: len(prices) - 1, Series: []history.Series{home, away}}}
	return p
}

func TestSparklineEndsWithTheNewestPrice(t *testing.T) {
	p := moved("1.50", "2.50")
	for width := 1; width <= 32; width++ {
		home := p.Market("mk_1").Series[0]
		if got, want := home.Sparkline(p, width), strings.Repeat("▁", width-1)+"█"; got != want {
			t.Errorf("%d columns: %q, want %q", width, got, want)
		}
	}
}

func page(t *testing.T, p *history.Path) string {
	t.Helper()
	d, err := p.Document(history.Shown{Account: "acme", Market: "mk_1"})
	check.Must(t, err)
	html, err := d.HTML()
	check.Must(t, err)
	return string(html)
}

// The newest price of a small curve is a line to its end, not a dot on its edge.
func TestSmallCurveShowsTheNewestPrice(t *testing.T) {
	last := regexp.MustCompile(`<svg class="spark[^>]*><path class="price" d="[^"]*M([\d.]+) [\d.]+H([\d.]+)"`).FindStringSubmatch(page(t, moved("1.50", "2.50")))
	if last == nil || last[1] == last[2] {
		t.Errorf("the newest price is drawn from and to %q", last)
	}
}

// Two selections at one price are two curves, side by side.
func TestCurvesAtOnePriceAreSeparate(t *testing.T) {
	for _, prices := range [][]string{{"1.50"}, {"1.50", "2.50"}} {
		seen := map[string]bool{}
		for _, curve := range regexp.MustCompile(`<g class="series-\d"><path class="price" d="([^"]*)"`).FindAllStringSubmatch(page(t, moved(prices...)), -1) {
			seen[curve[1]] = true
		}
		if len(seen) != 2 {
			t.Errorf("%v: %v", prices, fmt.Sprint(seen))
		}
	}
}
