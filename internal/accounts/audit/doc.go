// Package audit keeps the log of account changes: who did what to which tenant and when,
// one line of JSON for each entry, in audit.log beside tenants.yaml.
//
// Edit changes the accounts and logs that, in this order: it opens the log (an error stops
// the change), makes the new tenants.yaml durable, and appends and syncs the entry. All of
// this happens under the lock of the edit. The log is only appended to; the next entry ends
// a line that a crash cut off. The changes are found by comparing the two versions field by
// field, and no field that is compared holds a token, a digest or a credential.
//
// A change by hand cannot be logged, but it is visible: each entry holds the hash of the
// file before and after it, and Read marks where the hashes of two entries do not match.
package audit
