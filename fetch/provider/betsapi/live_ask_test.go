package betsapi_test

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/internal/testing/providertest"
)

var live = betsapi.Provider().Live

// inPlay is a list of that many fixtures in play.
func inPlay(n int) (items []string) {
	for i := range n {
		items = append(items, listingItem(900+i, "1", "Coast League"))
	}
	return items
}

func (u *upstream) runLive(t testing.TB, resume string) provider.Asked {
	t.Helper()
	asked, err := live.Ask(t.Context(), u, resume)
	if err != nil {
		t.Fatal(err)
	}
	return asked
}

func (u *upstream) viewedIDs() []string {
	return slices.Sorted(slices.Values(slices.Concat(u.viewed...)))
}

// One request has the list, the others ten views each. Fixtures not in play, or other
// than football played by people, are not asked for.
func TestLiveAsk(t *testing.T) {
	u := &upstream{perPage: 1000, items: append(inPlay(25), listingItem(1, "3", "Coast League"), listingItem(2, "0", "Coast League"),
		listingItem(3, "1", "Esoccer Battle - 8 mins play"), listingItem(4, "7", "Coast League"))}
	asked := u.runLive(t, "")
	if u.listings != 1 || len(u.viewed) != 3 || asked.Listed != 26 || asked.Filtered != 1 || !asked.ListingComplete || len(asked.Failed) > 0 {
		t.Errorf("%+v after %d lists and %d views", asked, u.listings, len(u.viewed))
	}
	if c := asked.Counters; c["details"] != 26 || c["not_in_play"] != 2 || c["details_not_due"] != 0 || asked.Resume != "924" {
		t.Errorf("counters %v, resume %q", c, asked.Resume)
	}
	if ids := u.viewedIDs(); len(ids) != 26 || slices.Contains(ids, "3") || !slices.Contains(ids, "4") {
		t.Errorf("viewed %v", ids)
	}
	for _, r := range u.Requests {
		q := r.Query
		if q.Get("token") != "" || q.Get("LNG_ID") != "1" || q.Has("event_id") == q.Has("page") {
			t.Errorf("asked %v", q)
		}
	}
}

// Whatever the quota, every fixture has its turn, also when fixtures come and go
// meanwhile, and the list comes before any view.
func TestLiveAskTakesTurns(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 99).Draw(r, "fixtures")
		left := rapid.IntRange(0, 4000).Draw(r, "left")
		resume, seen := "", map[string]int{}
		cycles := 0
		for ; len(seen) < n && cycles < 200; cycles++ {
			u := &upstream{perPage: 1000, items: inPlay(n), Fake: providertest.Fake{Left: &provider.Quota{Left: left, Resets: 450 * 8 * time.Second}}}
			if cycles%3 == 1 {
				u.items = append(u.items, listingItem(5000+cycles, "1", "Coast League"))
			}
			asked := u.runLive(t, resume)
			if u.listings != 1 || len(u.viewed) > max(0, left*3/4/450-1) {
				r.Fatalf("%d lists and %d views with %d left", u.listings, len(u.viewed), left)
			}
			for _, id := range u.viewedIDs() {
				if seen[id]++; seen[id] > 2 {
					r.Fatalf("%s has its turn before others: %v", id, seen)
				}
				if len(id) > 3 {
					delete(seen, id)
				}
			}
			resume = asked.Resume
			if asked.Counters["details"]+asked.Counters["details_not_due"] != int64(asked.Listed) {
				r.Fatalf("%+v", asked)
			}
			if left < 1200 {
				return // never a view
			}
		}
		if len(seen) < n {
			r.Fatalf("%d of %d fixtures had a turn in %d cycles", len(seen), n, cycles)
		}
	})
}

func TestLiveAskFailures(t *testing.T) {
	batch := func(bad string, body string, status int) func([]string) (string, int) {
		return func(ids []string) (string, int) {
			if slices.Contains(ids, bad) {
				return body, status
			}
			return `{"success":1,"results":[]}`, 200
		}
	}
	for name, c := range map[string]struct {
		views           func([]string) (string, int)
		failed, details int
		resume          string
		mustFail        bool
	}{
		"one is HTML":      {views: batch("905", "<html>", 502), failed: 10, details: 20, resume: "929"},
		"one is cut":       {views: batch("915", `{"success":1,"results":[`, 200), failed: 10, details: 20, resume: "929"},
		"all are down":     {views: func([]string) (string, int) { return `{"success":0,"error":"INTERNAL_SERVER_ERROR"}`, 500 }, failed: 30, resume: "929"},
		"credential fault": {views: func([]string) (string, int) { return `{"success":0,"error":"AUTHORIZE_FAILED"}`, 200 }, mustFail: true},
	} {
		t.Run(name, func(t *testing.T) {
			u := &upstream{perPage: 1000, items: inPlay(30), views: c.views}
			asked, err := live.Ask(t.Context(), u, "")
			if (err != nil) != c.mustFail {
				t.Fatal(err)
			}
			if err == nil && (len(asked.Failed) != c.failed || asked.Counters["details"] != int64(c.details) || asked.Resume != c.resume || !asked.ListingComplete) {
				t.Errorf("%+v", asked)
			}
		})
	}
}

