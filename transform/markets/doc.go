// Package markets derives canonical markets from a provider's offers: the name
// the mapping table claims is proven row by row, or the market stays RAW.
//
// A mapping table says which canonical market a provider's market key is, for
// which period and side. That is a claim. The vocabulary says what the rows of
// such a market must say: who, over or under what, yes or no, which score. Each
// row's words are read as tokens, every token exactly once and none left over,
// and a row that can be read in two ways is not read at all. In order:
//
//	derive.go emit.go             one offer into no, one or several markets
//	form.go plan.go               what the rows of each canonical market must say
//	row.go search.go finish.go    one row's words against its form, in every way
//	option.go part.go token.go    what a word can be; words.go looks it up in the dialect
//	names.go                      the two sides, by name and by the dialect's words
//	player.go cast.go score.go    rows about players; scores
//	playername.go                 which words are a player's name
//	handicap_lines.go identify*.go price.go  signs, ids, odds and quality
//
// The engine invents nothing and drops nothing: every priced row becomes exactly one
// selection, with its odds unchanged, and is marked unless it is proven. The engine
// knows no provider, does no I/O and has no clock; the same offers give the same
// markets, whatever else was read before.
//
// Source: interface specification, sections 2.7 and 2.8; DESIGN, section 4.
package markets
