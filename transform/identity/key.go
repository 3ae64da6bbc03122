package identity

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"mkt/publish/durable"
)

// KeySize is the size of an id key in bytes.
const KeySize = 32

// Key is the secret that makes all ids of a data root. It prints as its fingerprint.
type Key [KeySize]byte

// LoadKey reads a key file. Others must not be able to read or write it, see [durable.Exposed].
// Whoever has the key can find the provider id of an id by trying.
func LoadKey(path string) (Key, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrPermission) {
		return Key{}, fmt.Errorf("id key: %w: run it as the user who owns the key", err)
	}
	if err != nil {
		return Key{}, fmt.Errorf("id key: %w (mkt init creates one; for an existing data root restore the key it was made with)", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Key{}, fmt.Errorf("id key: %w", err)
	}
	if durable.Exposed(info, os.Geteuid()) != 0 {
		return Key{}, fmt.Errorf("id key %s: mode %04o lets other users read or write it: chmod 600 %s", path, info.Mode().Perm(), path)
	}
	b, err := io.ReadAll(io.LimitReader(f, KeySize+1))
	if err != nil {
		return Key{}, fmt.Errorf("id key: read %s: %w", path, err)
	}
	k, err := ParseKey(b)
	if err != nil {
		return Key{}, fmt.Errorf("id key: %s: %w", path, err)
	}
	return k, nil
}

// ParseKey reads a key file's content: exactly 32 bytes, as mkt init writes it.
func ParseKey(content []byte) (Key, error) {
	if len(content) != KeySize {
		return Key{}, fmt.Errorf("want exactly %d bytes, %s", KeySize, sizeWords(len(content)))
	}
	k := Key(content)
	if k == (Key{}) {
		return Key{}, errors.New("contains only zeros, which is not a key")
	}
	return k, nil
}

func sizeWords(n int) string {
	if n > KeySize {
		return "found more"
	}
	return fmt.Sprintf("found %d", n)
}

// Fingerprint identifies the key without revealing it: 32 hex characters. It is stored
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
