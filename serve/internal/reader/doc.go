// Package reader opens published snapshots and answers queries from them.
//
// A snapshot is loaded once, outside the request path: its files are verified, every
// fixture and market is rendered to the JSON that will be served, and the result is
// written to a private DuckDB file, which is then opened read-only, with bounded
// memory and a locked configuration. Each fixture and each market is a row, numbered in
// the order of the answers, so a page is a range of rows, and filters and counts are SQL.
// Rendered pages are cached for as long as the snapshot is open.
//
// A live snapshot is small and short-lived, and a new one arrives every few seconds.
// It is rendered into memory instead, and every read is a look-up in memory. With 300
// fixtures this takes about 7 ms (BenchmarkLiveLoad), whereas creating and opening an
// empty database takes 90 ms on the same busy machine: with twenty tenants, that
// would waste a quarter of a core.
//
// A request pins one View and releases it at its end. A new snapshot replaces the
// current one by a pointer swap, and the old one is closed when the last request has
// released it. A snapshot that cannot be loaded changes nothing.
//
// Below it, markets and feed load the snapshots of the two products, engine is the DuckDB
// of one snapshot, segments reads the change log and the steps of prices, and pages keeps
// rendered pages. They know neither datasets nor the library.
//
// The package never lists a folder, never repairs, and never writes below the data
// root. A publication that a power cut could still lose is synced before it is
// served. The other package that asks DuckDB is serve/offline, for people who inspect
// a data root.
package reader
