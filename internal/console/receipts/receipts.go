// Package receipts has the page of the transparency log, and sends receipts.
package receipts

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"time"

	"mkt/internal/console/choice"
	"mkt/internal/console/frame"
	"mkt/internal/dataset"
	"mkt/internal/evidence/prove"
	"mkt/internal/receipts/commitlog"
	"mkt/internal/receipts/transparency"
	"mkt/internal/terminal"
	"mkt/publish/durable"
)

//go:embed *.html
var Templates embed.FS

// Pages are the pages of the section.
type Pages struct {
	*choice.Reader
	Frame  *frame.Frame
	Log    Log
	Stored bool // publications are in an object store
}

// receiptsBody is the content of the page of the log.
type receiptsBody struct {
	Log       string    // its name; "" if nothing was logged yet
	Size      int64     // leaves
	Written   time.Time // the head
	Datasets  []loggedDataset
	Witnesses []transparency.WitnessState
	Cosigned  int  // witnesses of the policy that have cosigned the head
	Enough    bool // the policy is satisfied; it may ask for no witness
}

// loggedDataset is a dataset with its newest leaf.
type loggedDataset struct {
	Account, Product string
	Logged, Newest   uint64 // versions; 0 for none
	Index            int64  // of the leaf
	Gone             bool   // the data root does not have it
	Problem          string
}

// Behind returns how many publications the log does not have yet.
func (d loggedDataset) Behind() uint64 { return d.Newest - min(d.Logged, d.Newest) }

func (c *Pages) Receipts(*http.Request) (frame.View, error) {
	b := &receiptsBody{}
	v := frame.View{Page: "receipts", Section: "receipts", Title: "Receipts", Body: b}
	data, err := durable.OpenExisting(c.Data)
	if errors.Is(err, fs.ErrNotExist) {
		return v, nil
	}
	if err != nil {
		return v, fmt.Errorf("data root: %w", err)
	}
	defer data.Close()
	written, found, err := transparency.Written(data)
	if err != nil || !found {
		return v, commitlog.Explain(err)
	}
	b.Written = written
	return v, b.read(c, data)
}

func (b *receiptsBody) read(c *Pages, data durable.ReadFS) error {
	policy, err := prove.Policy(c.Log.Files)
	if err != nil {
		return err
	}
	log, head, err := policy.OpenLog(data)
	if err != nil {
		return commitlog.Explain(err)
	}
	b.Log, b.Size = head.Origin, head.Size
	logged, err := log.Newest(head.Checkpoint)
	if err == nil {
		b.Witnesses, err = log.Witnesses()
	}
	if err != nil {
		return commitlog.Explain(err)
	}
	if b.Datasets, err = compared(c.Data, logged, c.Stored); err != nil {
		return err
	}
	_, by, enough, err := policy.Check(head.Note)
	b.Cosigned, b.Enough = len(by), enough
	return err
}

// compared returns the datasets of a data root, and those of the log, by account and product. shared says that
// other machines publish too, and may have newer publications.
func compared(data string, logged []transparency.Logged, shared bool) (list []loggedDataset, err error) {
	datasets, err := dataset.List(data, dataset.Filter{})
	if err != nil && !errors.Is(err, dataset.ErrNoData) {
		return nil, err
	}
	known := commitlog.ByDataset(data, logged)
	for _, d := range datasets {
		last := known[d]
		delete(known, d)
		root, err := d.Open()
		if err != nil {
			return nil, err
		}
		newest, _, err := commitlog.Newest(root, last)
		if shared && errors.Is(err, commitlog.ErrOlder) {
			err = nil
		}
		list = append(list, loggedDataset{Account: d.Tenant, Product: string(d.Product), Logged: last.Version, Index: last.Index,
			Newest: newest.Version, Problem: terminal.Message(errors.Join(err, root.Close()))})
	}
	for _, l := range known {
		list = append(list, loggedDataset{Account: l.ClientID, Product: l.Product, Logged: l.Version, Index: l.Index, Gone: true})
	}
	slices.SortFunc(list, func(a, b loggedDataset) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Product, b.Product))
	})
	return list, nil
}
