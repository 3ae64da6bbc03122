package simulator

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mkt/fetch/simulator/feed"
)

// FaultKind is one way in which a provider goes wrong.
type FaultKind string

const (
	Limited       FaultKind = "429"      // asked too fast; with the time to wait, where the provider says it
	LimitedBare   FaultKind = "429-bare" // the same without a header that says when to retry, status 429
	LimitedOK     FaultKind = "429-body" // the same body with status 200
	QuotaEnds     FaultKind = "quota"    // the quota is used up until its window ends
	ServerError   FaultKind = "500"
	Unavailable   FaultKind = "503"
	Timeout       FaultKind = "timeout"   // no answer until the client gives up
	Slow          FaultKind = "slow"      // a byte a second
	Reset         FaultKind = "reset"     // the connection is reset
	Truncated     FaultKind = "truncated" // half the body: the connection breaks off, or the text ends there
	HTML          FaultKind = "html"      // a page of the front server, status 200
	Empty         FaultKind = "empty"     // no body, status 200
	Wrong         FaultKind = "wrong"     // valid, and of another shape
	WithoutIDs    FaultKind = "listing-without-ids"
	BadCredential FaultKind = "credential" // the token is refused
	BadPermission FaultKind = "permission" // the product was not bought
	Duplicate     FaultKind = "duplicate"  // a fixture twice
	Shrink        FaultKind = "shrink"     // the list has lost 60 % of its items and its total agrees
	Huge          FaultKind = "huge"       // ten times the size, and 64 MiB at least
	Bomb          FaultKind = "bomb"       // a gigabyte, a megabyte compressed
	Nested        FaultKind = "nested"     // arrays a hundred thousand deep
	Redirect      FaultKind = "redirect"   // to an address that must never be requested
	BrokenFixture FaultKind = "broken-fixture"

	// The following kinds affect matches in play and not requests. Their rate is a share
	// of fixtures, for Freeze of half hours. Without such a fault a world has the usual
	// share of each kind; a rate of 0 turns it off.
	Corrected FaultKind = "correction" // counters fall and recover, or are wrong for a while
	Retracted FaultKind = "disallowed" // a goal is taken back
	Vanish    FaultKind = "vanish"     // a metric is missing for some minutes
	Void      FaultKind = "null"       // a metric is without a value for some minutes
	Late      FaultKind = "late"       // a metric appears in the middle of the match
	Stall     FaultKind = "stall"      // a fixture's numbers stand still
	Freeze    FaultKind = "freeze"     // the whole live feed stands still

	noFault FaultKind = ""
)

var faultKinds = map[FaultKind]string{
	Limited: "asked too fast, with the time to wait if the provider says it", LimitedBare: "asked too fast, status 429 and no time",
	LimitedOK: "asked too fast, status 200", QuotaEnds: "the quota is used up until its window ends",
	ServerError: "status 500", Unavailable: "status 503", Timeout: "no answer", Slow: "a byte a second", Reset: "connection reset",
	Truncated: "half a body", HTML: "a page with status 200", Empty: "an empty body with status 200", Wrong: "valid JSON of another shape",
	WithoutIDs: "a listing without ids", BadCredential: "token refused", BadPermission: "product not bought", Duplicate: "a fixture twice",
	Shrink: "a listing 60 % shorter", Huge: "ten times the size", Bomb: "a compressed gigabyte", Nested: "arrays 100,000 deep",
	Redirect: "a redirect elsewhere", BrokenFixture: "one fixture of an answer unreadable",
	Corrected: "counters fall and come back, or stand wrong for a while", Retracted: "a goal is shown, and taken back", Vanish: "metrics are missing for some minutes",
	Void: "metrics have no value for some minutes, of one side or both", Late: "metrics appear in the middle of the match", Stall: "a fixture's clock and numbers stand still for a while",
	Freeze: "the whole live feed stands still, once in that share of half hours",
}

// share points to the rate of a fault on matches; nil for one on requests.
func (k FaultKind) share(o *feed.Oddities) *float64 {
	switch k {
	case Corrected:
		return &o.Corrected
	case Retracted:
		return &o.Disallowed
	case Vanish:
		return &o.Vanishing
	case Void:
		return &o.Null
	case Late:
		return &o.Late
	case Stall:
		return &o.Stalled
	case Freeze:
		return &o.Frozen
	}
	return nil
}

// OnMatches reports whether a kind affects matches in play and not requests.
func (k FaultKind) OnMatches() bool { return k.share(new(feed.Oddities)) != nil }

// About is the description of a kind.
func (k FaultKind) About() string { return faultKinds[k] }

// FaultKinds returns every kind, sorted.
func FaultKinds() []FaultKind { return slices.Sorted(maps.Keys(faultKinds)) }

func kindList() string {
	var all []string
	for _, k := range FaultKinds() {
		all = append(all, string(k))
	}
	return strings.Join(all, ", ")
}

// Fault is a kind and when it happens: at a rate, or at one request by its number. Class
// "" is every endpoint; numbers count within the class.
type Fault struct {
	Kind   FaultKind
	Rate   float64 // 0 to 1
	Number int     // from 1; 0 if the rate decides
	Onward bool    // every request from Number on
	Class  Class
}

// ParseFault parses KIND:RATE, KIND:#NUMBER, or KIND:#NUMBER+ for that request and all
// after it, each with an optional @listing, @markets, @live or @details: "429:0.05",
// "credential:#3@listing", "credential:#3+". A kind that affects matches has only a rate:
// "stall:0.2". If the kind is unknown, the error lists the kinds.
func ParseFault(text string) (Fault, error) {
	text, aim, aimed := strings.Cut(strings.TrimSpace(text), "@")
	kind, when, ok := strings.Cut(text, ":")
	f := Fault{Kind: FaultKind(kind), Class: Class(aim)}
	if _, known := faultKinds[f.Kind]; !known {
		return Fault{}, fmt.Errorf("fault %q: unknown kind %q; kinds are %s", text, kind, kindList())
	}
	if aimed && !slices.Contains(classes, f.Class) {
		return Fault{}, fmt.Errorf("fault %q: %q is none of %v", text, aim, classes)
	}
	if f.Kind.OnMatches() && (aimed || strings.HasPrefix(when, "#")) {
		return Fault{}, fmt.Errorf("fault %q: affects matches, not requests; write %s:0.1 for one in ten", text, kind)
	}
	if !ok {
		return Fault{}, fmt.Errorf("fault %q: no rate; write %s:0.05 for one request in twenty, %s:#3 for the third", text, kind, kind)
	}
	var err error
	if number, exact := strings.CutPrefix(when, "#"); exact {
		number, f.Onward = strings.CutSuffix(number, "+")
		f.Number, err = strconv.Atoi(number)
		if err != nil || f.Number < 1 {
			return Fault{}, fmt.Errorf("fault %q: %q is no request number, from #1", text, when)
		}
		return f, nil
	}
	f.Rate, err = strconv.ParseFloat(when, 64)
	if err != nil || !(f.Rate >= 0 && f.Rate <= 1) {
		return Fault{}, fmt.Errorf("fault %q: %q is no rate between 0 and 1", text, when)
	}
	return f, nil
}

// String returns the form that [ParseFault] parses.
func (f Fault) String() string {
	text := string(f.Kind) + ":" + strconv.FormatFloat(f.Rate, 'g', -1, 64)
	if f.Number > 0 {
		text = string(f.Kind) + ":#" + strconv.Itoa(f.Number)
	}
	if f.Onward {
		text += "+"
	}
	if f.Class != "" {
		text += "@" + string(f.Class)
	}
	return text
}
