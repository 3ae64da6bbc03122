package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"mkt/internal/accounts"
	"mkt/internal/cluster/store"
	"mkt/internal/cluster/store/object"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

const (
	storeTimeout = 2 * time.Minute // for all requests
	storeAtOnce  = 8               // datasets compared at the same time
	storeSlow    = 2 * time.Second // to store a small object
	// replicaBehind is how long a copy may lack a publication. It gets news of one, or
	// looks for one, several times within it.
	replicaBehind = 2 * time.Minute
)

// objectStore checks the object store, and this machine's copy of it.
func (d *doctor) objectStore(ctx context.Context) {
	if d.Store == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	at := place{file: d.StoreName}
	s, err := d.Store(ctx)
	if err != nil {
		d.bad(Fail, "STORE_INVALID", "store", at, "correct the setting store, or the credential in the environment", "%v", err)
		return
	}
	key, err := s.IDKeyFingerprint(ctx)
	if err != nil {
		d.storeFails(at, err)
		return
	}
	if d.Keyless {
		d.ok("store", at, "can be read")
	} else if !d.probeStore(ctx, s, at) {
		return
	}
	d.storeKey(key, at)
	if d.SharedTenants {
		d.sharedAccounts(ctx, s, at)
	}
	d.compare(ctx, s)
}

// sharedAccounts compares the tenants file with the accounts in the store.
func (d *doctor) sharedAccounts(ctx context.Context, s *store.Store, at place) {
	copied, err := accounts.Copy{Path: d.Tenants, Origin: s.Accounts()}.Status(ctx)
	file := place{file: d.Tenants}
	switch {
	case errors.Is(err, fs.ErrNotExist): // the file, or the version of which it is a copy
		d.bad(Fail, "ACCOUNTS_BEHIND", "store", file, d.mkt("tenant list"), "it is missing, or the store lacks the version of which it is a copy")
	case err != nil:
		d.storeFails(at, err)
	case copied.Invalid != nil:
		d.bad(Fail, "ACCOUNTS_INVALID", "store", at, fmt.Sprintf("if a newer build of mkt wrote it, install that one here too; else delete accounts/%020d.yaml in the store, and run the command that made it again", copied.Newest), "%v", copied.Invalid)
	case copied.Newest == 0:
		d.bad(Warn, "ACCOUNTS_BY_HAND", "store", file, d.mkt("tenant validate --seal"), "the store has no accounts yet: only this machine has these")
	case copied.ByHand:
		d.bad(Warn, "ACCOUNTS_BY_HAND", "store", file, d.mkt("tenant validate --seal"), "it was changed by hand since version %d: only this machine has the change, and the next newer version replaces it", copied.Version)
	case copied.Version < copied.Newest:
		d.bad(Warn, "ACCOUNTS_BEHIND", "store", file, d.mkt("tenant list")+"; then look at the log of mkt serve and mkt schedule", "it is a copy of version %d, and the store has version %d", copied.Version, copied.Newest)
	default:
		d.ok("store", file, "it is a copy of version %d, the newest in the store", copied.Version)
	}
}

// storeFails reports an error of the store.
func (d *doctor) storeFails(at place, err error) {
	switch {
	case errors.Is(err, object.ErrUnsafe):
		d.bad(Fail, "STORE_UNSAFE", "store", at, "use a store that honours If-None-Match: docs/cluster.md names some; nothing is published to this one", "%v", err)
	case errors.Is(err, object.ErrNoBucket):
		d.bad(Fail, "STORE_BUCKET", "store", at, "create the bucket, or correct the setting store", "%v", err)
	case errors.Is(err, object.ErrRefused):
		d.bad(Fail, "STORE_REFUSES", "store", at, "check the credential in the environment (for s3 AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY) and its permissions: docs/cluster.md has the policy", "%v", err)
	case errors.Is(err, object.ErrFull):
		d.bad(Fail, "STORE_FULL", "store", at, "free space or raise the quota, or keep less: "+d.mkt("gc --all"), "%v", err)
	case errors.Is(err, snapshot.ErrDamaged):
		d.bad(Fail, "STORE_DAMAGED", "store", at, "on a machine that has it: "+d.mkt("push --all --repair")+"; or restore the object from a version or a backup of the bucket", "%v", err)
	default:
		d.bad(Fail, "STORE_AWAY", "store", at, "check the address in the setting store, with its region and endpoint, and that this machine reaches it; until then cycles archive their answers and serve answers from what it has", "%v", err)
	}
}

// probeStore reports whether the store can be written safely.
func (d *doctor) probeStore(ctx context.Context, s *store.Store, at place) bool {
	p, err := s.Measure(ctx)
	if err != nil {
		d.storeFails(at, err)
		return false
	}
	d.ok("store", at, "can be read and written, and honours conditional writes")
	if p.Took > storeSlow {
		d.bad(Warn, "STORE_SLOW", "store", at, "use a store in the same region, or check the network: every publication stores three objects and more", "a small object took %.1f s to be stored", p.Took.Seconds())
	} else {
		d.ok("store", at, "a small object took %d ms to be stored", p.Took.Milliseconds())
	}
	if p.Ahead.Abs() > differAtMost {
		d.bad(Fail, "STORE_CLOCK", "store", at, "timedatectl status", "this clock is %s %s the store's: stores refuse requests that are 15 minutes off", ago(p.Ahead.Abs()), word(p.Ahead > 0, "ahead of", "behind")).causedBy(thisClock, "")
	} else {
		d.ok("store", at, "its clock is within %s of this one", differAtMost)
	}
	return true
}

