package commitlog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/mod/sumdb/note"

	"mkt/internal/cluster/store"
	"mkt/internal/dataset"
	"mkt/internal/receipts/transparency"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/snapshot"
)

// Options of [Run].
type Options struct {
	Data   string // data root
	Key    *transparency.Key
	Policy *transparency.Policy // nil: the log has no witnesses
	// KeyFile has the key: the largest head that was signed is remembered beside it. "" remembers none.
	KeyFile string
	Wait    time.Duration // for the witnesses, in all
	Now     func() time.Time
	Post    transparency.Post

	// Newer returns the newest commits that are not among the newest leaves of the datasets; nil: those of Store, or
	// without one, those of Data.
	Newer func(logged []transparency.Logged) ([]transparency.Record, error)

	// Store has the publications of all machines, and gets a backup of the log; nil: there is no store.
	Store *store.Store
}

// Result of a run.
type Result struct {
	Log      string  `json:"log"`
	Size     int64   `json:"size"`
	Datasets int     `json:"datasets"` // of the data root
	Added    []Added `json:"added"`
	// Failed are the datasets whose newest commit could not be added; the others were.
	Failed    []Failed                    `json:"failed"`
	Witnesses []transparency.WitnessState `json:"witnesses"`
	Cosigned  int                         `json:"cosigned"`  // witnesses of the policy that have cosigned the head
	Witnessed bool                        `json:"witnessed"` // so many that the policy is satisfied
	// Unremembered says why the head is not remembered beside the key; "" if it is.
	Unremembered string `json:"unremembered,omitempty"`
	Enough       bool   `json:"-"` // the policy is satisfied, if only because it asks for no witness
}

// Added is a leaf that was added.
type Added struct {
	ClientID    string    `json:"client_id"`
	Product     string    `json:"product"`
	Version     uint64    `json:"version"`
	PublishedAt time.Time `json:"published_at"`
}

// Failed is a dataset whose newest commit could not be added.
type Failed struct {
	ClientID string `json:"client_id"`
	Product  string `json:"product"`
	Error    string `json:"error"`
	Err      error  `json:"-"`
}

// Run adds the newest commit of every dataset that has a newer one than the log, signs the head, and
// asks the witnesses for cosignatures. It does not wait for cycles, and they do not wait for it.
func Run(ctx context.Context, o Options) (r Result, err error) {
	r = Result{Log: o.Key.Origin(), Added: []Added{}, Failed: []Failed{}, Witnesses: []transparency.WitnessState{}}
	if o.Policy != nil && !hasLog(o.Policy, o.Key) {
		return r, terminal.Usagef("the policy has no line for this log: log %s", o.Key.VerifierKey())
	}
	open := durable.OpenExisting
	if o.Store != nil {
		open = durable.OpenRoot // it may have the log alone
	}
	data, err := open(o.Data)
	if err != nil {
		return r, fmt.Errorf("data root: %w", err)
	}
	defer data.Close()
	l, err := transparency.Open(data, o.Key)
	if err != nil {
		return r, Explain(err)
	}
	defer l.Close()
	if o.Newer == nil {
		o.Newer = func(logged []transparency.Logged) ([]transparency.Record, error) {
			if o.Store != nil {
				return r.newerStored(ctx, o.Store, logged)
			}
			return r.newer(o.Data, logged)
		}
	}
	err = Explain(r.run(ctx, data, l, o))
	return r, err
}

// RunOn is [Run] on an open log, whose Options have Newer and need no data root and no store.
func RunOn(ctx context.Context, l *transparency.Log, o Options) error {
	return new(Result).run(ctx, nil, l, o)
}

// run is Run on an open log below a data root.
func (r *Result) run(ctx context.Context, data durable.ReadFS, l *transparency.Log, o Options) error {
	before, err := l.Head()
	if err != nil && !errors.Is(err, transparency.ErrNoLog) {
		return err
	}
	if err := CheckSigned(ctx, &l.View, before.Checkpoint, o.KeyFile, o.Store); err != nil {
		return err
	}
	logged, err := l.Newest()
	if err != nil {
		return err
	}
	records, err := o.Newer(logged)
	if err != nil {
		return err
	}
	asking, cancel := context.WithTimeout(ctx, o.Wait)
	defer cancel()
	if len(records) > 0 {
		if err := r.mayGrow(asking, l, o); err != nil {
			return err
		}
	}
	head, err := l.Append(records)
	if errors.Is(err, transparency.ErrNoLog) && len(records) == 0 {
		return nil // nothing was published yet
	}
	if err != nil {
		return err
	}
	r.Size = head.Size
	for _, one := range records {
		r.Added = append(r.Added, Added{one.ClientID, one.Product, one.Version, one.PublishedAt})
	}
	if err := r.remember(ctx, data, o, head); err != nil {
		return err
	}
	if o.Policy == nil {
		return nil
	}
	if head, err = r.cosign(asking, l, head, o); err != nil {
		return err
	}
	_, by, enough, err := o.Policy.Check(head.Note)
	r.Cosigned, r.Enough, r.Witnessed = len(by), enough, enough && len(by) > 0
	return errors.Join(err, l.Refused(head.Checkpoint, r.Witnesses, o.Policy))
}

