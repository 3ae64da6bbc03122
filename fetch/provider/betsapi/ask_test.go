package betsapi_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/betsapi"
	"mkt/internal/testing/providertest"
)

// upstream is a provider in memory: it has a listing and answers for fixtures, as its
// hooks say.
type upstream struct {
	items   []string                        // of the listing, JSON
	perPage int                             // 50 when 0
	total   func(page, n int) int           // the pager of the n-th listing request; all items when nil
	page    func(page, n int) (string, int) // a body and status instead of the page; "" = none
	markets func(ids []string) (string, int)
	down    error // every Get fails so after after requests
	after   int
	views   func(ids []string) (string, int)

	providertest.Fake
	gets     atomic.Int64
	listings int
	asked    [][]string // batches
	viewed   [][]string
}

func (u *upstream) Now() time.Time { return fetchedAt }

func (u *upstream) Get(ctx context.Context, r provider.Request) (provider.Payload, error) {
	if n := int(u.gets.Add(1)); u.down != nil && n > u.after {
		return provider.Payload{}, u.down
	}
	return u.Send(ctx, betsapi.Provider(), r, func() (string, int) { return u.answer(r) })
}

func (u *upstream) answer(r provider.Request) (string, int) {
	if r.Endpoint == "bet365/prematch" {
		ids := strings.Split(r.Query.Get("FI"), ",")
		u.asked = append(u.asked, ids)
		if u.markets != nil {
			if body, status := u.markets(ids); body != "" {
				return body, status
			}
		}
		return prematchOf(ids), 200
	}
	if r.Endpoint == "event/view" {
		ids := strings.Split(r.Query.Get("event_id"), ",")
		u.viewed = append(u.viewed, ids)
		if u.views != nil {
			return u.views(ids)
		}
		return `{"success":1,"results":[]}`, 200
	}
	u.listings++
	n, _ := strconv.Atoi(r.Query.Get("page"))
	if u.page != nil {
		if body, status := u.page(n, u.listings); body != "" {
			return body, status
		}
	}
	per := u.perPage
	if per == 0 {
		per = 50
	}
	total := len(u.items)
	if u.total != nil {
		total = u.total(n, u.listings)
	}
	from, to := min((n-1)*per, len(u.items)), min(n*per, len(u.items))
	return fmt.Sprintf(`{"success":1,"pager":{"page":%d,"per_page":%d,"total":%d},"results":[%s]}`, n, per, total, strings.Join(u.items[from:to], ",")), 200
}

func prematchOf(ids []string) string {
	var all []string
	for _, id := range ids {
		all = append(all, `{"FI":"`+id+`","main":{"updated_at":"1772600100","sp":{}}}`)
	}
	return `{"success":1,"results":[` + strings.Join(all, ",") + `]}`
}

func listingItem(id int, status, league string) string {
	return fmt.Sprintf(`{"id":"%d","sport_id":"1","time":"1772740800","time_status":%q,"league":{"id":"1","name":%q},"home":{"id":"1","name":"A"},"away":{"id":"2","name":"B"}}`, id, status, league)
}

func listingItems(n int) (items []string) {
	for i := range n {
		items = append(items, listingItem(1000+i, "0", "Coast League"))
	}
	return items
}

