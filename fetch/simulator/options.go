package simulator

import (
	"encoding/hex"
	"fmt"
	"log/slog"
	"strconv"
	"time"
)

// Options says which worlds a simulator shows, to whom, and what goes wrong.
type Options struct {
	// Seed makes everything: same seed and same time, same answers.
	Seed uint64
	// Fixtures announced at any time in the world of an account that says
	// nothing else; about one in eight of them is not football played by people.
	// 0 is 300.
	Fixtures int
	// InPlay is about how many matches are in play at any time, with those that
	// come of Fixtures: some more are announced an hour before they start. One in
	// twelve is eSoccer. 0 is 12; below 0 adds none.
	InPlay int
	// Matches is a folder of real matches (ReadMatches) to play again, over and
	// over, in place of those that InPlay adds. MatchOffsets says when, see
	// WorldOptions.
	Matches      string
	MatchOffsets []time.Duration
	// Frozen are times in which the live feed stands still, counted from the
	// simulator's start on the worlds' clock, besides those of the fault freeze.
	Frozen []Span
	// Now is the clock; nil is time.Now. Speed makes the world's days pass that
	// many times faster from the start on; 0 is 1. Quotas follow Now itself.
	Now   func() time.Time
	Speed float64
	// Tokens are the credentials accepted, each with its own world. Empty: one,
	// Token(Seed), with the world of Seed.
	Tokens map[string]Account
	// Quota is the requests an account has in each QuotaWindow; 0 is 3600. Windows
	// begin at the multiples of their length; 0 is an hour.
	Quota       int
	QuotaWindow time.Duration
	// Replay is a folder of recorded payloads to serve in place of a world.
	Replay string
	// Faults are what goes wrong, see ParseFault. Each request suffers one at
	// the most, the first that falls due. Matches in play suffer a little of
	// everything that befalls them even so, unless a rate of 0 forbids it.
	Faults []Fault
	// RetryAfter is the wait that the fault 429 asks for; 0 is a second.
	RetryAfter time.Duration
	// Log receives the faults, at debug level; nil is silent.
	Log *slog.Logger
}

// Account is the holder of a token. Zero values: a seed made from Options.Seed
// and the token, and the fixtures, matches in play and quota of Options.
type Account struct {
	Seed     uint64
	Fixtures int
	InPlay   int
	Quota    int
	// Denied accounts have a good token and have not bought the product.
	Denied bool
}

// Token returns the credential of a simulator that was given none. It looks like a real
// one: five digits, a dash, 14 characters.
func Token(seed uint64) string {
	d := dice(seed)
	var b [7]byte
	h := d.of(91)
	for i := range b {
		b[i] = byte(h >> (8 * i))
	}
	return strconv.Itoa(10000+d.under(90000, 90)) + "-" + hex.EncodeToString(b[:])
}

// oddities are the usual ones but for those that a fault gives a rate.
func (o Options) oddities() *Oddities {
	odd := usual()
	for _, f := range o.Faults {
		if share := f.Kind.share(&odd); share != nil {
			*share = f.Rate
		}
	}
	return &odd
}

// complete checks the options and fills in what was left out.
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
