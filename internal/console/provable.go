package console

import (
	"fmt"
	"net/url"
	"os"

	"mkt/internal/dataset"
	"mkt/internal/evidence/prove"
	"mkt/internal/receipts/commitlog"
	"mkt/internal/receipts/transparency"
	"mkt/publish/durable"
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
