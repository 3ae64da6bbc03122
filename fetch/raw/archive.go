package raw

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"

	"mkt/fetch/provider"
	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Archive is one sealed cycle, open for reading. It keeps no file open, but the content of
// a small answers.tar.zst in memory. It is safe for concurrent use.
type Archive struct {
	fsys      durable.ReadFS
	dir       string
	cycle     Cycle
	sum       string // of cycle.json
	responses []Response
	compacted *compacted // nil if the cycle has a folder
	answers   *answers   // nil if every body is a file
	received  *Received
}

// Open reads and checks a cycle's headers. It returns [ErrNotSealed] if there are none and
// [ErrCorrupt] if they were changed. A caller must check Cycle().Outcome before
// it uses the archive.
func Open(fsys durable.ReadFS, id layout.CycleID) (*Archive, error) {
	header, inFile, err := readHeader(fsys, id)
	if err != nil {
		return nil, err
	}
	return openHeaders(fsys, id, header, inFile)
}

func openHeaders(fsys durable.ReadFS, id layout.CycleID, header []byte, inFile *compacted) (*Archive, error) {
	dir := layout.Cycle(layout.RawDir, id)
	name := dir + "/" + layout.RawFetchFile
	cycle, err := parseCycle(id, header)
	if err != nil {
		return nil, err
	}
	var list []byte
	if inFile != nil {
		list = inFile.files[layout.RawFetchFile]
	} else if list, err = durable.ReadFile(fsys, name, maxHeader); err != nil {
		return nil, damaged(err)
	}
	if durable.Hash(list) != cycle.FetchSHA256 {
		return nil, fmt.Errorf("%w: %s does not match its hash in %s", ErrCorrupt, name, layout.RawCycleFile)
	}
	responses, err := decodeEntries(list)
	if err != nil {
		return nil, unlessNewer(fmt.Errorf("%s: %w", name, err))
	}
	a := &Archive{fsys: fsys, dir: dir, cycle: cycle, sum: durable.Hash(header), responses: responses, compacted: inFile}
	if len(responses) > 0 && responses[0].Frame != nil {
		if a.answers, err = newAnswers(fsys, dir+"/"+layout.RawAnswers, responses); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, name, err)
		}
	}
	return a, nil
}

// readHeader reads cycle.json, from the compacted file if the cycle is in one.
func readHeader(fsys durable.ReadFS, id layout.CycleID) ([]byte, *compacted, error) {
	if _, _, err := layout.ParseCycleID(string(id)); err != nil {
		return nil, nil, err
	}
	header, err := durable.ReadFile(fsys, layout.Cycle(layout.RawDir, id)+"/"+layout.RawCycleFile, maxHeader)
	if !errors.Is(err, fs.ErrNotExist) {
		return header, nil, err
	}
	inFile, err := readCompacted(fsys, id)
	if err != nil {
		return nil, nil, err
	}
	if inFile == nil {
		return nil, nil, fmt.Errorf("%s: %w", id, ErrNotSealed)
	}
	return inFile.files[layout.RawCycleFile], inFile, nil
}

func readCycle(fsys durable.ReadFS, id layout.CycleID) (Cycle, error) {
	header, _, err := readHeader(fsys, id)
	if err != nil {
		return Cycle{}, err
	}
	return parseCycle(id, header)
}

func parseCycle(id layout.CycleID, header []byte) (Cycle, error) {
	cycle, err := decodeCycle(header)
	if err == nil && cycle.CycleID != id {
		err = fmt.Errorf("belongs to cycle %q", cycle.CycleID)
	}
	if err != nil {
		return Cycle{}, unlessNewer(fmt.Errorf("%s/%s: %w", layout.Cycle(layout.RawDir, id), layout.RawCycleFile, err))
	}
	return cycle, nil
}

// Cycle returns the header.
func (a *Archive) Cycle() Cycle { return a.cycle }

