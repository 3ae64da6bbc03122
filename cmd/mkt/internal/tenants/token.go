package tenants

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"strings"
	"time"
)

// A token is "mkt_", 43 base62 characters of randomness (256 bits) and 6 of
// checksum (CRC-32 of what stands before), so that a scanner can tell a leaked
// token from noise. Source: DESIGN, section 4.
const (
	tokenPrefix  = "mkt_"
	tokenRandom  = 43
	tokenCheck   = 6
	tokenHint    = 4
	base62Digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// NewToken mints a token and the entry that is kept of it. The token itself
// exists only in the return value.
func NewToken(now time.Time) (string, Token) {
	body := tokenPrefix + randomBase62(tokenRandom)
	token := body + checksum(body)
	return token, Token{
		Digest:   sha256.Sum256([]byte(token)),
		Hint:     token[len(token)-tokenHint:],
		IssuedAt: now.UTC().Truncate(time.Second),
	}
}

func randomBase62(n int) string {
	const fair = 256 - 256%len(base62Digits) // bytes from here on would favour the first digits
	out := make([]byte, 0, n)
	buf := make([]byte, 64)
	for len(out) < n {
		rand.Read(buf) // never fails
		for _, b := range buf {
			if int(b) < fair && len(out) < n {
				out = append(out, base62Digits[int(b)%len(base62Digits)])
			}
		}
	}
	return string(out)
}

func checksum(body string) string {
	sum := crc32.ChecksumIEEE([]byte(body))
	out := [tokenCheck]byte{}
	for i := tokenCheck - 1; i >= 0; i-- {
		out[i] = base62Digits[sum%62]
		sum /= 62
	}
	return string(out[:])
}

// ValidToken tells whether s has the shape and checksum of a token.
func ValidToken(s string) bool {
	if len(s) != len(tokenPrefix)+tokenRandom+tokenCheck || !strings.HasPrefix(s, tokenPrefix) {
		return false
	}
	body := s[:len(s)-tokenCheck]
	return strings.Trim(s[len(tokenPrefix):], base62Digits) == "" && checksum(body) == s[len(body):]
}
