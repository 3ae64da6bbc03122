package simulation

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"mkt/internal/receipts/commitlog"
	"mkt/internal/receipts/receipt"
	"mkt/internal/receipts/transparency"
	"mkt/internal/testing/durabletest"
	"mkt/publish"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// An operator who has the key of the log and all files lies, beside the real machines: no checker and no witness may accept it.

// alter changes a bit of a receipt that was given away, and then another: it does not hold any more.
func (c *commands) alter(id string) {
	t := c.translog
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.receipts) == 0 {
		return
	}
	given := t.receipts[c.pick("receipt", id, len(t.receipts))]
	for n := range 50 {
		draw := fmt.Sprint(id, " ", n)
		altered, at := bytes.Clone(given), c.pick("byte", draw, len(given))
		altered[at] ^= 1 << c.pick("bit", draw, 8)
		if _, err := receipt.Check(altered, t.policy); err == nil {
			c.fail(receiptsHold, "a receipt holds although byte %d was changed", at)
		}
	}
}

// fork signs a second log, which has publications that never were, and asks the witness to cosign it.
func (c *commands) fork(id string) {
	t, m := c.translog, c.anyWorker(id)
	l := m.alive()
	if l == nil {
		return
	}
	real, err := transparency.NewView(within(l.disk, "."), t.verifier).Head()
	if err != nil {
		return // nothing was logged yet
	}
	if _, _, enough, err := t.policy.Check(real.Note); err != nil || !enough {
		return // the witness may know nothing of the log
	}
	log, err := transparency.Open(within(durabletest.NewMem(), "."), t.key)
	if err != nil {
		c.fail(receiptsHold, "a second log: %v", err)
		return
	}
	defer log.Close()
	err = commitlog.RunOn(l.ctx, log, commitlog.Options{Key: t.key, Policy: t.policy, Wait: 30 * time.Second, Now: m.now, Post: t.post(l),
		Newer: func([]transparency.Logged) (records []transparency.Record, err error) {
			for n := range real.Size + 1 + int64(c.pick("more", id, 5)) {
				records = append(records, transparency.Record{ClientID: "acme", Product: string(football.MarketEngine), HistoryID: "lie", Version: uint64(n + 1),
					CommitSHA256: durable.Hash(fmt.Appendf(nil, "%s %d", id, n)), PublishedAt: firstDay})
			}
			return records, nil
		}})
	if l.dead.Load() {
		return
	}
	head, failed := log.Head()
	if failed != nil {
		c.fail(receiptsHold, "a second log has no head: %v", failed)
		return
	}
	if _, _, enough, _ := t.policy.Check(head.Note); enough {
		c.fail(receiptsHold, "the witness has cosigned a second log with %d entries; the first one has %d: %v", head.Size, real.Size, err)
	}
}

// rewrite publishes the later cycles of a job again, on an older copy of its data, until it has the publication that was
// logged last: the log must not take what was published then.
func (c *commands) rewrite(id string) {
	m, j := c.anyWorker(id), c.anyJob(id)
	if m.alive() == nil || m.isRotten() || m.suspect || j.product != football.MarketEngine {
		return
	}
	older := within(m.disk.PowerCut(1, 0), j.dir())
	c.later(c.span("rewrites", id, 2*time.Hour*c.slowness, 6*time.Hour*c.slowness), func() {
		l := m.alive()
		if l == nil || m.isRotten() || m.suspect || j.isLeaving() {
			return
		}
		now := m.disk.PowerCut(1, 0)
		view := transparency.NewView(within(now, "."), c.translog.verifier)
		head, err := view.Head()
		if err != nil {
			return // nothing was logged yet
		}
		logged, err := view.Newest(head.Checkpoint)
		var last transparency.Logged
		for _, one := range logged {
			if one.ClientID == j.id && one.Product == string(j.product) {
				last = one
			}
		}
		first, found, failed := snapshot.Head(older)
		if err != nil || failed != nil || !found || first.HistoryID != last.HistoryID || first.Version >= last.Version {
			return
		}
		copyCycles(older, within(now, j.dir()), first.CycleID)
		entries, _ := older.ReadDir(layout.CanonicalDir) // which it has
		for _, e := range entries {
			o := publish.Options{ClientID: j.id, Product: j.product, Root: older, Version: "test", RunID: strings.NewReplacer(" ", "-", "=", "-").Replace("lie-" + id + "-" + e.Name()), Retention: c.keeps(l),
				Now: func() time.Time { return m.now().Add(time.Second) }}
			if o.Cycle, found = layout.ParseCycleDir(e.Name()); found && o.Cycle > first.CycleID {
				if _, err := publish.Run(l.ctx, o); err != nil {
					c.note("%s: %s is not published again: %s", j, o.Cycle, shorten(err))
				}
			}
		}
		newest, isNew, err := commitlog.Newest(older, last)
		if isNew {
			c.fail(receiptsHold, "%s: publication %d of a history that was rewritten after publication %d would be logged: %v", j, newest.Version, first.Version, err)
		}
		rewritten, _, _ := snapshot.Head(older) // 0 if nothing was published
		c.note("%s: rewritten after version %d up to %d; version %d is logged: %s", j, first.Version, rewritten.Version, last.Version, err)
	})
}

// copyCycles copies the canonical cycles after one.
func copyCycles(to durable.FS, from durable.ReadFS, after layout.CycleID) {
	entries, _ := from.ReadDir(layout.CanonicalDir) // it may be missing
	for _, e := range entries {
		dir := layout.CanonicalDir + "/" + e.Name()
		id, ok := layout.ParseCycleDir(e.Name())
		if there, err := durable.Exists(to, dir); !ok || id <= after || there || err != nil || to.MkdirAll(dir) != nil {
			continue
		}
		files, _ := from.ReadDir(dir)
		for _, f := range files {
			name := strings.Join([]string{dir, f.Name()}, "/")
			if data, err := durable.ReadFile(from, name, 64<<20); err == nil {
				_ = durable.Create(to, name, durable.Bytes(data)) // a cycle that lacks a file is not published
			}
		}
	}
}
