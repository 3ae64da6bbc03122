package batch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/cmd/mkt/internal/cli/publishing"
	"mkt/internal/dataset"
	"mkt/internal/replay"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/transform/identity"
)

type replayFlags struct {
	dataset.Filter
	from, to, into string
	transform      TransformFlags
	publish        PublishFlags
}

func newReplay(g *Group) *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay --from CYCLE|TIME [--to CYCLE|TIME] --into DIR",
		Short: "Run past cycles into another data root, and compare",
		Long: `Transform and publish a range of cycles from their archived payloads into
another data root, and compare the result with the publications: for
debugging, after a mapping was repaired, or before mkt serve --replay of a
period whose snapshots were deleted. The data root is only read. The range
begins with the cycle served at --from. Between two times, it is replayed for
every selected account and product, otherwise for one. The other root is
complete: mkt serve, inspect and explain work on it with --data.

To see the effect of a repaired mapping without writing anything, compare
reports of the cycle: mkt mapping report --tenant ID --against FILE.

Exit code 0 if every comparable cycle has the same rows, 1 if any differs or
fails.`,
		Example: `  mkt replay --from latest~3 --into /tmp/replayed
  mkt replay --tenant acme --from "2026-11-21 14:00" --into /tmp/replayed`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.from == "" || f.into == "" {
				return terminal.Usagef("--from and --into are needed (%s --help)", cmd.CommandPath())
			}
			return g.replay(cmd.Context(), f)
		},
	}
	cli.DatasetFlags(cmd, &f.Filter)
	flags := cmd.Flags()
	flags.StringVar(&f.from, "from", "", "first publication: "+snapshot.Forms)
	flags.StringVar(&f.to, "to", snapshot.Newest.String(), "last publication")
	flags.StringVar(&f.into, "into", "", "the other data root; it must not hold the account's product yet")
	f.transform.flags(g, cmd)
	f.publish.flags(g, cmd)
	return cmd
}

func (g *Group) replay(ctx context.Context, f replayFlags) error {
	from, err := g.MomentArg("--from", f.from)
	if err != nil {
		return err
	}
	to, err := g.MomentArg("--to", f.to)
	if err != nil {
		return err
	}
	list, err := g.replayed(f.Filter, from, to)
	if err != nil {
		return err
	}
	key, err := identity.LoadKey(g.Keys.ID)
	if err != nil {
		return err
	}
	for _, p := range list {
		if err := apart(g.Data, f.into, p); err != nil {
			return err
		}
	}
	data, err := durable.OpenUnsynced(f.into)
	if err != nil {
		return fmt.Errorf("--into: %w", err)
	}
	defer data.Close()
	var errs, nothing []error
	for _, p := range list {
		err := g.replayDataset(ctx, f, p, data, replay.Options{Data: data, From: from, To: to, Key: key})
		if errors.Is(err, replay.ErrNothing) || errors.Is(err, snapshot.ErrUnknown) {
			nothing = append(nothing, err)
		} else if err != nil {
			errs = append(errs, err)
		}
		if ctx.Err() != nil || errors.Is(err, durable.ErrNoSpace) {
			break
		}
	}
	if len(nothing) == len(list) {
		return errors.Join(nothing...)
	}
	for _, err := range nothing {
		g.Log.Info("left out", "why", err)
	}
	return errors.Join(errs...)
}

// replayed lists the datasets to replay: one, if the range is not given by times.
func (g *Group) replayed(w dataset.Filter, from, to snapshot.Moment) ([]dataset.Dataset, error) {
	_, timed := from.Time()
	if _, until := to.Time(); timed && (until || to == snapshot.Newest) {
		if err := w.Check(); err != nil {
			return nil, err
		}
		return dataset.List(g.Data, w)
	}
	p, err := dataset.One(g.Data, w, from, to)
	return []dataset.Dataset{p}, err
}

