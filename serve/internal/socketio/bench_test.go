package socketio_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/internal/testing/socketiotest"
	"mkt/serve/internal/socketio"
)

const (
	benchConnections = 4000
	benchPad         = 2000 // bytes of a push
	benchPushes      = 20
	benchGap         = 300 * time.Millisecond // between pushes
	benchRest        = 25 * time.Second       // two heartbeats of everybody
)

// TestMain lets the benchmark run this program as its server.
func TestMain(m *testing.M) {
	if os.Getenv("SOCKETIO_FAN") != "" {
		serveFan()
	}
	os.Exit(m.Run())
}

type fan struct {
	mu      sync.Mutex
	sockets map[*socketio.Socket]bool
}

func (f *fan) Connect(_ context.Context, s *socketio.Socket, _ json.RawMessage) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sockets[s] = true
	return nil
}

func (f *fan) Event(*socketio.Socket, string, []json.RawMessage, func(...any)) {
	sent := float64(time.Now().UnixNano()) / 1e6
	p, err := socketio.NewPacket("live", map[string]any{"sent": sent, "pad": strings.Repeat("x", benchPad)})
	if err != nil {
		panic(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for s := range f.sockets {
		s.Send(p)
	}
}

func (f *fan) Disconnect(s *socketio.Socket, _ string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.sockets, s)
}

func serveFan() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println("port", l.Addr().(*net.TCPAddr).Port)
	handler := &fan{sockets: map[*socketio.Socket]bool{}}
	panic(http.Serve(l, socketio.New(socketio.Options{
		Namespaces: map[string]socketio.Handler{"/": handler}, MaxPending: benchConnections,
	})))
}

// BenchmarkFanOut measures the memory of an idle websocket and the latency of a push to all of
// them, and compares them with the official server. Both run in their own processes; the
// clients are in this one.
//
//	go test -run '^$' -bench FanOut -benchtime 1x ./serve/internal/socketio
func BenchmarkFanOut(b *testing.B) {
	self, err := os.Executable()
	must(b, err)
	b.Run("ours", func(b *testing.B) {
		cmd := exec.CommandContext(b.Context(), self)
		cmd.Env = append(os.Environ(), "SOCKETIO_FAN=1")
		benchServer(b, cmd)
	})
	b.Run("official", func(b *testing.B) {
		modules := needs.Node(b)
		dir := b.TempDir()
		must(b, os.CopyFS(dir, os.DirFS("testdata/official")))
		must(b, os.Symlink(modules, filepath.Join(dir, "node_modules")))
		cmd := exec.CommandContext(b.Context(), "node", "fan.mjs", strconv.Itoa(benchPad))
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "NODE_ENV=production")
		benchServer(b, cmd)
	})
}

func benchServer(b *testing.B, cmd *exec.Cmd) {
	out, err := cmd.StdoutPipe()
	must(b, err)
	cmd.Stderr = os.Stderr
	must(b, cmd.Start())
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	line, err := bufio.NewReader(out).ReadString('\n')
	must(b, err)
	url := "ws://127.0.0.1:" + strings.Fields(line)[1] + "/socket.io/?EIO=4&transport=websocket"
	for b.Loop() {
		arrivals := make(chan float64, benchConnections*benchPushes)
		leader := benchClient(b, url, arrivals)
		time.Sleep(time.Second)
		before := check.Resident(b, cmd.Process.Pid)
		conns := []net.Conn{leader}
		for len(conns) < benchConnections {
			conns = append(conns, benchClient(b, url, arrivals))
		}
		time.Sleep(benchRest)
		idle := check.Resident(b, cmd.Process.Pid)
		for range benchPushes {
			ws.WriteFrame(leader, ws.MaskFrame(ws.NewTextFrame([]byte(`42["fan"]`))))
			time.Sleep(benchGap)
		}
		took := make([]float64, 0, cap(arrivals))
		for range cap(arrivals) {
			took = append(took, <-arrivals)
		}
		slices.Sort(took)
		per := func(bytes int64) float64 { return float64(bytes-before) / float64(benchConnections-1) }
		b.ReportMetric(float64(before)/(1<<20), "MiB-alone")
		b.ReportMetric(per(idle), "B/conn-idle")
		b.ReportMetric(per(check.Resident(b, cmd.Process.Pid)), "B/conn-pushed")
		b.ReportMetric(took[len(took)/2], "ms-p50")
		b.ReportMetric(took[len(took)*99/100], "ms-p99")
		for _, c := range conns {
			c.Close()
		}
	}
}

// benchClient joins, answers heartbeats, and reports the latency of each push.
func benchClient(b *testing.B, url string, arrivals chan<- float64) net.Conn {
	conn, in, err := socketiotest.DialWebsocket(b.Context(), url, nil)
	must(b, err)
	joined := make(chan bool)
	go func() {
		r := bufio.NewReaderSize(in, 4096)
		for {
			f, err := socketiotest.ReadFrame(r)
			now := float64(time.Now().UnixNano()) / 1e6
			if err != nil {
				return
			}
			switch text := f.Payload; {
			case bytes.HasPrefix(text, []byte("0")):
				ws.WriteFrame(conn, ws.MaskFrame(ws.NewTextFrame([]byte("40"))))
			case bytes.HasPrefix(text, []byte("40")):
				joined <- true
			case string(text) == "2":
				ws.WriteFrame(conn, ws.MaskFrame(ws.NewTextFrame([]byte("3"))))
			case bytes.HasPrefix(text, []byte(`42["live"`)):
				_, rest, _ := bytes.Cut(text, []byte(`"sent":`))
				digits := bytes.TrimRight(rest[:bytes.IndexAny(rest, ",}")], " ")
				sent, err := strconv.ParseFloat(string(digits), 64)
				if err != nil {
					panic(err)
				}
				arrivals <- now - sent
			}
		}
	}()
	<-joined
	return conn
}