func (u *upstream) run(t *testing.T) provider.Asked {
	t.Helper()
	asked, err := adapter.Ask(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	return asked
}

func TestAskReadsAllPagesInBatchesOfTen(t *testing.T) {
	u := &upstream{items: listingItems(123)}
	asked := u.run(t)
	if !asked.ListingComplete || asked.Listed != 123 || len(asked.Failed)+len(asked.NotOffered) > 0 || u.listings != 3 || len(u.asked) != 13 {
		t.Errorf("%+v after %d pages and %d batches", asked, u.listings, len(u.asked))
	}
	var ids []string
	for _, batch := range u.asked {
		if len(batch) > 10 {
			t.Errorf("%d fixtures in one request", len(batch))
		}
		ids = append(ids, batch...)
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 123 {
		t.Errorf("%d fixtures asked", len(ids))
	}
	for _, r := range u.Requests {
		q := r.Query
		if q.Get("LNG_ID") != "1" || q.Has("token") {
			t.Errorf("asked with %v", q)
		}
		if q.Has("page") && (q.Get("sport_id") != "1" || q.Get("skip_esports") != "1") {
			t.Errorf("listing asked with %v", q)
		}
	}
	if u.Done != 16 || u.Total != 16 {
		t.Errorf("progress %d of %d", u.Done, u.Total)
	}
}

// TestAskChooses: only fixtures still to be played are asked for.
func TestAskChooses(t *testing.T) {
	u := &upstream{}
	for i, status := range []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "99", "100", ""} {
		u.items = append(u.items, listingItem(i+1, status, "Coast League"))
	}
	u.items = append(u.items, listingItem(90, "0", "Esoccer GT Leagues – 12 mins play"))
	asked := u.run(t)
	slices.Sort(u.asked[0])
	if got := strings.Join(u.asked[0], " "); len(u.asked) != 1 || got != "1 14 15 3" {
		t.Errorf("asked for %v", u.asked)
	}
	if asked.Listed != 15 || asked.Filtered != 1 || asked.Counters["over"] != 8 || asked.Counters["in_play"] != 3 || !asked.ListingComplete {
		t.Errorf("%+v", asked)
	}
}

// A listing is complete only if a reading of it has as many different fixtures as
// each of its pages says there are. Two readings that fall short in the same way
// prove nothing.
func TestAskListingIsCompleteByItsOwnCount(t *testing.T) {
	twice := listingItems(60)
	twice[55] = twice[3]
	empty := func(from int) func(int, int) (string, int) {
		return func(page, _ int) (string, int) {
			if page < from {
				return "", 0
			}
			return `{"success":1,"pager":{"page":3,"per_page":20,"total":60},"results":[]}`, 200
		}
	}
	without := func(key string) func(int, int) (string, int) {
		return func(page, _ int) (string, int) {
			body := fmt.Sprintf(`{"success":1,"pager":{"page":%d,"per_page":50,"total":7},"results":[%s]}`, page, strings.Join(listingItems(7), ","))
			return strings.Replace(body, `"`+key+`"`, `"other"`, 1), 200
		}
	}
	for _, c := range []struct {
		name     string
		u        *upstream
		complete bool
		listings int
		listed   int
	}{
		{"stands still", &upstream{items: listingItems(60)}, true, 2, 60},
		{"empty", &upstream{}, true, 1, 0},
		{"total moves, then stands", &upstream{items: listingItems(60), total: func(_, n int) int { return 60 + n%2*min(1, 3-min(n, 3)) }}, true, 4, 60},
		{"total always moves", &upstream{items: listingItems(60), total: func(_, n int) int { return 60 + n }}, false, 6, 60},
		{"total is another on one page", &upstream{items: listingItems(60), total: func(page, _ int) int { return 59 + page }}, false, 6, 60},
		{"one fixture twice, always", &upstream{items: twice}, false, 6, 59},
		{"fewer than the total, always", &upstream{items: listingItems(60), total: func(int, int) int { return 70 }}, false, 6, 60},
		{"fewer, and another page would be due", &upstream{items: listingItems(60), total: func(int, int) int { return 110 }}, false, 6, 60},
		{"more than the total, always", &upstream{items: listingItems(60), total: func(int, int) int { return 58 }}, false, 4, 60},
		{"the last page is empty, always", &upstream{items: listingItems(60), perPage: 20, page: empty(3)}, false, 6, 40},
		{"all pages are empty, always", &upstream{items: listingItems(60), perPage: 20, page: empty(1)}, false, 6, 0},
		{"pages hold fewer than the pager says", &upstream{items: listingItems(60), page: func(page, _ int) (string, int) {
			items := listingItems(60)
			return fmt.Sprintf(`{"success":1,"pager":{"page":%d,"per_page":50,"total":60},"results":[%s]}`, page,
				strings.Join(items[min((page-1)*20, 60):min(page*20, 60)], ",")), 200
		}}, true, 3, 60},
		{"pages hold more than the pager says", &upstream{items: listingItems(60), page: func(page, _ int) (string, int) {
			return fmt.Sprintf(`{"success":1,"pager":{"page":%d,"per_page":50,"total":60},"results":[%s]}`, page,
				strings.Join(listingItems(60)[min((page-1)*60, 60):], ",")), 200
		}}, true, 2, 60},
		{"every page is the first", &upstream{items: listingItems(60), page: func(int, int) (string, int) {
			return fmt.Sprintf(`{"success":1,"pager":{"page":1,"per_page":50,"total":60},"results":[%s]}`, strings.Join(listingItems(50), ",")), 200
		}}, false, 4, 50},
		{"pager without a size", &upstream{page: without("per_page")}, false, 4, 7},
		{"pager without a total", &upstream{page: without("total")}, false, 4, 7},
		{"no pager", &upstream{items: listingItems(7), page: func(page, _ int) (string, int) {
			if page > 1 {
				return `{"success":1,"results":[]}`, 200
			}
			return `{"success":1,"results":[` + listingItem(1, "0", "") + `]}`, 200
		}}, false, 4, 1},
		{"a page fails once", &upstream{items: listingItems(60), page: func(page, n int) (string, int) {
			if page == 2 && n == 2 {
				return "<html>", 502
			}
			return "", 0
		}}, true, 4, 60},
		{"a page fails", &upstream{items: listingItems(60), page: func(page, _ int) (string, int) {
			if page == 2 {
				return `{"success":1`, 200
			}
			return "", 0
		}}, false, 4, 50},
		{"too long", &upstream{items: listingItems(101), perPage: 1}, false, 200, 100},
		{"an item without an id", &upstream{items: append(listingItems(3), `{"time":"1"}`)}, false, 2, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := c.u.run(t)
			if asked.ListingComplete != c.complete || c.u.listings != c.listings || asked.Listed != c.listed {
				t.Errorf("complete %v after %d pages, %d listed, want %v, %d, %d", asked.ListingComplete, c.u.listings, asked.Listed, c.complete, c.listings, c.listed)
			}
			if sent, counted := asked.Counters["listing_sent"]; counted == c.complete || counted && sent != int64(c.listed) {
				t.Errorf("counters %v", asked.Counters)
			}
		})
	}
}

