// Package emulator answers as API-Football does, over the simulated world.
//
// Source: provider notes, sections 1 to 6.
package emulator
