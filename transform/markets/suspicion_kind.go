package markets

// Suspicion is a kind of oddity in the markets of a fixture. A provider's format may have
// changed, or a mapping may be wrong. It changes no data, because a bookmaker's own mistakes look
// the same. What no bookmaker can mean is not publishable already, see disprove.go.
type Suspicion uint8

const (
	// ExtraSelection: a question with two outcomes has three selections or more.
	ExtraSelection Suspicion = iota
	// LinesOutOfOrder: some neighbouring lines are priced against their order.
	LinesOutOfOrder
	// UnmirroredHandicap: one side of a handicap has a line that no other side has.
	UnmirroredHandicap
	// SwappedLabels: all lines are priced against their order, or another market with the same
	// question has the prices of its outcomes the other way round, or scores and halves make the
	// other side the favourite.
	SwappedLabels
	// OddMargin: no bookmaker asks such a sum of the chances of all outcomes.
	OddMargin
	// OtherFavourite: the favourite differs from the match result's.
	OtherFavourite
	// UnprovenTotal: a total has rows outside its lines, or rows that contradict them.
	UnprovenTotal

	suspicionKinds
)

var suspicionNames = [suspicionKinds]string{"extra_selection", "lines_out_of_order", "unmirrored_handicap", "swapped_labels", "odd_margin", "other_favourite", "unproven_total"}

// String returns the name used in manifests and reports.
func (s Suspicion) String() string { return suspicionNames[s] }

// Suspicions counts suspicious markets, each once for each kind, by kind.
type Suspicions [suspicionKinds]int

// Total returns the sum over all kinds.
func (s *Suspicions) Total() (n int) {
	for _, of := range s {
		n += of
	}
	return n
}

// Add adds others to s.
func (s *Suspicions) Add(others *Suspicions) {
	for kind, n := range others {
		s[kind] += n
	}
}
