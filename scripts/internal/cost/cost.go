// Package cost measures the processor time and the memory of processes. Linux only.
package cost

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// Cost is the processor time and the memory of a process so far.
type Cost struct {
	Seconds   float64 // of processor time, user and system
	Megabytes int     // resident memory in MiB: now if the process runs, else at most
}

// Of returns the cost of a running process. It is zero if there is none. It reads /proc/PID/stat
// (proc(5)): fields 14 and 15 in ticks of 10 ms, field 24 in pages.
func Of(pid int) (c Cost) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return c
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	fields := strings.Fields(rest)
	number := func(field int) int {
		n, _ := strconv.Atoi(fields[field-3])
		return n
	}
	return Cost{float64(number(14)+number(15)) / 100, number(24) * os.Getpagesize() >> 20}
}

// Ended returns the cost of an ended process, with its children. Linux counts the memory of the
// parent at the start as the child's, so the parent must stay small.
func Ended(p *os.ProcessState) Cost {
	c := Cost{Seconds: (p.UserTime() + p.SystemTime()).Seconds()}
	if r, ok := p.SysUsage().(*syscall.Rusage); ok {
		c.Megabytes = int(r.Maxrss >> 10)
	}
	return c
}

// Load returns the load average of the last minute, or "?".
func Load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "?"
	}
	first, _, _ := strings.Cut(string(b), " ")
	return first
}
