// Package check ends a test at an error, and hashes the numbers of a source file that must not change
// without a new version.
package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Limit is how long a test waits for a condition before it fails.
const Limit = 20 * time.Second

// T is the part of testing.TB that Must needs. A rapid.T has it, too.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Must ends the test if there is an error.
func Must(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Eventually waits until a condition holds. The failure names the condition by the text in what.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(Limit); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("still not true after %v: %s", Limit, what)
		}
	}
}

// Resident returns the resident memory of a process in bytes, as Linux reports it.
func Resident(t testing.TB, pid int) int64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(pid), "statm"))
	Must(t, err)
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	Must(t, err)
	return pages * int64(os.Getpagesize())
}
