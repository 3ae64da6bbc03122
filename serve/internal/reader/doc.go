// Package reader opens published snapshots and answers from them.
//
// A snapshot is loaded once, off the request path: its files are verified, every
// fixture and market is rendered to the JSON it will be served as, and the
// result goes into a private DuckDB file that is then opened read-only, bounded
// and locked. A page is one look-up by number; what a page was rendered to is
// kept as long as the snapshot is.
//
// A live snapshot is small, short-lived and comes every few seconds: it is
// rendered into memory instead, and every read of it is a look-up. With 300
// fixtures that takes some 7 ms (BenchmarkLiveLoad), where building and opening an
// empty database takes 90 ms on the same busy machine: with twenty tenants, a
// quarter of a core for nothing.
//
// A request pins one View and releases it when it is done. A new snapshot
// replaces the current one by a swap of a pointer; the old one closes when its
// last request leaves. A snapshot that cannot be loaded changes nothing.
//
// It never lists a folder, never repairs, and never writes below the data root. A
// publication that may still go with the power is synced before it is served.
// DuckDB has one more room, serve/offline, for people who look at a data root.
package reader