// TestAskListingGrows: pages that appear while the list is read are read, too.
func TestAskListingGrows(t *testing.T) {
	u := &upstream{items: listingItems(120), total: func(_, n int) int { return []int{100, 120, 120}[min(n, 3)-1] }}
	if asked := u.run(t); asked.Listed != 120 || !asked.ListingComplete {
		t.Errorf("%+v after %d pages", asked, u.listings)
	}
}

func TestAskListingWithoutIDs(t *testing.T) {
	u := &upstream{items: []string{`{"fixture":"1"}`, `{"fixture":"2"}`}}
	if _, err := adapter.Ask(t.Context(), u); err == nil || !strings.Contains(err.Error(), "none has an id") {
		t.Errorf("%v", err)
	}
}

// TestAskBrokenFixture: one fixture's broken answer does not take the others
// along.
func TestAskBrokenFixture(t *testing.T) {
	broken := func(bad func(ids []string) (string, int)) func(ids []string) (string, int) {
		return func(ids []string) (string, int) {
			if slices.Contains(ids, "1007") {
				return bad(ids)
			}
			return "", 0
		}
	}
	for name, c := range map[string]struct {
		markets func(ids []string) (string, int)
		batches int
	}{
		"results twice": {broken(func([]string) (string, int) { return `{"success":1,"results":[],"results":[]}`, 200 }), 3 + 10},
		"no result":     {broken(func([]string) (string, int) { return `{"success":1,"results":[null]}`, 200 }), 3 + 10},
		"without an id": {broken(func([]string) (string, int) { return `{"success":1,"results":[{"FI":{}},{"FI":""}]}`, 200 }), 3 + 10},
		"their fault":   {broken(func([]string) (string, int) { return `{"success":0,"error":"INTERNAL_SERVER_ERROR"}`, 500 }), 3 + 10},
		"wrong results": {broken(func([]string) (string, int) { return `{"success":1,"results":{}}`, 200 }), 3 + 10},
	} {
		t.Run(name, func(t *testing.T) {
			u := &upstream{items: listingItems(25), markets: c.markets}
			asked := u.run(t)
			if got := strings.Join(asked.Failed, " "); got != "1007" || len(asked.NotOffered) > 0 || len(u.asked) != c.batches || !asked.ListingComplete {
				t.Errorf("failed %q, not offered %v after %d requests", got, asked.NotOffered, len(u.asked))
			}
		})
	}
}

