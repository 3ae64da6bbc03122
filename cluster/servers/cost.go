package servers

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Cost is the usage of a process so far.
type Cost struct {
	Seconds   float64 // of processor time
	Megabytes int     // resident
}

// CostOf reads /proc/PID/stat of Linux (proc(5)): fields 14 and 15 in ticks of 10 ms, field 24
// in pages.
func CostOf(pid int) (c Cost, err error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return c, err
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	fields := strings.Fields(rest)
	number := func(field int) int {
		if len(fields) <= field-3 {
			return 0
		}
		n, _ := strconv.Atoi(fields[field-3])
		return n
	}
	return Cost{float64(number(14)+number(15)) / 100, number(24) * os.Getpagesize() >> 20}, nil
}
