package duck

import "testing"

func TestFatalErrors(t *testing.T) {
	for message, fatal := range map[string]bool{
		"FATAL Error: Failed: database has been invalidated": true,
		"INTERNAL Error: Attempted to access index 1":        true,
		"Binder Error: FATAL Error: no":                      false,
		"":                                                   false,
	} {
		if err := newError(message); err.Fatal != fatal || err.Error() != message {
			t.Errorf("%q: %+v", message, err)
		}
	}
}
