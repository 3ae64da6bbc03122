// Package storetest holds the tests of publications in an object store: against versitygw,
// through a proxy that kills, loses, delays, refuses and truncates.
package storetest
