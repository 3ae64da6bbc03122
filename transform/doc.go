// Package transform is the second stage: it turns a raw cycle into canonical rows. It reads the
// bytes kept by fetch with the provider's reader, maps them with the product's engine, and writes
// the rows as tables of package publish/table. The header comes last.
//
// Its result is a pure function of the raw cycle, the id key and the rules
// ([football.DerivationVersion]). For live_intelligence it also depends on the states stored by
// the previous cycle. Neither the clock, the number of workers nor the build affects a row. It
// opens no connection and no credential.
//
// In the order they run: choose.go chooses the cycle and checks the id key, engines.go has the
// product's engine, read.go reads and derives, gather.go joins the results, write.go writes, and
// report.go records the run. live_*.go and chain.go are the engine of live_intelligence.
// rebuild.go and trace.go run the same code over archived cycles. Package coverage reports the
// mapping of payloads, without writing anything.
package transform
