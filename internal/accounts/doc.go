// Package accounts reads, checks, edits and watches tenants.yaml, the single source of truth for the
// accounts. It splits it into what fetch may know ([provider.Tenant], with the sealed credential) and what
// serve may know ([account.Account], with the masked hint). It holds only token digests and sealed
// credentials, and needs no key.
//
// Reading is strict: an unknown key, a duplicate, a bad time or expression is refused with file, line
// and reason, and no message repeats a value that could be a secret. Editing works on the YAML nodes
// under a lock, keeps comments and order, checks its own result, and replaces the file
// atomically. Watching keeps the last good generation in force.
package accounts
