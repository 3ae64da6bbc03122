package wording

import (
	"mkt/publish/football"
	"mkt/transform/markets/token"
)

// Reading is one row in the vocabulary's words. Two ways to read a row are the same if their
// readings are equal.
type Reading struct {
	Reason football.Reason // why it could not be read; "" if it was

	Selection, Qualifier string
	Subject, Subject2    string
	Row, Column          string // its place in the grid
	Line                 token.Quarters
	HasLine              bool
	Side                 Side // the handicap's own side
	Named                bool // the row names the dimension
	Swaps                bool // its side could be its number, and its number the side
	Doubtful             bool // the other rows of its line, or the prices, do not prove it
	TwoWay               bool // of a two-way line of a three-way total

	// The row's market, if there are several.
	About  Side
	Half   string // period, if the rows name it
	Market string // canonical name, if the rows name it
}
