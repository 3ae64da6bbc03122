// Package simulator is a football world that answers like a provider: leagues,
// teams, fixtures that come and go, prices that drift. It is what demonstrations
// and tests run against when no real account is at hand.
//
// The world (World, Fixture, Offering, Sheet) is in no provider's spelling: markets
// have canonical names, selections canonical outcomes and lines. A provider's folder
// holds an emulator: the Dialect that renders the world in that provider's wire
// format, and with Meaning states what its answers mean. Everything else is shared by
// all emulators: what is offered on a fixture and when prices move (offers.go,
// offering.go), ids, lists and their pages, caches, recorded answers, and the Server
// with its accounts, quotas, faults, and what its answers mean.
//
// A world announces its size in fixtures at any moment; they start, end, are
// called off or moved, and new ones are announced as the clock goes on. Each has
// a model of goals that every price comes from, by halves.
//
// A fixture is played from its kick-off on (Match): second by second the ball is won
// and lost, attacks become shots, and shots become goals, depending on the sides'
// strength, the model's goals and swings of momentum. What a feed reports (Sent) is
// separate from what truly happens (Periods, Increments, Incidents, Minutes): counters
// are corrected, go missing, stand still. Real matches can be replayed in place of
// invented ones (ReadMatches).
//
// Everything is a pure function of a seed and a time: the same seed and the same
// moment give the same fixtures, the same prices and the same bytes, on every
// machine and in any order of asking. All names in it are invented.
package simulator
