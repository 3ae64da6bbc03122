// Package theoddsapi is the adapter for The Odds API, version 4: the prices of one
// bookmaker of many, as markets by key and outcomes by name.
//
// The files ask*.go send requests and read*.go read answers; the two share nothing but
// bytes. theoddsapi.csv is the mapping table. The package emulator answers as the provider
// would; internal/api has the names shared with it.
//
// A fixture belongs to a competition, which the provider calls a sport, and has an id;
// teams have names only. Outcomes name the teams, in exactly the words of the fixture. The
// prices are those of the bookmaker in the query.
//
// The provider sells no statistics, so it has no live adapter.
//
// Source: provider notes for The Odds API, sections 1 to 5, as of 2026.
package theoddsapi
