package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mkt/internal/cluster/store"
	"mkt/internal/dataset"
	"mkt/internal/receipts/commitlog"
	"mkt/internal/receipts/transparency"
	"mkt/internal/terminal"
	"mkt/publish/durable"
	"mkt/publish/snapshot"
)

// logBehind is how long a publication, or a cosignature of a head, may take to come. A run is due every
// minute.
const logBehind = 10 * time.Minute

// log checks the transparency log, if there is one or its verifier key. With an object store, another machine may keep
// it.
func (d *doctor) log(ctx context.Context) {
	if d.LogKey == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	data, err := durable.OpenExisting(d.Data)
	if err != nil {
		return // a finding of dataRoot, or there is none yet
	}
	defer data.Close()
	at := place{file: filepath.Join(d.Data, "log", "checkpoint")}
	signed, missing := data.Stat("log/checkpoint")
	begun := !errors.Is(missing, fs.ErrNotExist)
	if _, elsewhere := os.Stat(d.LogKey); elsewhere != nil && d.Store != nil && !begun {
		return
	}
	verifiers, unknown := commitlog.Verifiers(commitlog.Files{Key: d.LogKey, Policy: d.LogPolicy})
	if unknown != nil {
		if begun && !d.Keyless {
			d.bad(Warn, "LOG_DAMAGED", "log", at, "restore "+terminal.Quote(commitlog.PublicFile(d.LogKey))+" from a copy", "its key is not known here: %v", unknown)
		}
		return
	}
	var view *transparency.View
	var head transparency.Signed
	for _, v := range verifiers {
		view = transparency.NewView(data, v)
		if head, err = view.Head(); !errors.Is(err, transparency.ErrOtherKey) {
			break
		}
	}
	if err != nil && !errors.Is(err, transparency.ErrNoLog) {
		d.damagedLog(at, err)
		return
	}
	var s *store.Store
	if d.Store != nil {
		if s, err = d.Store(ctx); err != nil {
			return // a finding of objectStore
		}
	}
	if err := commitlog.CheckSigned(ctx, view, head.Checkpoint, d.LogKey, s); errors.Is(err, transparency.ErrAhead) || errors.Is(err, transparency.ErrFork) {
		d.damagedLog(at, err)
		return
	}
	d.behind(ctx, s, view, head)
	if begun && missing == nil {
		d.witnesses(view, head, signed.ModTime(), at)
	}
}

func (d *doctor) damagedLog(at place, err error) {
	if errors.Is(err, fs.ErrPermission) {
		d.unreadable("log", at, err)
		return
	}
	d.bad(Fail, "LOG_DAMAGED", "log", at, cmp.Or(commitlog.NextStep(err), "find all damage: "+d.mkt("log audit")+"; restore the file from a copy of log or leaves"), "%v", err)
}

// behind looks for publications that were not added to the log: those of the store, or without one, of this machine.
func (d *doctor) behind(ctx context.Context, s *store.Store, view *transparency.View, head transparency.Signed) {
	logged, err := view.Newest(head.Checkpoint)
	if err != nil {
		d.damagedLog(place{file: filepath.Join(d.Data, "leaves")}, err)
		return
	}
	known := commitlog.ByDataset(d.Data, logged)
	var late []string
	var oldest time.Duration
	for _, r := range d.roots {
		if s == nil && r.head == nil || s != nil && r.stored == nil {
			continue
		}
		last := known[dataset.Dataset{Data: d.Data, Tenant: r.id, Product: r.product}]
		var head snapshot.Commit
		var isNew bool
		var records durable.ReadFS = r.fs
		if s == nil {
			head, isNew, err = commitlog.Newest(r.fs, last)
		} else {
			records = s.Dataset(r.id, r.product).Records(ctx)
			head, isNew, err = commitlog.NewestStored(ctx, s.Dataset(r.id, r.product), last)
		}
		if err != nil {
			fix := "restore the newest copy of its data; if it is lost, begin a new history, which the log takes: " + d.recover(r, "--new-history")
			d.bad(Fail, "LOG_REFUSED", "log", r.at(""), fix, "%v", err)
			continue
		}
		if !isNew {
			d.ok("log", r.at(""), "publication %d is in the transparency log", head.Version)
			continue
		}
		next := last.Version + 1
		if began := commitlog.Began(records, head); began.PublishedAt.After(last.PublishedAt) {
			next = began.Version
		}
		// The newest one of live data is always young.
		first, err := snapshot.ReadCommit(records, next)
		if err != nil {
			first = head
		}
		age := d.now.Sub(first.PublishedAt)
		if age <= logBehind {
			d.ok("log", r.at(""), "publication %d is young, and not yet in the transparency log", head.Version)
			continue
		}
		oldest = max(oldest, age)
		late = append(late, fmt.Sprintf("%s %s %d to %d", r.id, r.product, first.Version, head.Version))
	}
	if len(late) > 0 { // the cause is the same for all: the run that logs them
		d.bad(Warn, "LOG_BEHIND", "log", place{file: d.Data}, d.mkt("log")+"; then look at the log of mkt schedule on the machine with the key",
			"publications of %s are not in the transparency log, and the first of them is %s old: %s", terminal.Plural(len(late), "dataset"), ago(oldest), strings.Join(late, ", "))
	}
}

