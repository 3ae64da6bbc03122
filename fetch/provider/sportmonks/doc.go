// Package sportmonks is the adapter for Sportmonks' Football API v3: fixtures,
// prematch prices of one of several bookmakers, and matches in play.
//
// The files ask.go and live_ask.go send requests, read*.go and the other live_*.go read
// answers; the two share nothing but bytes. markets.csv is the mapping table and
// words.csv the wording of the rows. The package emulator answers as the provider would;
// internal/api has the names shared with it.
//
// The listing (fixtures/between) has teams, league and kick-off. The prices
// (fixtures/multi with the include odds) come as one row for each selection; a market
// is the rows of one market id. Different bookmakers word the same market differently:
// the rows prove the words and the signs of its lines.
//
// Source: provider notes for Sportmonks v3, as of November 2026.
package sportmonks
