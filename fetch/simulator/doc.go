// Package simulator is a football world that answers like a provider: leagues, teams,
// fixtures that come and go, prices that move. Demonstrations and tests use it in place
// of a real account.
//
// The world ([World], [Fixture], [Offering], [PriceList]) is independent of any provider: markets
// have canonical names, selections canonical outcomes and lines. A provider's folder has
// an emulator: a [Dialect] that renders the world in that provider's wire format, and a
// [Meaning] that states the meaning of its answers. All emulators share the rest: the
// offers on a fixture and their price moves (offers.go, offering.go), ids, lists and
// their pages, caches, recorded answers, and the [Server] with its accounts, quotas and
// faults.
//
// A world keeps a fixed number of fixtures announced; they start, end, are called off or
// postponed, and new ones are announced as time passes. Each has a model of goals by
// halves, from which every price is computed.
//
// A fixture is played from its kick-off on ([Match]): second by second the ball is won and
// lost, attacks become shots, and shots become goals, depending on the sides' strength,
// the model's goals and momentum. The feed's report ([Match.Sent]) is separate from the true
// match ([Match.Periods], [Match.Increments], [Match.Incidents], [Match.Minutes]): counters
// are corrected, go missing, stand still. Real matches can be replayed in place of invented
// ones ([ReadMatches]).
//
// Everything is a pure function of a seed and a time: the same seed and moment give the
// same fixtures, prices and bytes, on every machine and in any order of requests. All
// names in it are invented.
package simulator
