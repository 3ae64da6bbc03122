package identity

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// KeySize is the size of an id key in bytes.
const KeySize = 32

// Key is the secret all ids of a data root are made with. It prints as its
// fingerprint.
type Key [KeySize]byte

// LoadKey reads a key file: exactly 32 bytes, as mkt init writes it.
func LoadKey(path string) (Key, error) {
	var k Key
	f, err := os.Open(path)
	if err != nil {
		return k, fmt.Errorf("id key: %w (mkt init makes one; for an existing data root restore the key it was made with)", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, KeySize+1))
	if err != nil {
		return k, fmt.Errorf("id key: read %s: %w", path, err)
	}
	if len(b) != KeySize {
		return k, fmt.Errorf("id key: %s: want exactly %d bytes, %s", path, KeySize, sizeWords(len(b)))
	}
	copy(k[:], b)
	if k == (Key{}) {
		return k, fmt.Errorf("id key: %s holds only zeros, which is no key", path)
	}
	return k, nil
}

func sizeWords(n int) string {
	if n > KeySize {
		return "found more"
	}
	return fmt.Sprintf("found %d", n)
}

// Fingerprint names the key without telling it: 32 hex characters. It travels
// with the data.
func (k Key) Fingerprint() string {
	h := hmac.New(sha256.New, k[:])
	h.Write([]byte("mkt id key fingerprint 1"))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// String implements fmt.Stringer.
func (k Key) String() string { return "id key " + k.Fingerprint() }

// Format implements fmt.Formatter, so that no verb prints the key itself.
func (k Key) Format(s fmt.State, _ rune) { io.WriteString(s, k.String()) }

// MarshalText implements encoding.TextMarshaler: JSON and slog get the fingerprint.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }
