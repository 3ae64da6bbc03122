// Package sportmonks is the adapter for Sportmonks' Football API v3: fixtures,
// prematch prices of one of several bookmakers, and matches in play.
//
// The files ask.go and live_ask.go ask, read*.go and live_*.go read; markets.csv is
// the mapping table and words.csv the wording of the rows. Asking and reading meet
// only in bytes. internal/wire holds the words of the wire format, which an emulator
// shares with this package.
//
// The listing (fixtures/between) knows teams, league and kick-off. The prices
// (fixtures/multi with the include odds) come as one row for each selection; a market
// is the rows of one market id. The same market is worded differently by different
// bookmakers, so that the words and the signs of its lines are proven by the rows.
//
// Source: provider notes for Sportmonks v3, as of November 2026.
package sportmonks
