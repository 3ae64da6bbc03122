package apifootball_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mkt/fetch/provider"
	"mkt/fetch/provider/apifootball"
	"mkt/internal/testing/providertest"
)

// upstream is a provider in memory: fixtures by day, all of them with odds but those in
// without.
type upstream struct {
	days    map[string][]int            // fixture ids
	status  map[int]string              // NS if it is not there
	without map[int]bool                // fixtures without odds
	live    []int                       // fixtures in play
	answer  func(r asked) (string, int) // instead of the answer; "" is none
	clock   time.Time

	providertest.Fake
}

// asked is one request, and how many were sent before it.
type asked struct {
	provider.Request
	n int
}

func (u *upstream) Now() time.Time {
	if u.clock.IsZero() {
		return fetchedAt
	}
	return u.clock
}
func (u *upstream) Progress(int, int) {} // one upstream serves several cycles
func (u *upstream) Bookmaker() string { return cmp.Or(u.Chosen, apifootball.DefaultBookmaker) }

func (u *upstream) Get(ctx context.Context, r provider.Request) (provider.Payload, error) {
	return u.Send(ctx, apifootball.Provider(), r, func() (string, int) {
		if u.answer != nil {
			if body, status := u.answer(asked{r, len(u.Requests) - 1}); body != "" || status == 0 {
				return body, status
			}
		}
		return u.body(r), http.StatusOK
	})
}

const perPage = 10

func (u *upstream) body(r provider.Request) string {
	day := u.days[r.Query.Get("date")]
	var items []string
	page, pages := 1, 1
	switch r.Endpoint {
	case "fixtures":
		for _, id := range day {
			items = append(items, u.fixture(id))
		}
	case "odds":
		day = slices.DeleteFunc(slices.Clone(day), func(id int) bool { return u.without[id] })
		pages = max(1, (len(day)+perPage-1)/perPage)
		page, _ = strconv.Atoi(r.Query.Get("page"))
		for _, id := range day[min((page-1)*perPage, len(day)):min(page*perPage, len(day))] {
			items = append(items, odds(id, r.Query.Get("bookmaker")))
		}
	case "fixtures/live":
		for _, id := range u.live {
			items = append(items, u.fixture(id))
		}
	case "fixtures/ids":
		for id := range strings.SplitSeq(r.Query.Get("ids"), "-") {
			n, _ := strconv.Atoi(id)
			items = append(items, strings.TrimSuffix(u.fixture(n), "}")+`,"statistics":[]}`)
		}
	}
	return envelope(page, pages, items...)
}

func envelope(page, pages int, items ...string) string {
	return fmt.Sprintf(`{"get":"x","parameters":[],"errors":[],"results":%d,"paging":{"current":%d,"total":%d},"response":[%s]}`, len(items), page, pages, strings.Join(items, ","))
}

func (u *upstream) fixture(id int) string {
	status := "NS"
	if s, ok := u.status[id]; ok {
		status = s
	}
	return fmt.Sprintf(`{"fixture":{"id":%d,"timestamp":1795359600,"status":{"short":"%s","elapsed":null}},"league":{"name":"League"},"teams":{"home":{"id":%d,"name":"Home %d"},"away":{"id":%d,"name":"Away %d"}},"goals":{"home":null,"away":null}}`, id, status, 2*id, id, 2*id+1, id)
}

func odds(id int, maker string) string {
	return fmt.Sprintf(`{"fixture":{"id":%d},"bookmakers":[{"id":%s,"name":"x","bets":[{"id":8,"name":"Both Teams Score","values":[{"value":"Yes","odd":"1.90"}]}]}]}`, id, maker)
}

// requests counts the questions to an endpoint.
func (u *upstream) requests(endpoint string) (n int) {
	for _, q := range u.Requests {
		if q.Endpoint == endpoint {
			n++
		}
	}
	return n
}

// dayOf is the n-th day from today.
func dayOf(n int) string { return fetchedAt.AddDate(0, 0, n).Format("2006-01-02") }

// aWeek is a world of so many fixtures on each of the first days.
func aWeek(numbers ...int) *upstream {
	u := &upstream{days: make(map[string][]int)}
	id := 1000
	for n, number := range numbers {
		for range number {
			id++
			u.days[dayOf(n)] = append(u.days[dayOf(n)], id)
		}
	}
	return u
}

func refusal(key string) string {
	return `{"get":"odds","errors":{"` + key + `":"x"},"results":0,"paging":{"current":1,"total":1},"response":[]}`
}

