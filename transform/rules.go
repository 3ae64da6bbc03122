package transform

import "time"

// This file has every number of the stage on which stored bytes depend. A test fails if one of them
// changes and neither [football.DerivationVersion] nor [live.Rules] does.

// Damaged parts are marked or left out, and the run goes on. It fails if more than the
// share maxBroken of its fixtures, or of their sections, markets or rows, could not be
// read: the provider's format has probably changed. One fixture is too few to decide
// this, and so are manyParts of the others. Prices are different: some bookmakers write a
// number that is no price where they offer none, so that only most of them show a change.
const (
	maxBroken     = 0.05
	manyParts     = 20
	maxUnreadable = 0.8
)

// How many selections a fixture and a market may have; the recorded ones have up to 1,420
// and 152. A fixture with more counts as unreadable: nobody could use it, and it would
// cost publish and every reader of the snapshot too much memory.
const (
	maxSelections       = 20_000
	maxMarketSelections = 2_000
)

// MostValues is how many JSON values the payloads of a cycle may have. fetch ends a run
// before it has more, and an archive with more is an error.
const MostValues = 40 << 20

const (
	// missingFor is how long complete lists must lack a fixture before it has left play.
	// A single list may lack it by mistake.
	missingFor = 20 * time.Second
	// A list that lacks more than this share and more than this number of the fixtures in
	// play does not end them; they leave play after [live.Linger].
	holdShare  = 0.20
	holdNumber = 20
)

// defaultDetails is how many fixtures have their timeline and minutes published.
const defaultDetails = 50

// maxBehind bounds the earlier cycles that a run transforms first: more than there are in
// an hour, of which retention keeps one canonical cycle. If more are missing, the oldest
// of them begins with baselines.
const maxBehind = 1000
