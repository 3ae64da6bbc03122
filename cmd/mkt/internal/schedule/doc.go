// Package schedule reads cron expressions and runs named jobs on them: one run
// of a job at a time, a tick that comes during a run skipped and not queued,
// jobs spread out by jitter, and a bounded number of them at once.
//
// It knows nothing of tenants and stages: a job is a name and an expression.
// Expressions are read in UTC, so that no hour is run twice or left out.
package schedule