// TestAsk: the days are listed, and the odds of those with a fixture to be played are
// asked for, ten to a page, of one bookmaker.
func TestAsk(t *testing.T) {
	u := aWeek(25, 0, 10)
	u.status = map[int]string{1001: "FT", 1002: "1H", 1003: "PST", 1004: "TBD"}
	u.without = map[int]bool{1005: true, 1030: true}
	got, err := adapter.Ask(context.Background(), u)
	if err != nil || !got.ListingComplete || got.Listed != 35 || len(got.Failed) > 0 || !slices.Equal(got.NotOffered, []string{"1005", "1030"}) {
		t.Fatalf("%+v, %v", got, err)
	}
	if got.Counters["over"] != 2 || got.Counters["in_play"] != 1 {
		t.Errorf("counters %v", got.Counters)
	}
	if u.requests("fixtures") != 15 || u.requests("odds") != 3+1 || len(u.Requests) != 19 {
		t.Errorf("%d lists, %d pages of odds", u.requests("fixtures"), u.requests("odds"))
	}
	for _, q := range u.Requests {
		if q.Endpoint == "odds" && (q.Query.Get("bookmaker") != "8" || q.Query.Get("date") == "" || len(q.Query) != 3) ||
			q.Endpoint == "fixtures" && len(q.Query) != 1 {
			t.Errorf("asked %v", q)
		}
	}
	u.Chosen, u.Requests = "4", nil
	if _, err := adapter.Ask(context.Background(), u); err != nil {
		t.Fatal(err)
	}
	for _, q := range u.Requests {
		if q.Endpoint == "odds" && q.Query.Get("bookmaker") != "4" {
			t.Errorf("asked %v", q)
		}
	}
}

// TestCost counts the requests for 300 fixtures as a season has them, and for 20 matches
// in play, as docs/providers.md says.
func TestCost(t *testing.T) {
	u := aWeek(70, 40, 6, 12, 20, 8, 50, 44, 10, 2, 8, 10, 4, 10, 6)
	if got, err := adapter.Ask(context.Background(), u); err != nil || got.Listed != 300 || len(got.Failed)+len(got.NotOffered) > 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	if len(u.Requests) != 15+34 {
		t.Errorf("%d requests for 300 fixtures", len(u.Requests))
	}
	u = &upstream{status: make(map[int]string)}
	for id := range 20 {
		u.live, u.status[id+1] = append(u.live, id+1), "2H"
	}
	resume := ""
	for at := fetchedAt; at.Before(fetchedAt.Add(time.Hour)); at = at.Add(8 * time.Second) {
		u.clock = at
		got, err := live.Ask(context.Background(), u, resume)
		if err != nil {
			t.Fatal(err)
		}
		resume = got.Resume
	}
	if u.requests("fixtures/live") != 450 || u.requests("fixtures/ids") != 65 {
		t.Errorf("an hour of 20 matches: %d lists, %d details", u.requests("fixtures/live"), u.requests("fixtures/ids"))
	}
}

// TestAskGoesOn: a day or a page that is not received affects nothing else.
func TestAskGoesOn(t *testing.T) {
	for _, c := range []struct {
		name     string
		answer   func(r asked) (string, int)
		complete bool
		listed   int
		failed   int
	}{
		{"a list is not reached", func(r asked) (string, int) {
			if r.Endpoint == "fixtures" && r.Query.Get("date") == dayOf(1) {
				return "", 0
			}
			return "", 200
		}, false, 26, 0},
		{"a list is refused", func(r asked) (string, int) {
			if r.Endpoint == "fixtures" && r.Query.Get("date") == dayOf(1) {
				return refusal("date"), 200
			}
			return "", 200
		}, false, 26, 0},
		{"a list is shorter than it says", func(r asked) (string, int) {
			if r.Endpoint == "fixtures" && r.Query.Get("date") == dayOf(9) {
				return `{"errors":[],"results":2,"paging":{"current":1,"total":1},"response":[]}`, 200
			}
			return "", 200
		}, false, 31, 0},
		{"a page is not reached", func(r asked) (string, int) {
			if r.Endpoint == "odds" && r.Query.Get("page") == "2" {
				return "", 0
			}
			return "", 200
		}, true, 31, 10},
		{"a page cannot be read", func(r asked) (string, int) {
			if r.Endpoint == "odds" && r.Query.Get("page") == "2" {
				return envelope(2, 3, `{"fixture":{"id":"x"}}`), 200
			}
			return "", 200
		}, true, 31, 10},
		{"a first page is not reached", func(r asked) (string, int) {
			if r.Endpoint == "odds" && r.Query.Get("date") == dayOf(0) {
				return "", 0
			}
			return "", 200
		}, true, 31, 26},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := aWeek(26, 5)
			u.answer = c.answer
			got, err := adapter.Ask(context.Background(), u)
			if err != nil || got.ListingComplete != c.complete || got.Listed != c.listed || len(got.Failed) != c.failed || !slices.IsSorted(got.Failed) {
				t.Errorf("%+v, %v", got, err)
			}
			if len(got.NotOffered) > 0 {
				t.Errorf("not offered: %v", got.NotOffered)
			}
		})
	}
}

