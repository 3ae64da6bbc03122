package transparency

import (
	"errors"

	"mkt/publish/durable"
)

// ErrNotLogged: no leaf covers a commit yet.
var ErrNotLogged = errors.New("not in the transparency log yet")

// Find finds the oldest leaf that covers a commit of a dataset: that of the commit, or of a later one,
// whose chain proves it. It returns the leaf's index, and the checkpoint that the leaf names as its
// lower bound; nil if it names none. The error is [ErrNotLogged] if there is no such leaf.
func (v *View) Find(clientID, product string, version uint64, head Signed) (index int64, found *Record, after []byte, err error) {
	for n := (head.Size - 1) / tileWidth; n >= 0 && head.Size > 0; n-- {
		file, err := v.recordsUpTo(head.Size, n)
		if err != nil {
			return 0, nil, nil, err
		}
		for i := int(min(tileWidth, head.Size-file.First)) - 1; i >= 0; i-- {
			r := file.Records[i]
			if r.ClientID != clientID || r.Product != product || r.PreviousVersion >= version {
				continue
			}
			if r.Version < version || found != nil && r.Version > found.Version { // or of an account of that name before
				return index, found, after, notLogged(found)
			}
			index, found, after = file.First+int64(i), r, file.cosignedWith(r.AfterSHA256)
		}
	}
	return index, found, after, notLogged(found)
}

func notLogged(found *Record) error {
	if found == nil {
		return ErrNotLogged
	}
	return nil
}

// cosignedWith returns the checkpoint with a hash; nil if the file does not have it.
func (r *records) cosignedWith(sum string) []byte {
	for _, text := range r.Cosigned {
		if durable.Hash([]byte(text)) == sum {
			return []byte(text)
		}
	}
	return nil
}

// Witnessed returns the oldest kept checkpoint that covers an entry and has enough cosignatures under a
// policy: the older it is, the earlier the time that it proves. If there is none, it returns the head.
func (v *View) Witnessed(index int64, p *Policy, head Signed) (Signed, error) {
	best := head
	_, _, done, err := p.Check(head.Note)
	if err != nil {
		return head, err
	}
	consider := func(text []byte) {
		if c, by, enough, err := p.Check(text); err == nil && enough && len(by) > 0 && c.Size > index && c.Size <= head.Size && (!done || c.Size < best.Size) {
			best, done = c, true
		}
	}
	newest, err := v.cosigned()
	if err != nil {
		return head, err
	}
	if newest != nil {
		consider(newest)
	}
	for n := index / tileWidth; n <= (head.Size-1)/tileWidth; n++ {
		file, err := v.recordsUpTo(head.Size, n)
		if err != nil {
			return head, err
		}
		for _, text := range file.Cosigned {
			consider([]byte(text))
		}
		if done && best.Size <= (n+1)*tileWidth {
			break // those in later files are of larger logs
		}
	}
	return best, nil
}
