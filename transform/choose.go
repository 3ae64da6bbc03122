package transform

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/transform/output"
	"mkt/transform/reading"
)

// checkKey compares the id key with the fingerprint recorded in the data root, or records the
// fingerprint of the first key, also in place of a damaged record. With another key every id would change.
func (r *run) checkKey() error {
	own := r.Key.Fingerprint()
	data, err := durable.ReadFile(r.Data, layout.IDKeyFingerprintFile, 4096)
	isMissing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !isMissing {
		return err
	}
	recorded := layout.ParseIDKeyFingerprint(data)
	if recorded == "" {
		if err := r.checkPublished(own); err != nil {
			return err
		}
		if !isMissing {
			return durable.Overwrite(r.Data, layout.IDKeyFingerprintFile, []byte(own+"\n"))
		}
		return durable.CreateAgain(r.Data, layout.IDKeyFingerprintFile, durable.Bytes([]byte(own+"\n")))
	}
	if recorded != own {
		return fmt.Errorf("%w: this one is %s, but the data root was made with %s (%s): restore that key, or begin a new data root",
			ErrKey, own, recorded, layout.IDKeyFingerprintFile)
	}
	return nil
}

// checkPublished checks the id key against the published data of all accounts. A data root without
// its record, as when a backup of one account is restored, must not adopt another key.
func (r *run) checkPublished(own string) error {
	if err := checkRoot(r.Root, own); err != nil {
		return err
	}
	accounts, err := r.Data.ReadDir(".")
	for _, account := range accounts {
		if !strings.HasPrefix(account.Name(), layout.Tenant("")) {
			continue
		}
		products, _ := r.Data.ReadDir(account.Name())
		for _, product := range products {
			root := durable.Below(r.Data, account.Name()+"/"+product.Name())
			if err := checkRoot(root, own); errors.Is(err, ErrKey) { // damage of another account is its own matter
				return err
			}
		}
	}
	return err
}

func checkRoot(f durable.ReadFS, own string) error {
	commit, found, err := snapshot.Head(f)
	if err != nil || !found {
		return err
	}
	m, err := snapshot.Open(f, commit)
	if err != nil {
		return err
	}
	if m.IDKeyFingerprint != own {
		return fmt.Errorf("%w: this one is %s, but version %d was published with %s: restore that key, or begin a new data root",
			ErrKey, own, commit.Version, m.IDKeyFingerprint)
	}
	return nil
}

// chooseCycle chooses the cycle, and finds out whether it is transformed already.
func (r *run) chooseCycle() error {
	r.cycle = r.Cycle
	if r.cycle == "" {
		newest, found, err := raw.Newest(r.Root)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("%w: run mkt fetch first", reading.ErrNoCycle)
		}
		r.cycle = newest.CycleID
	}
	r.summary.Cycle = r.cycle
	before, sum, err := snapshot.OpenCanonical(r.Root, r.cycle)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case r.Cycle == "":
		r.summary.Already = true
		return r.sync()
	default:
		before.ShortTimes = before.HasShortTimes(sum)
		r.before = &before
	}
	if err := r.findPublication(); err != nil {
		return err
	}
	return r.openArchive()
}

// findPublication finds the publication of a cycle that is to be transformed again because its rows are gone.
func (r *run) findPublication() error {
	if r.before != nil || r.published.Version > 0 {
		return nil
	}
	c, found, err := output.FindPublication(r.Root, r.cycle)
	if found {
		r.published = c
		r.mustMatch = r.mustMatch || r.backfill != nil
	}
	return err
}

// sync makes a cycle durable: an earlier run may have been killed before it did.
func (r *run) sync() error {
	if err := durable.SyncFolder(r.Root, layout.Cycle(layout.CanonicalDir, r.cycle)); err != nil {
		return err
	}
	return r.Root.SyncDir(layout.CanonicalDir)
}

// openArchive opens the raw cycle, which must belong to this account and be readable.
func (r *run) openArchive() error {
	archive, err := raw.Open(r.Root, r.cycle)
	if errors.Is(err, raw.ErrNotSealed) {
		return fmt.Errorf("%w: %w; leave out --cycle for the newest", reading.ErrNoCycle, err)
	}
	if err != nil {
		return err
	}
	c := archive.Cycle()
	switch {
	case c.ClientID != r.ClientID || c.Product != r.Product:
		return fmt.Errorf("cycle %s belongs to %s %s: %w", r.cycle, c.ClientID, c.Product, raw.ErrCorrupt)
	case c.Outcome == raw.Failed:
		return fmt.Errorf("%w: the retrieval of %s failed (%s); run mkt fetch again", reading.ErrNoCycle, r.cycle, c.Code)
	case r.before != nil && r.before.DerivationVersion != r.engine.version:
		return fmt.Errorf("cycle %s: %w: version %s then, %s now; its rows are not changed: leave out --cycle for a new cycle", r.cycle, ErrRules,
			r.before.DerivationVersion, r.engine.version)
	}
	archive.Use(r.Received)
	r.archive = archive
	return nil
}
