package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"mkt/scripts/internal/installation"
)

// system is an installation with its accounts, and the processes that are measured.
type system struct {
	*installation.Installation
	tokens                    []string
	simulate, schedule, serve *installation.Process
}

// start adds the accounts and starts everything.
func start(ctx context.Context, o options) (_ *system, err error) {
	in, err := installation.New(ctx, o.mkt)
	if err != nil {
		return nil, err
	}
	s := &system{Installation: in}
	defer func() {
		if err != nil {
			err = errors.Join(err, in.Close())
		}
	}()
	if s.simulate, err = in.Listen("simulate", "--in-play", strconv.Itoa(o.inPlay), "--fixtures", "50", "--quota", "100000000"); err != nil {
		return nil, err
	}
	for i := range o.accounts {
		token, err := in.AddTenant(ctx, fmt.Sprintf("account-%02d", i), "live_intelligence", s.simulate)
		if err != nil {
			return nil, err
		}
		s.tokens = append(s.tokens, token)
	}
	if s.serve, err = in.Listen("serve", "--log-format", "json", "--log-level", "info"); err != nil {
		return nil, err
	}
	s.schedule, err = in.Start("schedule", "--log-format", "json", "--log-level", "info")
	return s, err
}

// problems counts in the log of the schedule the ticks that it skipped and the runs that
// failed.
func (s *system) problems() (skipped, failed int, err error) {
	log, err := os.ReadFile(s.LogFile("schedule"))
	return strings.Count(string(log), "tick skipped"), strings.Count(string(log), `"cycle failed"`), err
}

// cost is what a process has used so far.
type cost struct {
	seconds   float64 // of processor time
	megabytes int     // resident
}

func (s *system) costs() map[string]cost {
	return map[string]cost{"simulate": costOf(s.simulate), "schedule": costOf(s.schedule), "serve": costOf(s.serve)}
}

// costOf reads /proc/PID/stat (proc(5)): fields 14 and 15 in ticks of 10 ms, field 24
// in pages.
func costOf(p *installation.Process) (c cost) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Process.Pid))
	if err != nil {
		return c
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	fields := strings.Fields(rest)
	number := func(field int) int {
		n, _ := strconv.Atoi(fields[field-3])
		return n
	}
	return cost{float64(number(14)+number(15)) / 100, number(24) * os.Getpagesize() >> 20}
}
