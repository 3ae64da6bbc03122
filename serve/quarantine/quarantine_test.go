package quarantine_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/check"
	"mkt/serve/quarantine"
)

var must = check.Must

var start = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

func publication(version uint64) quarantine.Publication {
	return quarantine.Publication{ClientID: "acme", Product: "market_engine", Version: version, CommitSHA256: strings.Repeat(fmt.Sprintf("%x", version%16), 64)}
}

// held keeps the lock of a load, which the garbage collector would otherwise release.
var held *quarantine.Load

// TestMain is also the process that is killed in the middle of a load.
func TestMain(m *testing.M) {
	if dir := os.Getenv("QUARANTINE_TEST_DIR"); dir != "" {
		at, err := time.Parse(time.RFC3339, os.Getenv("QUARANTINE_TEST_AT"))
		if err == nil {
			var s *quarantine.Store
			if s, err = quarantine.Open(dir, func() time.Time { return at }); err == nil {
				held, err = s.Begin(publication(2))
			}
		}
		fmt.Println(err)
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed; select{} would be a deadlock, at which the runtime ends the process
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// loading starts a process that is loading version 2, and returns its output.
func loading(t *testing.T, dir string, at time.Time) (kill func(), said string) {
	t.Helper()
	p := exec.Command(os.Args[0])
	p.Env = append(os.Environ(), "QUARANTINE_TEST_DIR="+dir, "QUARANTINE_TEST_AT="+at.Format(time.RFC3339))
	_, err := p.StdinPipe()
	must(t, err)
	out, err := p.StdoutPipe()
	must(t, err)
	must(t, p.Start())
	said, err = bufio.NewReader(out).ReadString('\n')
	must(t, err)
	return func() { must(t, p.Process.Kill()); p.Wait() }, strings.TrimSpace(said)
}

func open(t *testing.T, dir string, at *time.Time) *quarantine.Store {
	t.Helper()
	s, err := quarantine.Open(dir, func() time.Time { return *at })
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func nobody(string) bool { return false }

// Two deaths put a publication into quarantine, and each further one does so for longer.
// A load that ends normally clears it.
func TestDeathsAreRemembered(t *testing.T) {
	dir, at := t.TempDir(), start
	for _, c := range []struct {
		wait    time.Duration // since the death before
		refused bool
	}{{0, false}, {0, false}, {9 * time.Minute, true}, {2 * time.Minute, false}, {19 * time.Minute, true}, {2 * time.Minute, false}} {
		at = at.Add(c.wait)
		kill, said := loading(t, dir, at)
		kill()
		if refused := said != "<nil>"; refused != c.refused || refused && !strings.Contains(said, "quarantine until") {
			t.Fatalf("at %v: %s", at.Sub(start), said)
		}
	}
	s := open(t, dir, &at)
	var q *quarantine.QuarantineError
	if _, err := s.Begin(publication(2)); !errors.As(err, &q) || q.Deaths != 4 || !q.Until.Equal(q.Last.Add(40*time.Minute)) || q.Version != 2 {
		t.Errorf("%+v", err)
	}
	known, err := quarantine.List(dir, nobody)
	must(t, err)
	if len(known) != 1 || known[0].ClientID != "acme" || known[0].Deaths != 4 || len(known[0].Notes) != 4 {
		t.Errorf("listed %+v", known)
	}
	at = at.Add(48 * time.Hour)
	load, err := s.Begin(publication(2))
	must(t, err)
	must(t, load.End())
	if known, err := quarantine.List(dir, nobody); err != nil || len(known) != 0 {
		t.Errorf("a good load leaves %+v, %v", known, err)
	}
}

// A quarantine lasts a day at most, and the notes of an older publication do not count
// against a newer one.
func TestQuarantineEnds(t *testing.T) {
	dir, at := t.TempDir(), start
	for range 15 {
		kill, said := loading(t, dir, at)
		kill()
		if said != "<nil>" {
			t.Fatal(said)
		}
		at = at.Add(24 * time.Hour)
	}
	at = at.Add(-time.Second)
	s := open(t, dir, &at)
	if _, err := s.Begin(publication(2)); err == nil {
		t.Error("it was loaded within a day of the fifteenth death")
	}
	load, err := s.Begin(publication(3))
	must(t, err)
	must(t, load.End())
	if known, err := quarantine.List(dir, nobody); err != nil || len(known) != 0 {
		t.Errorf("notes of earlier publications remain: %+v, %v", known, err)
	}
}

// Live processes that load the same publication do not count as dead, however many there
// are.
func TestRunningLoadsDoNotCount(t *testing.T) {
	dir, at := t.TempDir(), start
	s := open(t, dir, &at)
	var loads []*quarantine.Load
	for range 4 {
		kill, said := loading(t, dir, at)
		defer kill()
		load, err := s.Begin(publication(2))
		if said != "<nil>" || err != nil {
			t.Fatal(said, err)
		}
		loads = append(loads, load)
	}
	for _, load := range loads {
		must(t, load.End())
	}
	if _, err := s.Begin(publication(2)); err != nil {
		t.Error(err)
	}
}

func TestUnwritableFolderIsAnError(t *testing.T) {
	dir, at := t.TempDir(), start
	must(t, os.WriteFile(dir+"/file", nil, 0o600))
	if _, err := quarantine.Open(dir+"/file", func() time.Time { return at }); err == nil {
		t.Error("notes in a file")
	}
	if known, err := quarantine.List(dir+"/none", nobody); known != nil || err != nil {
		t.Errorf("%v, %v", known, err)
	}
}
