// Package doctor checks an installation and reports each fault, its place, and how to repair
// it. It changes nothing and takes no lock. It sends no request, except one cheap request to
// each provider if [Options].Probe is set, and a few commands to the server of the limits if
// [Options].Limits is set.
//
// The areas are, in this order: keys, files and accounts; for each tenant and product
// schedule, snapshot, clock, locks and staging; then log, disk, limits and provider. Every check makes a
// finding: OK, WARN (it works, but should not stay as it is) or FAIL (something does not
// work, or others have access). WARN and FAIL have a code, see [Codes].
package doctor
