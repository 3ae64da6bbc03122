package livebudget

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"mkt/scripts/internal/cost"
	"mkt/scripts/internal/installation"
)

// system is an installation with its accounts, and the processes that are measured.
type system struct {
	*installation.Installation
	tokens                    []string
	simulate, schedule, serve *installation.Process
}

// start adds the accounts and starts everything.
func start(ctx context.Context, o Options) (_ *system, err error) {
	in, err := installation.New(ctx, o.Mkt)
	if err != nil {
		return nil, err
	}
	s := &system{Installation: in}
	defer func() {
		if err != nil {
			err = errors.Join(err, in.Close())
		}
	}()
	if s.simulate, err = in.Listen("simulate", "--in-play", strconv.Itoa(o.InPlay), "--fixtures", "50", "--quota", "100000000"); err != nil {
		return nil, err
	}
	for i := range o.Accounts {
		token, err := in.AddTenant(ctx, fmt.Sprintf("account-%02d", i), s.simulate, "live_intelligence")
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

func (s *system) costs() map[string]cost.Cost {
	return map[string]cost.Cost{"simulate": cost.Of(s.simulate.Process.Pid), "schedule": cost.Of(s.schedule.Process.Pid), "serve": cost.Of(s.serve.Process.Pid)}
}
