package console

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"time"

	"mkt/internal/dataset"
	"mkt/internal/evidence/explain"
	"mkt/internal/evidence/prove"
	"mkt/internal/receipts/commitlog"
	"mkt/internal/receipts/receipt"
	"mkt/internal/receipts/transparency"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/snapshot"
)

// hasLog reports whether the data root has a transparency log. One that cannot be read counts: its page
// says so.
func (c *Console) hasLog() bool {
	data, err := durable.OpenExisting(c.Data)
	if err != nil {
		return false
	}
	defer data.Close()
	_, found, err := transparency.Written(data)
	return found || err != nil
}

// hasLogKey reports whether a log can be begun: its verifier key is there.
func (c *Console) hasLogKey() bool {
	if c.LogFiles.Key == "" {
		return false
	}
	_, err := os.Stat(commitlog.PublicFile(c.LogFiles.Key))
	return err == nil
}

// logged returns the newest publication of a dataset that is in the log; 0 if there is none, or if the log cannot be read,
// which its page says.
func (c *Console) logged(d dataset.Dataset) uint64 {
	data, err := durable.OpenExisting(c.Data)
	if err != nil {
		return 0
	}
	defer data.Close()
	policy, err := prove.Policy(c.LogFiles)
	if err != nil {
		return 0
	}
	log, head, err := policy.OpenLog(data)
	if err != nil {
		return 0
	}
	logged, err := log.Newest(head.Checkpoint)
	if err != nil {
		return 0
	}
	return commitlog.ByDataset(d.Data, logged)[d].Version
}

// provable returns the oldest and the newest publication of which prices have receipts; 0 if there is none. The snapshot of
// the oldest is kept, and it commits to each fixture; the newest is in the log.
func (c *Console) provable(d dataset.Dataset, root durable.ReadFS) (from, to uint64) {
	if to = c.logged(d); to == 0 {
		return 0, 0
	}
	head, found, err := snapshot.Head(root)
	if err != nil || !found {
		return 0, 0
	}
	_, first, err := snapshot.Search(root, head, func(one snapshot.Commit) bool {
		kept, err := snapshot.IsKept(root, one)
		return one.FixturesRoot != "" && (kept || err != nil)
	})
	if err != nil { // a record of the past is damaged
		return head.Version, to
	}
	return first.Version, to
}

// provableMatch returns the newest publication up to a shown one from which a match has a receipt: that one, or, since
// live publications are faster than the log, the newest one in the log. It is 0 if there is none.
func (c *Console) provableMatch(d dataset.Dataset, shown *publication) uint64 {
	if shown.commit.FixturesRoot == "" {
		return 0
	}
	if version := min(c.logged(d), shown.Version); version >= shown.First {
		return version
	}
	return 0
}

func receiptLink(account string, version uint64, fixture, market, selection string) string {
	return fmt.Sprintf("/receipts/%s/%s/%s/%s?version=%d", account, url.PathEscape(fixture), url.PathEscape(market), url.PathEscape(selection), version)
}

// receipt sends the receipt of a price, or of a match in play, as a file.
func (c *Console) receipt(w http.ResponseWriter, r *http.Request) {
	if !isOwnRequest(r) { // a page of another site must not make the console read publications
		c.fail(w, r, badRequest("Receipts are only sent to the pages of this console."))
		return
	}
	made, err := c.makeReceipt(r)
	if err != nil {
		c.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Disposition", `attachment; filename="`+cmp.Or(made.SelectionID, made.FixtureID)+`.receipt"`)
	_, _ = w.Write(made.Encode()) // the browser has gone
}

func (c *Console) makeReceipt(r *http.Request) (*receipt.Receipt, error) {
	wanted := prove.Wanted{Fixture: r.PathValue("fixture"), Market: r.PathValue("market"), Selection: r.PathValue("selection"), At: snapshot.Newest}
	product, path := football.MarketEngine, wanted.Fixture+"/"+wanted.Market+"/"+wanted.Selection
	if wanted.Selection == "" {
		product, path = football.LiveIntelligence, wanted.Fixture
	}
	var err error
	if wanted.Dataset, err = c.dataset(r.PathValue("account"), string(product)); err != nil {
		return nil, err
	}
	target, err := explain.ParseTarget(path)
	if f, m, s := target.IDs(); err != nil || f != wanted.Fixture || m != wanted.Market || s != wanted.Selection {
		return nil, notFound("%.200q is not the id of a fixture, or has not those of a selection.", path)
	}
	if text := r.URL.Query().Get("version"); text != "" {
		version, err := strconv.ParseUint(text, 10, 64)
		if err != nil || version == 0 {
			return nil, badRequest("version=%.20s is not the version of a publication.", text)
		}
		wanted.At = snapshot.Numbered(version)
	}
	if wanted.Policy, err = prove.Policy(c.LogFiles); err != nil {
		return nil, err
	}
	made, _, err := prove.Make(wanted)
	switch {
	case err == nil:
		return made, nil
	case prove.IsUnknown(err), errors.Is(err, explain.ErrDeleted), errors.Is(err, transparency.ErrNoLog), errors.Is(err, transparency.ErrNotLogged), errors.Is(err, receipt.ErrNoRoot):
		return nil, &problem{http.StatusNotFound, "No receipt", "There is no receipt of " + cmp.Or(wanted.Selection, wanted.Fixture) + ": " + prove.Remedy(err).Error() + "."}
	}
	return nil, prove.Remedy(err)
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

func (c *Console) receipts(*http.Request) (view, error) {
	b := &receiptsBody{}
	v := view{Page: "receipts", Section: "receipts", Title: "Receipts", Body: b}
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

func (b *receiptsBody) read(c *Console, data durable.ReadFS) error {
	policy, err := prove.Policy(c.LogFiles)
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