// TestAskStops: a refused credential or plan ends the run, and so does a cycle without any
// answer.
func TestAskStops(t *testing.T) {
	for _, c := range []struct {
		endpoint, answer string
		status           int
		kind             provider.Kind
	}{
		{"fixtures", refusal("token"), 200, provider.CredentialFault},
		{"odds", refusal("plan"), 200, provider.PermissionFault},
		{"odds", refusal("requests"), 200, provider.Limited},
		{"fixtures", refusal("requests"), 200, provider.Limited},
		{"fixtures", "", 0, provider.Accepted},
		{"odds", "", 0, provider.Accepted},
	} {
		u := aWeek(26, 5)
		u.answer = func(r asked) (string, int) {
			if r.Endpoint == c.endpoint {
				return c.answer, c.status
			}
			return "", 200
		}
		_, err := adapter.Ask(context.Background(), u)
		var answer *provider.AnswerError
		if err == nil || c.kind != provider.Accepted && (!errors.As(err, &answer) || answer.Verdict.Kind != c.kind) {
			t.Errorf("%s %s: %v", c.endpoint, c.answer, err)
		}
	}
}

// TestQuotaEnds: if the quota is used up, the answers so far are kept, the other
// fixtures have failed, and no more requests are sent.
func TestQuotaEnds(t *testing.T) {
	u := aWeek(26, 5, 5, 5)
	u.answer = func(r asked) (string, int) {
		if r.n >= 17 {
			return refusal("requests"), 200
		}
		return "", 200
	}
	got, err := adapter.Ask(context.Background(), u)
	if err != nil || !got.ListingComplete || len(got.Failed) == 0 || len(got.Failed) == 41 || len(got.NotOffered) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if len(u.Requests) > 17+u.Concurrency() {
		t.Errorf("%d requests, after the quota had ended", len(u.Requests))
	}
	if slices.Contains(got.Failed, "1001") || !slices.Contains(got.Failed, "1041") {
		t.Errorf("the first day's odds were not asked for first: failed %v", got.Failed)
	}
}

// TestPagesThatStop: a group of pages without a new fixture is the last one.
func TestPagesThatStop(t *testing.T) {
	u := aWeek(50)
	u.Workers = 1
	u.answer = func(r asked) (string, int) {
		if r.Endpoint == "odds" && r.Query.Get("page") != "1" {
			return refusal("date"), 200
		}
		return "", 200
	}
	got, err := adapter.Ask(context.Background(), u)
	if err != nil || len(got.Failed) != 40 || u.requests("odds") > 4 {
		t.Errorf("%+v, %v, %d pages", got, err, u.requests("odds"))
	}
}

// TestDayMoves: odds that move from page to page are read once more, and only fixtures
// missing in both readings have failed.
func TestDayMoves(t *testing.T) {
	for name, always := range map[string]bool{"once": false, "again": true} {
		t.Run(name, func(t *testing.T) {
			u := aWeek(25)
			firsts := 0
			u.answer = func(r asked) (string, int) {
				if r.Endpoint != "odds" {
					return "", 200
				}
				if r.Query.Get("page") == "1" {
					firsts++
				}
				if r.Query.Get("page") == "3" && (firsts == 1 || always) { // the last five are gone: one of the second page again
					return envelope(3, 3, odds(1011, "8")), 200
				}
				return "", 200
			}
			got, err := adapter.Ask(context.Background(), u)
			failed := 0
			if always {
				failed = 5
			}
			if err != nil || len(got.Failed) != failed || len(got.NotOffered) > 0 || got.Counters["days_moved"] != 1 || u.requests("odds") != 6 {
				t.Errorf("%+v, %v, %d pages", got, err, u.requests("odds"))
			}
		})
	}
}