// mayGrow asks the witnesses about the head before it grows: a head that was signed for an older copy
// of the log would be a second history for ever.
func (r *Result) mayGrow(ctx context.Context, l *transparency.Log, o Options) error {
	if o.Policy == nil {
		return nil
	}
	head, err := l.Head()
	if errors.Is(err, transparency.ErrNoLog) {
		return nil
	}
	if err != nil {
		return err
	}
	r.Size = head.Size
	half, cancel := context.WithTimeout(ctx, o.Wait/2)
	defer cancel()
	_, states, err := l.Cosign(half, o.Post, o.Policy, o.Now)
	r.Witnesses = states
	return errors.Join(err, l.Refused(head.Checkpoint, states, o.Policy))
}

// cosign asks the witnesses, unless all of them have cosigned the head.
func (r *Result) cosign(ctx context.Context, l *transparency.Log, head transparency.Signed, o Options) (transparency.Signed, error) {
	states, err := l.Witnesses()
	if err != nil {
		return head, err
	}
	due := slices.ContainsFunc(o.Policy.Witnesses, func(w transparency.PolicyWitness) bool {
		return w.URL != "" && !slices.ContainsFunc(states, func(s transparency.WitnessState) bool {
			return s.Name == w.Alias && s.Size == head.Size && s.Since == nil && s.CosignedAt != nil
		})
	})
	if due {
		head, states, err = l.Cosign(ctx, o.Post, o.Policy, o.Now)
	}
	r.Witnesses = append([]transparency.WitnessState{}, states...)
	return head, err
}

func hasLog(p *transparency.Policy, key *transparency.Key) bool {
	own, err := note.NewVerifier(key.VerifierKey())
	return err == nil && slices.ContainsFunc(p.Logs, func(l transparency.PolicyLog) bool {
		return l.Name() == own.Name() && l.KeyHash() == own.KeyHash()
	})
}

// newer returns the newest commits of a data root that are not in the log.
func (r *Result) newer(data string, logged []transparency.Logged) ([]transparency.Record, error) {
	list, err := dataset.List(data, dataset.Filter{})
	if errors.Is(err, dataset.ErrNoData) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r.Datasets = len(list)
	known := ByDataset(data, logged)
	var records []transparency.Record
	for _, d := range list {
		c, isNew, err := newest(d, known[d])
		records = r.add(records, d, c, isNew, err)
	}
	return records, nil
}

// add adds the newest commit of a dataset, if it is new, or the error of looking for it.
func (r *Result) add(records []transparency.Record, d dataset.Dataset, c snapshot.Commit, isNew bool, err error) []transparency.Record {
	switch {
	case err != nil:
		r.Failed = append(r.Failed, Failed{d.Tenant, string(d.Product), err.Error(), Explain(fmt.Errorf("%s: %w", d, err))})
	case isNew:
		records = append(records, transparency.Record{ClientID: d.Tenant, Product: string(d.Product), HistoryID: c.HistoryID, Version: c.Version, CommitSHA256: c.SHA256, PublishedAt: c.PublishedAt})
	}
	return records
}

// newest is [Newest] of a dataset. The commit is durable if it is new.
func newest(d dataset.Dataset, last transparency.Logged) (c snapshot.Commit, isNew bool, err error) {
	root, err := d.Open()
	if err != nil {
		return c, false, err
	}
	defer root.Close()
	c, isNew, err = Newest(root, last)
	if err != nil || !isNew {
		return c, false, err
	}
	return c, true, snapshot.EnsureDurable(root, c)
}

