package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"mkt/cmd/mkt/internal/cli/demo"
	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
)

// openDemo runs mkt demo until the test ends, and returns its output.
func openDemo(t *testing.T, args ...string) (out io.Reader, stop func()) {
	cmd := exec.Command("mkt", append([]string{"demo", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0", "--in-play", "6"}, args...)...)
	var errs bytes.Buffer
	cmd.Stderr, cmd.WaitDelay = &errs, 5*time.Second
	out, err := cmd.StdoutPipe()
	check.Must(t, err)
	check.Must(t, cmd.Start())
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("mkt demo: %v\n%s", err, errs.String())
		}
	}
	t.Cleanup(stop)
	return out, stop
}

func pageOf(t *testing.T, url string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	check.Must(t, err)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	answer, err := http.DefaultClient.Do(r)
	check.Must(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	check.Must(t, err)
	if answer.StatusCode != http.StatusOK {
		t.Errorf("%s: status %d: %s", url, answer.StatusCode, body)
	}
	return string(body)
}

// The demo answers with one account while its past is played, and says so; the first page names three things to try,
// which are there at once and at the end. No cycle is late at any time, and no request of an account is the demo's own.
func TestDemoOpensBeforeItIsReady(t *testing.T) {
	t.Parallel()
	out, _ := openDemo(t, "--output", "json", "--fixtures", "80", "--past", "40m")
	var line demo.Ready
	lines := json.NewDecoder(out)
	tried := regexp.MustCompile(`<li><a href="([^"]+)">(A match in play|The path of a price|A receipt of that price)</a>`)
	for _, event := range []string{"open", "ready"} {
		check.Must(t, lines.Decode(&line))
		if line.Event != event || len(line.Tenants) < 8 {
			t.Fatalf("want %s: %+v", event, line)
		}
		page := pageOf(t, line.ConsoleURL)
		if filling := strings.Contains(page, "The demo is filling"); filling != (event == "open") {
			t.Errorf("%s: the page says that it is filling: %v", event, filling)
		}
		if strings.Contains(page, "CYCLE_OVERDUE") || event == "ready" && strings.Contains(page, `class="fill-bad"`) {
			t.Errorf("%s: a cycle is late", event)
		}
		if !strings.Contains(page, `published</span> <a href="/cycles/main/`) {
			t.Errorf("%s: no account is published", event)
		}
		links := tried.FindAllStringSubmatch(page, -1)
		if len(links) < 2 || event == "ready" && len(links) != 3 {
			t.Errorf("%s: to try: %q", event, links)
		}
		for _, l := range links {
			pageOf(t, line.ConsoleURL+strings.ReplaceAll(l[1], "&amp;", "&"))
		}
	}
	if page := pageOf(t, line.ConsoleURL+"/requests/main"); !strings.Contains(page, "No request of this account is kept") {
		t.Error("main has requests that no client sent")
	}
}

// What the demo prints fits on one screen. Its lines can be pasted together, and the console names the same match and price.
func TestDemoIsOneScreen(t *testing.T) {
	t.Parallel()
	shell := needs.Program(t, "bash", "the lines are pasted into a shell")
	dir := t.TempDir()
	port, err := net.Listen("tcp", "127.0.0.1:0")
	check.Must(t, err)
	console := port.Addr().String()
	check.Must(t, port.Close())
	out, _ := openDemo(t, "--output", "text", "--fixtures", "80", "--past", "20m", "--dir", dir, "--console", console)
	text, err := readUntil(out, "Ctrl-C ends")
	check.Must(t, err)
	rows := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, row := range rows {
		if n := utf8.RuneCountInString(strings.ReplaceAll(row, dir, "/tmp/mkt-demo-1234567890")); n > 80 {
			t.Errorf("%d columns: %s", n, row)
		}
	}
	if len(rows) > 22 { // a progress bar and the next prompt are below it
		t.Errorf("%d rows:\n%s", len(rows), text)
	}
	var pasted []string
	for _, row := range rows {
		if line, ok := strings.CutPrefix(row, "  "); ok && !strings.HasPrefix(line, "Open ") {
			pasted = append(pasted, line)
		}
	}
	if len(pasted) != 4 {
		t.Fatalf("lines to paste: %q", pasted)
	}
	cmd := exec.CommandContext(t.Context(), shell, "-e", "-o", "pipefail", "-c", strings.Join(pasted, "\n")+"\ncurl -sf -H \"$AUTH\" \"$BASE/api/v1/live?limit=1\"")
	cmd.Dir = t.TempDir() // another terminal is in another folder
	answer, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, answer)
	}
	for _, want := range []string{"pressure by minute", "Match result", "the receipt holds", `"fixture_id":"fx_`} {
		if !strings.Contains(string(answer), want) {
			t.Errorf("no %q in %s", want, answer)
		}
	}
	page := pageOf(t, "http://"+console)
	for _, id := range regexp.MustCompile(`(fx|mk|sl)_[a-z0-9]+`).FindAllString(strings.Join(pasted, " "), -1) {
		if !strings.Contains(page, id) {
			t.Errorf("the console does not name %s, as the terminal does", id)
		}
	}
	file := filepath.Join(dir, "demo.env")
	info, err := os.Stat(file)
	check.Must(t, err)
	kept, err := os.ReadFile(file)
	check.Must(t, err)
	if info.Mode().Perm() != 0o600 || strings.Count(string(kept), " mkt_") < 8 || !strings.Contains(string(kept), "mkt replay --tenant main --from ") {
		t.Errorf("mode %v: %s", info.Mode(), kept)
	}
}

// An interrupt ends a demo whose past is still played.
func TestDemoStopsWhileItFills(t *testing.T) {
	t.Parallel()
	out, stop := openDemo(t, "--output", "json", "--fixtures", "40", "--past", "24h")
	var line demo.Ready
	check.Must(t, json.NewDecoder(out).Decode(&line))
	began := time.Now()
	stop()
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v to stop", took)
	}
}

// A terminal that is closed ends the demo, which then leaves no keys and tokens. The terminal and its shell both send the signal.
func TestDemoEndsWithItsTerminal(t *testing.T) {
	t.Parallel()
	temporary := t.TempDir()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP) // below nohup it is ignored, and a child would ignore it too
	defer signal.Stop(signals)
	cmd := exec.CommandContext(t.Context(), "mkt", "demo", "--listen", "127.0.0.1:0", "--console", "127.0.0.1:0", "--output", "json", "--fixtures", "40", "--past", "24h")
	cmd.Env = append(os.Environ(), "TMPDIR="+temporary)
	out, err := cmd.StdoutPipe()
	check.Must(t, err)
	check.Must(t, cmd.Start())
	var line demo.Ready
	check.Must(t, json.NewDecoder(out).Decode(&line))
	for range 2 {
		check.Must(t, cmd.Process.Signal(syscall.SIGHUP))
		time.Sleep(50 * time.Millisecond)
	}
	check.Must(t, cmd.Wait())
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("%v, %v are left", err, left)
	}
}

// readUntil reads lines up to the one that begins with a text.
func readUntil(from io.Reader, last string) (text string, err error) {
	one := make([]byte, 1)
	for {
		if _, err := from.Read(one); err != nil {
			return text, err
		}
		text += string(one)
		if one[0] == '\n' && strings.HasPrefix(text[strings.LastIndexByte(text[:len(text)-1], '\n')+1:], last) {
			return text, nil
		}
	}
}
