package transparency

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"
)

// typeCosignature is the type of a timestamped Ed25519 cosignature in key ids and verifier keys.
const typeCosignature = 4

// stampBytes is the length of the time in front of a cosignature.
const stampBytes = 8

// Cosigner makes cosignatures: statements that at a time it knew no larger consistent tree of a log.
// It is a [note.Signer]. Source: c2sp.org/tlog-cosignature.
type Cosigner struct {
	name string
	key  ed25519.PrivateKey
	now  func() time.Time
}

// NewCosigner reads a private key as [note.GenerateKey] writes it. The key must not sign anything else.
func NewCosigner(privateKey string, now func() time.Time) (*Cosigner, error) {
	if _, err := note.NewSigner(privateKey); err != nil {
		return nil, err
	}
	parts := strings.SplitN(privateKey, "+", 5) // PRIVATE, KEY, name, id, and the key with its type
	seed, err := base64.StdEncoding.DecodeString(parts[4])
	if err != nil {
		return nil, err
	}
	return &Cosigner{name: parts[2], key: ed25519.NewKeyFromSeed(seed[1:]), now: now}, nil
}

func (c *Cosigner) public() ed25519.PublicKey { return c.key.Public().(ed25519.PublicKey) }

// Name implements [note.Signer].
func (c *Cosigner) Name() string { return c.name }

// KeyHash implements [note.Signer].
func (c *Cosigner) KeyHash() uint32 { return cosignerID(c.name, c.public()) }

// Sign implements [note.Signer]: it cosigns the text of a checkpoint now.
func (c *Cosigner) Sign(text []byte) ([]byte, error) {
	at := c.now().Unix()
	if at < 0 {
		return nil, fmt.Errorf("cosign: the clock is before 1970")
	}
	stamp := binary.BigEndian.AppendUint64(nil, uint64(at))
	return append(stamp, ed25519.Sign(c.key, cosigned(uint64(at), text))...), nil
}

// VerifierKey returns the public key, as policies name it.
func (c *Cosigner) VerifierKey() string {
	key := append([]byte{typeCosignature}, c.public()...)
	return fmt.Sprintf("%s+%08x+%s", c.name, c.KeyHash(), base64.StdEncoding.EncodeToString(key))
}

func cosignerID(name string, key ed25519.PublicKey) uint32 {
	sum := sha256.Sum256(append([]byte(name+"\n\x04"), key...))
	return binary.BigEndian.Uint32(sum[:4])
}

// cosigned is the message that a cosignature signs.
func cosigned(at uint64, text []byte) []byte {
	return append([]byte("cosignature/v1\ntime "+strconv.FormatUint(at, 10)+"\n"), text...)
}

// cosignatureVerifier verifies the cosignatures of one witness.
type cosignatureVerifier struct {
	name string
	key  ed25519.PublicKey
}

// NewCosignatureVerifier reads the verifier key of a witness.
func NewCosignatureVerifier(verifierKey string) (note.Verifier, error) {
	name, id, key, err := parseVerifierKey(verifierKey)
	if err != nil {
		return nil, err
	}
	if key[0] != typeCosignature || len(key) != 1+ed25519.PublicKeySize {
		return nil, fmt.Errorf("verifier key of %s: of type %d, and a witness's has type %d with 32 bytes", name, key[0], typeCosignature)
	}
	v := &cosignatureVerifier{name: name, key: key[1:]}
	if v.KeyHash() != id {
		return nil, fmt.Errorf("verifier key of %s: its id is not that of its key", name)
	}
	return v, nil
}

// parseVerifierKey splits a verifier key. The key has at least its type. Source: c2sp.org/signed-note.
func parseVerifierKey(s string) (name string, id uint32, key []byte, err error) {
	parts := strings.SplitN(s, "+", 3)
	if len(parts) < 3 || parts[0] == "" || !utf8.ValidString(s) || strings.ContainsFunc(parts[0], unicode.IsSpace) || len(parts[1]) != 8 {
		return "", 0, nil, fmt.Errorf("verifier key %q: want a name without blanks, an id of eight hexadecimal digits and a key, with + between them", s)
	}
	n, err := strconv.ParseUint(parts[1], 16, 32)
	if err == nil {
		key, err = base64.StdEncoding.DecodeString(parts[2])
	}
	if err != nil || len(key) == 0 {
		return "", 0, nil, fmt.Errorf("verifier key of %s: its id or key cannot be read", parts[0])
	}
	return parts[0], uint32(n), key, nil
}

func (v *cosignatureVerifier) Name() string    { return v.name }
func (v *cosignatureVerifier) KeyHash() uint32 { return cosignerID(v.name, v.key) }

func (v *cosignatureVerifier) Verify(text, signature []byte) bool {
	if len(signature) != stampBytes+ed25519.SignatureSize {
		return false
	}
	at := binary.BigEndian.Uint64(signature)
	return at <= math.MaxInt64 && ed25519.Verify(v.key, cosigned(at, text), signature[stampBytes:])
}

// CosignedAt returns the time in a cosignature that was verified, in whole seconds, UTC.
func CosignedAt(s note.Signature) (time.Time, error) {
	data, err := base64.StdEncoding.DecodeString(s.Base64)
	if err != nil || len(data) != 4+stampBytes+ed25519.SignatureSize {
		return time.Time{}, fmt.Errorf("the signature of %s is no cosignature", s.Name)
	}
	return time.Unix(int64(binary.BigEndian.Uint64(data[4:])), 0).UTC(), nil
}
