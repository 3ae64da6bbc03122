// Package bounds has the numbers of the stage itself on which stored bytes depend. A test fails if one
// of them changes without a new [mkt/publish/football.DerivationVersion] or
// [mkt/transform/live/rules.Version]. The numbers of the engines are in [mkt/transform/live/rules] and
// below [mkt/transform/markets].
package bounds

import "time"

// Damaged parts are marked or left out, and the run continues. It fails if more than the share
// MaxBroken of its fixtures, or of their sections, markets or rows, is unreadable: the provider's
// format has probably changed. One fixture is too few to decide this, and so are ManyParts of the
// others. Prices are different: without an offer some bookmakers write a number that is no
// price, so only a large share shows a change.
const (
	MaxBroken     = 0.05
	ManyParts     = 20
	MaxUnreadable = 0.8
)

// The most selections of a fixture and of a market; the recorded ones have up to 1,420 and 152. A
// fixture with more counts as unreadable: nobody could use it, and it would cost publish and
// every reader of the snapshot too much memory.
const (
	MaxSelections       = 20_000
	MaxMarketSelections = 2_000
)

// MostValues is the most JSON values in the payloads of a cycle. fetch ends a run before it has
// more, and an archive with more is an error.
const MostValues = 40 << 20

const (
	// MissingFor is the time for which complete lists must lack a fixture before it has left
	// play. A single list may lack it by mistake.
	MissingFor = 20 * time.Second
	// If a list lacks more than this share, and more than this number, of the fixtures in play,
	// it does not end them; they leave play after [mkt/transform/live/rules.Linger].
	HoldShare  = 0.20
	HoldNumber = 20
)

// Details is the number of fixtures with a published timeline and minutes.
const Details = 50

// MaxBehind bounds the earlier cycles that a run transforms first. An hour has fewer, and
// retention keeps one canonical cycle of each hour. If more are missing, the oldest of them
// begins with baselines.
const MaxBehind = 1000
