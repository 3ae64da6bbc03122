package accounts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/accounts"
	"mkt/internal/accounts/audit"
	"mkt/internal/cluster"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/serve"
)

// inForceAfter is how long a deletion waits after the account has left tenants.yaml. Every serve and
// schedule has applied the change then (two seconds), so no answer has half of the data. A run that
// begins later all the same leaves by itself, see [accounts.Latest.OpenFolder]. Other machines learn of the
// change from the object store, if the accounts are there.
func inForceAfter(shared bool) time.Duration {
	const here = 3 * time.Second
	if shared {
		return here + cli.RefreshEvery + 2*time.Second // to read them
	}
	return here
}

type deleteFlags struct {
	redis       cli.Redis
	usage       string
	dryRun, yes bool
}

func newTenantDelete(g *Group) *cobra.Command {
	var f deleteFlags
	cmd := &cobra.Command{
		Use:   "delete ID",
		Short: "Delete a tenant with all its data, for good",
		Long: `Delete a tenant and its data: its entry in tenants.yaml with tokens and
credential, its folder in the data root, its usage counters, and with --store
its objects. First the account leaves tenants.yaml, so that its tokens get
401; three seconds later its data goes, or fifteen if the accounts are in the
store. While a cycle of it runs, nothing is deleted and the exit code is 75. A
deletion that was interrupted is finished by the same command, also on another
machine that has data of the account.

What stays: the audit log, which only grows; the id in the leaves of the
transparency log; in the object store the earlier versions of tenants.yaml;
tables that mkt lake wrote; backups; and what was copied elsewhere.
docs/operators.md says how to delete these.`,
		Example: `  mkt tenant delete acme --dry-run
  mkt tenant delete acme --yes`,
		Args:       cobra.ExactArgs(1),
		SuggestFor: []string{"remove", "rm", "drop", "purge", "erase"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if !layout.ValidTenantID(args[0]) {
				return terminal.Usagef("tenant id %q: not an account's id", args[0])
			}
			return g.deleteTenant(cmd.Context(), args[0], f)
		},
	}
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "print what would be deleted without deleting it")
	cmd.Flags().StringVar(&f.usage, "usage-dir", "", "delete the account's usage counters in this folder, which serve writes to (default: usage below the data root)")
	g.Settings.BindPath(cmd.Flags(), "usage-dir", "serve.usage_dir")
	cli.YesFlag(cmd, &f.yes)
	f.redis.Flag(g.Settings, cmd)
	return cmd
}

// remains is what there is of an account.
type remains struct {
	ID      string `json:"client_id"`
	DryRun  bool   `json:"dry_run"`
	Entry   bool   `json:"entry"` // in tenants.yaml
	Files   int    `json:"files"` // in the data root
	Bytes   int64  `json:"bytes"`
	Usage   int    `json:"usage_files"`
	Objects int    `json:"objects"` // in the object store
	Stored  int64  `json:"object_bytes"`

	folder     bool // in the data root; a killed deletion may leave it without files
	usageFiles []string
}

func (r remains) none() bool { return !r.Entry && !r.folder && r.Usage == 0 && r.Objects == 0 }

func (g *Group) deleteTenant(ctx context.Context, id string, f deleteFlags) error {
	file, err := g.LoadTenants()
	if err != nil {
		return err
	}
	usage := cmp.Or(f.usage, filepath.Join(g.Data, serve.UsageFolder))
	found, err := g.remainsOf(ctx, file, id, usage)
	if err != nil {
		return err
	}
	if found.none() {
		_, err := cli.TenantByID(file, id)
		return err
	}
	found.DryRun = f.dryRun
	if f.dryRun {
		return g.printRemains(g.Out, found)
	}
	if !f.yes {
		if err := g.printRemains(g.Errs, found); err != nil {
			return err
		}
	}
	if err := g.Confirm(ctx, fmt.Sprintf("Delete tenant %s and its data for good? This cannot be undone.", id), f.yes); err != nil {
		return err
	}
	release, err := g.lease(ctx, id, f.redis)
	if err != nil {
		return err
	}
	defer release()
	locks := folderLocks{}
	defer locks.Close()
	if err := locks.lock(g.Data, id); err != nil {
		return fmt.Errorf("tenant %s: nothing was deleted: %w", id, err)
	}
	if found.Entry {
		done, err := g.editTenants(ctx, audit.TenantDelete, func(e *accounts.Editor) error { return e.Delete(id) })
		if done == nil {
			return err
		}
		if err != nil {
			printable.Fprintf(g.Errs, "mkt: %v\n", err)
		}
	}
	select {
	case <-time.After(inForceAfter(g.SharedTenants)):
	case <-ctx.Done():
		return fmt.Errorf("tenant %s: %w: the account is gone, its data is not; the same command deletes it", id, cli.ErrInterrupted)
	}
	if err = locks.lock(g.Data, id); err == nil { // a cycle may have made a folder before the account was gone
		err = g.deleteData(ctx, id, usage, found.usageFiles)
	}
	if err != nil {
		return fmt.Errorf("tenant %s: not all of its data is deleted: %w; the same command deletes the rest", id, err)
	}
	return g.printRemains(g.Out, found)
}

