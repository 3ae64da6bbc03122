package commitlog

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"mkt/internal/dataset"
	"mkt/internal/receipts/transparency"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/snapshot"
)

// Audit is the result of an audit of the log.
type Audit struct {
	Log     string  `json:"log"`
	Size    int64   `json:"size"`
	Root    string  `json:"root"`
	From    []int64 `json:"from"`    // sizes of the older checkpoints that were compared
	Entries int64   `json:"entries"` // that lead to the root
	Leaves  int     `json:"leaves"`  // that were compared with their entries
	Commits int     `json:"commits"` // logged publications that were found in the data root
	Shown   int     `json:"shown"`   // leaves of receipts that were compared
	Faults  []Fault `json:"faults"`
	// NotChecked says what could not be checked, and why.
	NotChecked []string `json:"not_checked"`
}

// Fault is something in the log, or in the data root, that is not as it was logged.
type Fault struct {
	ClientID string `json:"client_id,omitempty"`
	Product  string `json:"product,omitempty"`
	Version  uint64 `json:"version,omitempty"`
	What     string `json:"what"`
}

// AuditOptions say what a log is compared with.
type AuditOptions struct {
	Older  []transparency.Checkpoint // which must have been verified
	Shown  []transparency.ShownLeaf  // of receipts
	Data   string                    // the data root whose publications are compared; "" for a log without one
	Shared bool                      // other machines publish too, and may have newer publications
	// Deletions are the times at which accounts were deleted, by id; nil if they are not known.
	Deletions map[string][]time.Time
}

// AuditLog audits a log up to its head.
func AuditLog(v *transparency.View, head transparency.Signed, o AuditOptions) (Audit, error) {
	a := Audit{Log: head.Origin, Size: head.Size, Root: head.Root.String(), From: []int64{}, Faults: []Fault{}, NotChecked: []string{}}
	for _, c := range o.Older {
		a.From = append(a.From, c.Size)
	}
	logged := map[[2]string][]leaf{}
	done, err := v.Audit(head.Checkpoint, o.Older, func(index int64, r *transparency.Record) {
		a.Leaves++
		dataset := [2]string{r.ClientID, r.Product}
		list := logged[dataset]
		n := len(list)
		if n > 0 && list[n-1].version >= r.Version && r.PublishedAt.After(list[n-1].published) {
			a.anew(dataset, index, r.Version, o, list[n-1].published, r.PublishedAt)
			list, n = nil, 0
		}
		if n > 0 && list[n-1].version >= r.Version {
			a.fault(dataset, r.Version, "leaf %d: it comes after version %d", index, list[n-1].version)
			return
		}
		logged[dataset] = append(list, leaf{index, r.Version, r.CommitSHA256, r.PublishedAt})
	})
	if err != nil {
		return a, err
	}
	a.Entries = done.Entries
	for _, f := range done.Faults {
		a.fault([2]string{}, 0, "%v", f)
	}
	shown, err := v.AuditShown(head.Checkpoint, o.Shown)
	if err != nil {
		return a, err
	}
	a.Shown = len(o.Shown)
	for _, f := range shown {
		a.fault([2]string{}, 0, "%v", f)
	}
	if len(o.Older) == 0 {
		a.skip("whether the log was rewritten as a whole: an older checkpoint shows it (--from)")
	}
	if !done.Leaves {
		a.skip("whose publications the entries are, and whether each continues the one before: the leaves are not here; receipts show those of a dataset (--receipt)")
	}
	if o.Data == "" {
		a.skip("whether the publications are still those that were logged: there is no data root")
		return a, nil
	}
	return a, a.commits(logged, o)
}

// anew notes that the publications of a dataset begin anew between two times, with a leaf. It is a fault if the
// account is known not to have been deleted then.
func (a *Audit) anew(dataset [2]string, index int64, version uint64, o AuditOptions, after, before time.Time) {
	deleted := slices.ContainsFunc(o.Deletions[dataset[0]], func(at time.Time) bool { return at.After(after) && at.Before(before) })
	name := strings.Join(dataset[:], " ")
	switch {
	case deleted:
		a.skip("%s before leaf %d: the account was deleted then, as its audit log says, and added again", name, index)
	case o.Deletions != nil:
		a.fault(dataset, version, "from leaf %d on its publications begin anew, and the audit log of the accounts has no deletion of it then: its history was rewritten", index)
	default:
		a.skip("%s before leaf %d: its publications begin anew: the account was deleted and added again, or its history was rewritten; the audit log of the accounts tells", name, index)
	}
}