// TestAskNotOffered: fixtures left out of an accepted answer are asked for once more,
// ten at a time. One left out again is not offered, which is no failure; one that
// cannot be asked for again is a failure.
func TestAskNotOffered(t *testing.T) {
	const none = `{"success":1,"results":[]}`
	leave := func(out ...string) func([]string) (string, int) {
		return func(ids []string) (string, int) {
			return prematchOf(slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(out, id) })), 200
		}
	}
	later := func(after int, first, then func([]string) (string, int)) func([]string) (string, int) {
		asked := 0
		return func(ids []string) (string, int) {
			if asked++; asked <= after {
				return first(ids)
			}
			return then(ids)
		}
	}
	say := func(body string, status int) func([]string) (string, int) {
		return func([]string) (string, int) { return body, status }
	}
	for _, c := range []struct {
		name               string
		markets            func([]string) (string, int)
		failed, notOffered int
		requests           int
	}{
		{"one", leave("1007"), 0, 1, 3 + 1},
		{"of every batch", leave("1001", "1002", "1011", "1024"), 0, 4, 3 + 1},
		{"all", say(none, 200), 0, 25, 3 + 3},
		{"only once", later(3, leave("1003", "1013", "1023"), leave()), 0, 0, 3 + 1},
		{"the second answer is HTML", later(3, leave("1003", "1013"), say("<html>", 502)), 2, 0, 3 + 1 + 2},
		{"the quota ends before the second", later(3, leave("1003", "1013"), say(`{"success":0,"error":"TOO_MANY_REQUESTS"}`, 200)), 2, 0, 3 + 1},
		{"a list that is none leaves out nobody", say(`{"success":1,"results":null}`, 200), 0, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := &upstream{items: listingItems(25), markets: c.markets}
			asked, err := adapter.Ask(t.Context(), u)
			if c.requests == 0 {
				if err == nil || len(asked.NotOffered) > 0 {
					t.Errorf("%v, not offered %v", err, asked.NotOffered)
				}
				return
			}
			if err != nil || len(asked.Failed) != c.failed || len(asked.NotOffered) != c.notOffered || len(u.asked) != c.requests {
				t.Errorf("failed %v, not offered %v after %d requests, %v", asked.Failed, asked.NotOffered, len(u.asked), err)
			}
			if !slices.IsSorted(asked.NotOffered) || asked.Listed != 25 || !asked.ListingComplete {
				t.Errorf("%+v", asked)
			}
		})
	}
}

// TestAskStops: a refused token or product ends the run wherever it is met.
func TestAskStops(t *testing.T) {
	for word, kind := range map[string]provider.Kind{"AUTHORIZE_FAILED": provider.CredentialFault, "PERMISSION_DENIED": provider.PermissionFault} {
		refusal := `{"success":0,"error":"` + word + `"}`
		for k := 1; k <= 3; k++ {
			u := &upstream{items: listingItems(120), page: func(page, _ int) (string, int) {
				if page == k {
					return refusal, 403
				}
				return "", 0
			}}
			_, err := adapter.Ask(t.Context(), u)
			var answer *provider.AnswerError
			if !errors.As(err, &answer) || answer.Verdict.Kind != kind || len(u.asked) > 0 {
				t.Errorf("%s on page %d: %v, %d batches", word, k, err, len(u.asked))
			}
		}
		u := &upstream{items: listingItems(50), markets: func(ids []string) (string, int) { return refusal, 200 }}
		_, err := adapter.Ask(t.Context(), u)
		var answer *provider.AnswerError
		if !errors.As(err, &answer) || answer.Verdict.Kind != kind || len(u.asked) > 3 {
			t.Errorf("%s for markets: %v after %d requests", word, err, len(u.asked))
		}
	}
}

func TestAskQuotaUsedUp(t *testing.T) {
	u := &upstream{items: listingItems(200), markets: func(ids []string) (string, int) {
		if ids[0] >= "1050" {
			return `{"success":0,"error":"TOO_MANY_REQUESTS"}`, 200
		}
		return "", 0
	}}
	asked := u.run(t)
	if len(asked.Failed) < 150-30 || len(u.asked) > 5+3 || !slices.IsSorted(asked.Failed) {
		t.Errorf("%d failed after %d requests", len(asked.Failed), len(u.asked))
	}
	u = &upstream{items: listingItems(200), page: func(page, _ int) (string, int) {
		if page == 3 {
			return `{"success":0,"error":"TOO_MANY_REQUESTS"}`, 200
		}
		return "", 0
	}}
	if asked, err := adapter.Ask(t.Context(), u); asked.ListingComplete || u.listings > 5 {
		t.Errorf("in the listing: %+v, %v after %d pages", asked, err, u.listings)
	}
}

func TestAskUnreachable(t *testing.T) {
	for _, after := range []int{0, 1, 2} {
		u := &upstream{items: listingItems(20), down: fmt.Errorf("%w: connection refused", provider.ErrUnreachable), after: after}
		_, err := adapter.Ask(t.Context(), u)
		if wantErr := after < 2; errors.Is(err, provider.ErrUnreachable) != wantErr {
			t.Errorf("down after %d: %v", after, err)
		}
	}
	disk := errors.New("disk full")
	u := &upstream{items: listingItems(20), down: disk, after: 2}
	if _, err := adapter.Ask(t.Context(), u); !errors.Is(err, disk) {
		t.Errorf("an error that is none of the provider's: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := adapter.Ask(ctx, &upstream{items: listingItems(20)}); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}
