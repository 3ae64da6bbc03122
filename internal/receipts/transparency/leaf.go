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
	Dataset [32]byte // the pseudonym of account, product and history
	Version uint64   // of the commit
	Commit  [32]byte // hash of the commit record
	// Previous is the commit of the dataset's leaf before: this leaf covers the publications after that one. Its
	// version is 0 in the first leaf of a dataset.
	Previous Previous
	// After is the hash of the newest cosigned checkpoint, with all its signatures, when the leaf was
	// made: the leaf is younger than the cosignatures in it. Zero before the first one.
	After [32]byte
}

// Previous is the commit that the leaf before has.
type Previous struct {
	Version uint64
	Commit  [32]byte
}

// leafHeader is the first line of the text. Version 1 had no line previous.
const leafHeader = "mkt.leaf/v2"

// Text returns the text whose hash is the entry of the log.
func (l Leaf) Text() string {
	return fmt.Sprintf("%s\ndataset %x\nversion %d\ncommit %x\nprevious %d %x\nafter %x\n", leafHeader, l.Dataset, l.Version, l.Commit, l.Previous.Version, l.Previous.Commit, l.After)
}

// ParseLeaf reads the text of a leaf.
func ParseLeaf(text string) (l Leaf, err error) {
	names := []string{"", "dataset ", "version ", "commit ", "previous ", "after "}
	lines := strings.Split(text, "\n")
	if len(lines) != len(names)+1 {
		return l, fmt.Errorf("%w: it has another number of lines", ErrLeaf)
	}
	values := map[string]string{}
	for i, name := range names {
		values[name] = strings.TrimPrefix(lines[i], name)
	}
	number, sum, _ := strings.Cut(values["previous "], " ")
	previous, wrong := strconv.ParseUint(number, 10, 63)
	err = errors.Join(wrong, decodeSum(&l.Previous.Commit, sum))
	l.Previous.Version = previous
	l.Version, wrong = strconv.ParseUint(values["version "], 10, 63)
	err = errors.Join(err, wrong, decodeSum(&l.Dataset, values["dataset "]), decodeSum(&l.Commit, values["commit "]), decodeSum(&l.After, values["after "]))
	if err != nil || l.Text() != text {
		return l, fmt.Errorf("%w: a line is not of its form", ErrLeaf)
	}
	if l.Previous.Version > 0 && l.Previous.Version >= l.Version || l.Previous.Version == 0 && l.Previous.Commit != [32]byte{} {
		return l, fmt.Errorf("%w: the leaf before it is not of an older publication", ErrLeaf)
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

// Pseudonym is the name of a dataset in the leaves: one history of one product of an account. Only who has the key can
// compute it.
func Pseudonym(key []byte, clientID, product, historyID string) [32]byte {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "mkt.dataset/v2\n%s\n%s\n%s\n", clientID, product, historyID)
	return [32]byte(mac.Sum(nil))
}

// Record is a leaf of the log with whose it is, as it is kept below leaves/ for receipts.
type Record struct {
	ClientID     string    `json:"client_id"`
	Product      string    `json:"product"`
	HistoryID    string    `json:"history_id"` // of the commit
	Version      uint64    `json:"version"`
	CommitSHA256 string    `json:"commit_sha256"`
	PublishedAt  time.Time `json:"published_at"` // of the commit
	// PreviousVersion and PreviousSHA256 are those of the leaf before of this history; zero if there is none.
	PreviousVersion uint64 `json:"previous_version,omitempty"`
	PreviousSHA256  string `json:"previous_sha256,omitempty"`
	AfterSHA256     string `json:"after_sha256,omitempty"`
	// Dataset is the pseudonym, so that receipts can be made without the key.
	Dataset string `json:"dataset"`
}

// Leaf returns the leaf of a record.
func (r *Record) Leaf() (l Leaf, err error) {
	l = Leaf{Version: r.Version, Previous: Previous{Version: r.PreviousVersion}}
	err = errors.Join(decodeSum(&l.Dataset, r.Dataset), decodeSum(&l.Commit, r.CommitSHA256))
	if r.PreviousVersion > 0 {
		err = errors.Join(err, decodeSum(&l.Previous.Commit, r.PreviousSHA256))
	}
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
