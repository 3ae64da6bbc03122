package transparency

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// Key is the private key of a log, with the keys that are derived from it.
type Key struct {
	signer    note.Signer
	verifier  string
	pseudonym []byte
}

// ParseKey reads the private key of a log, as [NewKey] writes it.
func ParseKey(text []byte) (*Key, error) {
	line := strings.TrimSuffix(string(text), "\n")
	signer, err := note.NewSigner(line)
	if err != nil {
		return nil, fmt.Errorf("key of the log: %w", err)
	}
	parts := strings.SplitN(line, "+", 5)
	seed, err := base64.StdEncoding.DecodeString(parts[4])
	if err != nil {
		return nil, fmt.Errorf("key of the log: %w", err)
	}
	verifier, err := note.NewEd25519VerifierKey(signer.Name(), ed25519.NewKeyFromSeed(seed[1:]).Public().(ed25519.PublicKey))
	if err != nil {
		return nil, fmt.Errorf("key of the log: %w", err)
	}
	mac := hmac.New(sha256.New, seed[1:])
	mac.Write([]byte("mkt pseudonyms of datasets v1"))
	return &Key{signer, verifier, mac.Sum(nil)}, nil
}

// NewKey creates the private key of the log with a name, such as example.com/prices, from random bytes.
func NewKey(random io.Reader, name string) ([]byte, error) {
	if name == "" || strings.ContainsAny(name, " +\t\r\n") {
		return nil, fmt.Errorf("name of the log %q: want a name such as example.com/prices, without blanks and +", name)
	}
	key, _, err := note.GenerateKey(random, name)
	return []byte(key + "\n"), err
}

// VerifierKey is the public key of the log, as policies name it.
func (k *Key) VerifierKey() string { return k.verifier }

// Origin is the name of the log.
func (k *Key) Origin() string { return k.signer.Name() }