// witnesses checks that enough witnesses have cosigned the head, which was written at a time.
func (d *doctor) witnesses(view *transparency.View, head transparency.Signed, written time.Time, at place) {
	policy, err := commitlog.LoadPolicy(d.LogPolicy)
	if err != nil {
		d.bad(Fail, "LOG_UNWITNESSED", "log", place{file: d.LogPolicy}, "correct the file, or log_policy in mkt.yaml; until then nothing is added to the log", "%v", err)
		return
	}
	if policy == nil {
		d.ok("log", at, "%s, without witnesses", terminal.Plural(int(head.Size), "publication"))
		return
	}
	states, err := view.Witnesses()
	if err != nil {
		d.damagedLog(place{file: filepath.Join(d.Data, "leaves")}, err)
		return
	}
	_, by, enough, err := policy.Check(head.Note)
	if err != nil {
		d.bad(Fail, "LOG_UNWITNESSED", "log", place{file: d.LogPolicy}, "add the line of this log to the policy: log, and the content of "+terminal.Quote(commitlog.PublicFile(d.LogKey))+"; until then nothing is added to the log", "%v", err)
		return
	}
	if refused := view.Refused(head.Checkpoint, states, policy); refused != nil {
		d.bad(Fail, "LOG_UNWITNESSED", "log", at, commitlog.NextStep(refused), "%v", refused)
		return
	}
	var away []string
	for _, s := range states {
		if enough && s.Error == transparency.ErrRefused.Error() {
			d.bad(Warn, "LOG_UNWITNESSED", "log", at, "ask who runs it for the checkpoint that it cosigned last, and see with mkt log audit --from whether the log continues it; if there is none, name another witness in the policy",
				"witness %s: %s, since %s; others cosign the log", s.Name, s.Error, terminal.ClockTime(*s.Since))
			return
		}
		if s.Since != nil {
			away = append(away, s.Name+": "+s.Error+", since "+terminal.ClockTime(*s.Since))
		}
	}
	since := d.unwitnessedSince(policy, states)
	switch {
	case enough:
		d.ok("log", at, "%s, with %s", terminal.Plural(int(head.Size), "publication"), terminal.Plural(len(by), "cosignature"))
	case since == nil && d.now.Sub(written) < logBehind:
		d.ok("log", at, "the head is young, and not yet cosigned")
	default:
		what := "the newest head has too few cosignatures: " + terminal.Plural(len(by), "cosignature")
		if since != nil {
			what += ", and since " + terminal.ClockTime(*since) + " too few witnesses answer"
		}
		d.bad(Warn, "LOG_UNWITNESSED", "log", at, "ask who runs the witnesses, or name others in the policy; they are asked every minute, and receipts made until then say that they are unwitnessed",
			"%s", strings.Join(append([]string{what}, away...), "; "))
	}
}

// unwitnessedSince returns since when too few witnesses for the policy answer; nil if enough of them do, or
// if they never did.
func (d *doctor) unwitnessedSince(policy *transparency.Policy, states []transparency.WitnessState) *time.Time {
	var until []transparency.Cosignature // until when each has cosigned
	for _, s := range states {
		switch {
		case s.Since != nil:
			until = append(until, transparency.Cosignature{Witness: s.Name, At: *s.Since})
		case s.CosignedAt != nil:
			until = append(until, transparency.Cosignature{Witness: s.Name, At: d.now})
		}
	}
	slices.SortFunc(until, func(a, b transparency.Cosignature) int { return a.At.Compare(b.At) })
	_, last := policy.Within(until)
	if last == nil || !last.Before(d.now) {
		return nil
	}
	return last
}
