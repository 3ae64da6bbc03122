// Package doctor checks an installation and reports what is wrong with it, where, and how
// to repair it. It changes nothing, takes no lock, and sends no request, unless
// Options.Probe is set: then it sends one cheap request to each provider. If Options.Limits
// is set, it sends that server a few commands.
//
// The areas are, in this order: keys, files and accounts; for each tenant and product
// schedule, snapshot, clock, locks and staging; then disk, limits and provider. Every check gives a
// finding: OK, WARN (it works, but should not stay as it is) or FAIL (something does not
// work, or others have access). WARN and FAIL have a code, see Codes.
package doctor
