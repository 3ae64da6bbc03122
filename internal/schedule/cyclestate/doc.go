// Package cyclestate returns when the cycles of an account's products run: whether they run at
// all, when they are due next, and how the newest one ended. mkt schedule and mkt cycle --all
// decide by it, and the console shows it.
//
// It needs tenants.yaml and the state files of the data root alone. Its answer is therefore the
// same where another process runs the cycles, or none.
package cyclestate
