// Package live folds samples of fixtures in play into their state: clock, score,
// counters, momentum, visual state, timeline and pressure per minute. Each of these is a package
// below it, which keeps, encodes and publishes its part of the state:
//
//	fold.go    a sample into the next state; plausible.go and join.go prepare it
//	publish.go what is published of a state
//	timeline   the states of play and the events
//	minutes    the points of each minute
//	momentum   pressure, and which side leads
//	counter    the counters, and how they moved
//	clock      the clock and the half
//	codec      the encoding; encode.go and decode.go
//	rules      every number of the rules, and their words
//
// A step is next = Fold(previous, sample). [Fold], [Pass] and [Leave] are pure: they use no
// clock, no randomness and no I/O, and compute with integers alone. So the same steps have the
// same bytes (Encode) on every machine. The pipeline, the backtest and a replay call the same
// functions.
//
// A sample without a previous state is a baseline: it sets the known values and counts as no
// movement. The same holds for a sample after a gap, a counter sent for the first time, and a
// corrected counter. Nothing is invented for unseen time.
//
// Source: interface specification, section 2.13; docs/momentum.md.
package live
