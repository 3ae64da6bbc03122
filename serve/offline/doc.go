// Package offline answers SQL queries over published snapshots on the disk, with DuckDB.
// It is for people who inspect a data root, not for clients.
//
// The tables are the files of the snapshot (fixtures, markets, live, …), selections (one
// row for each, taken from markets), changes (the retained window of the change log),
// commits (every publication), and all_… for the same tables over every snapshot that is
// kept, with the account, product and cycle as columns.
//
// Every file is verified against its manifest before the engine reads it. Then all other
// files are inaccessible, the configuration is locked, memory, time and spill are limited,
// and only a single SELECT is accepted, so nothing below the data root can be written.
package offline
