package raw

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"unicode/utf8"

	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
)

// ErrSecret: an answer contains the credential of its request. It must not be archived as
// accepted; Reject archives it with the credential masked.
var ErrSecret = errors.New("the answer contains the credential")

// Scrub masks the run's secrets in bytes, in every encoding it knows, and reports whether
// there were any. It returns b itself if there were none.
type Scrub func(b []byte) (clean []byte, found bool)

// Writer archives one cycle. It is safe for concurrent use; Seal or Close must be called
// after the last Add and Reject have returned.
type Writer struct {
	fsys  durable.FS
	id    layout.CycleID
	prior Cycle // the newest with something to transform; zero if none
	dir   string
	scrub Scrub

	product football.Product

	mu        sync.Mutex
	number    int // the last one used
	responses []Response
	answers   durable.File // nil before the first answer, and after the last
	size      int64        // of answers
	broken    error        // the first failed write; nothing is written after it
}

// Create begins a cycle's archive in a folder that must not exist yet (fs.ErrExist).
// scrub may be nil if there are no secrets.
func Create(fsys durable.FS, id layout.CycleID, scrub Scrub) (*Writer, error) {
	_, product, err := layout.ParseCycleID(string(id))
	if err != nil {
		return nil, err
	}
	dir := layout.Cycle(layout.RawDir, id)
	if taken, err := durable.Exists(fsys, dir); err != nil {
		return nil, err
	} else if taken {
		return nil, &fs.PathError{Op: "create", Path: dir, Err: fs.ErrExist}
	}
	prior, err := begin(fsys, id)
	if err != nil {
		return nil, fmt.Errorf("begin %s: %w", id, err)
	}
	if err := durable.MkdirAllSync(fsys, dir); err != nil {
		return nil, fmt.Errorf("make %s: %w", dir, err)
	}
	if scrub == nil {
		scrub = func(b []byte) ([]byte, bool) { return b, false }
	}
	return &Writer{fsys: fsys, id: id, prior: prior, dir: dir, scrub: scrub, product: football.Product(product)}, nil
}

// Resume returns where this cycle continues, by the newest earlier one with
// something to transform; "" if that was of another provider.
func (w *Writer) Resume(provider string) string {
	if w.prior.Provider != provider {
		return ""
	}
	return w.prior.Resume
}

// Prior returns the header of the newest earlier cycle with something to transform; zero if
// there is none.
func (w *Writer) Prior() Cycle { return w.prior }

// Add archives an accepted answer, and returns r with its number, file, size and hash.
// For a body that contains a secret it returns [ErrSecret] and uses no number.
func (w *Writer) Add(r Response, body []byte) (Response, error) {
	if len(body) > MaxBody {
		return Response{}, fmt.Errorf("answer has %d bytes: at most %d are archived", len(body), MaxBody)
	}
	if _, found := w.scrub(body); found {
		return Response{}, ErrSecret
	}
	r.Rejected, r.Truncated = "", false
	return w.write(r, body)
}

// Reject archives an answer that was not accepted, with the reason. Its body is scrubbed
// and cut at [MaxRejected]. A body other than text is left out: it may be compressed, and
// then it cannot be searched for the credential.
func (w *Writer) Reject(r Response, why string, body []byte) (Response, error) {
	if why == "" {
		why = "REJECTED"
	}
	if !isText(body) {
		r.Rejected, r.Truncated = why, true
		return w.write(r, nil)
	}
	body, _ = w.scrub(body)
	r.Rejected, r.Truncated = why, len(body) > MaxRejected
	return w.write(r, body[:min(len(body), MaxRejected)])
}

// isText reports whether a body is text in an encoding that is a superset of ASCII. A
// tenth of the bytes of compressed data are control characters.
func isText(body []byte) bool {
	const short = 256 // too few bytes for a share
	controls := 0
	for _, c := range body {
		switch {
		case c == 0:
			return false
		case c < ' ' && (c < '\b' || c > '\r') && c != 0x1b, c == 0x7f:
			controls++
		}
	}
	return controls*100 <= len(body) && (len(body) >= short || utf8.Valid(body))
}

func (w *Writer) write(r Response, body []byte) (Response, error) {
	r, err := w.place(r)
	if err != nil {
		return Response{}, err
	}
	r.Bytes, r.SHA256 = int64(len(body)), durable.Hash(body)
	r.FetchedAt = r.FetchedAt.UTC()
	frame := frames.Get().(*frame)
	defer frame.release()
	packed := frame.pack(r.File, body, encoderFor(w.product, padded(int64(len(body)))))

	w.mu.Lock()
	defer w.mu.Unlock()
	r.Frame = &Frame{Offset: w.size, Length: int64(len(packed))}
	if err := r.Validate(); err != nil {
		return Response{}, w.fail(err)
	}
	if err := w.append(packed); err != nil {
		return Response{}, w.fail(fmt.Errorf("archive response %d: %w", r.Number, err))
	}
	w.responses = append(w.responses, r)
	return r, nil
}

