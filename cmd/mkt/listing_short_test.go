package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mkt/cmd/mkt/internal/cli/batch"
)

// contradicting is a provider whose list contradicts itself: the pager says a total, but the pages
// of 50 items have what sent returns.
type contradicting struct {
	marketsOnly
	total func(page int) int
	sent  []string
	empty int // number of an empty page; 0: none
}

func (p *contradicting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil || p.total == nil {
		p.marketsOnly.ServeHTTP(w, r)
		return
	}
	var items []string
	if page != p.empty {
		items = p.sent[min(len(p.sent), (page-1)*pageOfList):min(len(p.sent), page*pageOfList)]
	}
	fmt.Fprintf(w, `{"success":1,"pager":{"page":%d,"per_page":%d,"total":%d},"results":[%s]}`, page, pageOfList, p.total(page), strings.Join(items, ","))
}

// A list with fewer fixtures than it says, in both readings and in every way, removes nothing, and
// doctor reports it. The next complete list removes what is gone.
func TestIncompleteListingRemovesNothing(t *testing.T) {
	const fixtures, missing = 120, 6
	rng := rand.New(rand.NewPCG(7, 1))
	p := &contradicting{}
	for i := range fixtures {
		f := sentFixture{home: "value", away: "value", league: "value", name: "value", ids: [3]string{"value", "value", "value"}, odds: [3]string{"value", "value", "value"}}
		p.list, p.markets = append(p.list, f.listed(rng, firstFixture+i)), append(p.markets, f.sold(rng, firstFixture+i))
	}
	whole, short := p.list, p.list[:fixtures-missing]
	h, _ := newConnected(t, p)
	cycle := func() (published batch.Report) {
		t.Helper()
		out := json.NewDecoder(strings.NewReader(h.run("", "cycle", "--tenant", "acme", "--product", "market_engine", "--output", "json")))
		for out.More() {
			h.must(out.Decode(&published))
		}
		if published.Step != "publish" || !published.OK {
			t.Fatalf("%+v", published)
		}
		return published
	}
	if r := cycle(); r.Counts["fixtures"] != float64(fixtures) {
		t.Fatalf("%+v", r)
	}
	always := func(n int) func(int) int { return func(int) int { return n } }
	for _, c := range []struct {
		name  string
		total func(int) int
		sent  []string
		empty int
	}{
		{"the total is that of before", always(fixtures), short, 0},
		{"the total is higher still", always(fixtures + 80), short, 0},
		{"the last page is empty", always(fixtures), whole, 3},
		{"doubles stand where others should", always(fixtures), slices.Concat(short, short[:missing]), 0},
		{"the total changes from page to page", func(page int) int { return fixtures - missing + page }, short, 0},
		{"more are sent than the total", always(fixtures - missing - 1), short, 0},
	} {
		p.total, p.sent, p.empty = c.total, c.sent, c.empty
		if r := cycle(); r.Counts["removed"] != 0.0 || r.Counts["held"] != 0.0 || r.Counts["fixtures"] != float64(fixtures) {
			t.Errorf("%s: %+v", c.name, r.Counts)
		}
		if printed := h.run("", "doctor", "--tenant", "acme"); !strings.Contains(printed, "LISTING_SHORT") {
			t.Errorf("%s: doctor does not say so:\n%s", c.name, printed)
		}
	}
	p.total, p.sent, p.empty = always(len(short)), short, 0
	if r := cycle(); r.Counts["removed"] != float64(missing) || r.Counts["fixtures"] != float64(len(short)) {
		t.Errorf("a list that is whole: %+v", r.Counts)
	}
	if printed := h.run("", "doctor", "--tenant", "acme"); strings.Contains(printed, "LISTING_SHORT") {
		t.Errorf("doctor still says so:\n%s", printed)
	}
}
