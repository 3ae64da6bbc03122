package doctor

import (
	"cmp"
	"context"
	"errors"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/coordination"
)

// work checks NATS and the workers, if there is the setting work.
func (d *doctor) work(ctx context.Context) {
	if d.Work == nil {
		return
	}
	at := place{file: cmp.Or(d.Config, d.Tenants)}
	workers, s, err := d.Work(ctx)
	var trouble *coordination.Trouble
	switch {
	case errors.As(err, &trouble):
		d.bad(Fail, "WORK_"+string(trouble.Code), "work", at, trouble.Next, "%s", trouble.What)
		return
	case err != nil:
		d.bad(Fail, "WORK_INVALID", "work", at, "correct the work setting", "%v", err)
		return
	}
	d.workers = len(workers)
	if by := s.Difference; by.Abs() > coordination.ClockTolerance {
		d.bad(Fail, "WORK_CLOCK", "work", at, "timedatectl status", "this clock is %s %s that of the NATS servers: a worker here takes no lease", ago(by.Abs()), word(by < 0, "ahead of", "behind")).causedBy(thisClock, "")
	}
	if s.Replicas > 0 && s.Replicas < 3 {
		d.bad(Note, "WORK_ONE_COPY", "work", at, "run three NATS servers as one cluster; the leases spread to them within a minute", "one NATS server alone keeps the leases: while it is away, no cycle begins")
	}
	for _, w := range workers {
		d.worker(w)
	}
	if len(workers) == 0 {
		d.bad(Warn, "WORK_NO_WORKERS", "work", at, d.mkt("schedule"), "NATS answers, and no worker is there: nothing runs the cycles")
		return
	}
	d.ok("work", at, "NATS answers, with %s", cli.Plural(len(workers), "worker"))
}

func (d *doctor) worker(w coordination.Worker) {
	at := place{file: cmp.Or(d.Config, d.Tenants)}
	switch {
	case w.Format > coordination.Format:
		d.bad(Fail, "WORK_NEWER", "work", at, "upgrade mkt on this machine", "the worker %s is of a newer version (mkt %s): one of this version does not work beside it", w.Name, w.Version)
	case w.Format < coordination.Format:
		d.bad(Warn, "WORK_NEWER", "work", at, "upgrade mkt there", "the worker %s is of an older version (mkt %s): it does not work beside newer ones", w.Name, w.Version)
	case d.idKey != "" && w.Installation != "" && w.Installation != d.idKey:
		d.bad(Fail, "WORK_FOREIGN", "work", at, "give each installation its own name, as ?cluster=NAME in the work setting", "the worker %s belongs to another installation: its id key is %s, and the one here is %s", w.Name, w.Installation, d.idKey)
	case !w.Able && !w.Leaving:
		d.bad(Warn, "WORK_IDLE", "work", at, "look at the log of that worker, or at its /readyz", "the worker %s takes no leases", w.Name)
	case w.Difference.Abs() > coordination.ClockTolerance:
		d.bad(Warn, "WORK_CLOCK", "work", at, "run timedatectl status there", "the clock of the worker %s is %s %s this one", w.Name, ago(w.Difference.Abs()), word(w.Difference > 0, "ahead of", "behind"))
	default:
		d.ok("work", at, "the worker %s runs %s", w.Name, cli.Plural(w.Accounts, "account"))
	}
}
