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
	"slices"
	"strings"
	"time"
)

// neighbour is a comparable server.
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
	own := []string{"Date", "Content-Length", "Content-Type", "Last-Modified", "Etag", "Accept-Ranges"} // nginx sends them itself
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

// freePort returns an unused port.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
