// Package doctor looks an installation over and says what is wrong with it,
// where, and how to mend it. It changes nothing, takes no lock, and asks nobody:
// only with Options.Probe does it ask each provider one cheap question.
//
// Areas, in this order: keys, files, accounts, and for each tenant and product
// schedule, snapshot, clock, locks, staging; then disk, and provider. Everything
// that is looked at gives a finding: OK, WARN (it works, and should not stay so)
// or FAIL (something does not work, or is open to others). WARN and FAIL bear a
// code of a closed set, see Codes.
package doctor
