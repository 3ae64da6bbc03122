package timeline

import (
	"fmt"
	"testing"
)

// How an entry is counted, and the bits of its flags, are stored.
func TestCodesOfEntriesNeverChange(t *testing.T) {
	if got, want := fmt.Sprint(notCounted, countedBefore, countedByRise), "0 1 2"; got != want {
		t.Errorf("the codes are %s, want %s: stored states would be read as something else", got, want)
	}
	if got, want := fmt.Sprint(hasProof, wasWithdrawn, hasFallen, isHidden, countingShift), "1 2 4 8 4"; got != want {
		t.Errorf("the codes are %s, want %s: stored states would be read as something else", got, want)
	}
}
