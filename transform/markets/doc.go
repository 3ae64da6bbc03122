// Package markets derives canonical markets from a provider's offers. The name claimed by the
// mapping table is proven row by row, or the market stays RAW.
//
// A mapping table claims a canonical market for a provider's market key, with its period and
// side. The vocabulary has the required content of its rows. In order:
//
//	derive.go                     one offer into no, one or several markets
//	proof                         the rows of an offer together: is it the claimed market?
//	wording                       one row's words against the form of its market
//	token names                   numbers, lines and words; names of teams and players
//	variants.go part.go           the rows of an offer, by market
//	emit.go lines.go              markets and selections, with odds and quality
//	ids.go duplicates.go          their ids
//	price suspicion               prices: their faults, and what they disprove
//
// The engine invents nothing and drops nothing: every priced row becomes exactly one selection,
// with its odds unchanged, and is marked unless it is proven. The engine knows no provider, does
// no I/O and has no clock. The same offers make the same markets, whatever was read before.
//
// Source: interface specification, sections 2.7 and 2.8; DESIGN, section 4.
package markets