// lease takes the leases of the account's products, so that no worker runs a cycle of it.
func (g *Group) lease(ctx context.Context, id string, r cli.Redis) (release func(), err error) {
	if !r.Set() || !g.HasStore() {
		return func() {}, nil
	}
	conn, err := r.Open(g.Env, g.IDKeyFingerprint())
	if err != nil {
		return nil, err
	}
	var leases []*cluster.Lease
	release = func() {
		for _, one := range leases {
			one.Release()
		}
		conn.Close()
	}
	for _, p := range football.Products() {
		_, one, err := conn.Take(ctx, id, string(p), "mkt tenant delete")
		if err != nil {
			release()
			var taken *cluster.TakenError
			var away *cluster.AwayError
			switch {
			case errors.As(err, &taken):
				err = errors.Join(durable.ErrLocked, err)
			case errors.As(err, &away):
				err = fmt.Errorf("%w; if no other machine runs cycles, --redis= deletes without a lease", err)
			}
			return nil, fmt.Errorf("tenant %s, %s: %w: nothing was deleted", id, p, err)
		}
		leases = append(leases, one)
	}
	return release, nil
}

// folderLocks are the locks of an account's folders, by name. Two locks of one process exclude each
// other, too.
type folderLocks map[string][]io.Closer

func (l folderLocks) Close() {
	for _, held := range l {
		for _, c := range held {
			c.Close()
		}
	}
}

var errBusy = fmt.Errorf("%w: a step or a test of it runs; try again later", durable.ErrLocked)

// lock locks the account's folder and those of its products that exist and are not locked yet.
func (l folderLocks) lock(data, id string) error {
	names := []string{layout.Tenant(id)}
	for _, p := range football.Products() {
		names = append(names, layout.TenantProduct(id, string(p)))
	}
	for _, name := range names {
		if l[name] != nil {
			continue
		}
		root, err := durable.OpenWithin(data, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("data root: %w", err)
		}
		lock, err := root.Lock(layout.Lock)
		if err != nil {
			root.Close()
			if errors.Is(err, durable.ErrLocked) {
				err = errBusy
			}
			return err
		}
		l[name] = []io.Closer{lock, root}
	}
	return nil
}

// deleteData deletes in the order in which the data could come back: the store first, from which
// other machines copy, and what only this machine has last.
func (g *Group) deleteData(ctx context.Context, id, usage string, counters []string) error {
	if g.HasStore() {
		s, err := g.WritableStore(ctx)
		if err != nil {
			return err
		}
		if err := s.DeleteAccount(ctx, id); err != nil {
			return err
		}
	}
	if err := removeIn(g.Data, layout.Tenant(id)); err != nil {
		return err
	}
	return removeIn(usage, counters...)
}

// removeIn removes names from a folder, and makes that durable.
func removeIn(dir string, names ...string) error {
	if len(names) == 0 {
		return nil
	}
	root, err := durable.OpenExisting(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range names {
		if err := root.RemoveAll(name); err != nil {
			if errors.Is(err, fs.ErrPermission) {
				err = fmt.Errorf("%w: run it as the user who owns the files, or as root", err)
			}
			return err
		}
	}
	return root.SyncDir(".")
}

func (g *Group) remainsOf(ctx context.Context, file *accounts.File, id, usage string) (remains, error) {
	r := remains{ID: id}
	_, r.Entry = file.Tenant(id)
	folder := filepath.Join(g.Data, layout.Tenant(id))
	_, err := os.Lstat(folder)
	r.folder = err == nil
	err = eachFile(folder, func(_ string, info fs.FileInfo) {
		r.Files++
		r.Bytes += info.Size()
	})
	if err != nil {
		return r, fmt.Errorf("data root: %w", err)
	}
	err = eachFile(usage, func(name string, _ fs.FileInfo) {
		if strings.HasSuffix(name, ".json") && strings.HasPrefix(name, id+".") { // an id has no dot
			r.usageFiles = append(r.usageFiles, name)
		}
	})
	if err != nil {
		return r, fmt.Errorf("usage counters: %w", err)
	}
	r.Usage = len(r.usageFiles)
	if !g.HasStore() {
		return r, nil
	}
	s, err := g.Store(ctx)
	if err == nil {
		r.Objects, r.Stored, err = s.MeasureAccount(ctx, id)
	}
	return r, err
}

// eachFile calls do with the files below a folder, which may be missing.
func eachFile(dir string, do func(name string, info fs.FileInfo)) error {
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // deleted meanwhile
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		do(filepath.ToSlash(name), info)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (g *Group) printRemains(to io.Writer, r remains) error {
	if g.JSON() && to == g.Out {
		return g.Encode(r)
	}
	done := "deleted"
	if to != g.Out || r.DryRun {
		done = "would be deleted"
	}
	entry := "no entry"
	if r.Entry {
		entry = "its entry"
	}
	printable.Fprintf(to, "tenant %s %s: %s in the accounts, %s in the data root (%s), %s of usage counters", r.ID, done, entry,
		terminal.Plural(r.Files, "file"), terminal.Size(r.Bytes), terminal.Plural(r.Usage, "file"))
	if g.HasStore() {
		printable.Fprintf(to, ", %s in the object store (%s)", terminal.Plural(r.Objects, "object"), terminal.Size(r.Stored))
	}
	_, err := printable.Fprintf(to, "\nWhat stays: the audit log, the id in the leaves of the transparency log, earlier versions and copies of the accounts, tables of mkt lake, backups, and data roots of other machines.\n")
	return err
}
