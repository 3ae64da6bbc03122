// Package prove makes receipts of prices and of matches in play from a data root. It opens no private key.
package prove

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"

	"mkt/fetch/raw"
	"mkt/internal/dataset"
	"mkt/internal/evidence/explain"
	"mkt/internal/evidence/find"
	"mkt/internal/receipts/commitlog"
	"mkt/internal/receipts/receipt"
	"mkt/internal/receipts/transparency"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// Wanted says of which price a receipt is made, or, in a live dataset, of which fixture.
type Wanted struct {
	Dataset   dataset.Dataset
	Fixture   string // "" looks it up
	Market    string // "" looks it up
	Selection string
	At        snapshot.Moment
	Policy    *transparency.Policy
	Payload   bool // add the provider's answer that the price was read from
}

// Policy reads the policy. Without one, the log is that of the verifier key beside the log's key, and
// needs no witness.
func Policy(files commitlog.Files) (*transparency.Policy, error) {
	if files.Policy != "" {
		return commitlog.LoadPolicy(files.Policy)
	}
	key, err := commitlog.LoadPublic(files.Key)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: mkt log init NAME makes it, or --policy names the log", err)
	}
	if err != nil {
		return nil, err
	}
	return transparency.ParsePolicy([]byte("log " + key + "\nquorum none\n"))
}

// Make makes a receipt, and checks it. The errors are those of [receipt.Make], those for which
// [IsUnknown] holds, and [explain.ErrDeleted].
func Make(w Wanted) (*receipt.Receipt, *receipt.Result, error) {
	root, err := w.Dataset.Open()
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	data, err := durable.OpenExisting(w.Dataset.Data)
	if err != nil {
		return nil, nil, fmt.Errorf("data root: %w", err)
	}
	defer data.Close()
	c, err := snapshot.Find(root, w.At)
	if err != nil {
		return nil, nil, err
	}
	if w.Dataset.Product == football.LiveIntelligence {
		err = w.hasMatches(root, c)
	} else {
		err = w.findPrice(root, c)
	}
	if err != nil {
		return nil, nil, err
	}
	wanted := receipt.Wanted{Root: root, Data: data, ClientID: w.Dataset.Tenant, Product: w.Dataset.Product, Commit: c,
		FixtureID: w.Fixture, MarketID: w.Market, Selection: w.Selection, Policy: w.Policy}
	if w.Payload {
		wanted.Answer = func(sum string) ([]byte, error) { return answerWith(root, c, sum) }
	}
	return receipt.Make(wanted)
}

// findPrice looks up the fixture and the market of the selection, if they are not given. The snapshot must be kept.
func (w *Wanted) findPrice(root durable.ReadFS, c snapshot.Commit) error {
	kept, err := snapshot.IsKept(root, c)
	if err != nil {
		return err
	}
	if !kept {
		return fmt.Errorf("the snapshot of version %d (%s) was %w: a receipt needs its rows; make receipts while the publication is kept (retention.snapshot_age)", c.Version, c.CycleID, explain.ErrDeleted)
	}
	m, err := snapshot.Open(root, c)
	if err != nil {
		return err
	}
	if w.Fixture == "" {
		if w.Fixture, err = snapshot.FixtureWith(root, c, m, cmp.Or(w.Market, w.Selection)); err != nil {
			return err
		}
	}
	if w.Market == "" {
		_, markets, _, err := snapshot.FixtureOf(root, c, m, w.Fixture)
		if err != nil {
			return err
		}
		w.Market = marketWith(markets, w.Selection)
	}
	return nil
}

// hasMatches returns [explain.ErrDeleted] if the rows of a live publication are deleted. Its raw cycle is kept longer.
func (w *Wanted) hasMatches(root durable.ReadFS, c snapshot.Commit) error {
	_, _, err := snapshot.LiveFolder(root, c)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the rows of version %d (%s) were %w: while its raw cycle is kept, and those of its matches before it (retention.cycle_age), mkt transform --tenant %s --product %s --cycle %s makes them again for a receipt",
			c.Version, c.CycleID, explain.ErrDeleted, w.Dataset.Tenant, w.Dataset.Product, c.CycleID)
	}
	return err
}

func marketWith(markets []table.MarketRow, selection string) string {
	for _, m := range markets {
		for _, s := range m.Selections {
			if s.SelectionID == selection {
				return m.MarketID
			}
		}
	}
	return ""
}

// answerWith returns the archived answer with a hash, of the publication's cycle or of one before it.
func answerWith(root durable.ReadFS, newest snapshot.Commit, sum string) ([]byte, error) {
	for c, err := range snapshot.Backward(root, newest) {
		if err != nil {
			return nil, err
		}
		a, err := raw.Open(root, c.CycleID)
		if errors.Is(err, raw.ErrNotSealed) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, r := range a.Responses() {
			if r.SHA256 == sum {
				return a.Body(r)
			}
		}
	}
	return nil, fmt.Errorf("--payload: the answer with the hash %s is not kept any more (retention.cycle_age); without --payload there is a receipt", sum)
}

// IsUnknown reports whether there is no such publication, fixture, market or selection.
func IsUnknown(err error) bool {
	return errors.Is(err, receipt.ErrUnknown) || errors.Is(err, receipt.ErrUnknownMatch) || errors.Is(err, find.ErrUnknown) || errors.Is(err, snapshot.ErrUnknown)
}

// Remedy adds the next step to an error.
func Remedy(err error) error {
	switch {
	case errors.Is(err, transparency.ErrNoLog):
		return fmt.Errorf("%w: mkt log begins it", err)
	case errors.Is(err, transparency.ErrNotLogged):
		return terminal.AsTemporary(fmt.Errorf("%w: mkt log logs it; try again then", err))
	case errors.Is(err, receipt.ErrTooLarge):
		return fmt.Errorf("%w: leave out --payload, or try a publication that mkt log logged sooner", err)
	case errors.Is(err, receipt.ErrRewritten):
		return fmt.Errorf("%w: mkt log audit says which", err)
	}
	return err
}
