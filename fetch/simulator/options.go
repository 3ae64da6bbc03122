package simulator

import (
	"encoding/hex"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"mkt/fetch/simulator/feed"
	"mkt/fetch/simulator/random"
)

// Options configures a simulator: its worlds, its accounts and its faults.
type Options struct {
	// Seed determines everything: the same seed and time give the same answers.
	Seed uint64
	// Fixtures is how many are announced at any time, unless the account says otherwise.
	// About one in eight is not football played by people. 0 is 300.
	Fixtures int
	// InPlay is about how many matches are in play at any time, including those of
	// Fixtures; the missing ones are announced an hour before they start. One in twelve
	// is eSoccer. 0 is 12; below 0 adds none.
	InPlay int
	// Matches is a folder of real matches ([play.ReadMatches]) to replay in a loop in place of
	// those that InPlay adds. MatchOffsets says when, see [world.Options].
	Matches      string
	MatchOffsets []time.Duration
	// Frozen are times in which the live feed stands still, counted from the simulator's
	// start on the worlds' clock, in addition to those of the fault freeze.
	Frozen []feed.Span
	// Now is the clock; nil is time.Now. Speed is how many times faster the world's time
	// passes, from the start on; 0 is 1. Quotas follow Now itself.
	Now   func() time.Time
	Speed float64
	// Tokens are the credentials accepted, each with its own world. If empty there is
	// one, Token(Seed), with the world of Seed.
	Tokens map[string]Account
	// Quota is the requests an account has in each QuotaWindow; 0 is 3600. Windows
	// begin at the multiples of their length; 0 is an hour.
	Quota       int
	QuotaWindow time.Duration
	// Replay is a folder of recorded payloads to serve instead of a world.
	Replay string
	// Faults are the faults to inject, see ParseFault. A request has at most one, the
	// first that is due. Matches in play have the usual oddities in any case, unless a
	// rate of 0 turns one off.
	Faults []Fault
	// RetryAfter is the wait that the fault 429 asks for; 0 is a second.
	RetryAfter time.Duration
	// Log receives the faults, at debug level; nil is silent.
	Log *slog.Logger
}

// Account is the holder of a token. Zero values mean a seed made from Options.Seed and
// the token, and the fixtures, matches in play and quota of Options.
type Account struct {
	Seed     uint64
	Fixtures int
	InPlay   int
	Quota    int
	Opening  int // fixtures announced in the first minute; 0: all
	// Denied accounts have a valid token but have not bought the product.
	Denied bool
}

// Token returns the default credential of a simulator. It has the form of a real one:
// five digits, a dash, 14 characters.
func Token(seed uint64) string {
	d := random.Dice(seed)
	var b [7]byte
	h := d.Of(91)
	for i := range b {
		b[i] = byte(h >> (8 * i))
	}
	return strconv.Itoa(10000+d.Under(90000, 90)) + "-" + hex.EncodeToString(b[:])
}

// oddities are the usual ones, with the rates that faults set.
func (o Options) oddities() *feed.Oddities {
	odd := feed.Usual()
	for _, f := range o.Faults {
		if share := f.Kind.share(&odd); share != nil {
			*share = f.Rate
		}
	}
	return &odd
}

// suits returns an error for a fault, or real matches, that a dialect has no use for.
func (o Options) suits(f Format) error {
	live := slices.Contains(f.Classes, Playing)
	for _, fault := range o.Faults {
		switch {
		case fault.Class != "" && !slices.Contains(f.Classes, fault.Class):
			return fmt.Errorf("fault %q: this provider has no requests of the class %s; it has %s", fault, fault.Class, classList(f.Classes))
		case fault.Kind.OnMatches() && f.Recorded:
			return fmt.Errorf("fault %q: affects invented matches in play, and recorded payloads are served; leave it out", fault)
		case fault.Kind.OnMatches() && !live:
			return fmt.Errorf("fault %q: affects matches in play, and this provider does not list them; leave it out", fault)
		}
	}
	if o.Matches != "" && (f.Recorded || !live) {
		return fmt.Errorf("matches %s: real matches are played again only by a provider that lists matches in play, and not with recorded payloads", o.Matches)
	}
	return nil
}

func classList(classes []Class) string {
	var all []string
	for _, c := range classes {
		all = append(all, string(c))
	}
	return strings.Join(all, ", ")
}

// complete checks the options and sets the defaults.
func (o Options) complete() (Options, error) {
	switch {
	case o.Fixtures < 0 || o.Fixtures > 1_000_000:
		return o, fmt.Errorf("fixtures: %d is not between 1 and 1000000", o.Fixtures)
	case o.InPlay > 100_000:
		return o, fmt.Errorf("matches in play: %d are more than 100000", o.InPlay)
	case o.Speed < 0 || o.Speed > 1e6:
		return o, fmt.Errorf("speed: %g is not between 0 and 1000000", o.Speed)
	case o.Quota < 0:
		return o, fmt.Errorf("quota: %d is negative", o.Quota)
	case o.QuotaWindow < 0 || o.QuotaWindow > 24*time.Hour || o.QuotaWindow%time.Second != 0:
		return o, fmt.Errorf("quota window: %s is not whole seconds between 1s and 24h", o.QuotaWindow)
	}
	if o.Fixtures == 0 {
		o.Fixtures = 300
	}
	if o.InPlay == 0 {
		o.InPlay = 12
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Speed == 0 {
		o.Speed = 1
	}
	if o.Quota == 0 {
		o.Quota = 3600
	}
	if o.QuotaWindow == 0 {
		o.QuotaWindow = time.Hour
	}
	if o.RetryAfter == 0 {
		o.RetryAfter = time.Second
	}
	if len(o.Tokens) == 0 {
		o.Tokens = map[string]Account{Token(o.Seed): {Seed: o.Seed}}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o, nil
}
