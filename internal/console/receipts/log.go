package receipts

import (
	"fmt"
	"net/url"
	"os"

	"mkt/internal/console/choice"
	"mkt/internal/dataset"
	"mkt/internal/evidence/prove"
	"mkt/internal/receipts/commitlog"
	"mkt/internal/receipts/transparency"
	"mkt/publish/durable"
	"mkt/publish/snapshot"
)

// Log is the transparency log of a data root.
type Log struct {
	Data  string          // data root
	Files commitlog.Files // the key itself is not opened
}

// Exists reports whether the data root has a transparency log. One that cannot be read counts: its page
// says so.
func (l Log) Exists() bool {
	data, err := durable.OpenExisting(l.Data)
	if err != nil {
		return false
	}
	defer data.Close()
	_, found, err := transparency.Written(data)
	return found || err != nil
}

// HasKey reports whether a log can be begun: its verifier key is there.
func (l Log) HasKey() bool {
	if l.Files.Key == "" {
		return false
	}
	_, err := os.Stat(commitlog.PublicFile(l.Files.Key))
	return err == nil
}

// logged returns the newest publication of a dataset that is in the log; 0 if there is none, or if the log cannot be read,
// which its page says.
func (l Log) logged(d dataset.Dataset) uint64 {
	data, err := durable.OpenExisting(l.Data)
	if err != nil {
		return 0
	}
	defer data.Close()
	policy, err := prove.Policy(l.Files)
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

// Provable returns the oldest and the newest publication of which prices have receipts; 0 if there is none. The snapshot of
// the oldest is kept, and it commits to each fixture; the newest is in the log.
func (l Log) Provable(d dataset.Dataset, root durable.ReadFS) (from, to uint64) {
	if to = l.logged(d); to == 0 {
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

// ProvableMatch returns the newest publication up to a shown one from which a match has a receipt: that one, or, since
// live publications are faster than the log, the newest one in the log. It is 0 if there is none.
func (l Log) ProvableMatch(d dataset.Dataset, shown *choice.Publication) uint64 {
	if shown.Commit.FixturesRoot == "" {
		return 0
	}
	if version := min(l.logged(d), shown.Version); version >= shown.First {
		return version
	}
	return 0
}

// Link returns the address of the receipt of a price.
func Link(account string, version uint64, fixture, market, selection string) string {
	return fmt.Sprintf("/receipts/%s/%s/%s/%s?version=%d", account, url.PathEscape(fixture), url.PathEscape(market), url.PathEscape(selection), version)
}
