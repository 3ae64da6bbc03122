package account

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
)

// A token is "mkt_", 43 random base62 characters (256 bits) and a checksum of them: a
// CRC-32 as 6 base62 characters. With it, a mistyped or truncated token is recognized
// without a look-up, and so is a token in a leak.
const (
	tokenPrefix   = "mkt_"
	tokenSecret   = 43
	tokenChecksum = 6
	tokenLength   = len(tokenPrefix) + tokenSecret + tokenChecksum
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

var isBase62 = func() (is [256]bool) {
	for i := range len(base62) {
		is[base62[i]] = true
	}
	return is
}()

// NewToken returns a new token from random bytes; nil means crypto/rand. The token is
// shown once, and only its Digest is stored.
func NewToken(random io.Reader) (string, error) {
	if random == nil {
		random = rand.Reader
	}
	secret := make([]byte, 0, tokenSecret)
	for buf := make([]byte, 64); len(secret) < tokenSecret; {
		if _, err := io.ReadFull(random, buf); err != nil {
			return "", fmt.Errorf("random bytes for a token: %w", err)
		}
		secret = appendBase62(secret, buf)
	}
	sum := checksum(string(secret))
	return tokenPrefix + string(secret) + string(sum[:]), nil
}

// appendBase62 appends characters for those random bytes that give each character the
// same probability, until there are enough.
func appendBase62(secret, random []byte) []byte {
	const fair = 256 / len(base62) * len(base62)
	for _, b := range random {
		if len(secret) == tokenSecret {
			break
		}
		if int(b) < fair {
			secret = append(secret, base62[int(b)%len(base62)])
		}
	}
	return secret
}

func checksum(secret string) (digits [tokenChecksum]byte) {
	sum := crc32.ChecksumIEEE([]byte(secret))
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = base62[sum%uint32(len(base62))]
		sum /= uint32(len(base62))
	}
	return digits
}

// ValidToken reports whether s has the form of a token with a correct checksum. It does
// not report whether an account has it.
func ValidToken(s string) bool {
	if len(s) != tokenLength || !strings.HasPrefix(s, tokenPrefix) {
		return false
	}
	secret := s[len(tokenPrefix) : len(tokenPrefix)+tokenSecret]
	for i := 0; i < len(secret); i++ {
		if !isBase62[secret[i]] {
			return false
		}
	}
	sum := checksum(secret)
	return s[len(s)-tokenChecksum:] == string(sum[:])
}

// Digest returns the SHA-256 of a token, which is stored instead of the token.
func Digest(token string) [32]byte { return sha256.Sum256([]byte(token)) }
