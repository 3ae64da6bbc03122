package main

import (
	"io"
	"log"
	"testing"
)

// What the standard library writes into a log of its own is written nowhere: net/http has the beginning of bytes there that a
// provider sent unasked, and they may be the credential.
func TestLibrariesLogNothing(t *testing.T) {
	defer log.SetOutput(log.Writer())
	run(t.Context(), []string{"--version"}, nil, io.Discard, io.Discard)
	if log.Writer() != io.Discard {
		t.Error("the standard log is written")
	}
}
