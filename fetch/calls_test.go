package fetch

import (
	"io"
	"log/slog"
	"testing"
	"time"

	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/health"
)

// counted are the requests written down for the endpoint.
func counted(t *testing.T, root durable.FS, endpoint string) (n int64) {
	t.Helper()
	c, err := health.ReadCalls(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, endpoints := range c.Days {
		n += endpoints[endpoint]
	}
	return n
}

func counting(root durable.FS) *calls {
	return countCalls(&Options{Root: root, Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
}

func TestCallsAreRecordedDuringARun(t *testing.T) {
	root := durabletest.NewMem()
	c := counting(root)
	c.done.Go(func() { c.flushUntilEnd(time.Millisecond) })
	c.add("list", 2)
	for end := time.Now().Add(5 * time.Second); counted(t, root, "list") != 2; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("not within five seconds")
		}
	}
	c.add("list", 1)
	c.add("odds", 1)
	c.end()
	if counted(t, root, "list") != 3 || counted(t, root, "odds") != 1 {
		t.Errorf("%d, %d", counted(t, root, "list"), counted(t, root, "odds"))
	}
}

// Counts that cannot be written are kept and tried again, and counted once.
func TestCallsOnAFullDisk(t *testing.T) {
	root, full := durabletest.NewMem(), true
	c := counting(durabletest.Wrap(root, func(op durabletest.Op) error {
		if full && op.Kind == durabletest.Write {
			return durable.NoSpace(string(op.Kind), op.Name)
		}
		return nil
	}))
	c.add("list", 2)
	c.flush()
	c.add("list", 1)
	full = false
	c.end()
	if counted(t, root, "list") != 3 {
		t.Errorf("%d", counted(t, root, "list"))
	}
}
