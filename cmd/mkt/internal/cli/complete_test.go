package cli

import "testing"

// TestPlainWords: a shell may insert a completion without quoting it, so that no part of a
// provider's text that a shell acts on is offered.
func TestPlainWords(t *testing.T) {
	for word, want := range map[string]bool{
		"Arsenal": true, "Şirinyer": true, "東京都": true,
		"FC": false, "$(reboot)": false, "`id`": false, "a;b": false, "x|y": false, "-rf": false, "--config": false,
		"O'Higgins": false, "*": false, "~root": false, "A\u001b[2J": false, "abc\n": false, "\u202eabc": false, "1860": false,
	} {
		if got := isPlainWord(word); got != want {
			t.Errorf("%q: %v, want %v", word, got, want)
		}
	}
}
