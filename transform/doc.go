// Package transform is the second stage: it turns a raw cycle into canonical rows. It reads the
// bytes kept by fetch with the provider's reader, maps them with the product's engine, and writes
// the rows as tables of package publish/table. The header comes last.
//
// Its result is a pure function of the raw cycle, the id key and the rules
// ([football.DerivationVersion]). For live_intelligence it also depends on the states stored by
// the previous cycle. Neither the clock, the number of workers nor the build affects a row. It
// opens no connection and no credential.
//
// [Run] chooses the cycle and checks the id key, lets the product derive it, and records the run.
// Package prematch derives a cycle of market_engine with the engine in package markets, and
// package tracking one of live_intelligence with the engine in package live; both read with
// package reading and write with package canonical. [Rebuild] runs the same code over an archived
// cycle, and prematch.Trace and tracking.Trace over one fixture. Package coverage reports the
// mapping of payloads, without writing anything.
package transform
