package response

import (
	"crypto/rand"
	"encoding/base32"
	"net/http"

	"mkt/serve/account"
)

var idLetters = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// RequestID returns the client's own id if it is acceptable, or else a new one. A token
// that a client sent in the wrong header must not get into the log.
func RequestID(r *http.Request) string {
	if ids := r.Header["X-Request-Id"]; len(ids) == 1 && isRequestID(ids[0]) && !account.ValidToken(ids[0]) {
		return ids[0]
	}
	return NewRequestID()
}

// NewRequestID returns a new random id.
func NewRequestID() string {
	var b [15]byte
	rand.Read(b[:]) // never fails
	id := [4 + 24]byte{'r', 'e', 'q', '_'}
	idLetters.Encode(id[4:], b[:])
	return string(id[:])
}

// isRequestID reports whether a client's request id may be put into a header and a log: 1 to
// 64 letters, digits, ".", "_" and "-".
func isRequestID(s string) bool {
	if len(s) == 0 || len(s) > 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
