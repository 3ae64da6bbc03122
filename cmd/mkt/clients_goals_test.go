package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/commands"
	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
)

// goalMatch is what the provider says of a match at a second, and what a client prints in all: the first letter of
// the event, that of the side, and the reason.
type goalMatch struct {
	name   string
	at     func(s int, m *said)
	before int // goals of the home side in the first list, which have no entry
	want   string
}

// said is the provider's answer about a match.
type said struct {
	home, away int
	cards      int      // of the home side; -1: no counter is sent
	events     []string // nil: no list of its own is sent
	clock      int      // seconds
	half       int
	stopped    bool
	status     int // 0: it is not listed
}

// The provider is asked every eight seconds. Meanwhile this happens, from second to second.
const (
	clientDown, clientUp = 136, 176
	serverDown, serverUp = 240, 280
	feedLost, feedBack   = 300, 390
	socketEnds           = 424 // the server is killed, and comes back without the channel live
	goalsEnd             = 504
)

var goalMatches = []goalMatch{
	{"taken back after 10 s", func(s int, m *said) { m.home = during(s, 50, 60) }, 0, "Gh Wh COUNTER_FELL"},
	{"taken back after 60 s", func(s int, m *said) { m.away = during(s, 50, 110) }, 0, "Ga Wa COUNTER_FELL"},
	{"taken back after 180 s", func(s int, m *said) { m.home = during(s, 50, 230) }, 0, "Gh Wh COUNTER_FELL"},
	{"two in a minute", func(s int, m *said) { m.home, m.away = from(s, 80)+from(s, 110), from(s, 128) }, 0, "Gh Gh Ga"},
	{"three in one list", func(s int, m *said) { m.home, m.away = 2*from(s, 100), from(s, 101) }, 0, "Gh Gh Ga"},
	{"given again", func(s int, m *said) { m.home = during(s, 70, 110) + from(s, 184) }, 0, "Gh Wh COUNTER_FELL Gh"},
	{"of the other side", func(s int, m *said) { m.home, m.away = during(s, 70, 110), from(s, 110) }, 0, "Gh Ga"},
	{"a card taken back", func(s int, m *said) { m.cards = from(s, 80) + during(s, 90, 128) }, 0, "Ch Ch Wh COUNTER_FELL"},
	{"met at 1-0", func(s int, m *said) { m.home = 1 + from(s, 80) }, 1, "Gh"},
	{"listed", func(s int, m *said) { // and neither score nor list has it at the end
		m.home = during(s, 60, 120)
		m.events = slices.Repeat([]string{"22' - 1st Goal - (Home)"}, during(s, 80, 120))
	}, 0, "Gh Wh COUNTER_FELL"},
	{"listed alone", func(s int, m *said) {
		m.cards = -1
		m.events = slices.Repeat([]string{"21' - 1st Yellow Card - (Home)"}, during(s, 60, 120))
	}, 0, "Ch Wh PROVIDER_TOOK_BACK"},
	{"while the client is down", func(s int, m *said) { m.home, m.away = during(s, 110, 150), during(s, 144, 160) }, 0, "Gh Wh COUNTER_FELL"},
	{"while the server is down", func(s int, m *said) { m.home, m.away = during(s, 210, 250), from(s, 266) }, 0, "Gh Wh COUNTER_FELL Ga"},
	{"while the feed is lost", func(s int, m *said) {
		m.home, m.away = during(s, 288, 340), from(s, 330)
		m.events = slices.Repeat([]string{"26' - 1st Goal - (Away)"}, from(s, 330))
	}, 0, "Gh Wh COUNTER_FELL Ga"},
	{"half time", func(s int, m *said) {
		m.home, m.away = during(s, 100, 184), from(s, 440)
		switch m.clock += 24 * 60; {
		case from(s, 290) > 0:
			m.clock, m.half = 45*60+s-290, 1
		case from(s, 130) > 0:
			m.clock, m.half, m.stopped = 45*60, 1, true
		}
	}, 0, "Gh Wh COUNTER_FELL Ga"},
	{"abandoned", func(s int, m *said) {
		m.home, m.away = from(s, 400), during(s, 430, 440)
		switch {
		case from(s, 470) > 0:
			m.status = 0
		case from(s, 440) > 0:
			m.status = 8
		}
	}, 0, "Gh Ga"},
}

