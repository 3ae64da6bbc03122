// Package emulator renders the simulated world in the wire format of API-Football v3.
//
// Source: provider notes, sections 1 to 6.
package emulator