// TestMovedFixture: a fixture that is listed on two days counts once, on the later.
func TestMovedFixture(t *testing.T) {
	u := aWeek(3, 3)
	u.days[dayOf(1)] = append(u.days[dayOf(1)], 1001)
	got, err := adapter.Ask(context.Background(), u)
	if err != nil || got.Listed != 6 || len(got.NotOffered)+len(got.Failed) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestLiveAsk: the list in every cycle, the details of all matches in play once a minute,
// twenty to a request.
func TestLiveAsk(t *testing.T) {
	u := &upstream{status: map[int]string{41: "FT", 42: "NS"}}
	for id := range 45 {
		u.live = append(u.live, id+1)
		if u.status[id+1] == "" {
			u.status[id+1] = "1H"
		}
	}
	got, err := live.Ask(context.Background(), u, "")
	if err != nil || !got.ListingComplete || got.Listed != 43 || got.Counters["details"] != 43 || got.Counters["not_in_play"] != 2 || len(got.Failed) > 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	asked := strconv.FormatInt(fetchedAt.Unix(), 10) + " "
	if u.requests("fixtures/ids") != 3 || !strings.HasPrefix(got.Resume, asked) {
		t.Errorf("%d requests, resume %q", u.requests("fixtures/ids"), got.Resume)
	}
	u.Requests, u.clock = nil, fetchedAt.Add(8*time.Second)
	if got, err = live.Ask(context.Background(), u, got.Resume); err != nil || got.Counters["details_not_due"] != 43 || len(u.Requests) != 1 || !strings.HasPrefix(got.Resume, asked) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, resume := range []string{"x", "99999999999", strconv.FormatInt(fetchedAt.Add(-time.Minute).Unix(), 10)} {
		u.Requests = nil
		if _, err := live.Ask(context.Background(), u, resume); err != nil || len(u.Requests) != 4 {
			t.Errorf("resume %q: %d requests, %v", resume, len(u.Requests), err)
		}
	}
	u.Requests, u.Left = nil, &provider.Quota{Left: 2, Resets: time.Hour}
	if got, err = live.Ask(context.Background(), u, ""); err != nil || len(u.Requests) != 1 || got.Counters["details_not_due"] != 43 {
		t.Errorf("a quota of two: %d requests, %+v, %v", len(u.Requests), got, err)
	}
}

// TestEndedMatches: a match that has left the list is asked for once, in the next cycle, to
// learn how it ended, and again a minute later if there was no answer. A list that has lost
// nearly all of its matches costs five requests and no more.
func TestEndedMatches(t *testing.T) {
	u := &upstream{status: make(map[int]string)}
	for id := range 150 {
		u.live, u.status[id+1] = append(u.live, id+1), "2H"
	}
	resume := strconv.FormatInt(fetchedAt.Unix(), 10)
	cycle := func(want string) {
		t.Helper()
		u.Requests = nil
		got, err := live.Ask(context.Background(), u, resume)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, q := range u.Requests {
			if q.Endpoint == "fixtures/ids" {
				ids = append(ids, q.Query.Get("ids"))
			}
		}
		if slices.Sort(ids); strings.Join(ids, " ") != want && want != "five" || want == "five" && len(ids) != 5 {
			t.Errorf("asked for %q, want %q", ids, want)
		}
		resume = got.Resume
	}
	u.clock = fetchedAt.Add(8 * time.Second)
	cycle("")
	u.live = slices.DeleteFunc(u.live, func(id int) bool { return id == 7 || id == 9 })
	u.status[7], u.status[9] = "FT", "AET"
	u.answer = func(r asked) (string, int) {
		if r.Endpoint == "fixtures/ids" {
			return "", 0
		}
		return "", 200
	}
	cycle("7-9") // not had
	cycle("")
	u.answer, u.clock = nil, fetchedAt.Add(time.Minute)
	u.live = u.live[:20]
	resume = strconv.FormatInt(fetchedAt.Unix(), 10) + " 1 7-9" // one minute later
	cycle("1-2-3-4-5-6-8-10-11-12-13-14-15-16-17-18-19-20-21-22 7-9")
	cycle("")
	u.live, u.Left = u.live[1:], &provider.Quota{Left: 0, Resets: time.Hour} // dropped: it costs nothing

	cycle("")
	for id := 151; id < 300; id++ {
		u.live, u.status[id] = append(u.live, id), "2H"
	}
	u.Left = nil
	cycle("")
	u.live = u.live[:1]
	cycle("five")
	cycle("")
}

// TestLiveDetailFails: a missing detail is counted; a refused credential and a missing list
// are errors.
func TestLiveDetailFails(t *testing.T) {
	u := &upstream{status: make(map[int]string)}
	for id := range 25 {
		u.live, u.status[id+1] = append(u.live, id+1), "1H"
	}
	u.answer = func(r asked) (string, int) {
		if r.Endpoint == "fixtures/ids" && strings.HasPrefix(r.Query.Get("ids"), "1-") {
			return "", 0
		}
		return "", 200
	}
	got, err := live.Ask(context.Background(), u, "")
	if err != nil || len(got.Failed) != 20 || got.Counters["details"] != 5 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, endpoint := range []string{"fixtures/live", "fixtures/ids"} {
		u.answer = func(r asked) (string, int) {
			if r.Endpoint == endpoint {
				return refusal("token"), 200
			}
			return "", 200
		}
		if _, err := live.Ask(context.Background(), u, ""); err == nil {
			t.Errorf("%s: no error", endpoint)
		}
	}
	u.answer = func(r asked) (string, int) { return refusal("requests"), 200 }
	if _, err := live.Ask(context.Background(), u, ""); err == nil {
		t.Error("a list that is not received: no error")
	}
}