// during is 1 from one second up to another.
func during(s, from, to int) int {
	if s >= from && s < to {
		return 1
	}
	return 0
}

func from(s, begins int) int { return during(s, begins, goalsEnd) }

// scriptedGoals is the provider of goalMatches.
func scriptedGoals(begins time.Time) func(func() time.Time) (http.Handler, string) {
	return func(now func() time.Time) (http.Handler, string) {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s := int(now().Sub(begins) / time.Second)
			if during(s, feedLost, feedBack) > 0 {
				w.Header().Set("Retry-After", "86400") // nobody asks again in this cycle
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			isView, asked := strings.HasSuffix(r.URL.Path, "/event/view"), strings.Split(r.URL.Query().Get("event_id"), ",")
			items := []map[string]any{}
			for n, match := range goalMatches {
				m, id := said{clock: 20*60 + s, status: 1}, fmt.Sprint(500+n)
				if match.at(s, &m); m.status != 0 && (!isView || slices.Contains(asked, id)) {
					items = append(items, m.item(id, isView))
				}
			}
			if !isView && !strings.HasSuffix(r.URL.Path, "/events/inplay") {
				items = nil
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"success": 1, "results": items, "pager": map[string]int{"page": 1, "per_page": 1000, "total": len(items)}})
		}), "11111-aaaaaaaaaaaaaa"
	}
}

// item is the match as events/inplay has it, or event/view, which has the events as well.
func (m *said) item(id string, isView bool) map[string]any {
	stats, running := map[string][]string{"attacks": {"9", "7"}}, "1"
	if m.cards >= 0 {
		stats["yellowcards"] = []string{fmt.Sprint(m.cards), "0"}
	}
	if m.stopped {
		running = "0"
	}
	item := map[string]any{"id": id, "bet365_id": "9" + id, "sport_id": "1", "time": "1772884800", "time_status": fmt.Sprint(m.status),
		"league": map[string]string{"id": "9", "name": "Coast League"}, "home": map[string]string{"id": "1" + id, "name": "Home " + id},
		"away": map[string]string{"id": "2" + id, "name": "Away " + id}, "ss": fmt.Sprintf("%d-%d", m.home, m.away), "stats": stats,
		"timer": map[string]any{"tm": m.clock / 60, "ts": m.clock % 60, "tt": running, "ta": 0, "md": m.half}}
	if isView && m.events != nil {
		events := []map[string]string{}
		for n, text := range m.events {
			events = append(events, map[string]string{"id": fmt.Sprint(id, n), "text": strings.Replace(text, ")", " "+id+")", 1)})
		}
		item["events"] = events
	}
	return item
}

// goalsWorld is the provider of goalMatches, the three steps, and mkt serve in a process of its own.
type goalsWorld struct {
	*liveSystem
	begins time.Time
	listen string
	server *exec.Cmd
	errs   bytes.Buffer
	names  map[string]*goalMatch // of each match that was in play
	stray  atomic.Bool           // the proxy has answered 404 for a match
}

func newGoalsWorld(t *testing.T) *goalsWorld {
	t.Helper()
	begins := time.Date(2026, 3, 7, 12, 20, 0, 0, time.UTC)
	w := &goalsWorld{liveSystem: unservedLiveSystem(t, begins, scriptedGoals(begins)), begins: begins, names: map[string]*goalMatch{}}
	w.steps[2] = w.unchecked
	free, err := net.Listen("tcp", "127.0.0.1:0")
	w.must(err)
	w.listen = free.Addr().String()
	w.url = "http://" + w.listen
	w.must(free.Close())
	t.Cleanup(func() {
		if w.server != nil {
			w.kill()
		}
	})
	return w
}

// testClock is the variable with the name of a file that has the time of mkt.
const testClock = "MKT_TEST_CLOCK"

