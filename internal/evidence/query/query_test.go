package query_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mkt/internal/evidence/query"
	"mkt/internal/testing/check"
)

// TestMain is also the child, in which the text of a query says what happens.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != query.Command {
		os.Exit(m.Run())
	}
	r, err := query.Receive(os.Stdin)
	if err != nil {
		panic(err)
	}
	switch r.SQL {
	case "sleep":
		time.Sleep(time.Hour)
	case "memory":
		fmt.Fprintln(os.Stderr, "mkt: left out: one product")
		_ = append([]byte(nil), make([]byte, 2<<30)...)
	case "refuse":
		fmt.Fprintf(os.Stderr, "mkt: left out: %s/a\nmkt: sql: %s is not readable\n", r.Data, r.Data)
		os.Exit(2)
	case "cut":
		fmt.Println("a part")
		os.Exit(1)
	case "limits":
		var cpu syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_CPU, &cpu); err != nil {
			panic(err)
		}
		fmt.Println(cpu.Cur, cpu.Max)
	case "environment":
		fmt.Println(os.Environ())
	case "endless":
		for err == nil {
			_, err = fmt.Println(strings.Repeat("x", 1000))
		}
		os.Exit(1)
	default:
		err := json.NewEncoder(os.Stdout).Encode(query.Result{Columns: []query.Column{{Name: r.Tenant, Type: r.At}}, More: r.IsCSV})
		fmt.Fprintln(os.Stderr, "mkt: left out: one product")
		if err != nil {
			panic(err)
		}
	}
	os.Exit(0)
}

func TestAsker(t *testing.T) {
	t.Setenv("MKT_SECRET", "secret")
	var a query.Asker
	ask := func(sql string) (*query.Result, error) {
		return a.Table(t.Context(), query.Request{Data: t.TempDir(), Tenant: "acme", At: "latest", SQL: sql})
	}
	if got, err := ask("SELECT 1"); err != nil || got.Columns[0] != (query.Column{Name: "acme", Type: "latest"}) || got.More || got.Notes != "left out: one product" {
		t.Error(got, err)
	}
	if _, err := ask("memory"); !errors.Is(err, query.ErrMemory) {
		t.Error(err)
	}
	if _, err := ask("refuse"); err == nil || err.Error() != "left out: a\nsql: the data root is not readable" {
		t.Error(err)
	}
	var out strings.Builder
	if err := a.CSV(t.Context(), query.Request{SQL: "environment"}, &out); err != nil || strings.Contains(out.String(), "secret") {
		t.Error(out.String(), err)
	}
	out.Reset() // if this process is killed, nobody else ends a query
	if err := a.CSV(t.Context(), query.Request{SQL: "limits"}, &out); err != nil || out.String() != "120 120\n" {
		t.Error(out.String(), err)
	}
	if err := a.CSV(t.Context(), query.Request{SQL: "cut"}, io.Discard); !errors.Is(err, query.ErrCut) {
		t.Error(err)
	}
}

// A query ends with the request, at its time, and when nobody reads its answer; until then there is
// no second one.
func TestAskerEnds(t *testing.T) {
	var a query.Asker
	ctx, cancel := context.WithCancel(t.Context())
	begun := make(chan error)
	go func() {
		err := query.ErrBusy
		for errors.Is(err, query.ErrBusy) {
			_, err = a.Table(ctx, query.Request{SQL: "sleep"})
		}
		begun <- err
	}()
	for busy := false; !busy; time.Sleep(10 * time.Millisecond) {
		_, err := a.Table(t.Context(), query.Request{SQL: "SELECT 1"})
		busy = errors.Is(err, query.ErrBusy)
	}
	cancel()
	if err := <-begun; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	short, end := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer end()
	if _, err := a.Table(short, query.Request{SQL: "sleep"}); !errors.Is(err, query.ErrTime) {
		t.Error(err)
	}
	in, out := io.Pipe()
	go func() {
		_, _ = io.ReadFull(in, make([]byte, 10))
		in.Close()
	}()
	if err := a.CSV(t.Context(), query.Request{SQL: "endless"}, out); !errors.Is(err, query.ErrCut) {
		t.Error(err)
	}
}

func TestNew(t *testing.T) {
	now := time.Date(2026, 11, 30, 14, 0, 0, 0, time.UTC)
	r, err := query.New("data", "acme", "SELECT 'x'", "5m ago", now)
	check.Must(t, err)
	if want := `inspect --tenant acme --at 2026-11-30T13:55:00Z --sql 'SELECT '\''x'\'''`; r.Command() != want {
		t.Errorf("%s, want %s", r.Command(), want)
	}
	if r, err = query.New("data", "acme", "SELECT 1", "", now); err != nil || r.At != "latest" || strings.Contains(r.Command(), "--at") {
		t.Error(r, err)
	}
	if _, err := query.New("data", "acme", "SELECT 1", "soon", now); err == nil || !strings.Contains(err.Error(), "5m ago") {
		t.Error(err)
	}
	if _, err := query.New("data", "acme", strings.Repeat("x", query.MaxLength+1), "", now); err == nil || filepath.IsAbs(err.Error()) {
		t.Error(err)
	}
}
