package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/plain"
	"mkt/cmd/mkt/internal/replay"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/transform/identity"
)

// replayFlags of mkt replay.
type replayFlags struct {
	wanted
	from, to, into string
	transform      transformFlags
	publish        publishFlags
}

func newReplay(a *app) *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay --from CYCLE|TIME [--to CYCLE|TIME] --into DIR",
		Short: "Run a range of cycles once more into another data root, and compare",
		Long: `Run a range of cycles once more, transform and publish from the archived payloads,
into another data root, and compare with what was published: for debugging, or
after a mapping was mended. The data root is only read. The range begins with the
cycle that was served at --from. The other root is whole: mkt serve, inspect and
explain work on it with --data.
Exit code 0 when every cycle that can be compared has the same rows, 1 when any
differs or fails.`,
		Example: `  mkt replay --from latest~3 --into /tmp/again
  mkt replay --tenant acme --from "2026-11-21 14:00" --to 2026-11-21T15:00:00Z --into /tmp/again`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.from == "" || f.into == "" {
				return usagef("--from and --into are needed (%s --help)", cmd.CommandPath())
			}
			return a.replay(cmd.Context(), f)
		},
	}
	f.wanted.flags(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.from, "from", "", "first publication: "+snapshot.Forms)
	flags.StringVar(&f.to, "to", snapshot.Newest.String(), "last publication")
	flags.StringVar(&f.into, "into", "", "data root to make; it must not have the account's product yet")
	f.transform.flags(a, cmd)
	f.publish.flags(a, cmd)
	return cmd
}

func (a *app) replay(ctx context.Context, f replayFlags) error {
	from, err := momentArg("--from", f.from)
	if err != nil {
		return err
	}
	to, err := momentArg("--to", f.to)
	if err != nil {
		return err
	}
	p, err := onePlace(a.data, f.wanted, from, to)
	if err != nil {
		return err
	}
	key, err := identity.LoadKey(a.keys.id)
	if err != nil {
		return err
	}
	if err := apart(a.data, f.into, p); err != nil {
		return err
	}
	source, err := p.open()
	if err != nil {
		return err
	}
	defer source.Close()
	data, err := durable.OpenUnsynced(f.into)
	if err != nil {
		return fmt.Errorf("--into: %w", err)
	}
	defer data.Close()
	target, err := data.MakeWithin(layout.TenantProduct(p.tenant, string(p.product)))
	if err != nil {
		return fmt.Errorf("--into: %w", err)
	}
	defer target.Close()
	keep := f.publish.retained()
	keep.Snapshots, keep.SnapshotAge, keep.Cycles, keep.CycleAge = 0, 0, 0, 0 // it is made to be looked at
	bar := a.newBar("cycles")
	r, err := replay.Run(ctx, replay.Options{ClientID: p.tenant, Product: p.product, Source: source, Target: target, Data: data, From: from, To: to,
		Key: key, Version: a.version, Fingerprint: a.recordedKey(), Details: f.transform.details, Workers: f.transform.workers,
		AcceptRemovals: f.publish.acceptRemovals, Retention: keep, Log: a.log, Progress: bar.set})
	bar.done()
	if r != nil {
		r.Into = f.into
		a.printReplay(r)
	}
	if err != nil {
		return fmt.Errorf("replay %s: %w", p, err)
	}
	if !r.Same() {
		return fmt.Errorf("replay %s: %d of %d cycles differ from what was published", p, r.Outcomes[replay.Differs]+r.Outcomes[replay.Failed]+r.Outcomes[replay.New], len(r.Cycles))
	}
	return nil
}

// recordedKey is the fingerprint of the id key that the data root records.
func (a *app) recordedKey() string {
	data, err := os.ReadFile(filepath.Join(a.data, layout.IDKeyFingerprintFile))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// apart refuses to replay into the data root itself, or over an earlier replay.
func apart(data, into string, p place) error {
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
		return usagef("--into %s: that is the data root, or inside it; want another folder", into)
	}
	there := place{into, p.tenant, p.product}
	entries, err := os.ReadDir(there.dir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--into: %w", err)
	}
	if len(entries) > 0 {
		return usagef("--into %s: it has data of %s already; want an empty folder", into, p)
	}
	return nil
}

func (a *app) printReplay(r *replay.Report) {
	if a.json() {
		json.NewEncoder(a.out).Encode(r)
		return
	}
	for _, n := range r.Notes {
		plain.Fprintf(a.out, "note: %s\n", n)
	}
	for _, c := range r.Cycles {
		plain.Fprintf(a.out, "%s  %s", c.Cycle, replayWords[c.Outcome])
		for _, t := range c.Tables {
			plain.Fprintf(a.out, "; %s %d rows, %d then", t.Name, t.RowsNow, t.RowsThen)
		}
		fmt.Fprintln(a.out)
		for _, w := range c.Why {
			plain.Fprintf(a.out, "    why      %s\n", w)
		}
		if c.Error != "" {
			plain.Fprintf(a.out, "    error    %s\n", c.Error)
		}
		for _, x := range c.Changed {
			plain.Fprintf(a.out, "    %-8s %s %s %s", x.What, x.Table, x.Row, strings.Join(x.Columns, ", "))
			if x.Example != "" {
				plain.Fprintf(a.out, ": %s", x.Example)
			}
			fmt.Fprintln(a.out)
		}
	}
	plain.Fprintf(a.out, "%s %s: %s replayed by rules %s into %s\n", r.Tenant, r.Product, plural(len(r.Cycles), "cycle"), r.Rules, r.Into)
}

var replayWords = map[replay.Outcome]string{
	replay.SameBytes: "the same bytes", replay.SameRows: "the same rows, other bytes", replay.Differs: "differs",
	replay.Failed: "failed, and was published then", replay.AsBefore: "fails, as it did then", replay.New: "published, and was not then",
	replay.Unknown: "done; nothing is left to compare it with",
}
