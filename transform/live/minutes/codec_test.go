package minutes

import (
	"fmt"
	"testing"
)

// The states of the counters of a minute are stored.
func TestCodesOfMinutesNeverChange(t *testing.T) {
	if got, want := fmt.Sprint(carrySeen, CarryMissing, carryNull), "0 1 2"; got != want {
		t.Errorf("the codes are %s, want %s: stored states would be read as something else", got, want)
	}
}
