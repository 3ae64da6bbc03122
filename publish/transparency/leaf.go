package transparency

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Leaf says that a dataset had a commit. Its chain of commits proves those before it.
type Leaf struct {
	Dataset [32]byte // the pseudonym of account and product
	Version uint64   // of the commit
	Commit  [32]byte // hash of the commit record
	// After is the hash of the newest cosigned checkpoint, with all its signatures, when the leaf was
	// made: the leaf is younger than the cosignatures in it. Zero before the first one.
	After [32]byte
}

// leafHeader begins the text of a leaf. Another format begins otherwise.
const leafHeader = "mkt.leaf/v1"

// Text returns the text whose hash is the entry of the log.
func (l Leaf) Text() string {
	return fmt.Sprintf("%s\ndataset %x\nversion %d\ncommit %x\nafter %x\n", leafHeader, l.Dataset, l.Version, l.Commit, l.After)
}

// ParseLeaf reads the text of a leaf.
func ParseLeaf(text string) (l Leaf, err error) {
	lines := strings.Split(text, "\n")
	names := []string{"", "dataset ", "version ", "commit ", "after "}
	if len(lines) != len(names)+1 || lines[0] != leafHeader {
		return l, fmt.Errorf("%w: it does not begin with %q, or has another number of lines", ErrLeaf, leafHeader)
	}
	values := make([]string, len(names))
	for i, name := range names[1:] {
		values[i+1] = strings.TrimPrefix(lines[i+1], name)
	}
	for i, to := range map[int]*[32]byte{1: &l.Dataset, 3: &l.Commit, 4: &l.After} {
		err = errors.Join(err, decodeSum(to, values[i]))
	}
	if err == nil {
		l.Version, err = strconv.ParseUint(values[2], 10, 63)
	}
	if err != nil || l.Text() != text {
		return l, fmt.Errorf("%w: a line is not of its form", ErrLeaf)
	}
	return l, nil
}

// ErrLeaf: a text is not that of a leaf.
var ErrLeaf = errors.New("not a leaf of the log")

// Entry returns the entry of the log: a hash, so that the log alone does not say which datasets there are.
func (l Leaf) Entry() []byte {
	sum := sha256.Sum256([]byte(l.Text()))
	return sum[:]
}

// Pseudonym is the name of a dataset in the leaves. Only who has the key can compute it.
func Pseudonym(key []byte, clientID, product string) [32]byte {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "mkt.dataset/v1\n%s\n%s\n", clientID, product)
	return [32]byte(mac.Sum(nil))
}

// Record is a leaf of the log with whose it is, as it is kept below leaves/ for receipts.
type Record struct {
	ClientID     string    `json:"client_id"`
	Product      string    `json:"product"`
	Version      uint64    `json:"version"`
	CommitSHA256 string    `json:"commit_sha256"`
	PublishedAt  time.Time `json:"published_at"` // of the commit
	AfterSHA256  string    `json:"after_sha256,omitempty"`
	// Dataset is the pseudonym, so that receipts can be made without the key.
	Dataset string `json:"dataset"`
}

// Leaf returns the leaf of a record.
func (r *Record) Leaf() (l Leaf, err error) {
	l = Leaf{Version: r.Version}
	err = errors.Join(decodeSum(&l.Dataset, r.Dataset), decodeSum(&l.Commit, r.CommitSHA256))
	if r.AfterSHA256 != "" {
		err = errors.Join(err, decodeSum(&l.After, r.AfterSHA256))
	}
	if err != nil {
		return l, fmt.Errorf("leaf of %s %s: %w", r.ClientID, r.Product, err)
	}
	return l, nil
}

func decodeSum(to *[32]byte, text string) error {
	data, err := hex.DecodeString(text)
	if err != nil || len(data) != len(to) {
		return fmt.Errorf("%q is no SHA-256", text)
	}
	copy(to[:], data)
	return nil
}
