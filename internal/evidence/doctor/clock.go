package doctor

import (
	"errors"
	"net/http"
	"time"

	"mkt/fetch/raw"
	"mkt/publish/layout"
)

// Limits of clock differences. A provider's date is in whole seconds, and an answer takes time.
const (
	aheadAtMost  = 2 * time.Second
	differAtMost = 30 * time.Second
)

// thisClock is the cause of findings that say so of the clock of this machine.
const thisClock = "this clock"

// clock compares this clock with the newest publication, and with the provider's dates in the
// answers of the newest cycle. Without a request there is no other clock.
func (d *doctor) clock(r *root) {
	if r.head != nil {
		if ahead := r.head.PublishedAt.Sub(d.Now()); ahead > aheadAtMost {
			d.bad(Fail, "CLOCK_BEHIND", "clock", r.at(layout.Commit(r.head.Version)), "timedatectl status", "the newest publication is %s in the future: this clock was set back, or another machine's is ahead", ago(ahead)).causedBy(thisClock, "")
		} else {
			d.ok("clock", r.at(layout.Commit(r.head.Version)), "the newest publication is not in the future")
		}
	}
	if r.fs != nil {
		d.providersClock(r)
	}
}

func (d *doctor) providersClock(r *root) {
	newest, found, err := raw.Newest(r.fs)
	if err != nil || !found {
		return // missing, or another finding
	}
	at := r.at(layout.Cycle(layout.RawDir, newest.CycleID) + "/" + layout.RawFetchFile)
	archive, err := raw.Open(r.fs, newest.CycleID)
	if err != nil {
		if !errors.Is(err, raw.ErrNotSealed) {
			d.unreadable("clock", at, err)
		}
		return
	}
	least, compared := time.Duration(0), 0
	for _, answer := range archive.Responses() {
		said, err := http.ParseTime(answer.Header["Date"])
		if err != nil {
			continue
		}
		if by := answer.FetchedAt.Sub(said); compared == 0 || by.Abs() < least.Abs() {
			least = by
		}
		compared++
	}
	switch {
	case compared == 0:
		d.ok("clock", at, "not compared with the provider's clock: its answers have no date")
	case least.Abs() > differAtMost:
		d.bad(Fail, "CLOCK_DIFFERS", "clock", at, "timedatectl status", "at the newest fetch this clock was %s %s the provider's", ago(least.Abs()), word(least > 0, "ahead of", "behind")).causedBy(thisClock, "")
	default:
		d.ok("clock", at, "at the newest fetch within %s of the provider's clock", differAtMost)
	}
}

func word(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}
