package batch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/receipts/commitlog"
	"mkt/internal/schedule"
	"mkt/publish/durable"
)

// logFlags say how mkt schedule adds to the transparency log.
type logFlags struct {
	commitlog.Files
	every time.Duration // 0: never
	wait  time.Duration
}

func (f *logFlags) flags(g *Group, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.DurationVar(&f.every, "log-every", time.Minute, "how often the newest publications are added to the transparency log, if there is its key; 0: never")
	cli.Bound(flags, "log-every", "0, or whole seconds from 1s to 5m, such as 1m", func() bool { // mkt doctor and the alerts wait for ten minutes
		return f.every == 0 || f.every >= time.Second && f.every <= 5*time.Minute && f.every%time.Second == 0
	})
	g.Settings.Bind(flags, "log-every", "schedule.log_every")
	cli.LogWaitFlag(g.Settings, cmd, "log-wait", &f.wait)
	cli.LogKeyFlag(&f.Files, g.Settings, cmd)
	cli.LogPolicyFlag(&f.Files, g.Settings, cmd)
}

// logJob is the name of the job in logged messages.
const logJob = "transparency log"

// logRuns adds to the transparency log, and collects the metrics of that.
type logRuns struct {
	group *Group
	logFlags

	mu     sync.Mutex // guards the following fields
	since  time.Time  // when the last run without an error ended, or the first one began; zero before that
	result commitlog.Result
}

// start adds the newest publications, now and then at every tick, until ctx ends. It has a scheduler of its
// own, so that no cycle waits for it. wait waits for its end.
func (l *logRuns) start(ctx context.Context) (wait func()) {
	if l.every == 0 {
		return func() {}
	}
	s := schedule.New(schedule.Options{Now: l.group.Now, Log: l.group.Log, Run: func(ctx context.Context, _ string) error { return l.run(ctx) }})
	if err := s.Set([]schedule.Job{{Name: logJob, Expr: "@every " + l.every.String()}}); err != nil {
		l.group.Log.Error("nothing is added to the transparency log", "error", err)
		return func() {}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Run(ctx, logJob)
	}()
	return func() { <-ended }
}

// run does nothing without a key, and before the first publication.
func (l *logRuns) run(ctx context.Context) error {
	g := l.group
	for _, needed := range []string{l.Key, g.Data} {
		if _, err := os.Stat(needed); errors.Is(err, fs.ErrNotExist) && (needed == l.Key || !g.HasStore()) {
			return nil
		}
	}
	l.mu.Lock()
	if l.since.IsZero() {
		l.since = g.Now()
	}
	l.mu.Unlock()
	r, err := g.RunLog(ctx, l.Files, l.wait)
	l.mu.Lock()
	defer l.mu.Unlock()
	if errors.Is(err, durable.ErrLocked) {
		g.Log.Debug("another process adds to the transparency log")
		l.since = g.Now()
		return nil
	}
	switch {
	case err == nil:
		if r.Unremembered != "" && l.result.Unremembered == "" {
			g.Log.Warn("the transparency log", "unremembered", r.Unremembered)
		}
		l.result = r
	case ctx.Err() != nil:
		return nil // it was stopped while it waited for the store
	}
	for _, one := range r.Failed {
		err = errors.Join(err, one.Err)
	}
	if err == nil {
		l.since = g.Now()
	}
	if len(r.Added) > 0 {
		g.Log.Info("added to the transparency log", "leaves", len(r.Added), "size", r.Size, "cosignatures", r.Cosigned, "witnessed", r.Witnessed)
	}
	return err
}

var (
	logSize    = prometheus.NewDesc("mkt_log_size", "Leaves of the transparency log. Its metrics are there only with its key.", nil, nil)
	logAge     = prometheus.NewDesc("mkt_log_last_run_age_seconds", "Seconds since publications were added to the transparency log without an error, or since that was first tried.", nil, nil)
	logRefused = prometheus.NewDesc("mkt_log_refused", "Accounts' products of which nothing is logged any more: their publications do not continue those that were logged.", nil, nil)
	logCosigns = prometheus.NewDesc("mkt_log_witnesses_cosigning", "Witnesses of the policy that have cosigned the head of the transparency log.", nil, nil)
	logQuorum  = prometheus.NewDesc("mkt_log_quorum_satisfied", "1 if enough witnesses for the policy have cosigned the head of the transparency log, 0 if not; only with a policy.", nil, nil)
)

// Describe implements [prometheus.Collector].
func (l *logRuns) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{logSize, logAge, logRefused, logCosigns, logQuorum} {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (l *logRuns) Collect(to chan<- prometheus.Metric) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.since.IsZero() {
		return
	}
	gauge := func(d *prometheus.Desc, v float64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v)
	}
	gauge(logSize, float64(l.result.Size))
	gauge(logAge, l.group.Now().Sub(l.since).Seconds())
	gauge(logRefused, float64(len(l.result.Failed)))
	if l.Policy == "" || l.result.Size == 0 {
		return
	}
	gauge(logCosigns, float64(l.result.Cosigned))
	quorum := 0.
	if l.result.Enough {
		quorum = 1
	}
	gauge(logQuorum, quorum)
}
