package transparency

import (
	"bytes"
	"encoding/hex"
	"fmt"

	"golang.org/x/mod/sumdb/note"

	"mkt/publish/durable"
)

// Log is a log to which leaves are added.
type Log struct {
	Copy
	signer    note.Signer
	pseudonym []byte // key of the pseudonyms

	// Commit makes an extension of the log the one that follows a size, for all machines, or fails if there is
	// another one. Nil: the log is on this machine alone.
	Commit func(from int64, extension []byte) error
}

// Open is [OpenCopy] with the private key of the log.
func Open(root durable.FS, key *Key) (*Log, error) {
	v, err := note.NewVerifier(key.verifier)
	if err != nil {
		return nil, fmt.Errorf("verifier key of the log: %w", err)
	}
	c, err := OpenCopy(root, v)
	if err != nil {
		return nil, err
	}
	return &Log{Copy: *c, signer: key.signer, pseudonym: key.pseudonym}, nil
}

// Append adds leaves and signs the new head, which is durable when it returns. Without records it
// returns the head as it is. The leaves get the newest cosigned checkpoint as their lower bound. With
// Commit there is a head at the end of each tile, so that an extension is of one tile.
func (l *Log) Append(records []Record) (Signed, error) {
	head, err := l.head()
	for err == nil && len(records) > 0 {
		n := len(records)
		if l.Commit != nil {
			n = min(n, untilFull(head.Size))
		}
		head, err = l.append(head, records[:n])
		records = records[n:]
	}
	return head, err
}

func (l *Log) append(head Signed, records []Record) (Signed, error) {
	after, err := l.cosigned()
	if err != nil {
		return head, err
	}
	e := Extension{Format: extensionFormat, From: head.Size}
	sum := ""
	if after != nil {
		sum, e.Cosigned = durable.Hash(after), []string{string(after)}
	}
	logged, err := l.newest(head.Checkpoint)
	if err != nil {
		return head, err
	}
	for i := range records {
		r := &records[i]
		dataset := Pseudonym(l.pseudonym, r.ClientID, r.Product, r.HistoryID)
		r.AfterSHA256, r.Dataset = sum, hex.EncodeToString(dataset[:])
		if last := logged.of(r); last.HistoryID == r.HistoryID {
			r.PreviousVersion, r.PreviousSHA256 = last.Version, last.CommitSHA256
		}
		logged.add(r, head.Size+int64(i))
		e.Leaves = append(e.Leaves, r)
	}
	entries, err := e.entries()
	if err != nil {
		return head, err
	}
	next, hashes, err := l.tree(head.Checkpoint, entries)
	if err != nil {
		return head, err
	}
	if err := l.writeFiles(&e, entries, next.Size, hashes); err != nil {
		return head, err
	}
	signed, err := l.sign(next)
	if err != nil {
		return head, err
	}
	if err := l.share(&e, signed); err != nil {
		return head, err
	}
	return l.commit(head.Size, signed)
}

func (l *Log) sign(c Checkpoint) ([]byte, error) {
	return note.Sign(&note.Note{Text: c.String()}, l.signer)
}

// share commits an extension for the other machines, before anybody sees its head on this one.
func (l *Log) share(e *Extension, signed []byte) error {
	if l.Commit == nil {
		return nil
	}
	e.Checkpoint = string(signed)
	data, err := e.encode()
	if err != nil {
		return err
	}
	return l.Commit(e.From, data)
}

// addCosignatures adds signature lines, which were verified, to the head. Those of keys that the policy
// does not have are left out.
func (l *Log) addCosignatures(head Signed, lines []byte, p *Policy) (Signed, error) {
	known := []note.Verifier{l.verifier}
	for _, w := range p.Witnesses {
		known = append(known, w.Verifier)
	}
	all, err := note.Open(append(bytes.Clone(head.Note), lines...), note.VerifierList(known...))
	if err != nil {
		return head, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	all.UnverifiedSigs = nil
	signed, err := note.Sign(all)
	if err != nil {
		return head, err
	}
	if err := durable.Overwrite(l.root, checkpointFile, signed); err != nil {
		return head, err
	}
	if err := durable.Overwrite(l.root, cosignedFile, signed); err != nil {
		return head, err
	}
	return OpenSigned(signed, known...)
}
