// Package theoddsapi is the adapter for The Odds API, version 4: the prices of one
// bookmaker of many, as markets by key and outcomes by name.
//
// The files ask*.go ask and read*.go read; theoddsapi.csv is the mapping table.
// Asking and reading meet only in bytes. internal/wire holds the words of the wire.
//
// A fixture belongs to a competition, which is a "sport" of the provider, and is
// known by an id of its own; teams have names only. An answer about prices names no
// home side but the fixture's, and its outcomes name the teams: they are resolved
// by equality. The prices are those of the bookmaker that the query names.
//
// The provider sells no statistics, so that there is no live intelligence on it.
//
// Source: provider notes for The Odds API, sections 1 to 5, as of 2026.
package theoddsapi
