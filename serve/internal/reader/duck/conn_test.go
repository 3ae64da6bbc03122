package duck_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mkt/internal/check"
	"mkt/serve/internal/reader/duck"
)

func TestConn(t *testing.T) {
	i, err := duck.Open(duck.Bounds{Dir: t.TempDir(), Memory: 64 << 20, Spill: 1 << 20, Threads: 1})
	check.Must(t, err)
	defer i.Close()
	c, err := i.Connect()
	check.Must(t, err)
	defer c.Close()
	check.Must(t, c.Exec("CREATE TABLE t (n INTEGER, big BIGINT, text VARCHAR, bytes BLOB)",
		"INSERT INTO t SELECT n, n * 1000000007, repeat('é', n % 9), repeat('x', n % 40)::BLOB FROM range(5000) r(n)"))

	// The texts have all lengths around the one up to which they are stored in place, and the
	// rows need several chunks.
	next := int32(0)
	check.Must(t, c.Query("SELECT n, big, text, bytes FROM t ORDER BY n", nil, func(r duck.Row) error {
		n := int(next)
		next++
		got := fmt.Sprint(r.Int32(0), r.Int64(1), string(r.Bytes(2)), string(r.Bytes(3)))
		if want := fmt.Sprint(int32(n), int64(n)*1000000007, strings.Repeat("é", n%9), strings.Repeat("x", n%40)); got != want {
			t.Errorf("row %d: %s, want %s", n, got, want)
		}
		return nil
	}))
	if next != 5000 {
		t.Errorf("%d rows of 5000", next)
	}

	// A statement is used again with other arguments, also after an error.
	for text, want := range map[string]bool{"7": true, "x": false, "4999": true} {
		n := int32(-1)
		err := c.Query("SELECT n FROM t WHERE (? OR n < 0) AND big > ? AND n = ?::INTEGER", []any{true, int64(-1), text}, func(r duck.Row) error {
			n = r.Int32(0)
			return nil
		})
		if fault := (*duck.Error)(nil); (err == nil) != want || err != nil && (!errors.As(err, &fault) || fault.Fatal) || want && fmt.Sprint(n) != text {
			t.Errorf("%s: %d, %v", text, n, err)
		}
	}

	stop := errors.New("stop")
	if err := c.Query("SELECT n FROM t", nil, func(duck.Row) error { return stop }); err != stop {
		t.Errorf("%v, want %v", err, stop)
	}
	if err := c.Query("SELECT 1 WHERE ?", []any{3.5}, nil); err == nil {
		t.Error("an argument of a type that is not supported was bound")
	}
	if err := c.Query("SELECT nothing", nil, nil); err == nil {
		t.Error("a statement that is not valid was prepared")
	}
	if err := c.Exec("SELECT nothing"); err == nil {
		t.Error("a statement that is not valid was run")
	}

	for range 2 { // an error of a query does not end the instance
		fault := (*duck.Error)(nil)
		if err := c.Query("SELECT error('x') FROM t", nil, nil); !errors.As(err, &fault) || fault.Fatal {
			t.Errorf("an error of a query: %v", err)
		}
	}
}
