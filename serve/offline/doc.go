// Package offline answers SQL over published snapshots as they lie on the disk,
// with DuckDB: for people who look at a data root, not for clients.
//
// Tables have names: those of the snapshot's files (fixtures, markets, live, …),
// selections (one row each, taken out of markets), changes (the retained window of
// the change log), commits (every publication), and all_… for the same tables of
// every snapshot that is kept, with the account, product and cycle as columns.
//
// Every file is held against its manifest before the engine sees it. Then all
// other files are out of reach, the configuration is locked, memory, time and
// spill are bounded, and nothing but a single SELECT is carried out: nothing on
// the data root can be written.
package offline