// mainAsOf is main at the time in a file.
func mainAsOf(file string) {
	now := func() time.Time {
		text, err := os.ReadFile(file)
		at, bad := time.Parse(time.RFC3339Nano, string(text))
		if err != nil || bad != nil {
			panic(fmt.Sprint(err, bad))
		}
		return at
	}
	root := commands.New(cli.NewEnv(os.Stdin, os.Stdout, os.Stderr, now, version))
	root.SetArgs(os.Args[1:])
	os.Exit(cli.ExitCode(root.ExecuteContext(context.Background())))
}

func (w *goalsWorld) clockFile() string { return filepath.Join(filepath.Dir(w.Data), "clock") }

// show sets all clocks.
func (w *goalsWorld) show(s int) {
	w.Helper()
	w.now = w.begins.Add(time.Duration(s) * time.Second)
	w.must(os.WriteFile(w.clockFile()+".new", []byte(w.now.Format(time.RFC3339Nano)), 0o600))
	w.must(os.Rename(w.clockFile()+".new", w.clockFile()))
	w.clock.Show(w.now)
}

func (w *goalsWorld) serve(flags ...string) {
	w.Helper()
	w.server = exec.Command("mkt", append([]string{"serve", "--data", w.Data, "--tenants", w.Tenants, "--listen", w.listen, "--poll", "10ms",
		"--realtime-tick", "100ms", "--output", "json"}, flags...)...)
	w.server.Env, w.server.Stderr = append(os.Environ(), testClock+"="+w.clockFile()), &w.errs
	out, err := w.server.StdoutPipe()
	w.must(err)
	w.must(w.server.Start())
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		w.Fatalf("mkt serve: %v\n%s", err, w.errs.String())
	}
}

// kill is kill -9.
func (w *goalsWorld) kill() {
	_ = w.server.Process.Kill()
	_ = w.server.Wait()
	w.server = nil
}

// proxied is the address for a client: it has a path, and a list has two pages. While the server is down, the proxy
// lists no match, and has nothing at any other path.
func (w *goalsWorld) proxied() string {
	w.Helper()
	target, err := url.Parse(w.url)
	w.must(err)
	proxy := httptest.NewServer(http.StripPrefix("/football", &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			if query := r.Out.URL.Query(); query.Has("limit") {
				query.Set("limit", fmt.Sprint(len(goalMatches)/2))
				r.Out.URL.RawQuery = query.Encode()
			}
		},
		ErrorHandler: func(rw http.ResponseWriter, r *http.Request, _ error) {
			if r.URL.Path == "/api/v1/live" {
				_, _ = rw.Write([]byte(`{"data": [], "pagination": {"limit": 200, "next_cursor": null, "has_more": false}, "meta": {}}`))
				return
			}
			rw.WriteHeader(http.StatusNotFound)
			_, _ = rw.Write([]byte(`{"error": "no such application"}`))
			if strings.HasPrefix(r.URL.Path, "/api/v1/live/") {
				w.stray.Store(true)
			}
		},
	}))
	w.Cleanup(proxy.Close)
	return proxy.URL + "/football/"
}

// goalsItem is a match of GET /live and GET /live/{id}.
type goalsItem struct {
	FixtureID string `json:"fixture_id"`
	Home      string
	Score     struct{ Home, Away int }
	Revision  *int64 `json:"timeline_revision"`
}

// items are the matches in play, and those that were and can still be read.
func (w *goalsWorld) items() []goalsItem {
	w.Helper()
	var list struct{ Data []goalsItem }
	if status := w.ask("/live?limit=200", &list); status != http.StatusOK {
		w.Fatalf("status %d", status)
	}
	listed := map[string]bool{}
	for _, item := range list.Data {
		listed[item.FixtureID] = true
		if w.names[item.FixtureID] == nil {
			var n int
			_, err := fmt.Sscanf(item.Home, "Home %d", &n)
			w.must(err)
			w.names[item.FixtureID] = &goalMatches[n-500]
		}
	}
	for id := range w.names {
		var one struct{ Data goalsItem }
		if !listed[id] && w.ask("/live/"+id, &one) == http.StatusOK {
			list.Data = append(list.Data, one.Data)
		}
	}
	return list.Data
}

