// Package schedule runs named jobs when their expressions are due ([cadence.Parse]). It runs a job once at a
// time, skips a tick during a run, spreads jobs by jitter, and bounds the number of
// concurrent runs.
//
// A job is a name and an expression; the package knows nothing of accounts and stages.
package schedule
