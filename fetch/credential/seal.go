package credential

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"
)

// sealedFormat is the first line of a sealed plaintext, which goes on with the
// account, the provider and the credential, a line each.
//
//	1: first
const sealedFormat = "mkt-credential/1"

// maxSealed bounds a sealed text, bytes.
const maxSealed = 64 << 10

var (
	// ErrSealed means the text is not a sealed credential, was changed, or was
	// sealed to another key.
	ErrSealed = errors.New("sealed credential cannot be opened")
	// ErrMoved means the text was sealed for another account or provider.
	ErrMoved = errors.New("sealed credential belongs to another account or provider")
)

// Seal encrypts a pasted credential (see Clean) for one account at one
// provider. The result is armored text, different every time.
func Seal(to Recipient, account, provider string, pasted []byte) (string, error) {
	secret, err := Clean(pasted)
	if err != nil {
		return "", err
	}
	if len(to.to) == 0 {
		return "", errors.New("no recipient to seal to")
	}
	if bad := account + provider; account == "" || provider == "" || strings.ContainsAny(bad, "\r\n") {
		return "", fmt.Errorf("account %q, provider %q: not names", account, provider)
	}
	var text strings.Builder
	armored := armor.NewWriter(&text)
	w, err := age.Encrypt(armored, to.to...)
	if err != nil {
		return "", fmt.Errorf("seal: %w", err)
	}
	io.WriteString(w, strings.Join([]string{sealedFormat, account, provider, secret}, "\n"))
	if err := errors.Join(w.Close(), armored.Close()); err != nil {
		return "", fmt.Errorf("seal: %w", err)
	}
	return text.String(), nil
}

// Open decrypts a sealed text and checks that it was sealed for this account
// and provider: [ErrSealed], [ErrMoved]. It uses nothing of the text before it has read
// the end, since only then is the text proven to be unchanged. No error contains it.
func Open(with Identity, sealed, account, provider string) (Secret, error) {
	if len(sealed) > maxSealed || with.key == nil {
		return Secret{}, ErrSealed
	}
	keys := []age.Identity{with.key()}
	for _, o := range with.older {
		keys = append(keys, o.key())
	}
	r, err := age.Decrypt(armor.NewReader(strings.NewReader(normal(sealed))), keys...)
	if err != nil {
		return Secret{}, ErrSealed
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		return Secret{}, ErrSealed
	}
	parts := bytes.SplitN(plain, []byte("\n"), 4)
	if len(parts) != 4 || string(parts[0]) != sealedFormat {
		return Secret{}, fmt.Errorf("%w: not of the form %s", ErrSealed, sealedFormat)
	}
	if string(parts[1]) != account || string(parts[2]) != provider {
		return Secret{}, ErrMoved
	}
	secret, err := Clean(parts[3])
	if err != nil {
		return Secret{}, ErrSealed
	}
	return NewSecret(secret), nil
}

// Fingerprint is the SHA-256 of a sealed text in hex: it ties a fetch's state
// to the credential that it was made with, and reveals nothing about the credential.
// White space around the text and the kind of line ends do not count, since
// editing tenants.yaml may change them.
func Fingerprint(sealed string) string {
	sum := sha256.Sum256([]byte(normal(sealed)))
	return hex.EncodeToString(sum[:])
}

func normal(sealed string) string {
	return strings.TrimSpace(strings.ReplaceAll(sealed, "\r\n", "\n")) + "\n"
}
