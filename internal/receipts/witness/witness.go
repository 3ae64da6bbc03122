// Package witness cosigns the heads of transparency logs: it remembers, for each log that it was told
// about, the newest head that it cosigned, and cosigns a newer one only with the proof that the log has
// grown and nothing in it was changed. It keeps one small file a log.
//
// It must be run by somebody else than the operator of the logs: otherwise it proves nothing.
//
// Source: c2sp.org/tlog-witness, read on 2026-11-28.
package witness

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"mkt/internal/receipts/transparency"
	"mkt/publish/durable"
)

// maxRequest bounds the body of a request: 63 hashes and a checkpoint with some signatures.
const maxRequest = 64 << 10

// Options of a [Witness].
type Options struct {
	Root durable.FS // where it keeps what it has cosigned
	Key  string     // its private key, as note.GenerateKey writes it
	Logs []string   // verifier keys of the logs that it knows
	Now  func() time.Time
	Log  *slog.Logger
}

// Witness answers requests for cosignatures. It is an [http.Handler] for the path /add-checkpoint, and for
// /last-checkpoint, which the specification does not have: it shows a log that was refused what it has signed before. It is
// safe for concurrent use.
type Witness struct {
	root     durable.FS
	cosigner *transparency.Cosigner
	logs     map[string]note.Verifier // by origin
	log      *slog.Logger
	lock     io.Closer

	mu sync.Mutex // held from the look at the last head until the next one is durable
}

// New opens a witness. The error is durable.ErrLocked if another process has its folder.
func New(o Options) (*Witness, error) {
	cosigner, err := transparency.NewCosigner(o.Key, o.Now)
	if err != nil {
		return nil, fmt.Errorf("key of the witness: %w", err)
	}
	w := &Witness{root: o.Root, cosigner: cosigner, logs: map[string]note.Verifier{}, log: o.Log}
	for _, key := range o.Logs {
		v, err := note.NewVerifier(key)
		if err != nil {
			return nil, fmt.Errorf("verifier key of a log %q: %w", key, err)
		}
		if w.logs[v.Name()] != nil {
			return nil, fmt.Errorf("two keys of the log %s", v.Name())
		}
		w.logs[v.Name()] = v
	}
	lock, err := o.Root.Lock("lock")
	if err != nil {
		return nil, err
	}
	w.lock = lock
	for origin := range w.logs {
		err := durable.RemoveTempsOf(o.Root, fileOf(origin)) // of a run that was killed
		if err == nil {
			_, err = w.last(origin)
		}
		if err != nil {
			return nil, errors.Join(err, lock.Close())
		}
	}
	return w, nil
}

// Close lets another process use the folder.
func (w *Witness) Close() error { return w.lock.Close() }

// VerifierKey is the public key of the witness, for policies.
func (w *Witness) VerifierKey() string { return w.cosigner.VerifierKey() }

// refusal is an answer without a cosignature.
type refusal struct {
	status int
	text   string
	size   int64 // of the newest head that was cosigned; with status 409
}

func (r *refusal) Error() string { return r.text }

