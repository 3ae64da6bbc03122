package credential

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"filippo.io/age"

	"mkt/publish/durable"
)

// Identity opens what was sealed to its Recipient. It prints as a mask, and
// holds its key as Secret holds its text.
type Identity struct {
	line      Secret // AGE-SECRET-KEY-…
	key       func() age.Identity
	recipient Recipient
}

// Recipient is whom a credential is sealed to, "age1…". It is no secret.
type Recipient struct {
	to   age.Recipient
	text string
}

func (r Recipient) String() string { return r.text }

// ParseRecipient reads a Recipient from its text.
func ParseRecipient(text string) (Recipient, error) {
	to, err := age.ParseX25519Recipient(text)
	if err != nil {
		return Recipient{}, fmt.Errorf("sealing recipient %q: want an age public key, age1…", text)
	}
	return Recipient{to, to.String()}, nil
}

// NewIdentity makes a key.
func NewIdentity() (Identity, error) {
	key, err := age.GenerateX25519Identity()
	if err != nil {
		return Identity{}, err
	}
	return fromKey(key), nil
}

func fromKey(key *age.X25519Identity) Identity {
	to := key.Recipient()
	return Identity{NewSecret(key.String()), func() age.Identity { return key }, Recipient{to, to.String()}}
}

// Recipient is whom to seal to so that this identity opens it.
func (i Identity) Recipient() Recipient { return i.recipient }

// File is the content of seal.key: the key, with the recipient as a comment. It
// is secret: write it with mode 0600.
func (i Identity) File() []byte {
	return fmt.Appendf(nil, "# mkt sealing key: opens the credentials in tenants.yaml. Keep it secret, keep a copy.\n# recipient: %s\n%s\n", i.recipient, i.line.Reveal())
}

// Format keeps the key out of every way of printing an Identity.
func (Identity) Format(f fmt.State, _ rune) { io.WriteString(f, Mask) }

// ParseIdentity reads a key file's content: one age X25519 identity; empty lines
// and comments are passed by. Errors do not hold the content.
func ParseIdentity(content []byte) (Identity, error) {
	keys, err := age.ParseIdentities(bytes.NewReader(content))
	if err != nil {
		return Identity{}, errors.New("not an age key file: want one line AGE-SECRET-KEY-1…")
	}
	if len(keys) != 1 {
		return Identity{}, fmt.Errorf("%d keys in the file: want one", len(keys))
	}
	key, ok := keys[0].(*age.X25519Identity)
	if !ok {
		return Identity{}, errors.New("not an X25519 key: want one line AGE-SECRET-KEY-1…")
	}
	return fromKey(key), nil
}

// maxKeyFile bounds seal.key, bytes.
const maxKeyFile = 64 << 10

// LoadIdentity reads seal.key. It is refused when others may read or write it:
// see durable.Exposed.
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
		return Identity{}, fmt.Errorf("sealing key %s: mode %04o lets others at it: chmod 600 %s", path, info.Mode().Perm(), path)
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
