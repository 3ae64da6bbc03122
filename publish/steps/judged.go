package steps

import (
	"slices"
	"time"

	"mkt/publish/snapshot"
)

// Judged is an opening or a closing price, and how sure it is.
type Judged struct {
	State  State
	Reason Reason // "" if it is final
	Point  *Point // nil if there is none
}

// State says how sure a price is.
type State string

// The states of a price.
const (
	Final       State = "FINAL"
	Provisional State = "PROVISIONAL" // it may still change
	Unavailable State = "UNAVAILABLE" // the point, if there is one, is no price that the service vouches for, or not the first one
)

// Reason says why a price is provisional or unavailable.
type Reason string

// The reasons.
const (
	NoKickOff      Reason = "NO_KICK_OFF"     // the provider has sent none
	BeforeKickOff  Reason = "BEFORE_KICK_OFF" // nothing that was retrieved since kick-off is published
	NotRecorded    Reason = "NOT_RECORDED"    // there may be one that is older than the records
	NotOffered     Reason = "NOT_OFFERED"     // the selection was not there
	NoPrice        Reason = "NO_PRICE"        // it was there without a price
	NotPublishable Reason = "NOT_PUBLISHABLE" // there was a price that the service did not vouch for
	AfterKickOff   Reason = "AFTER_KICK_OFF"  // the selection came only after kick-off
)

// Opening returns the first price of a selection. It is final if the path begins with the fixture's first
// publication; otherwise there may have been one before.
func (p *Path) Opening(s *Selection) Judged {
	at := slices.IndexFunc(s.Points, (*Point).HasPrice)
	switch {
	case at < 0:
		return Judged{Unavailable, NoPrice, nil}
	case !p.FromStart():
		return Judged{Unavailable, NotRecorded, s.Points[at]}
	}
	return s.Points[at].judge()
}

// JudgedAt returns the time by which the closing prices of a path up to a time, or of all of it if that is zero, are
// judged: that time, when the publication was made, or when its newest data was retrieved, whichever is earliest. The
// time of a publication is ahead for a while after a clock was, and then the provider may still send other prices.
func JudgedAt(m *snapshot.Manifest, until time.Time) (at time.Time) {
	for _, t := range []*time.Time{m.PublishedAt, m.ProviderFetchedAt, &until} {
		if t != nil && !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = *t
		}
	}
	return at
}

// Closing returns the last price of a selection that was retrieved before kick-off. From kick-off on it is final.
func (p *Path) Closing(s *Selection) Judged {
	kickOff, _ := p.KickOff()
	if kickOff == nil {
		return Judged{Unavailable, NoKickOff, nil}
	}
	var last *Point
	for _, x := range s.Points {
		if x.Since().Before(*kickOff) {
			last = x
		}
	}
	switch {
	case last == nil && !p.FromStart():
		return Judged{Unavailable, NotRecorded, nil}
	case last == nil:
		return Judged{Unavailable, AfterKickOff, nil}
	case p.JudgedAt.Before(*kickOff):
		return Judged{Provisional, BeforeKickOff, last}
	}
	return last.judge()
}

// judge returns a price that does not change any more.
func (p *Point) judge() Judged {
	switch {
	case !p.Present:
		return Judged{Unavailable, NotOffered, p}
	case !p.HasPrice():
		return Judged{Unavailable, NoPrice, p}
	case !p.Publishable:
		return Judged{Unavailable, NotPublishable, p}
	}
	return Judged{Final, "", p}
}

// Begins returns when the oldest point of a path was published.
func (p *Path) Begins() (at time.Time) {
	for i := range p.Selections {
		if first := p.Selections[i].Points[0].PublishedAt; at.IsZero() || first.Before(at) {
			at = first
		}
	}
	return at
}
