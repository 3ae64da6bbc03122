// Package audit keeps the log of account changes: who did what to which tenant
// and when, one line of JSON an entry, in audit.log beside tenants.yaml.
//
// Edit changes the accounts and logs it, in this order: the log is opened (an
// error refuses the change), the new tenants.yaml is made durable, the entry is
// appended and synced. All of it happens under the lock of the edit. The log is
// only ever appended to; what a crash cut off is closed by a line end with the
// next entry. What changed is found by comparing the two generations, field by
// field, and no field that is compared holds a token, a digest or a credential.
//
// A change by hand cannot be logged. It shows all the same: each entry holds the
// hash of the file before and after, and Read marks where the two do not meet.
package audit
