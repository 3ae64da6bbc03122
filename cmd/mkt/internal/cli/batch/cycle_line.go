package batch

import (
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"time"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/accounts"
	"mkt/internal/cluster"
	"mkt/internal/schedule/sharing"
	"mkt/publish/durable"
)

// cycleLine collects the steps' reports for the one log line of a cycle.
type cycleLine struct {
	now     func() time.Time
	began   time.Time
	reports []Report
}

func (l *cycleLine) add(r Report) { l.reports = append(l.reports, r) }

func (l *cycleLine) last() Report {
	if len(l.reports) == 0 {
		return Report{}
	}
	return l.reports[len(l.reports)-1]
}

// log writes the line. err is why the cycle failed, nil if it did not; code is the reason
// in package health.
func (l *cycleLine) log(log *slog.Logger, code string, err error) {
	last := l.last()
	var taken *cluster.TakenError
	switch {
	case errors.As(err, &taken):
		log.Warn("tick skipped: another machine is running this cycle", "by", taken.Holder)
	case errors.Is(err, durable.ErrLocked):
		log.Warn("tick skipped: another process is running this cycle")
	case errors.As(err, new(*cluster.AwayError)), errors.As(err, new(*cluster.ClockError)):
		log.Debug("tick skipped: no lease was given", "error", err)
	case errors.Is(err, accounts.ErrDeleted):
		log.Info("tick skipped: the account was deleted meanwhile")
	case errors.Is(err, sharing.ErrAlreadyRan):
		log.Info("tick skipped: another worker ran this cycle before the account came here")
	case errors.Is(err, cluster.ErrLost):
		log.Error("cycle interrupted", append(l.pairs(), "step", last.Step, "error", err)...)
	case errors.Is(err, cli.ErrInterrupted):
		log.Info("stopped between two steps", l.pairs()...)
	case errors.Is(err, errStepInterrupted):
		log.Warn("cycle interrupted", append(l.pairs(), "step", last.Step)...)
	case err != nil:
		log.Error("cycle failed", append(l.pairs(), "step", last.Step, "code", code, "error", err)...)
	case last.Step != "publish":
		log.Info("step done", append([]any{"step", last.Step}, l.pairs()...)...)
	default:
		log.Info("cycle published", l.pairs()...)
	}
}

// lineCounts are the counts in the line, by step and in their order.
var lineCounts = []struct {
	step  string
	names []string
}{
	{"fetch", []string{"outcome", "requests", "rejected", "bytes", "listed", "filtered", "not_offered", "failed", "listing_short", "quota_left", "quota_used_up_until"}},
	{"transform", []string{"broken", "partial", "damaged", "no_offer", "suspicions", "details_read"}},
	{"publish", []string{"version", "fixtures", "in_play", "markets", "selections", "refreshed", "carried", "removed", "held", "events", "last_seq"}},
}

// pairs returns the keys and values of the line. Zero counts are left out, except quota_left: its
// zero is a used-up quota.
func (l *cycleLine) pairs() []any {
	pairs := []any{"cycle", l.last().Cycle, "took_ms", l.now().Sub(l.began).Milliseconds()}
	for _, of := range lineCounts {
		i := slices.IndexFunc(l.reports, func(r Report) bool { return r.Step == of.step })
		if i < 0 {
			continue
		}
		r := l.reports[i]
		if of.step == "fetch" && r.Code != "" && r.Error == "" {
			pairs = append(pairs, "fetch_code", r.Code) // usable, but incomplete
		}
		for _, name := range of.names {
			if n, ok := r.Counts[name]; ok && (name == "quota_left" || !isZero(n)) {
				pairs = append(pairs, name, n)
			}
		}
	}
	return pairs
}

func isZero(n any) bool { return n == nil || reflect.ValueOf(n).IsZero() }
