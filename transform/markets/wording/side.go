package wording

// Side is one of the three results, or the side of a row.
type Side uint8

const (
	NoSide Side = iota
	Home
	Draw
	Away
)

var sideWords = [...]string{"", "HOME", "DRAW", "AWAY"}

// String returns the canonical word of a side, "" for none.
func (s Side) String() string { return sideWords[s] }

// SideSet is a set of sides.
type SideSet uint8

const (
	HomeBit = 1 << Home
	DrawBit = 1 << Draw
	AwayBit = 1 << Away
)