// Errors of [Newest].
var (
	// ErrOlder: a data root, or an object store, has an older publication than the log.
	ErrOlder = errors.New("the data root is an older copy")
	// ErrRewritten: a data root has other publications than the log.
	ErrRewritten = errors.New("its history was rewritten")
)

// Newest returns the newest commit of a dataset, and whether the log does not have it; its version is 0 if there
// is none. The commit of its last leaf, which is zero if there is none, must be an ancestor of it, or its history must
// have begun after that leaf: the account was deleted and added again, or mkt recover began a new history. Else the
// error is [ErrOlder] or [ErrRewritten]. It writes nothing.
func Newest(root durable.ReadFS, last transparency.Logged) (c snapshot.Commit, isNew bool, err error) {
	c, _, fault, err := snapshot.HeadAndFault(root)
	if err = errors.Join(err, fault); err != nil {
		return c, false, err
	}
	isNew, err = continues(root, c, last)
	return c, isNew, err
}

// continues reports whether a commit is newer than the last leaf of its dataset. The error is that of [Newest].
func continues(root durable.ReadFS, c snapshot.Commit, last transparency.Logged) (isNew bool, err error) {
	if last.Version == 0 {
		return c.Version > 0, nil
	}
	descended, err := descends(root, c, last)
	switch {
	case descended:
		return c.SHA256 != last.CommitSHA256, nil
	case c.Version > 0 && Began(root, c).PublishedAt.After(last.PublishedAt):
		return true, nil
	case c.Version < last.Version:
		err = fmt.Errorf("the log has its publication %d, and the newest here is %d: %w", last.Version, c.Version, ErrOlder)
	case err == nil:
		err = fmt.Errorf("publication %d does not continue publication %d that was logged: %w (mkt log audit)", c.Version, last.Version, ErrRewritten)
	}
	return false, err
}

// descends reports whether the commit of a leaf is an ancestor of the newest one, or that one. A root that begins later
// than the leaf, as a copy from an object store may, shows nothing else.
func descends(root durable.ReadFS, newest snapshot.Commit, last transparency.Logged) (bool, error) {
	if newest.Version < last.Version {
		return false, nil
	}
	sum := newest.SHA256
	for c, err := range snapshot.Backward(root, newest) {
		if c.Version == last.Version {
			return sum == last.CommitSHA256, nil
		}
		if err != nil || c.SHA256 != sum {
			return false, err
		}
		sum = c.PreviousSHA256
	}
	return true, nil
}

// Began returns the first publication of the history of the newest one; zero if it cannot be read.
func Began(root durable.ReadFS, newest snapshot.Commit) snapshot.Commit {
	_, first, err := snapshot.Search(root, newest, func(c snapshot.Commit) bool { return c.HistoryID == newest.HistoryID })
	if err != nil {
		return snapshot.Commit{}
	}
	return first
}

// beginAnew says how a new log is begun.
const beginAnew = "move log and leaves out of the data root, make a key for a new name with mkt log init, and give its verifier key to the witnesses and to all who check receipts; keep the old log for its receipts"

// NextStep says what to do about an error of the log; "" if that is not known.
func NextStep(err error) string {
	switch {
	case errors.Is(err, ErrOlder), errors.Is(err, ErrRewritten):
		return "restore the newest copy of its data; if it is lost, begin a new history (mkt recover --new-history), which the log takes"
	case errors.Is(err, transparency.ErrAhead):
		return "restore log and leaves from the newest copy; if there is none, begin a new log: " + beginAnew
	case errors.Is(err, transparency.ErrFork):
		return "keep all copies of it, find out which one was changed with mkt log audit, and begin a new log: " + beginAnew
	case errors.Is(err, transparency.ErrRefused):
		return "restore log and leaves from the newest copy; if they are the newest, get from the witness the checkpoint that it cosigned last, and see with mkt log audit --from whether the log continues it"
	case errors.Is(err, transparency.ErrOtherKey):
		return "restore that key from a copy; if it is lost, begin a new log: " + beginAnew
	case errors.Is(err, transparency.ErrDamaged):
		return "find all damage: mkt log audit; restore the file from a copy of log or leaves"
	}
	return ""
}

// Explain adds the next step to an error of the log.
func Explain(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, durable.ErrLocked) {
		return fmt.Errorf("log: %w: another mkt log or mkt schedule adds to it; try again later", durable.ErrLocked)
	}
	if next := NextStep(err); next != "" {
		return fmt.Errorf("log: %w: %s", err, next)
	}
	return fmt.Errorf("log: %w", err)
}
