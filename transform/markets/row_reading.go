package markets

import "mkt/publish/football"

// reading is one row in the vocabulary's words. Two ways to read a row are the same if their
// readings are equal.
type reading struct {
	reason football.Reason // why it could not be read; "" if it was

	selection, qualifier string
	subject, subject2    string
	row, column          string // its place in the grid
	line                 quarters
	hasLine              bool
	side                 side // the handicap's own side
	named                bool // the row names the dimension
	swaps                bool // its side could be its number, and its number the side
	doubtful             bool // the other rows of its line, or the prices, do not prove it
	twoWay               bool // of a two-way line of a three-way total

	// The row's market, if there are several.
	about  side
	half   string // period, if the rows name it
	market string // canonical name, if the rows name it
}