// storeKey compares the id key of the store with the one of this machine.
func (d *doctor) storeKey(there string, at place) {
	here := d.idKey
	if recorded, err := os.ReadFile(filepath.Join(d.Data, layout.IDKeyFingerprintFile)); here == "" && err == nil {
		here = layout.ParseIDKeyFingerprint(recorded)
	}
	switch {
	case there == "" || here == "":
	case there != here:
		d.bad(Fail, "STORE_ID_KEY", "store", at, "use the id key with the fingerprint "+there+" on this machine, or give this installation a prefix of its own", "it was written with the id key %s, this machine has %s", there, here).causedBy("id key "+there, "")
	default:
		d.ok("store", at, "it was written with this id key")
	}
}

// compared is a comparison of a root with the store.
type compared struct {
	here, there snapshot.Commit
	missing     time.Time // when the oldest publication absent from the root was made
	lost        int
	bytes       int64
	err         error
}

// compare compares every root with the store.
func (d *doctor) compare(ctx context.Context, s *store.Store) {
	found := make([]compared, len(d.roots))
	var g errgroup.Group
	g.SetLimit(storeAtOnce)
	for i, r := range d.roots {
		g.Go(func() error {
			found[i] = d.compareOne(ctx, s.Dataset(r.id, r.product), r)
			return nil
		})
	}
	_ = g.Wait() // the errors are in found
	for i, r := range d.roots {
		d.stored(r, found[i])
	}
}

func (d *doctor) compareOne(ctx context.Context, s *store.Dataset, r *root) (c compared) {
	var root durable.ReadFS
	if r.fs != nil {
		root = r.fs
	}
	if c.here, c.there, c.err = s.Compare(ctx, root); c.err != nil || c.there.Version == 0 {
		return c
	}
	if c.missing = c.there.PublishedAt; d.Keyless && c.here.Version > 0 && c.here.Version < c.there.Version {
		next, err := snapshot.ReadCommit(s.Records(ctx), c.here.Version+1)
		if c.err = err; err != nil {
			return c
		}
		c.missing = next.PublishedAt
	}
	if !d.Keyless {
		c.lost, c.bytes, c.err = s.Lost(ctx, c.there)
	}
	return c
}

// stored reports the comparison of a root with the store.
func (d *doctor) stored(r *root, c compared) {
	at := place{tenant: r.id, product: string(r.product), file: d.StoreName}
	of := "--tenant " + r.id + " --product " + string(r.product)
	switch {
	case errors.Is(c.err, snapshot.ErrStoreLacks):
		d.bad(Fail, "STORE_LACKS", "store", at, "on a machine that has them: "+d.mkt("push --repair "+of), "publications that it should have are missing: nothing more is published until they are there")
		return
	case errors.Is(c.err, store.ErrDiverged):
		d.bad(Fail, "STORE_DIVERGED", "store", at, "give each installation its own prefix in the setting store; if the store is right, move "+terminal.Quote(r.dir)+" away: it is copied from the store again", "%v", c.err)
		return
	case c.err != nil && snapshot.IsFault(c.err) && !errors.Is(c.err, snapshot.ErrDamaged) && !errors.Is(c.err, object.ErrAway) && !errors.Is(c.err, object.ErrRefused) && !errors.Is(c.err, object.ErrNoBucket):
		return // the root cannot be read: another finding
	case c.err != nil:
		d.storeFails(at, c.err)
		return
	case c.there.Version == 0:
		d.ok("store", at, "the store has no publication of it yet")
		return
	}
	r.stored = &c.there
	switch behind := c.there.Version - c.here.Version; {
	case behind > 0 && d.Keyless && d.now.Sub(c.missing) > replicaBehind:
		d.bad(Warn, "REPLICA_BEHIND", "store", at, "check that mkt serve runs with --store on this machine, and its log: journalctl -u mkt-serve", "this machine has publication %d and the store %d: it lacks one that is %s old", c.here.Version, c.there.Version, ago(d.now.Sub(c.missing)))
	case behind > 0 && !d.Keyless:
		d.ok("store", at, "the newest publication is %d, %s old, of another machine: the next cycle here begins with a copy", c.there.Version, ago(d.now.Sub(c.there.PublishedAt)))
	default:
		d.ok("store", at, "the newest publication is %d, %s old", c.there.Version, ago(d.now.Sub(c.there.PublishedAt)))
	}
	if c.lost > 0 {
		d.bad(Note, "STORE_LOST", "store", at, d.mkt("gc "+of), "%s that no commit names, %s: other machines published first; they cost only space", terminal.Plural(c.lost, "pack"), terminal.Size(c.bytes))
	}
}
