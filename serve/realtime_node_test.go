package serve_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/internal/testing/servetest"
	"mkt/publish/table"
)

// script runs a Node program until it or the test ends. next returns its lines of JSON.
type script struct {
	t     testing.TB
	lines chan string
	done  chan error
	mu    sync.Mutex
	errs  bytes.Buffer
}

func node(t *testing.T, name, source string, env ...string) *script {
	t.Helper()
	from := needs.Node(t)
	dir := t.TempDir()
	must(t, os.Symlink(from, filepath.Join(dir, "node_modules")))
	return start(t, dir, name, source, []string{"node", name}, env)
}

func start(t *testing.T, dir, name, source string, command, env []string) *script {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(dir, name), []byte(source), 0o600))
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, append(os.Environ(), env...), time.Second
	out, err := cmd.StdoutPipe()
	must(t, err)
	s := &script{t: t, lines: make(chan string, 1000), done: make(chan error, 1)}
	cmd.Stderr = s
	must(t, cmd.Start())
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			s.lines <- lines.Text()
		}
		close(s.lines)
		s.done <- cmd.Wait()
	}()
	return s
}

// Write collects the program's error output.
func (s *script) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.errs.Write(p)
}

func (s *script) complaints() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.errs.String()
}

func (s *script) until(want string) {
	s.t.Helper()
	last := ""
	for late := time.After(3 * check.Limit); ; {
		select {
		case line, ok := <-s.lines:
			if !ok {
				s.t.Fatalf("it ended before it said %s; last %s\n%s", want, last, s.complaints())
			}
			if last = line; strings.Contains(line, want) {
				return
			}
		case <-late:
			s.t.Fatalf("it never said %s; last %s\n%s", want, last, s.complaints())
		}
	}
}

// example returns a program of examples/clients.
func example(t *testing.T, name string) string {
	t.Helper()
	source, err := os.ReadFile("../examples/clients/" + name)
	must(t, err)
	return string(source)
}

// The example for the socket keeps the correct state while a server publishes, removes,
// restarts, and drops old events.
func TestNodeGuide(t *testing.T) {
	w := published(t, 5, 1).start()
	w.listen = strings.TrimPrefix(w.url, "http://")
	s := node(t, "follow.mjs", example(t, "realtime/follow.mjs"), "BASE="+w.url, "TOKEN="+w.token("acme"))
	s.until(`{"cursor":5,"fixtures":5}`)
	w.publish("acme", 7, 1, 2)
	s.until(`{"cursor":12,"fixtures":7}`)
	list := servetest.Samples("acme", 3, 1, 3)
	events := servetest.Updates(list)
	for n := 3; n < 7; n++ {
		events = append(events, table.EventRow{Type: "fixture_removed", FixtureID: servetest.FixtureID("acme", n), ProviderFixtureID: fmt.Sprint(n)})
	}
	w.root("acme").Publish(servetest.Content{Fixtures: list, Events: events})
	s.until(`{"cursor":19,"fixtures":3}`)

	must(t, w.stop()) // it comes back, to more than one page
	w.publish("acme", 450, 1, 4)
	w.start()
	s.until(`{"cursor":469,"fixtures":450}`)

	must(t, w.stop()) // it comes back, and where it was is no longer known
	list = servetest.Samples("acme", 4, 1, 5)
	w.root("acme").Publish(servetest.Content{Fixtures: list, Events: servetest.Updates(list)})
	w.root("acme").Publish(servetest.Content{Fixtures: list, Events: servetest.Updates(list), DropLog: 5})
	w.start()
	s.until(`{"cursor":477,"fixtures":4}`)
	// On a slow machine the client may reconnect before the server is there, or has loaded its data.
	if said := strings.NewReplacer("DATA_NOT_READY\n", "", "websocket error\n", "").Replace(s.complaints()); said != "" {
		t.Errorf("it complained: %s", said)
	}
}

// The program of the guide connects to a server that has no polling, as a cluster has it, and
// applies pages that its library hands on in another order: none is lost.
func TestNodeGuideShuffled(t *testing.T) {
	const shuffled = `import { io as connect } from "socket.io-client";
function io(...options) { // hands every second page on before the first
  const socket = connect(...options), on = socket.on.bind(socket);
  let held = null;
  socket.on = (name, handle) => on(name, name !== "changes" ? handle : (page) => {
    if (held === null) held = page;
    else {
      handle(page);
      handle(held);
      held = null;
      console.log("shuffled");
    }
  });
  return socket;
}
`
	w := published(t, 5, 1)
	w.realtime.WebsocketOnly = true
	w.start()
	source := strings.Replace(example(t, "realtime/follow.mjs"), `import { io } from "socket.io-client";`, shuffled, 1)
	s := node(t, "shuffled.mjs", source, "BASE="+w.url, "TOKEN="+w.token("acme"))
	s.until(`{"cursor":5,"fixtures":5}`)
	for n := range 3 {
		// The first page has two new fixtures, the second only one that is known.
		const pages = `mkt_socket_pushes_total{channel="changes"}`
		before := w.metric(pages)
		list := servetest.Samples("acme", 7+2*n, 1, 2+2*n)
		w.root("acme").Publish(servetest.Content{Fixtures: list, Events: servetest.Updates(list[5+2*n:])})
		eventually(t, "it is a page of its own", func() bool { return w.metric(pages) > before })
		list = servetest.Samples("acme", 7+2*n, 1, 3+2*n)
		w.root("acme").Publish(servetest.Content{Fixtures: list, Events: servetest.Updates(list[:1])})
		s.until("shuffled")
		s.until(fmt.Sprintf(`{"cursor":%d,"fixtures":%d}`, 5+3*(n+1), 7+2*n))
	}
	if said := s.complaints(); said != "" {
		t.Errorf("it complained: %s", said)
	}
}

func TestGuideInGo(t *testing.T) {
	t.Parallel()
	w := published(t, 5, 1).start()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "follow.go"), []byte(example(t, "go/follow/main.go")), 0o600))
	build := exec.CommandContext(t.Context(), "go", "build", "-o", "follow", "follow.go") // an empty cache needs a minute
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := start(t, dir, "follow.go", example(t, "go/follow/main.go"), []string{"./follow"}, []string{"BASE=" + w.url, "TOKEN=" + w.token("acme")})
	s.until("5 0 events")
	w.publish("acme", 7, 1, 2)
	s.until("7 7 events")
}

// The official client, over each transport and with an upgrade between them, sees the
// behaviour of the contract: testdata/node/service.mjs.
func TestNodeService(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"polling", "websocket", "upgrade", "full"} {
		w.add(id, nil)
		w.publish(id, 30, 1, 1)
		w.publishLive(id, 12)
	}
	w.start()
	source, err := os.ReadFile("../testdata/node/service.mjs")
	must(t, err)
	tokens, err := json.Marshal(w.tokens)
	must(t, err)
	s := node(t, "service.mjs", string(source), "BASE="+w.url, "TOKENS="+string(tokens))
	for version := 2; ; version++ {
		select {
		case line, ok := <-s.lines:
			if ok {
				t.Log(line)
				continue
			}
			if err := <-s.done; err != nil {
				t.Errorf("%v\n%s\n%s", err, s.complaints(), regexp.MustCompile("(?m)^.*socket ended.*$").FindAllString(w.log.String(), -1))
			}
			return
		case <-time.After(100 * time.Millisecond):
		}
		for _, id := range []string{"polling", "websocket", "upgrade"} {
			w.publish(id, 3, 1, version)
			w.live(id).Publish(servetest.LiveSamples(id, 12, version, begin))
		}
	}
}
