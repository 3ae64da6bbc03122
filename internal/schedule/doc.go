// Package schedule parses cron expressions and runs named jobs on them. It runs a job once at a
// time, skips a tick during a run, spreads jobs by jitter, and bounds the number of
// concurrent runs.
//
// A job is a name and an expression; the package knows nothing of tenants and stages.
// Expressions are in UTC, where no hour comes twice or is left out.
package schedule