// SHA256 returns the hash of cycle.json, which covers everything archived.
func (a *Archive) SHA256() string { return a.sum }

// Responses returns the entries by number, including rejected ones. The caller may modify
// the slice.
func (a *Archive) Responses() []Response { return slices.Clone(a.responses) }

// Body reads one answer's bytes and checks their size and hash. It returns [ErrCorrupt] if
// they differ. The caller may modify the slice.
func (a *Archive) Body(r Response) ([]byte, error) { return a.bodyIn(new(Buffer), r) }

func (a *Archive) bodyIn(b *Buffer, r Response) ([]byte, error) {
	name := a.dir + "/" + r.File
	if err := r.Validate(); err != nil {
		return nil, err
	}
	body, err := a.read(b, name, r)
	if err != nil {
		return nil, err
	}
	if int64(len(body)) != r.Bytes || durable.Hash(body) != r.SHA256 {
		return nil, fmt.Errorf("%w: %s does not match its hash in %s", ErrCorrupt, name, layout.RawFetchFile)
	}
	return body, nil
}

// read reads a body and decompresses it.
func (a *Archive) read(b *Buffer, name string, r Response) ([]byte, error) {
	if a.compacted != nil {
		return slices.Clone(a.compacted.files[r.memberName()]), nil
	}
	if a.answers != nil {
		return a.answers.body(b, r)
	}
	compressed, err := durable.ReadFile(a.fsys, name, r.Bytes+r.Bytes/8+4096) // incompressible data grows a little
	if err != nil {
		return nil, damaged(err)
	}
	body, err := decoder().DecodeAll(compressed, make([]byte, 0, r.Bytes))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCorrupt, name, err)
	}
	return body, nil
}

// Use makes Payload return answers from memory, if they are there: parsed, and without a body.
func (a *Archive) Use(received *Received) { a.received = received }

// Payload returns an accepted answer as its provider's adapter reads it.
func (a *Archive) Payload(r Response) (provider.Payload, error) { return a.PayloadIn(new(Buffer), r) }

// PayloadIn returns the same as Payload. The body is valid until the buffer is used again.
func (a *Archive) PayloadIn(b *Buffer, r Response) (provider.Payload, error) {
	if !r.Accepted() {
		return provider.Payload{}, fmt.Errorf("response %d was rejected: %s", r.Number, r.Rejected)
	}
	p := provider.Payload{Number: r.Number, Endpoint: r.Endpoint, Query: r.Query, FetchedAt: r.FetchedAt}
	if p.Document = a.received.find(r); p.Document != nil {
		return p, nil
	}
	var err error
	p.Body, err = a.bodyIn(b, r)
	return p, err
}

// Files returns the names that the cycle's folder must have, and no others.
func (a *Archive) Files() []string {
	names := []string{layout.RawCycleFile, layout.RawFetchFile}
	for _, r := range a.responses {
		if r.Frame != nil {
			return append(names, layout.RawAnswers)
		}
		names = append(names, r.File)
	}
	return names
}

// CompactedCycles yields the cycles of a compacted file in order, one in memory at a
// time. A damaged cycle is yielded with [ErrCorrupt] and its id, and the others follow; if
// the rest of the file cannot be read, the last error has no id.
func CompactedCycles(fsys durable.ReadFS, name string) iter.Seq2[CompactedCycle, error] {
	return func(yield func(CompactedCycle, error) bool) {
		for c, err := range eachCompacted(fsys, name, anyCycle) {
			if err != nil {
				yield(CompactedCycle{}, err)
				return
			}
			a, err := openHeaders(fsys, c.id, c.files[layout.RawCycleFile], &c)
			if !yield(CompactedCycle{c.id, a}, err) {
				return
			}
		}
	}
}

// CompactedCycle is one cycle of a compacted file; Archive is nil if there is an error.
type CompactedCycle struct {
	ID      layout.CycleID
	Archive *Archive
}
