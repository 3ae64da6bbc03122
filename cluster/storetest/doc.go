// Package storetest tests publications in an object store: against versitygw, through a proxy
// which kills, loses, delays, refuses and truncates.
package storetest
