// Package simulator serves a football world that answers like a provider: leagues, teams,
// fixtures that come and go, prices that move. Demonstrations and tests use it in place
// of a real account.
//
// The world is independent of any provider, and has packages by subject: the leagues and
// teams ([mkt/fetch/simulator/competition]), the play of a match, the live feed's report of
// it, the bookmaker's offers and prices, and the calendar of fixtures
// ([mkt/fetch/simulator/world]). A provider's folder has an emulator: a [Dialect] that renders
// the world in that provider's wire format, and a [meant.Dialect] that states the meaning of
// its answers. All emulators share the [Server] with its accounts, quotas and faults.
//
// Everything is a pure function of a seed and a time: the same seed and moment give the
// same fixtures, prices and bytes, on every machine and in any order of requests. All
// names in it are invented.
package simulator