func (g *Group) replayDataset(ctx context.Context, f replayFlags, p dataset.Dataset, data *durable.Disk, o replay.Options) error {
	source, err := p.Open()
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := data.MakeWithin(layout.TenantProduct(p.Tenant, string(p.Product)))
	if err != nil {
		return fmt.Errorf("--into: %w", err)
	}
	defer target.Close()
	keep := publishing.Retained(f.publish.Keep)
	keep.Snapshots, keep.SnapshotAge, keep.Cycles, keep.CycleAge = 0, 0, 0, 0 // keep everything, for inspection
	bar := g.NewBar("replay of "+p.String(), "cycles")
	o.ClientID, o.Product, o.Source, o.Target = p.Tenant, p.Product, source, target
	o.Version, o.Fingerprint, o.Details, o.Workers = g.Version, g.IDKeyFingerprint(), f.transform.Details, f.transform.workers
	o.AcceptRemovals, o.Retention, o.Log, o.Progress = f.publish.acceptRemovals, keep, g.Log, bar.Set
	r, err := replay.Run(ctx, o)
	bar.Done()
	if r != nil {
		r.Into = f.into
		g.printReplay(r)
	}
	if err != nil && ctx.Err() != nil {
		return cli.Interrupted(f.into + " is incomplete: remove it before you run the command again")
	}
	if errors.Is(err, durable.ErrNoSpace) {
		err = fmt.Errorf("%w, after you have removed %s, which is incomplete", err, f.into)
	}
	if err != nil {
		return fmt.Errorf("replay %s: %w", p, err)
	}
	if !r.Same() {
		return fmt.Errorf("replay %s: %d of %d cycles differ from their publications", p, r.Outcomes[replay.Differs]+r.Outcomes[replay.Failed]+r.Outcomes[replay.New], len(r.Cycles))
	}
	return nil
}

// apart refuses to replay into the data root itself or over an earlier replay.
func apart(data, into string, p dataset.Dataset) error {
	a, errA := filepath.Abs(data)
	b, errB := filepath.Abs(into)
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(b); err == nil {
		b = real
	}
	if real, err := filepath.EvalSymlinks(a); err == nil {
		a = real
	}
	if inside, err := filepath.Rel(a, b); err == nil && !strings.HasPrefix(inside, "..") {
		return terminal.Usagef("--into %s: that is the data root, or inside it; want another folder", into)
	}
	there := dataset.Dataset{Data: into, Tenant: p.Tenant, Product: p.Product}
	entries, err := os.ReadDir(there.Dir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--into: %w", err)
	}
	if len(entries) > 0 {
		return terminal.Usagef("--into %s: it has data of %s already; want an empty folder", into, p)
	}
	return nil
}

func (g *Group) printReplay(r *replay.Report) {
	if g.JSON() {
		g.Encode(r)
		return
	}
	for _, n := range r.Notes {
		printable.Fprintf(g.Out, "note: %s\n", n)
	}
	for _, c := range r.Cycles {
		printable.Fprintf(g.Out, "%s  %s", c.Cycle, replayWords[c.Outcome])
		for _, t := range c.Tables {
			printable.Fprintf(g.Out, "; %s %d rows, %d then", t.Name, t.RowsNow, t.RowsThen)
		}
		fmt.Fprintln(g.Out)
		for _, w := range c.Why {
			printable.Fprintf(g.Out, "    why      %s\n", w)
		}
		if c.Error != "" {
			printable.Fprintf(g.Out, "    error    %s\n", c.Error)
		}
		for _, x := range c.Changed {
			printable.Fprintf(g.Out, "    %-8s %s %s %s", x.What, x.Table, x.Row, strings.Join(x.Columns, ", "))
			if x.Example != "" {
				printable.Fprintf(g.Out, ": %s", x.Example)
			}
			fmt.Fprintln(g.Out)
		}
	}
	printable.Fprintf(g.Out, "%s %s: %s replayed by rules %s into %s\n", r.Tenant, r.Product, terminal.Plural(len(r.Cycles), "cycle"), r.Rules, r.Into)
}

var replayWords = map[replay.Outcome]string{
	replay.SameBytes: "the same bytes", replay.SameRows: "the same rows, other bytes", replay.Differs: "differs",
	replay.Failed: "failed, and was published then", replay.AsBefore: "fails, as it did then", replay.New: "published, and was not then",
	replay.Unknown: "done; too little is left to compare it with",
}
