package account

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
)

// A token is "mkt_", 43 random base62 characters (256 bits) and 6 of checksum
// over them: a CRC-32 in base62, so that a mistyped or truncated token, and a
// token found in a leak, can be told from random text without a look-up.
const (
	tokenPrefix   = "mkt_"
	tokenSecret   = 43
	tokenChecksum = 6
	tokenLength   = len(tokenPrefix) + tokenSecret + tokenChecksum
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// NewToken makes a token from random bytes; nil means crypto/rand. The token is
// shown once: only its Digest is kept.
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
	return tokenPrefix + string(secret) + checksum(string(secret)), nil
}

// appendBase62 takes of the random bytes those that give each character the
// same chance, until there are enough.
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

func checksum(secret string) string {
	sum := crc32.ChecksumIEEE([]byte(secret))
	var digits [tokenChecksum]byte
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = base62[sum%uint32(len(base62))]
		sum /= uint32(len(base62))
	}
	return string(digits[:])
}

// ValidToken tells whether s has the form of a token, its checksum included. It
// says nothing about whether anybody holds it.
func ValidToken(s string) bool {
	if len(s) != tokenLength || !strings.HasPrefix(s, tokenPrefix) {
		return false
	}
	secret := s[len(tokenPrefix) : len(tokenPrefix)+tokenSecret]
	for i := 0; i < len(secret); i++ {
		if strings.IndexByte(base62, secret[i]) < 0 {
			return false
		}
	}
	return s[len(s)-tokenChecksum:] == checksum(secret)
}

// Digest is what is kept of a token: its SHA-256.
func Digest(token string) [32]byte { return sha256.Sum256([]byte(token)) }
