package batch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/commitlog"
	"mkt/cmd/mkt/internal/schedule"
	"mkt/publish/durable"
)

// logFlags say how mkt schedule adds to the transparency log.
type logFlags struct {
	cli.LogFiles
	every time.Duration // 0: never
	wait  time.Duration
}

func (f *logFlags) flags(g *Group, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.DurationVar(&f.every, "log-every", time.Minute, "how often the newest publications are added to the transparency log, if there is its key; 0: never")
	cli.Bound(flags, "log-every", "0, or whole seconds from 1s to 24h, such as 1m", func() bool {
		return f.every == 0 || f.every >= time.Second && f.every <= 24*time.Hour && f.every%time.Second == 0
	})
	g.Settings.Bind(flags, "log-every", "schedule.log_every")
	cli.LogWaitFlag(g.Settings, cmd, "log-wait", &f.wait)
	f.KeyFlag(g.Settings, cmd)
	f.PolicyFlag(g.Settings, cmd)
}

// logJob is the name of the job in logged messages.
const logJob = "transparency log"

// startLog adds the newest publications to the transparency log, now and then at every tick, until ctx
// ends. It has a scheduler of its own, so that no cycle waits for it. wait waits for its end.
func (g *Group) startLog(ctx context.Context, f logFlags) (wait func()) {
	if f.every == 0 {
		return func() {}
	}
	s := schedule.New(schedule.Options{Now: g.Now, Log: g.Log, Run: func(ctx context.Context, _ string) error { return g.addToLog(ctx, f) }})
	if err := s.Set([]schedule.Job{{Name: logJob, Expr: "@every " + f.every.String()}}); err != nil {
		g.Log.Error("nothing is added to the transparency log", "error", err)
		return func() {}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Run(ctx, logJob)
	}()
	return func() { <-ended }
}

// addToLog is one run. Without a key, and before the first publication, it does nothing.
func (g *Group) addToLog(ctx context.Context, f logFlags) error {
	for _, needed := range []string{f.Key, g.Data} {
		if _, err := os.Stat(needed); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	r, err := commitlog.RunWith(ctx, g.Env, f.LogFiles, f.wait)
	if errors.Is(err, durable.ErrLocked) {
		g.Log.Debug("another process adds to the transparency log")
		return nil
	}
	for _, one := range r.Failed {
		err = errors.Join(err, one.Err)
	}
	if len(r.Added) > 0 {
		g.Log.Info("added to the transparency log", "leaves", len(r.Added), "size", r.Size, "cosignatures", r.Cosigned, "witnessed", r.Witnessed)
	}
	return err
}
