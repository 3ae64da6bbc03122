package serving

import "testing"

// A command that serves without the flags, such as the demo, has their defaults.
func TestCompressionIsTheDefault(t *testing.T) {
	if new(realtimeFlags).options().Uncompressed {
		t.Error("not compressed unless asked for")
	}
}
