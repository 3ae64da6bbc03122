package wording

import "mkt/transform/markets/token"

// state is a row read so far.
type state struct {
	filled slots
	parts  [2]string
	side   Side // of the first part, if it is a side
	about  Side
	head   Side
	owner  Side
	half   string
	target string
	clock  string
	line   token.Quarters
	score  [2]uint8
	noun   bool
	called bool // the text before was a side's name or word
}

// option is one way to continue: the filled part, its value, and the length of its text.
type option struct {
	word  string
	clock string
	size  int32
	line  token.Quarters
	score [2]uint8
	fills slots // 0: a word without a new meaning
	side  Side
	noun  bool // the dimension

	preferred bool // see preferSides
}

// failure describes the best attempt to read a row.
type failure struct {
	any     bool
	filled  slots
	missing slots
	text    string // the unreadable text; "" if the row ended too early
	called  bool   // it is right behind a side's name
}

func count(s slots) (n int) {
	for ; s != 0; s &= s - 1 {
		n++
	}
	return n
}