// shown are the goals and cards on a timeline by entry_id. Its goals are the score.
func (w *goalsWorld) shown(item goalsItem) map[string]goalsLine {
	w.Helper()
	var timeline struct {
		Data struct{ Timeline []goalsLine }
	}
	w.one(item.FixtureID, "/timeline", &timeline)
	match := w.names[item.FixtureID]
	shown, goals := map[string]goalsLine{}, map[string]int{"HOME": match.before}
	for _, e := range timeline.Data.Timeline {
		if e.State == "GOAL" {
			goals[e.SideProven]++
		}
		if e.State == "GOAL" || e.State == "CARD" {
			shown[e.EntryID] = goalsLine{FixtureID: item.FixtureID, State: e.State, SideProven: e.SideProven}
		}
	}
	if goals["HOME"] != item.Score.Home || goals["AWAY"] != item.Score.Away {
		w.Errorf("%v, %s: the timeline has %v, and the score is %v", w.now.Sub(w.begins), match.name, goals, item.Score)
	}
	return shown
}

// follows waits until a client has read all that is served. Then what it printed, with withdrawals applied, is what
// the timelines show, and so the score.
func (w *goalsWorld) follows(c *goalsClient) {
	w.Helper()
	items, want := w.items(), map[string]goalsLine{}
	for _, item := range items {
		maps.Copy(want, w.shown(item))
	}
	for end := time.Now().Add(check.Limit); ; time.Sleep(2 * time.Millisecond) {
		revisions := c.revisions()
		behind := slices.ContainsFunc(items, func(item goalsItem) bool { return item.Revision == nil || revisions[item.FixtureID] != *item.Revision })
		got := c.applied()
		if !behind && maps.Equal(got, want) {
			return
		}
		if time.Now().After(end) {
			w.Fatalf("%v: after %v, behind %t, it is at\n%+v\nwant\n%+v\n%s", w.now.Sub(w.begins), check.Limit, behind, got, want, c.complaints())
		}
	}
}

// goalsClient is a client, and all that it has printed in this run and in those before.
type goalsClient struct {
	t       *testing.T
	command []string
	state   string // its file
	cmd     *exec.Cmd
	ended   chan struct{}

	mu    sync.Mutex
	lines []goalsLine
	errs  bytes.Buffer
}

// goalsLine is a line that a client prints, and without Event and FixtureID an entry of a timeline.
type goalsLine struct {
	Event      string
	FixtureID  string `json:"fixture_id"`
	EntryID    string `json:"entry_id"`
	State      string
	SideProven string `json:"side_proven"`
	Reason     string
}

func (c *goalsClient) start(env ...string) {
	c.t.Helper()
	c.cmd, c.ended = exec.CommandContext(c.t.Context(), c.command[0], append(c.command[1:], c.state)...), make(chan struct{})
	c.cmd.Env, c.cmd.Stderr = append(os.Environ(), env...), c
	out, err := c.cmd.StdoutPipe()
	check.Must(c.t, err)
	check.Must(c.t, c.cmd.Start())
	go func() {
		defer close(c.ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var line goalsLine
			if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
				c.t.Errorf("%q: %v", lines.Bytes(), err)
			}
			c.mu.Lock()
			c.lines = append(c.lines, line)
			c.mu.Unlock()
		}
		_ = c.cmd.Wait()
	}()
}

// kill is kill -9, and waits until all that was printed is read.
func (c *goalsClient) kill() {
	c.t.Helper()
	check.Must(c.t, c.cmd.Process.Kill())
	<-c.ended
}

// Write collects its error output.
func (c *goalsClient) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.errs.Write(p)
}

func (c *goalsClient) complaints() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.errs.String()
}

func (c *goalsClient) printed() []goalsLine {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.lines)
}

// applied is what it printed without what was withdrawn. Nothing is printed twice, or withdrawn that was not printed.
func (c *goalsClient) applied() map[string]goalsLine {
	applied := map[string]goalsLine{}
	for _, line := range c.printed() {
		before, found := applied[line.EntryID]
		is := goalsLine{FixtureID: line.FixtureID, State: line.State, SideProven: line.SideProven}
		switch {
		case line.Event == "WITHDRAWN" && found:
			delete(applied, line.EntryID)
		case line.Event == line.State && before != is:
			applied[line.EntryID] = is
		default:
			c.t.Fatalf("%+v comes after %+v", line, before)
		}
	}
	return applied
}