// leaf is a publication that was logged.
type leaf struct {
	index     int64
	version   uint64
	sum       string
	published time.Time
}

func (a *Audit) fault(dataset [2]string, version uint64, format string, args ...any) {
	a.Faults = append(a.Faults, Fault{dataset[0], dataset[1], version, fmt.Sprintf(format, args...)})
}

func (a *Audit) skip(format string, args ...any) {
	a.NotChecked = append(a.NotChecked, fmt.Sprintf(format, args...))
}

// commits compares the logged publications with the data root.
func (a *Audit) commits(logged map[[2]string][]leaf, o AuditOptions) error {
	order := slices.SortedFunc(maps.Keys(logged), func(x, y [2]string) int { return slices.Compare(x[:], y[:]) })
	for _, of := range order {
		d := dataset.Dataset{Data: o.Data, Tenant: of[0], Product: football.Product(of[1])}
		root, err := d.Open()
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("the data root does not have it")
		}
		if err != nil {
			a.skip("%s, logged in %s: %v", d, terminal.Plural(len(logged[of]), "publication"), err)
			continue
		}
		err = a.chain(root, of, logged[of], o)
		root.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", d, err)
		}
	}
	return nil
}

// chain compares the logged publications of a dataset with its commit records, newest first, and each
// record with the one that follows it.
func (a *Audit) chain(root durable.ReadFS, dataset [2]string, list []leaf, o AuditOptions) error {
	head, found, fault, err := snapshot.HeadAndFault(root)
	if err != nil {
		return err
	}
	if fault != nil {
		a.fault(dataset, 0, "the newest commit record: %v", fault)
	}
	if first, err := snapshot.ReadCommit(root, 1); err == nil && len(list) > 0 && first.PublishedAt.After(list[0].published) {
		a.anew(dataset, list[0].index, list[0].version, o, list[0].published, first.PublishedAt)
		list = slices.DeleteFunc(list, func(l leaf) bool { return first.PublishedAt.After(l.published) })
	}
	for n := len(list); n > 0 && (!found || list[n-1].version > head.Version || o.Shared && list[n-1].published.After(head.PublishedAt)); n = len(list) {
		if o.Shared {
			a.skip("%s, version %d: this data root ends with %d, and the object store may have it (mkt pull)", strings.Join(dataset[:], " "), list[n-1].version, head.Version)
			list = list[:n-1]
			continue
		}
		a.fault(dataset, list[n-1].version, "leaf %d has it, and the data root ends with %d", list[n-1].index, head.Version)
		list = list[:n-1]
	}
	next := "" // hash that the record after has for this one
	for c, err := range snapshot.Backward(root, head) {
		if len(list) == 0 {
			return nil
		}
		last := list[len(list)-1]
		switch {
		case err != nil:
			a.fault(dataset, c.Version, "its commit record: %v", err)
		case c.Version == last.version && c.SHA256 != last.sum:
			a.fault(dataset, c.Version, "leaf %d has another hash of it: its history was rewritten", last.index)
		case next != "" && next != c.SHA256:
			a.fault(dataset, c.Version, "the commit record after it has another hash of it")
		case c.Version == last.version:
			a.Commits++
		}
		if c.Version == last.version {
			list = list[:len(list)-1]
		}
		if next = ""; err == nil {
			next = c.PreviousSHA256
		}
	}
	if len(list) > 0 {
		a.skip("%s, versions %d to %d: the data root begins later", strings.Join(dataset[:], " "), list[0].version, list[len(list)-1].version)
	}
	return nil
}

// LogOnly makes a copy of the folder log alone readable as a data root.
type LogOnly struct{ durable.ReadFS }

// within returns the name below the copy.
func (LogOnly) within(name string) (string, bool) {
	if name == "log" {
		return ".", true
	}
	return strings.CutPrefix(name, "log/")
}

// Open implements [durable.ReadFS].
func (l LogOnly) Open(name string) (durable.Reader, error) {
	below, ok := l.within(name)
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return l.ReadFS.Open(below)
}

// ReadDir implements [durable.ReadFS].
func (l LogOnly) ReadDir(name string) ([]fs.DirEntry, error) {
	below, ok := l.within(name)
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return l.ReadFS.ReadDir(below)
}

// Stat implements [durable.ReadFS].
func (l LogOnly) Stat(name string) (fs.FileInfo, error) {
	below, ok := l.within(name)
	if !ok {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return l.ReadFS.Stat(below)
}
