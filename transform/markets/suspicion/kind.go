package suspicion

// Kind is a kind of oddity in the markets of a fixture. A provider's format may have
// changed, or a mapping may be wrong. It changes no data, because a bookmaker's own mistakes look
// the same. What no bookmaker can mean is not publishable already, see disprove.go.
type Kind uint8

const (
	// ExtraSelection: a question with two outcomes has three selections or more.
	ExtraSelection Kind = iota
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

	kinds
)

var kindNames = [kinds]string{"extra_selection", "lines_out_of_order", "unmirrored_handicap", "swapped_labels", "odd_margin", "other_favourite", "unproven_total"}

// String returns the name used in manifests and reports.
func (s Kind) String() string { return kindNames[s] }

// Counts counts suspicious markets, each once for each kind, by kind.
type Counts [kinds]int

// Total returns the sum over all kinds.
func (s *Counts) Total() (n int) {
	for _, of := range s {
		n += of
	}
	return n
}

// Add adds others to s.
func (s *Counts) Add(others *Counts) {
	for kind, n := range others {
		s[kind] += n
	}
}