func (w *Witness) ServeHTTP(rw http.ResponseWriter, q *http.Request) {
	if q.Method != http.MethodPost {
		rw.Header().Set("Allow", http.MethodPost)
		http.Error(rw, "only POST", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(rw, q.Body, maxRequest))
	if err != nil {
		http.Error(rw, "the request is too long, or ended early", http.StatusBadRequest)
		return
	}
	answer := w.cosign
	if strings.HasSuffix(q.URL.Path, "/last-checkpoint") {
		answer = w.show
	}
	line, err := answer(body)
	var r *refusal
	switch {
	case errors.As(err, &r) && r.status == http.StatusConflict:
		rw.Header().Set("Content-Type", "text/x.tlog.size")
		rw.WriteHeader(r.status)
		fmt.Fprintf(rw, "%d\n", r.size)
	case errors.As(err, &r):
		http.Error(rw, r.text, r.status)
	case err != nil:
		w.log.Error("no cosignature", "error", err)
		http.Error(rw, "the witness cannot store what it would cosign", http.StatusInternalServerError)
	default:
		rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = rw.Write(line)
	}
}

// cosign answers a request with a signature line. The checks are in the order of the specification.
func (w *Witness) cosign(body []byte) ([]byte, error) {
	q, err := transparency.ParseRequest(body)
	if err != nil {
		return nil, &refusal{status: http.StatusBadRequest, text: err.Error()}
	}
	next, err := w.open(q.Signed)
	if err != nil {
		return nil, err
	}
	if q.Old > next.Size {
		return nil, &refusal{status: http.StatusBadRequest, text: "the old size is larger than the checkpoint's"}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	last, err := w.last(next.Origin)
	if err != nil {
		return nil, err
	}
	log := w.log.With("log", next.Origin, "size", next.Size, "cosigned", last.Size)
	if q.Old != last.Size {
		log.Warn("refused: the request names another size than was cosigned last", "old", q.Old)
		return nil, &refusal{status: http.StatusConflict, size: last.Size}
	}
	if q.Old == next.Size && q.Old > 0 && last.Root != next.Root {
		log.Error("refused: two heads of one size: the log has forked", "checkpoint", string(next.Note))
		return nil, &refusal{status: http.StatusConflict, size: last.Size}
	}
	if err := checkConsistency(q, last, next); err != nil {
		log.Error("refused: the head does not continue the one cosigned last", "checkpoint", string(next.Note))
		return nil, &refusal{status: http.StatusUnprocessableEntity, text: err.Error()}
	}
	signed, err := note.Sign(&note.Note{Text: next.String()}, w.cosigner)
	if err != nil {
		return nil, err
	}
	if err := durable.Overwrite(w.root, fileOf(next.Origin), next.Note); err != nil {
		return nil, err
	}
	return signed[len(next.String())+1:], nil // the text and an empty line come before it
}

// show answers a request for the newest head that was cosigned for a log, by its origin.
func (w *Witness) show(body []byte) ([]byte, error) {
	origin := strings.TrimSuffix(string(body), "\n")
	if w.logs[origin] == nil {
		return nil, &refusal{status: http.StatusNotFound, text: "this witness does not know the log"}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	last, err := w.last(origin)
	if err == nil && last.Size == 0 {
		err = &refusal{status: http.StatusNotFound, text: "this witness has cosigned no head of the log"}
	}
	return last.Note, err
}

func checkConsistency(q transparency.Request, last, next transparency.Signed) error {
	if q.Old == 0 || q.Old == next.Size {
		if len(q.Proof) > 0 {
			return errors.New("the proof must be empty")
		}
		return nil
	}
	if err := tlog.CheckTree(q.Proof, next.Size, next.Root, last.Size, last.Root); err != nil {
		return errors.New("the proof does not lead from the head cosigned last to this one")
	}
	return nil
}

// open verifies that a log that is known signed a checkpoint.
func (w *Witness) open(signed []byte) (transparency.Signed, error) {
	_, err := note.Open(signed, note.VerifierList()) // no key is known: it fails, with the text if there is one
	var unverified *note.UnverifiedNoteError
	if !errors.As(err, &unverified) {
		return transparency.Signed{}, &refusal{status: http.StatusBadRequest, text: "the request has no signed note"}
	}
	c, err := transparency.ParseCheckpoint(unverified.Note.Text)
	if err != nil {
		return transparency.Signed{}, &refusal{status: http.StatusBadRequest, text: err.Error()}
	}
	log := w.logs[c.Origin]
	if log == nil {
		return transparency.Signed{}, &refusal{status: http.StatusNotFound, text: "this witness does not know the log"}
	}
	next, err := transparency.OpenSigned(signed, log)
	if err != nil {
		return next, &refusal{status: http.StatusForbidden, text: "no known key of the log has signed the checkpoint"}
	}
	return next, nil
}

// last returns the newest head that was cosigned for a log; size 0 if there is none.
func (w *Witness) last(origin string) (transparency.Signed, error) {
	name := fileOf(origin)
	data, err := durable.ReadFile(w.root, name, maxRequest)
	if errors.Is(err, fs.ErrNotExist) {
		return transparency.Signed{}, nil
	}
	if err != nil {
		return transparency.Signed{}, err
	}
	last, err := transparency.OpenSigned(data, w.logs[origin])
	if err == nil && last.Origin != origin {
		err = errors.New("of another log")
	}
	if err != nil {
		return last, fmt.Errorf("%s: what was cosigned last for %s cannot be read: restore the file from a copy that is not older; a witness that forgets must be given a new key: %w", name, origin, err)
	}
	return last, nil
}

// fileOf is the file of a log. Origins may have slashes.
func fileOf(origin string) string { return durable.Hash([]byte(origin))[:32] + ".checkpoint" }
