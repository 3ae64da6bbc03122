package tail_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mkt/internal/tail"
)

// service answers as in the contract, from a script.
type service struct {
	fixtures []tail.Fixture
	changes  func(cursor string) (status int, events []tail.Event, next string)
	lists    int                                              // number of first pages of fixtures that were requested
	singles  int                                              // number of single fixtures that were requested
	alter    func(lists int, f []tail.Fixture) []tail.Fixture // changes a list before it is sent; may be nil
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer secret" {
		refuse(w, http.StatusUnauthorized, "INVALID_API_TOKEN")
		return
	}
	page := map[string]any{"pagination": map[string]any{"next_cursor": nil, "has_more": false}}
	switch path := strings.TrimPrefix(r.URL.Path, "/api/v1"); {
	case path == "/fixtures":
		s.lists++
		page["data"], page["meta"] = s.fixtures, map[string]any{"changes_cursor": "c0"}
		if s.alter != nil {
			page["data"] = s.alter(s.lists, s.fixtures)
		}
	case path == "/changes":
		status, events, next := s.changes(r.URL.Query().Get("cursor"))
		switch status {
		case http.StatusBadRequest:
			refuse(w, status, "INVALID_CURSOR")
			return
		case http.StatusServiceUnavailable:
			refuse(w, status, "SERVICE_UNAVAILABLE")
			return
		}
		page["data"], page["pagination"] = events, map[string]any{"next_cursor": next, "has_more": false}
	default:
		s.singles++
		for _, f := range s.fixtures {
			if path == "/fixtures/"+f.FixtureID {
				page["data"] = f
			}
		}
		if page["data"] == nil {
			refuse(w, http.StatusNotFound, "FIXTURE_NOT_FOUND")
			return
		}
	}
	_ = json.NewEncoder(w).Encode(page)
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":{"code":%q,"message":"no"}}`, code)
}

// follow runs until stop returns true; it returns the kinds of news.
func follow(t *testing.T, s *service, o tail.Options, stop func(tail.News) bool) (kinds []string, err error) {
	t.Helper()
	server := httptest.NewServer(s)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	o.BaseURL, o.Token, o.Every = server.URL, "secret", time.Millisecond
	o.Report = func(n tail.News) {
		kinds = append(kinds, n.Kind)
		if stop(n) {
			cancel()
		}
	}
	return kinds, tail.Run(ctx, o)
}

func never(tail.News) bool { return false }

func fixtures(ids ...string) (list []tail.Fixture) {
	for _, id := range ids {
		list = append(list, tail.Fixture{FixtureID: id, MarketCount: 1})
	}
	return list
}

// quiet is a log without further events.
func quiet(cursor string) (int, []tail.Event, string) { return http.StatusOK, nil, cursor }

