package credential

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"filippo.io/age"

	"mkt/publish/durable"
)

// Identity opens texts sealed to its Recipient. It prints as a mask, and
// keeps its key as Secret keeps its text.
type Identity struct {
	line      Secret // AGE-SECRET-KEY-…
	key       func() age.Identity
	recipient Recipient
	older     []Identity // open texts sealed to them
}

// mostKeys bounds the keys of a file: the one that seals, and older ones.
const mostKeys = 8

// Older returns how many older keys there are, which open and do not seal.
func (i Identity) Older() int { return len(i.older) }

// Recipient is the public key a credential is sealed to, "age1…".
type Recipient struct {
	to   []age.Recipient // each of them opens it
	text string          // of the first
}

func (r Recipient) String() string { return r.text }

// NewIdentity creates a key.
func NewIdentity() (Identity, error) {
	key, err := age.GenerateX25519Identity()
	if err != nil {
		return Identity{}, err
	}
	return fromKey(key), nil
}

func fromKey(key *age.X25519Identity) Identity {
	to := key.Recipient()
	return Identity{line: NewSecret(key.String()), key: func() age.Identity { return key }, recipient: Recipient{[]age.Recipient{to}, to.String()}}
}

// Recipient returns the recipient to seal to so that this identity can open the text,
// and each of its older keys alone can as well.
func (i Identity) Recipient() Recipient {
	r := Recipient{text: i.recipient.text, to: slices.Clone(i.recipient.to)}
	for _, o := range i.older {
		r.to = append(r.to, o.recipient.to...)
	}
	return r
}

// File returns the content of seal.key for a new key, with the recipient as a comment. It
// is secret and must be written with mode 0600.
func (i Identity) File() []byte {
	return fmt.Appendf(nil, "# mkt sealing key: opens the credentials in tenants.yaml. Keep it secret, keep a copy.\n# recipient: %s\n%s\n", i.recipient, i.line.Reveal())
}

// Format keeps the key out of every way of printing an Identity.
func (Identity) Format(f fmt.State, _ rune) { io.WriteString(f, Mask) }

// ParseIdentity reads a key file's content: an age X25519 identity, and below it
// older ones; empty lines and comments are ignored. Errors do not contain the content.
func ParseIdentity(content []byte) (Identity, error) {
	keys, err := age.ParseIdentities(bytes.NewReader(content))
	if err != nil {
		return Identity{}, errors.New("not an age key file: want one line AGE-SECRET-KEY-1…")
	}
	if len(keys) > mostKeys {
		return Identity{}, fmt.Errorf("%d keys in the file: want at most %d", len(keys), mostKeys)
	}
	var all []Identity
	for _, k := range keys {
		key, ok := k.(*age.X25519Identity)
		if !ok {
			return Identity{}, errors.New("not an X25519 key: want one line AGE-SECRET-KEY-1…")
		}
		all = append(all, fromKey(key))
	}
	first := all[0]
	first.older = all[1:]
	return first, nil
}

// maxKeyFile bounds seal.key, bytes.
const maxKeyFile = 64 << 10

// LoadIdentity reads seal.key. It refuses a file that others may read or write, see
// durable.Exposed.
func LoadIdentity(path string) (Identity, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return Identity{}, fmt.Errorf("sealing key %s: %w: run mkt init, or point to the key that sealed tenants.yaml", path, os.ErrNotExist)
	}
	if errors.Is(err, os.ErrPermission) {
		return Identity{}, fmt.Errorf("sealing key: %w: run it as the user who owns the key", err)
	}
	if err != nil {
		return Identity{}, fmt.Errorf("sealing key: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Identity{}, fmt.Errorf("sealing key: %w", err)
	}
	if durable.Exposed(info, os.Geteuid()) != 0 {
		return Identity{}, fmt.Errorf("sealing key %s: mode %04o lets other users read or write it: chmod 600 %s", path, info.Mode().Perm(), path)
	}
	content, err := io.ReadAll(io.LimitReader(f, maxKeyFile))
	if err != nil {
		return Identity{}, fmt.Errorf("sealing key %s: %w", path, err)
	}
	identity, err := ParseIdentity(content)
	if err != nil {
		return Identity{}, fmt.Errorf("sealing key %s: %w", path, err)
	}
	return identity, nil
}
