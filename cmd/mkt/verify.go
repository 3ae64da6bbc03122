package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/plain"
	"mkt/cmd/mkt/internal/verify"
	"mkt/internal/scratch"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/transform/identity"
)

// verifyFlags of mkt verify.
type verifyFlags struct {
	wanted
	all      bool
	from, to string
	expect   string
	deep     bool
	scratch  string
}

func newVerify(a *app) *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify [--tenant ID | --all]",
		Short: "Hold a data root against its own hashes, chain and rows",
		Long: `Read the data of accounts and hold it against itself: every file against the hash
that vouches for it, every hash against the chain of commit records, rows against
what manifests say of them, events against the snapshots they lie between, raw
answers against their headers. It needs nothing but the data root, changes nothing
and takes no lock, so that the schedule may run meanwhile. What retention deleted is
not missing.

--deep makes canonical cycles again out of raw ones, and snapshots out of the ones
before, in a folder of its own; it needs the id key. --expect takes the hash of a
commit record that was noted elsewhere, as a run prints it: whoever writes the whole
chain anew cannot give it again.

The exit code is 0 when all is as it was sealed, 1 when something is not, and 75 when
it could not be judged because runs wrote to it all the time: try again later.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return a.verify(cmd.Context(), sameCommand(cmd), f)
		},
	}
	flags := cmd.Flags()
	f.wanted.flags(cmd)
	flags.BoolVar(&f.all, "all", false, "everybody's data: what is done without --tenant")
	flags.StringVar(&f.from, "from", "", "read no data of publications before this one: "+snapshot.Forms)
	flags.StringVar(&f.to, "to", "", "nor of any after this one")
	flags.StringVar(&f.expect, "expect", "", "hash of a commit record that must be in the chain")
	flags.BoolVar(&f.deep, "deep", false, "make cycles and snapshots again and compare")
	flags.StringVar(&f.scratch, "scratch", "", "folder for what --deep makes (default: a temporary one)")
	a.idKeyFlag(cmd)
	return cmd
}

var hashPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (f *verifyFlags) check() error {
	switch {
	case f.all && f.tenant != "":
		return usagef("--tenant and --all: want one of the two")
	case f.expect != "" && !hashPattern.MatchString(f.expect):
		return usagef("--expect %q: want the 64 characters of a hash, as mkt verify prints it", f.expect)
	}
	return f.wanted.check()
}

func (a *app) verify(ctx context.Context, command string, f verifyFlags) error {
	var places []place
	var err error
	if f.expect != "" || f.from != "" || f.to != "" {
		var one place
		if one, err = onePlace(a.data, f.wanted); err == nil {
			places = []place{one}
		}
	} else {
		places, err = placesOf(a.data, f.wanted)
	}
	if err != nil {
		return err
	}
	deep, done, err := a.deepOf(f)
	if err != nil {
		return err
	}
	defer done()
	a.bars = true
	findings, failed := 0, batchError{of: len(places)}
	for _, p := range places {
		report, err := a.verifyPlace(ctx, p, command, f, deep)
		if err != nil {
			failed.add(a, fmt.Errorf("verify %s: %w", p, err))
		} else if err := a.printVerified(report); err != nil {
			return err
		}
		findings += len(report.Findings)
		if err == nil && !report.Judged {
			failed.add(a, fmt.Errorf("verify %s: %w", p, verify.ErrBusy))
		}
		if ctx.Err() != nil {
			break
		}
	}
	err = failed.whole()
	if findings > 0 && (err == nil || later(err)) {
		return fmt.Errorf("verify: %s", plural(findings, "finding")) // which does not pass by itself
	}
	return err
}

// deepOf opens what --deep needs; nil without it.
func (a *app) deepOf(f verifyFlags) (deep *verify.Deep, done func(), err error) {
	if !f.deep {
		return nil, func() {}, nil
	}
	key, err := identity.LoadKey(a.idKey)
	if err != nil {
		return nil, nil, fmt.Errorf("--deep makes ids again: %w", err)
	}
	data, err := durable.OpenExisting(a.data)
	if err != nil {
		return nil, nil, fmt.Errorf("data root: %w", err)
	}
	private, err := scratch.Make(f.scratch, "mkt-verify-")
	if err != nil {
		data.Close()
		return nil, nil, fmt.Errorf("--scratch: %w", err)
	}
	made, err := durable.OpenExisting(private.Dir)
	if err != nil {
		data.Close()
		return nil, nil, errors.Join(err, private.Remove())
	}
	return &verify.Deep{Key: key, Data: data, Scratch: made, Version: version},
		func() { made.Close(); data.Close(); private.Remove() }, nil
}

func (a *app) verifyPlace(ctx context.Context, p place, command string, f verifyFlags, deep *verify.Deep) (verify.Report, error) {
	root, err := p.open()
	if err != nil {
		return verify.Report{}, err
	}
	defer root.Close()
	o := verify.Options{ClientID: p.tenant, Product: p.product, Root: root, Expect: f.expect, Command: command, Deep: deep}
	if o.From, err = cycleOf(root, f.from); err != nil {
		return verify.Report{}, err
	}
	if o.To, err = cycleOf(root, f.to); err != nil {
		return verify.Report{}, err
	}
	bar := a.newBar(p.String())
	defer bar.done()
	o.Progress = bar.set
	return verify.Run(ctx, o)
}

// cycleOf is the cycle of the publication that a text means, "" when there is
// none.
func cycleOf(root durable.ReadFS, text string) (layout.CycleID, error) {
	if text == "" {
		return "", nil
	}
	c, err := snapshot.Resolve(root, text)
	if err != nil {
		return "", usageError{err}
	}
	return c.CycleID, nil
}

// printVerified prints what was found, and a line that sums it up.
func (a *app) printVerified(r verify.Report) error {
	if a.json() {
		return json.NewEncoder(a.out).Encode(r)
	}
	for _, f := range r.Findings {
		plain.Fprintf(a.out, "%s  %s %s %s\n      %s\n      fix: %s\n", f.Code, r.Tenant, r.Product, f.File, f.What, f.Fix)
	}
	for _, note := range r.Notes {
		plain.Fprintf(a.out, "note  %s %s: %s\n", r.Tenant, r.Product, note)
	}
	for _, f := range r.Unconfirmed {
		plain.Fprintf(a.out, "unconfirmed  %s %s %s %s\n      %s\n", f.Code, r.Tenant, r.Product, f.File, f.What)
	}
	verdict := "clean"
	switch {
	case !r.Judged:
		verdict = "not judged"
	case !r.Clean:
		verdict = plural(len(r.Findings), "finding")
	}
	c := r.Checked
	plain.Fprintf(a.out, "%s %s: %s; %s, %s, %s, %s, %s, %s, %s", r.Tenant, r.Product, verdict, plural(c.Commits, "commit"), plural(c.Snapshots, "snapshot"),
		plural(c.Canonical, "canonical cycle"), plural(c.Raw, "raw cycle"), plural(int(c.Rows), "row"), plural(int(c.Events), "event"), size(c.Bytes))
	if c.Remade > 0 {
		plain.Fprintf(a.out, ", %d made again", c.Remade)
	}
	fmt.Fprintln(a.out)
	if r.Head == nil {
		return nil
	}
	_, err := plain.Fprintf(a.out, "head  %s %s: version %d, %s, sha256 %s\n", r.Tenant, r.Product, r.Head.Version, r.Head.Cycle, r.Head.SHA256)
	return err
}