// append appends a frame to answers.tar.zst, which Seal syncs. w.mu is locked.
func (w *Writer) append(packed []byte) (err error) {
	if w.broken != nil {
		return w.broken
	}
	if w.answers == nil {
		if w.answers, err = w.fsys.Create(w.dir + "/" + layout.RawAnswers); err != nil {
			return err
		}
	}
	if _, err := w.answers.Write(packed); err != nil {
		return err
	}
	w.size += int64(len(packed))
	return nil
}

// place returns r with its number and file, and with secrets masked.
func (w *Writer) place(r Response) (Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken != nil {
		return Response{}, w.broken
	}
	if w.number == MaxResponses {
		return Response{}, fmt.Errorf("more than %d answers in one cycle", MaxResponses)
	}
	w.number++
	r.Number = w.number
	r.File = r.memberName()
	return w.clean(r), nil
}

// fail records a failed write: it is not repeated, and the archive is not sealed. w.mu is
// locked.
func (w *Writer) fail(err error) error {
	if w.broken == nil {
		w.broken = err
	}
	return err
}

func (w *Writer) clean(r Response) Response {
	r.Rejected, r.Path = w.word(r.Rejected), w.word(r.Path)
	r.Header = maps.Clone(r.Header)
	for k, v := range r.Header {
		r.Header[k] = w.word(v)
	}
	r.Query = maps.Clone(r.Query)
	for k, vs := range r.Query {
		r.Query[k] = slices.Clone(vs)
		for i, v := range vs {
			r.Query[k][i] = w.word(v)
		}
	}
	return r
}

func (w *Writer) word(s string) string {
	clean, _ := w.scrub([]byte(s))
	return string(clean)
}

// Responses returns the entries so far, by number.
func (w *Writer) Responses() []Response {
	w.mu.Lock()
	defer w.mu.Unlock()
	sorted := slices.Clone(w.responses)
	slices.SortFunc(sorted, func(a, b Response) int { return a.Number - b.Number })
	return sorted
}

// Seal syncs the answers, writes fetch.json and then cycle.json, which makes the cycle
// visible. It sets c's Format, CycleID, Previous and FetchSHA256, sorts its lists of
// fixtures, and returns what it wrote. If a write failed, it returns that error and does
// not seal.
func (w *Writer) Seal(c Cycle) (Cycle, error) {
	if err := w.finish(); err != nil {
		return Cycle{}, err
	}
	list, err := encode(entries{Format: Format, Responses: w.Responses()})
	if err != nil {
		return Cycle{}, err
	}
	c.Format, c.CycleID, c.FetchSHA256 = Format, w.id, durable.Hash(list)
	if c.Previous = w.prior.CycleID; c.Previous > w.id { // the cycle was named and is older
		c.Previous = ""
	}
	c.StartedAt, c.FinishedAt = c.StartedAt.UTC(), c.FinishedAt.UTC()
	c.Failed, c.NotOffered = sortedOnce(c.Failed), sortedOnce(c.NotOffered)
	header, err := encode(c)
	if err != nil {
		return Cycle{}, err
	}
	if err := c.Validate(); err != nil {
		return Cycle{}, fmt.Errorf("%s: %w", layout.RawCycleFile, err)
	}
	err = durable.Create(w.fsys, w.dir+"/"+layout.RawFetchFile, durable.Bytes(list))
	if err == nil {
		err = durable.CreateAgain(w.fsys, w.dir+"/"+layout.RawCycleFile, durable.Bytes(header))
	}
	if err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		return Cycle{}, w.fail(err)
	}
	return c, nil
}

// finish ends answers.tar.zst and syncs it. Its name is made durable with that of
// fetch.json.
func (w *Writer) finish() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken != nil {
		return w.broken
	}
	if w.answers == nil {
		return nil
	}
	err := w.append([]byte(endOfAnswers))
	if err == nil {
		err = w.answers.Sync()
	}
	err = errors.Join(err, w.answers.Close())
	w.answers = nil
	if err != nil {
		return w.fail(err)
	}
	return nil
}

// Close ends an unsealed archive. After Seal it does nothing.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.answers == nil {
		return nil
	}
	err := w.answers.Close()
	w.answers = nil
	_ = w.fail(errors.New("the archive was closed"))
	return err
}

// sortedOnce returns a sorted copy without duplicates; nil if empty.
func sortedOnce(ids []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(ids)))
}
