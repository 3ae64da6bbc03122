// Package live folds samples of fixtures in play into their state: clock, score,
// counters, momentum, visual state, timeline and pressure per minute.
//
// A step is next = Fold(previous, sample). Fold, Pass and Leave are pure: no
// clock, no randomness, no I/O, whole numbers throughout, so that the same steps
// give the same bytes (Encode) on every machine. The pipeline, the backtest and
// a replay call the very same functions.
//
// With no previous state a sample is a baseline: it sets what is known and
// counts as no movement. So is a sample after a gap, a counter met for the first
// time, and a counter that was corrected. Nothing is ever made up for what was
// not seen.
//
// Source: interface specification, section 2.13; docs/momentum.md.
package live