// Every kind of difference between client and service is reported.
func TestDifferences(t *testing.T) {
	for name, c := range map[string]struct {
		alter func(f []tail.Fixture) []tail.Fixture
		want  string
	}{
		"none":      {func(f []tail.Fixture) []tail.Fixture { return f }, ""},
		"one more":  {func(f []tail.Fixture) []tail.Fixture { return append(f, fixtures("fx_c")...) }, "fixture fx_c"},
		"one fewer": {func(f []tail.Fixture) []tail.Fixture { return f[:1] }, "2 fixtures are held, the service has 1"},
		"another":   {func(f []tail.Fixture) []tail.Fixture { f[1].MarketCount = 9; return f }, "fixture fx_b"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &service{fixtures: fixtures("fx_a", "fx_b"), changes: quiet, alter: func(lists int, f []tail.Fixture) []tail.Fixture {
				if lists == 1 {
					return f
				}
				return c.alter(append([]tail.Fixture{}, f...))
			}}
			kinds, err := follow(t, s, tail.Options{Verify: true, Once: true}, never)
			if c.want == "" {
				if err != nil || fmt.Sprint(kinds) != "[bootstrap verified]" {
					t.Errorf("%v, %v", kinds, err)
				}
				return
			}
			if !errors.Is(err, tail.ErrDiffers) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

// A fixture whose event has the digest that it had in the list is not fetched.
func TestDigestOfTheList(t *testing.T) {
	same, other := "d1", "d2"
	s := &service{fixtures: []tail.Fixture{{FixtureID: "fx_a", ContentDigest: same}}}
	s.changes = func(cursor string) (int, []tail.Event, string) {
		switch cursor {
		case "c0":
			return http.StatusOK, []tail.Event{{Seq: 1, Type: "fixture_markets_updated", FixtureID: "fx_a", ContentDigest: &same}}, "c1"
		case "c1":
			s.fixtures[0].ContentDigest = other
			return http.StatusOK, []tail.Event{{Seq: 2, Type: "fixture_markets_updated", FixtureID: "fx_a", ContentDigest: &other}}, "c2"
		}
		return quiet(cursor)
	}
	fetches := map[uint64]int{}
	_, err := follow(t, s, tail.Options{}, func(n tail.News) bool {
		if n.Kind == "event" {
			fetches[n.Event.Seq] = s.singles
		}
		return n.Kind == "event" && n.Event.Seq == 2
	})
	if err != nil || fmt.Sprint(fetches) != "map[1:0 2:1]" {
		t.Errorf("single fixtures fetched after each event: %v, %v", fetches, err)
	}
}

// Events are applied: one fixture is added, one changed, one removed.
func TestFollows(t *testing.T) {
	s := &service{fixtures: fixtures("fx_a", "fx_b")}
	s.changes = func(cursor string) (int, []tail.Event, string) {
		if cursor != "c0" {
			return http.StatusOK, nil, cursor
		}
		s.fixtures = append(fixtures("fx_b"), tail.Fixture{FixtureID: "fx_c", MarketCount: 7})
		s.fixtures[0].MarketCount = 5
		return http.StatusOK, []tail.Event{{Seq: 1, Type: "fixture_removed", FixtureID: "fx_a"}, {Seq: 2, Type: "fixture_markets_updated", FixtureID: "fx_b"},
			{Seq: 3, Type: "fixture_markets_updated", FixtureID: "fx_c"}}, "c1"
	}
	held := map[string]int{}
	kinds, err := follow(t, s, tail.Options{}, func(n tail.News) bool {
		if n.Kind == "event" && n.Fixture != nil {
			held[n.Fixture.FixtureID] = n.Fixture.MarketCount
		}
		return n.Kind == "event" && n.Event.Seq == 3
	})
	if err != nil || fmt.Sprint(held) != "map[fx_b:5 fx_c:7]" || len(kinds) != 4 {
		t.Errorf("%v, %v, %v", kinds, held, err)
	}
}

// If its position has left the log, the client starts again and continues.
func TestStartsAgain(t *testing.T) {
	s := &service{fixtures: fixtures("fx_a")}
	s.changes = func(cursor string) (int, []tail.Event, string) {
		if s.lists == 1 {
			return http.StatusBadRequest, nil, ""
		}
		return quiet(cursor)
	}
	kinds, err := follow(t, s, tail.Options{Once: true, Verify: true}, never)
	if err != nil || fmt.Sprint(kinds) != "[bootstrap start_again bootstrap verified]" {
		t.Errorf("%v, %v", kinds, err)
	}
}

// A service that refuses the positions that it gave itself is not asked forever.
func TestRefusedRepeatedly(t *testing.T) {
	s := &service{fixtures: fixtures("fx_a"), changes: func(string) (int, []tail.Event, string) { return http.StatusBadRequest, nil, "" }}
	kinds, err := follow(t, s, tail.Options{}, func(tail.News) bool { return s.lists > 10 })
	var refused *tail.Refused
	if !errors.As(err, &refused) || refused.Code != "INVALID_CURSOR" || s.lists != 3 {
		t.Errorf("%v, %v after %d lists", kinds, err, s.lists)
	}
}

// What does not change is reported once: the service answers unchanged for a while, is not
// reachable, and has changed when it answers again.
func TestSaysOnce(t *testing.T) {
	asked := 0
	s := &service{fixtures: fixtures("fx_a", "fx_b")}
	s.changes = func(cursor string) (int, []tail.Event, string) {
		switch asked++; {
		case asked > 8 && asked < 12:
			return http.StatusServiceUnavailable, nil, ""
		case asked == 20:
			s.fixtures = fixtures("fx_b")
			return http.StatusOK, []tail.Event{{Seq: 1, Type: "fixture_removed", FixtureID: "fx_a"}}, "c1"
		case asked > 20:
			return quiet("c1")
		}
		return quiet("c0")
	}
	kinds, err := follow(t, s, tail.Options{Verify: true}, func(n tail.News) bool { return n.Kind == "event" })
	if err != nil || fmt.Sprint(kinds) != "[bootstrap verified unreachable reachable event]" {
		t.Errorf("%v, %v", kinds, err)
	}
}

// Every batch is delivered with the position after it: first all fixtures, then the events. A run
// that begins at a position gets the events after it, or all fixtures if it has left the log.
func TestDelivers(t *testing.T) {
	s := &service{fixtures: fixtures("fx_b", "fx_a")}
	s.changes = func(cursor string) (int, []tail.Event, string) {
		switch cursor {
		case "c0", "c1":
			return http.StatusOK, []tail.Event{{Seq: 2, Type: "fixture_markets_updated", FixtureID: "fx_a"}}, "c2"
		case "c2":
			return quiet(cursor)
		}
		return http.StatusBadRequest, nil, ""
	}
	for from, want := range map[string]string{
		"":    "[bootstrap fixture:fx_a fixture:fx_b @c0 event:fx_a @c2]",
		"c1":  "[event:fx_a @c2]",
		"c2":  "[]",
		"old": "[bootstrap fixture:fx_a fixture:fx_b @c0 event:fx_a @c2]",
	} {
		got := []string{}
		deliver := func(_ context.Context, batch []tail.News, cursor string) error {
			for _, n := range batch {
				if n.Fixture != nil {
					n.Kind += ":" + n.Fixture.FixtureID
				}
				got = append(got, n.Kind)
			}
			got = append(got, "@"+cursor)
			return nil
		}
		if _, err := follow(t, s, tail.Options{Once: true, Cursor: from, Deliver: deliver}, never); err != nil || fmt.Sprint(got) != want {
			t.Errorf("from %q: %v, %v; want %s", from, got, err, want)
		}
	}
	failed := errors.New("the program failed")
	if _, err := follow(t, s, tail.Options{Deliver: func(context.Context, []tail.News, string) error { return failed }}, never); !errors.Is(err, failed) {
		t.Error(err)
	}
}

// The client waits while the service is unreachable, but not at the start.
func TestWaits(t *testing.T) {
	asked := 0
	s := &service{fixtures: fixtures("fx_a"), changes: func(cursor string) (int, []tail.Event, string) {
		switch asked++; asked {
		case 2, 3:
			return http.StatusServiceUnavailable, nil, ""
		case 4:
			return http.StatusOK, []tail.Event{{Seq: 1, Type: "fixture_removed", FixtureID: "fx_a"}}, "c1"
		}
		return quiet(cursor)
	}}
	kinds, err := follow(t, s, tail.Options{}, func(n tail.News) bool { return n.Kind == "event" })
	if err != nil || fmt.Sprint(kinds) != "[bootstrap unreachable reachable event]" {
		t.Errorf("%v, %v", kinds, err)
	}
	server := httptest.NewServer(s)
	server.Close()
	if err := tail.Run(t.Context(), tail.Options{BaseURL: server.URL, Token: "secret", Report: func(tail.News) {}}); !errors.Is(err, tail.ErrUnreachable) {
		t.Error(err)
	}
}
