package markets

// claimed is an entry of a mapping table with its plan. Fixtures share them, because the same few
// words occur in their rows.
type claimed struct {
	plan  plan
	ok    bool // the engine can read such a market
	known map[string]*known
}

// known is the meaning of a row's labels, whatever the fixture.
type known struct {
	reading     reading
	contradicts bool
}

// The limits of a Deriver's memory: entries of mapping tables, readings of rows, and bytes of a
// row's labels.
const (
	maxClaims = 4096
	maxKnown  = 1 << 14
	maxLabels = 256
)
