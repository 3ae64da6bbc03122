// Package betsapi is the adapter for BetsAPI: Bet365's fixtures and prematch
// markets of football, in the provider's spelling.
//
// The files ask*.go send requests and read*.go read answers; the two share nothing but
// bytes. bet365.csv is the mapping table. The package emulator answers as the provider
// would; internal/api has the names that it shares with this package.
//
// The listing (bet365/upcoming) knows teams, league and kick-off; the markets
// (bet365/prematch) know none of them. FI, the bookmaker's fixture id, joins the
// two and is the fixture's identity. Four shapes of the markets are read: v1 of
// 2017, the bookmaker's own of 2018 (raw), v3 of 2020, and v3 since 2022.
//
// live_*.go read fixtures in play: events/inplay has clock, score and counters,
// event/view the provider's own event lines.
//
// Source: provider notes for BetsAPI, sections 1 to 8 and 11, as of 2026.
package betsapi