// revisions are those in its file, by match.
func (c *goalsClient) revisions() map[string]int64 {
	c.t.Helper()
	revisions := map[string]int64{}
	text, err := os.ReadFile(c.state)
	if os.IsNotExist(err) {
		return revisions
	}
	check.Must(c.t, err)
	var known map[string]struct{ Revision *int64 }
	check.Must(c.t, json.Unmarshal(text, &known))
	for id, match := range known {
		if match.Revision != nil {
			revisions[id] = *match.Revision
		}
	}
	return revisions
}

// followGoals plays all matches, and runs a client with them: with the socket alone, then after kill -9 with socket
// and polling, and at last with polling alone.
func followGoals(t *testing.T, command ...string) {
	w := newGoalsWorld(t)
	c := &goalsClient{t: t, command: command, state: filepath.Join(t.TempDir(), "state.json")}
	step, base := int(cadence/time.Second), w.proxied()
	for s := 0; s < goalsEnd; s += step {
		passes := func(second int) bool { return during(second, s-step+1, s+1) > 0 }
		w.show(s)
		switch {
		case passes(clientDown):
			c.kill()
		case passes(serverDown):
			w.stray.Store(false)
			w.kill()
			check.Eventually(t, "the client asks for a match that is no longer listed", w.stray.Load)
		case passes(serverUp):
			w.serve()
		case passes(socketEnds):
			w.kill()
			w.serve("--realtime-channels", "changes")
		}
		isLost := during(s, feedLost, feedBack) > 0
		if err := w.tick(); (err != nil) != isLost {
			t.Fatalf("%d s: %v", s, err)
		}
		if s == 0 {
			w.serve()
		}
		isServed := during(s, serverDown, serverUp) == 0
		if isServed && !isLost {
			w.served()
		}
		switch {
		case s == 0:
			c.start("BASE="+base, "TOKEN="+w.token, "EVERY=3600")
		case passes(clientUp):
			c.start("BASE="+base, "TOKEN="+w.token, "EVERY=0.1")
		}
		if isServed && during(s, clientDown, clientUp) == 0 {
			w.follows(c)
		}
	}
	printed := map[*goalMatch][]string{}
	for _, line := range c.printed() {
		m := w.names[line.FixtureID]
		printed[m] = append(printed[m], strings.TrimSpace(line.Event[:1]+strings.ToLower(line.SideProven[:1])+" "+line.Reason))
	}
	for n := range goalMatches {
		if m := &goalMatches[n]; strings.Join(printed[m], " ") != m.want {
			t.Errorf("%s: it printed %q, want %q", m.name, printed[m], m.want)
		}
	}
}

// The client in Python prints goals, cards and withdrawals so that the score follows from its lines at any time.
func TestPythonGoals(t *testing.T) {
	t.Parallel()
	python := needs.Program(t, "python3", "such as Debian's package python3")
	const program = "../../examples/clients/python/goals.py"
	_, err := os.ReadFile(program) // so that go test knows that its result depends on it
	check.Must(t, err)
	followGoals(t, python, "-B", program)
}

// The same for the client in TypeScript.
func TestNodeGoals(t *testing.T) {
	t.Parallel()
	modules := needs.Node(t)
	dir := t.TempDir()
	check.Must(t, os.CopyFS(dir, os.DirFS("../../examples/clients/typescript")))
	check.Must(t, os.Symlink(modules, filepath.Join(dir, "node_modules")))
	for _, args := range [][]string{
		{"openapi-typescript/bin/cli.js", "../../docs/openapi.yaml", "-o", filepath.Join(dir, "api.ts")},
		{"openapi-typescript/bin/cli.js", "../../docs/openapi-history.yaml", "-o", filepath.Join(dir, "history-api.ts")},
		{"typescript/bin/tsc", "-p", dir},
	} {
		args[0] = filepath.Join(modules, args[0])
		if out, err := exec.CommandContext(t.Context(), "node", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	followGoals(t, "node", filepath.Join(dir, "build", "goals.js"))
}
