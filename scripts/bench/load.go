package main

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mkt/scripts/internal/cost"
)

// target is a server that is measured.
type target struct {
	name, url, token string
	pid              int
}

// seconds returns the processor time that the server has used, with its child processes,
// which nginx has.
func (t target) seconds() float64 {
	sum := cost.Of(t.pid).Seconds
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", t.pid, t.pid))
	for pid := range strings.FieldsSeq(string(children)) {
		n, _ := strconv.Atoi(pid)
		sum += cost.Of(n).Seconds
	}
	return sum
}

// rates are what a server achieved in each round.
type rates struct {
	rate     figures // answers a second
	cpu      figures // seconds of processor time for each answer
	p50, p99 []time.Duration
}

func (r *rates) perSecond() string {
	return fmt.Sprintf("%.0f/s (median %.0f)", slices.Max(r.rate), r.rate.median())
}

func (r *rates) microseconds() string { return fmt.Sprintf("%.1f µs", 1e6*r.cpu.median()) }

func (r *rates) latency() string {
	return fmt.Sprintf("half below %v, 99 %% below %v", slices.Min(r.p50), slices.Min(r.p99))
}

// over formats how the rate compares with another: the median of the rounds, and the range,
// because each round measured both one right after the other.
func (r *rates) over(other *rates) string {
	var all figures
	for i := range r.rate {
		all = append(all, r.rate[i]/other.rate[i])
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", all.median(), slices.Min(all), slices.Max(all))
}

// load measures the servers in turn. arguments returns the end of wrk's command line for a
// server that has answered so many requests in the last round.
func (b *bench) load(ctx context.Context, targets []target, connections int, arguments func(t target, served int) []string) ([]*rates, error) {
	all := make([]*rates, len(targets))
	served := make([]int, len(targets))
	for round := range b.rounds + 1 { // the first warms up
		for i, t := range targets {
			each := b.seconds
			if round == 0 {
				all[i], each = new(rates), time.Second
			}
			before := t.seconds()
			r, err := wrk(ctx, t, connections, each, arguments(t, served[i]))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", t.name, err)
			}
			served[i] = r.requests
			if round > 0 {
				all[i].rate = append(all[i].rate, r.rate)
				all[i].cpu = append(all[i].cpu, (t.seconds()-before)/float64(r.requests))
				all[i].p50, all[i].p99 = append(all[i].p50, r.p50), append(all[i].p99, r.p99)
			}
		}
	}
	return all, nil
}

// result is what wrk printed.
type result struct {
	requests int
	rate     float64
	p50, p99 time.Duration
}

var wrkOutput = map[string]*regexp.Regexp{
	"requests": regexp.MustCompile(`(\d+) requests in`),
	"rate":     regexp.MustCompile(`Requests/sec:\s+([\d.]+)`),
	"p50":      regexp.MustCompile(`50%\s+([\d.]+[a-z]+)`),
	"p99":      regexp.MustCompile(`99%\s+([\d.]+[a-z]+)`),
}

// wrk loads a server from one thread. Any answer but 200 is an error.
func wrk(ctx context.Context, t target, connections int, each time.Duration, rest []string) (r result, err error) {
	args := append([]string{"-t1", "-c", strconv.Itoa(connections), "-d", fmt.Sprintf("%.0fs", each.Seconds()), "--timeout", "10s", "--latency", "-H", "Authorization: Bearer " + t.token}, rest...)
	out, err := exec.CommandContext(ctx, "wrk", args...).CombinedOutput()
	if err != nil {
		return r, fmt.Errorf("wrk: %w: %s", err, oneLine(out))
	}
	found := map[string]string{}
	for name, pattern := range wrkOutput {
		m := pattern.FindSubmatch(out)
		if m == nil {
			return r, fmt.Errorf("wrk printed no %s: %s", name, oneLine(out))
		}
		found[name] = string(m[1])
	}
	if strings.Contains(string(out), "Non-2xx") || strings.Contains(string(out), "Socket errors") {
		return r, fmt.Errorf("not every request was answered: %s", oneLine(out))
	}
	r.requests, _ = strconv.Atoi(found["requests"])
	r.rate, _ = strconv.ParseFloat(found["rate"], 64)
	r.p50, _ = time.ParseDuration(found["p50"])
	r.p99, _ = time.ParseDuration(found["p99"])
	return r, nil
}

// neighbour is a server that is measured beside ours.
type neighbour struct {
	target
	cmd *exec.Cmd
}

func (n *neighbour) stop() {
	_ = n.cmd.Process.Signal(os.Interrupt)
	_ = n.cmd.Wait() // how it ends does not matter
}

// startNginx serves one body for every path from a file, with the headers of our answer.
func startNginx(ctx context.Context, dir, token string, header http.Header, body []byte) (*neighbour, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	var headers strings.Builder
	own := []string{"Date", "Content-Length", "Content-Type", "Last-Modified", "Etag", "Accept-Ranges"} // which nginx sends itself
	for _, name := range slices.Sorted(maps.Keys(header)) {
		if !slices.Contains(own, name) {
			fmt.Fprintf(&headers, "\t\tadd_header %s %q;\n", name, strings.ReplaceAll(header.Get(name), "$", ""))
		}
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	me, err := user.Current()
	if err != nil {
		return nil, err
	}
	config := fmt.Sprintf(`daemon off;
user %s;
worker_processes auto;
pid nginx.pid;
error_log error.log;
events { worker_connections 1024; }
http {
	access_log access.log;
	default_type %q;
	sendfile on;
	tcp_nopush on;
	keepalive_requests 1000000000;
	open_file_cache max=10;
	client_body_temp_path temp;
	proxy_temp_path temp;
	fastcgi_temp_path temp;
	uwsgi_temp_path temp;
	scgi_temp_path temp;
	server {
		listen 127.0.0.1:%d;
		root .;
%s		location / { try_files /body =404; }
	}
}
`, me.Username, header.Get("Content-Type"), port, headers.String())
	for name, text := range map[string][]byte{"nginx.conf": []byte(config), "body": body} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return nil, err
		}
	}
	cmd := exec.CommandContext(ctx, "nginx", "-p", dir, "-c", "nginx.conf", "-e", "error.log")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it stops its workers
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	n := &neighbour{target{name: "nginx", url: fmt.Sprintf("http://127.0.0.1:%d", port), token: token, pid: cmd.Process.Pid}, cmd}
	for range 100 {
		if answer, err := http.Get(n.url); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK && answer.ContentLength == int64(len(body)) {
				return n, nil
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	n.stop()
	log, _ := os.ReadFile(filepath.Join(dir, "error.log"))
	return nil, fmt.Errorf("nginx does not serve the page: %s", oneLine(log))
}

// startNode starts server.mjs.
func startNode(ctx context.Context, args ...string) (*neighbour, error) {
	cmd := exec.CommandContext(ctx, "node", append([]string{nodeFolder + "/server.mjs"}, args...)...)
	cmd.Env, cmd.Stderr = append(os.Environ(), "NODE_ENV=production"), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("server.mjs ended before it was ready: %w", err)
	}
	return &neighbour{target{name: "server.mjs " + args[0], url: strings.TrimSpace(line), pid: cmd.Process.Pid}, cmd}, nil
}

// freePort returns a port that nobody listens on.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
