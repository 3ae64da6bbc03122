// Package check has helpers for the tests of several packages.
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

// Limit is how long a test waits for a condition before it fails, on a machine that is not busy.
const Limit = 20 * time.Second

// Must ends the test if there is an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Eventually waits until a condition holds. what says what is waited for.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for over := Patience(Limit); !holds(); time.Sleep(2 * time.Millisecond) {
		if over() {
			t.Fatalf("still not true after %v: %s", Limit, what)
		}
	}
}

// Patience returns a function that reports whether a test has waited that long. The time in which
// tasks of this machine waited for a processor or a disk, as Linux counts it, is left out: it says
// nothing about what is waited for. A tenth of the time counts in any case.
func Patience(limit time.Duration) (over func() bool) {
	began, before := time.Now(), waits()
	return func() bool { return isOver(limit, time.Since(began), waits()-before) }
}

func isOver(limit, passed, waited time.Duration) bool { return max(passed-waited, passed/10) > limit }

// waits returns for how long tasks waited since the machine began; 0 if it does not say.
func waits() (sum time.Duration) {
	for _, name := range []string{"cpu", "io"} {
		text, _ := os.ReadFile("/proc/pressure/" + name) // it is not there on other systems
		sum += someWaited(string(text))
	}
	return sum
}

func someWaited(text string) time.Duration {
	first, _, _ := strings.Cut(text, "\n")
	_, total, _ := strings.Cut(first, " total=")
	microseconds, _ := strconv.ParseInt(total, 10, 64)
	return time.Duration(microseconds) * time.Microsecond
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
