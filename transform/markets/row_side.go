package markets

// side is one of the three results, or the side of a row.
type side uint8

const (
	noSide side = iota
	home
	draw
	away
)

var sideWords = [...]string{"", "HOME", "DRAW", "AWAY"}

func (s side) String() string { return sideWords[s] }

type sideSet uint8

const (
	homeBit = 1 << home
	drawBit = 1 << draw
	awayBit = 1 << away
)
