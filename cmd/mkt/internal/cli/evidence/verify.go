package evidence

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/dataset"
	"mkt/internal/evidence/verify"
	"mkt/internal/scratch"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/transform/identity"
)

type verifyFlags struct {
	dataset.Filter
	from, to string
	expect   string
	deep     bool
	scratch  string
}

func newVerify(g *Group) *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify [--tenant ID | --all]",
		Short: "Check a data root against its own hashes, chain and rows",
		Long: `Check the data of accounts: every file against its recorded hash, every hash
against the chain of commit records, rows against the manifests, events
against the snapshots before and after them, raw answers against their
headers. It only reads the data root and takes no lock, so the schedule may
run meanwhile. Data that retention deleted is not reported as missing.

--deep also rebuilds canonical cycles from raw ones, and snapshots from the
ones before, in a folder of its own, and compares; it needs the id key.
--expect takes the hash of a commit record that was noted elsewhere, as a run
prints it: nobody who rewrites the whole chain can make a record with the same
hash.

The exit code is 0 if everything is as it was sealed, 1 if something is not,
and 75 if it could not be decided because runs wrote to the data root all the
time: try again later.`,
		Example: `  mkt verify
  mkt verify --tenant acme --deep`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return g.verify(cmd.Context(), cli.SameCommand(cmd), f)
		},
	}
	flags := cmd.Flags()
	cli.DatasetFlags(cmd, &f.Filter)
	cli.AllFlag(cmd, &f.Filter)
	flags.StringVar(&f.from, "from", "", "read no data of publications before this one: "+snapshot.Forms)
	flags.StringVar(&f.to, "to", "", "read no data of publications after this one: "+snapshot.Forms)
	flags.StringVar(&f.expect, "expect", "", "require the commit record with this hash in the chain")
	flags.BoolVar(&f.deep, "deep", false, "also rebuild cycles and snapshots and compare them")
	flags.StringVar(&f.scratch, "scratch", "", "write the files that --deep rebuilds to this folder (default: a temporary one)")
	g.Keys.IDFlag(g.Settings, cmd)
	return cmd
}

var hashPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (f *verifyFlags) check() error {
	if f.expect != "" && !hashPattern.MatchString(f.expect) {
		return terminal.Usagef("--expect %q: want the 64 characters of a hash, as mkt verify prints it", f.expect)
	}
	return f.Filter.Check()
}

func (g *Group) verify(ctx context.Context, command string, f verifyFlags) error {
	var datasets []dataset.Dataset
	var err error
	if f.expect != "" || f.from != "" || f.to != "" {
		var one dataset.Dataset
		if one, err = dataset.One(g.Data, f.Filter); err == nil {
			datasets = []dataset.Dataset{one}
		}
	} else {
		datasets, err = dataset.List(g.Data, f.Filter)
	}
	if err != nil {
		return err
	}
	deep, done, err := g.deepOf(f)
	if err != nil {
		return err
	}
	defer done()
	findings, published, failed := 0, false, cli.Failures{Of: len(datasets)}
	for _, p := range datasets {
		report, err := g.verifyPlace(ctx, p, command, f, deep)
		if err != nil {
			failed.Add(g.Env, fmt.Errorf("verify %s: %w", p, err))
		} else if err := g.show(report, report.Document); err != nil {
			return err
		}
		findings += len(report.Findings)
		published = published || err != nil || report.Head != nil
		if err == nil && !report.Judged {
			failed.Add(g.Env, fmt.Errorf("verify %s: %w", p, terminal.AsTemporary(verify.ErrBusy)))
		}
		if ctx.Err() != nil {
			break
		}
	}
	err = failed.Err()
	if findings > 0 && (err == nil || cli.IsTemporary(err)) {
		return fmt.Errorf("verify: %s", terminal.Plural(findings, "finding")) // not a temporary failure
	}
	if err == nil && !published {
		return errors.New("verify: there is no publication: nothing was checked")
	}
	return err
}

// deepOf opens the id key, the data root and a scratch folder for --deep; done closes them. It returns
// nil without --deep.
func (g *Group) deepOf(f verifyFlags) (deep *verify.Deep, done func(), err error) {
	if !f.deep {
		return nil, func() {}, nil
	}
	key, err := identity.LoadKey(g.Keys.ID)
	if err != nil {
		return nil, nil, fmt.Errorf("--deep needs the id key: %w", err)
	}
	data, err := durable.OpenExisting(g.Data)
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
	return &verify.Deep{Key: key, Data: data, Scratch: made, Version: g.Version},
		func() { made.Close(); data.Close(); private.Remove() }, nil
}

func (g *Group) verifyPlace(ctx context.Context, p dataset.Dataset, command string, f verifyFlags, deep *verify.Deep) (verify.Report, error) {
	root, err := p.Open()
	if err != nil {
		return verify.Report{}, err
	}
	defer root.Close()
	o := verify.Options{ClientID: p.Tenant, Product: p.Product, Root: root, Expect: f.expect, Command: command, Deep: deep}
	if o.From, err = g.cycleOf(root, "--from", f.from); err != nil {
		return verify.Report{}, err
	}
	if o.To, err = g.cycleOf(root, "--to", f.to); err != nil {
		return verify.Report{}, err
	}
	if o.To != "" && o.From > o.To {
		return verify.Report{}, terminal.Usagef("--from is after --to")
	}
	bar := g.NewBar("verify "+p.String(), "cycles")
	defer bar.Done()
	o.Progress = bar.Set
	return verify.Run(ctx, o)
}

// cycleOf returns the cycle of the publication given to a flag, "" for no text.
func (g *Group) cycleOf(root durable.ReadFS, flag, text string) (layout.CycleID, error) {
	if text == "" {
		return "", nil
	}
	m, err := g.MomentArg(flag, text)
	if err != nil {
		return "", err
	}
	c, err := snapshot.Find(root, m)
	if err != nil {
		return "", terminal.AsUsage(err)
	}
	return c.CycleID, nil
}