// With the quota used up nothing more is asked, and the fixtures left over are
// the first of the next cycle.
func TestLiveAskQuotaEnds(t *testing.T) {
	u := &upstream{perPage: 1000, items: inPlay(100), views: func([]string) (string, int) {
		return `{"success":0,"error":"TOO_MANY_REQUESTS"}`, 200
	}}
	asked := u.runLive(t, "949")
	if len(u.viewed) > 6 || len(asked.Failed) != 10*len(u.viewed) || asked.Counters["details_cut_off"] != int64(50-10*len(u.viewed)) {
		t.Errorf("%d views: %+v", len(u.viewed), asked)
	}
	first := slices.ContainsFunc(u.viewed, func(ids []string) bool { return ids[0] == "950" })
	if first == (asked.Resume == "949") {
		t.Errorf("resume %q after %v", asked.Resume, u.viewed)
	}
}

func TestLiveAskList(t *testing.T) {
	pages := &upstream{perPage: 20, items: inPlay(50)}
	if asked := pages.runLive(t, ""); !asked.ListingComplete || asked.Listed != 50 || pages.listings != 3 {
		t.Errorf("%+v", asked)
	}
	twice := &upstream{perPage: 20, items: slices.Insert(inPlay(50), 1, inPlay(1)...)}
	if asked := twice.runLive(t, ""); !asked.ListingComplete || asked.Listed != 50 || twice.listings != 3 {
		t.Errorf("a fixture is twice on a page: %+v", asked)
	}
	for name, u := range map[string]*upstream{
		"a page is missing": {perPage: 20, items: inPlay(50), page: func(page, _ int) (string, int) {
			if page == 2 {
				return "<html>", 502
			}
			return "", 200
		}},
		"the total is another":      {perPage: 20, items: inPlay(50), total: func(page, _ int) int { return 50 + page }},
		"fewer than the pager says": {perPage: 1000, items: inPlay(30), total: func(int, int) int { return 33 }},
		"an item has no id":         {perPage: 1000, items: append(inPlay(30), `{"sport_id":"1"}`)},
		"a fixture is on two pages": {perPage: 20, items: append(inPlay(30), inPlay(1)...)},
		"more than the pager says":  {perPage: 1000, items: inPlay(30), total: func(int, int) int { return 28 }},
	} {
		if asked := u.runLive(t, ""); asked.ListingComplete || asked.Listed < 30 {
			t.Errorf("%s: %+v", name, asked)
		}
	}
	small := &upstream{perPage: 10, items: inPlay(30), total: func(int, int) int { return 30 }}
	small.page = func(page, _ int) (string, int) {
		body, status := (&upstream{perPage: 10, items: small.items}).answer(provider.Request{Query: url.Values{"page": {strconv.Itoa(page)}}})
		return strings.Replace(body, `"per_page":10`, `"per_page":1000`, 1), status
	}
	if asked := small.runLive(t, ""); !asked.ListingComplete || asked.Listed != 30 || small.listings != 3 {
		t.Errorf("pages hold fewer than the pager says: %+v after %d pages", asked, small.listings)
	}
	unpaged := &upstream{page: func(int, int) (string, int) {
		return `{"success":1,"results":[` + strings.Join(inPlay(3), ",") + `]}`, 200
	}}
	if asked := unpaged.runLive(t, ""); asked.ListingComplete || asked.Listed != 3 || unpaged.listings != 1 {
		t.Errorf("without a pager: %+v after %d lists", asked, unpaged.listings)
	}
	if _, err := live.Ask(t.Context(), &upstream{down: provider.ErrUnreachable}, ""); err == nil {
		t.Error("no list, no error")
	}
}

// The quota ends on a page of the list: the fixtures of the other pages are used, and nothing more is asked.
func TestLiveAskQuotaEndsInTheList(t *testing.T) {
	u := &upstream{perPage: 10, items: inPlay(95), page: func(page, _ int) (string, int) {
		if page == 3 {
			return `{"success":0,"error":"TOO_MANY_REQUESTS"}`, 200
		}
		return "", 0
	}}
	asked := u.runLive(t, "949")
	if asked.Listed%10 != 0 || asked.Listed < 10 || asked.ListingComplete || u.listings != asked.Listed/10+1 || len(u.viewed) > 0 || asked.Resume != "949" {
		t.Errorf("%d lists, %d views: %+v", u.listings, len(u.viewed), asked)
	}
}
