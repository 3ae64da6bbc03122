// Package commitlog adds the newest commits of a data root to its transparency log, and audits the
// log against them.
package commitlog

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"mkt/internal/receipts/transparency"
	"mkt/internal/terminal"
	"mkt/publish/durable"
)

// maxFile bounds a key, a verifier key and a policy.
const maxFile = 1 << 20

// ReadSecret reads a key file, which only its owner may read. what names the key, and made is the
// command that makes one.
func ReadSecret(what, path, made string) ([]byte, error) {
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%s: %w: run it as the user who owns the key", what, err)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w (%s makes one)", what, err, made)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if durable.Exposed(info, os.Geteuid()) != 0 {
		return nil, fmt.Errorf("%s %s: mode %04o lets other users read or write it: chmod 600 %s", what, path, info.Mode().Perm(), terminal.Quote(path))
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, fmt.Errorf("%s: read %s: %w", what, path, err)
	}
	return text, nil
}

// LoadKey reads the key of the log.
func LoadKey(path string) (*transparency.Key, error) {
	text, err := ReadSecret("key of the log", path, "mkt log init NAME")
	if err != nil {
		return nil, err
	}
	key, err := transparency.ParseKey(text)
	if err != nil { // its text may have a part of the key
		return nil, fmt.Errorf("key of the log: %s holds no key: restore it from a copy", path)
	}
	return key, nil
}

// LoadPolicy reads a policy; nil if the path is "".
func LoadPolicy(path string) (*transparency.Policy, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	p, err := transparency.ParsePolicy(text)
	if err != nil {
		return nil, terminal.Usagef("%s: %w", path, err)
	}
	return p, nil
}

// PublicFile is the file with the verifier key beside a key.
func PublicFile(key string) string { return key + ".pub" }

// LoadPublic reads the verifier key beside the key of the log. It does not open the key.
func LoadPublic(key string) (string, error) {
	text, err := os.ReadFile(PublicFile(key))
	if err != nil {
		return "", fmt.Errorf("verifier key of the log: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// Verifiers returns the verifier key beside the key of the log, or else those of the policy.
func Verifiers(files Files) ([]note.Verifier, error) {
	public, err := LoadPublic(files.Key)
	if err == nil {
		v, err := note.NewVerifier(public)
		return []note.Verifier{v}, err
	}
	policy, invalid := LoadPolicy(files.Policy)
	if policy == nil || invalid != nil || len(policy.Logs) == 0 {
		return nil, err
	}
	var list []note.Verifier
	for _, l := range policy.Logs {
		list = append(list, l.Verifier)
	}
	return list, nil
}

// WriteKey writes a key, and its verifier key beside it. The key comes last, because nothing is made
// again once it is there.
func WriteKey(path string, key []byte, verifier string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s exists: nothing was changed", path)
	}
	public := PublicFile(path)
	for _, name := range []string{public, SignedFile(path)} { // of a key that is gone, or of a killed run
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := durable.WriteOnce(public, 0o644, []byte(verifier+"\n")); err != nil {
		return err
	}
	err := durable.WriteOnce(path, 0o600, key)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists: nothing was changed", path)
	}
	return err
}

// NewWitnessKey makes the private key of a witness, and returns its verifier key.
func NewWitnessKey(name string) (text []byte, verifier string, err error) {
	if name == "" || strings.ContainsAny(name, " +\t\r\n") {
		return nil, "", terminal.Usagef("name of the witness %q: want a name such as witness.example.org, without blanks and +", name)
	}
	key, _, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		return nil, "", err
	}
	c, err := transparency.NewCosigner(key, nil)
	if err != nil {
		return nil, "", err
	}
	return []byte(key + "\n"), c.VerifierKey(), nil
}
