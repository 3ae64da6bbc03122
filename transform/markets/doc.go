// Package markets derives canonical markets from a provider's offers. The name claimed by the
// mapping table is proven row by row, or the market stays RAW.
//
// A mapping table claims a canonical market for a provider's market key, with its period and
// side. The vocabulary has the required content of its rows: who, over or under a line, yes or
// no, which score. Each row's words are read as tokens, every token exactly once and none left
// over. A row with two possible readings is not read at all. In order:
//
//	derive.go emit.go             one offer into no, one or several markets
//	form.go plan.go               the required content of each canonical market's rows
//	row.go search.go finish.go    one row's words against its form, in every way
//	option.go part.go token.go    the possible meanings of a word; words.go looks it up in the dialect
//	names.go                      the two sides, by name and by the dialect's words
//	player.go cast.go score.go    rows about players; scores
//	playername.go                 the proof of a player's name
//	handicap_lines.go identify*.go price.go  signs, ids, odds and quality
//
// The engine invents nothing and drops nothing: every priced row becomes exactly one selection,
// with its odds unchanged, and is marked unless it is proven. The engine knows no provider, does
// no I/O and has no clock. The same offers make the same markets, whatever was read before.
//
// Source: interface specification, sections 2.7 and 2.8; DESIGN, section 4.
package markets
