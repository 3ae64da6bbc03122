package transparency

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

const witnessesFile = leavesDir + "/witnesses.json"

// maxAnswer bounds the answer of a witness.
const maxAnswer = 64 << 10

// Errors of witnesses.
var (
	// ErrAhead: the key of the log has signed a larger tree of it: the log is an older copy.
	ErrAhead = errors.New("its key has signed a larger log: this one is an older copy of it, and nothing may be added to it")
	// ErrFork: the key of the log has signed a tree that this log is no continuation of.
	ErrFork = errors.New("its key has signed another history of this log")
	// ErrRefused: a witness says that one of these is so, without a proof.
	ErrRefused = errors.New("the witness refuses the log as an older copy or another history, and shows no checkpoint that proves it")
	// ErrUnwitnessed: a witness cannot be reached or does not cosign.
	ErrUnwitnessed = errors.New("the witness did not cosign")
)

// WitnessState is the last answer of a witness.
type WitnessState struct {
	Name string `json:"name"` // in the policy
	Size int64  `json:"size"` // of the newest checkpoint that it has cosigned
	// CosignedAt is the time of that cosignature, by the witness's clock; nil if there is none.
	CosignedAt *time.Time `json:"cosigned_at"`
	// Since is when it began to refuse or to be away; nil while it cosigns.
	Since *time.Time `json:"since"`
	Error string     `json:"error,omitempty"`
	// Evidence is the checkpoint with the log's own signature that proves [ErrAhead] or [ErrFork]; else "".
	Evidence string `json:"evidence,omitempty"`
}

const witnessesFormat = 1

type witnessStates struct {
	Format    int            `json:"format"` // 1
	Witnesses []WitnessState `json:"witnesses"`
}

// Witnesses returns the last answers of the witnesses, in the order of the policy then in force.
func (v *View) Witnesses() ([]WitnessState, error) {
	data, err := readIfThere(v.root, witnessesFile)
	if data == nil || err != nil {
		return nil, err
	}
	var s witnessStates
	if err := layout.DecodeHeader(witnessesFile, data, witnessesFormat, &s); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", witnessesFile, ErrDamaged, err)
	}
	return s.Witnesses, nil
}

// Post sends a request to an address by HTTP POST, and returns the status and the body of the answer. It
// ends when ctx does. Its errors are shown, and have no address. Who runs the log decides how witnesses are reached.
type Post func(ctx context.Context, url string, body []byte) (status int, answer []byte, err error)

// Cosign asks all witnesses of the policy with an address for cosignatures of the head, at once, and
// adds them. It returns the state of each. A witness that is away delays it until ctx ends, and is no
// error.
func (l *Log) Cosign(ctx context.Context, post Post, p *Policy, now func() time.Time) (Signed, []WitnessState, error) {
	head, err := l.Head()
	if err != nil {
		return head, nil, err
	}
	before, err := l.Witnesses()
	if err != nil {
		return head, nil, err
	}
	states := make([]WitnessState, len(p.Witnesses))
	lines := make([][]byte, len(p.Witnesses))
	var all sync.WaitGroup
	for i, w := range p.Witnesses {
		states[i] = stateOf(before, w.Alias)
		if w.URL == "" {
			continue
		}
		all.Go(func() { lines[i], states[i] = l.askWitness(ctx, post, w, head, states[i], now) })
	}
	all.Wait()
	if new := bytes.Join(lines, nil); len(new) > 0 {
		if head, err = l.addCosignatures(head, new, p); err != nil {
			return head, states, err
		}
	}
	data, err := layout.EncodeHeader(witnessStates{Format: witnessesFormat, Witnesses: states})
	if err != nil {
		return head, states, err
	}
	return head, states, durable.Overwrite(l.root, witnessesFile, data)
}

func stateOf(list []WitnessState, name string) WitnessState {
	for _, s := range list {
		if s.Name == name {
			return s
		}
	}
	return WitnessState{Name: name}
}

// askWitness asks a witness for a cosignature of the head, and returns its signature lines; nil if it
// gave none.
func (l *Log) askWitness(ctx context.Context, post Post, w PolicyWitness, head Signed, s WitnessState, now func() time.Time) ([]byte, WitnessState) {
	lines, at, size, err := l.addCheckpoint(ctx, post, w, head, s.Size)
	s.Size = size
	if err == nil {
		s.CosignedAt, s.Since, s.Error, s.Evidence = &at, nil, "", ""
		return lines, s
	}
	evidence := ""
	if errors.Is(err, ErrRefused) {
		evidence, err = l.evidence(ctx, post, w, head, err)
	}
	if errors.Is(ctx.Err(), context.Canceled) { // the run was stopped, which says nothing about the witness
		return nil, s
	}
	if s.Since == nil {
		since := now().UTC().Truncate(time.Millisecond)
		s.Since = &since
	}
	// A witness that has refused the log and is away now is not forgotten, and neither is what it has shown.
	if s.Error != ErrRefused.Error() && s.Evidence == "" || evidence != "" || s.Evidence == "" && errors.Is(err, ErrRefused) {
		s.Error, s.Evidence = err.Error(), evidence
	}
	return nil, s
}

// evidence asks a witness that refuses the head for the checkpoint that it has cosigned last. If the log has signed it, and
// it contradicts the head, it is returned with what it proves; else the error is the one that was given.
func (l *Log) evidence(ctx context.Context, post Post, w PolicyWitness, head Signed, refused error) (string, error) {
	status, body, err := post(ctx, strings.TrimSuffix(w.URL, "/")+"/last-checkpoint", []byte(head.Origin+"\n"))
	if err != nil || status != http.StatusOK || len(body) > maxAnswer {
		return "", refused
	}
	switch err := l.Contradicts(body, head.Checkpoint); {
	case errors.Is(err, ErrAhead), errors.Is(err, ErrFork):
		return string(body), err
	}
	return "", refused
}

// Contradicts returns [ErrAhead] or [ErrFork] if the log has signed a checkpoint that is not a beginning of its tree under a
// head, and nil if it is one. Any other error is [ErrCheckpoint], of a text that proves nothing, or damage.
func (v *View) Contradicts(signed []byte, head Checkpoint) error {
	c, err := OpenSigned(signed, v.verifier)
	switch {
	case err != nil:
		return err
	case c.Size > head.Size:
		return ErrAhead
	case c.Size == 0:
		return nil
	}
	root, err := tlog.TreeHash(c.Size, v.hashes(head))
	if err == nil && root != c.Root {
		err = ErrFork
	}
	return err
}

// Refused returns the reason why nothing may be added to a log with a head, as the witnesses say; nil if there is none.
// [ErrAhead] and [ErrFork] are proven by the log's own signature, and one witness is enough. Without such a proof, the
// error is [ErrRefused] if those that refuse would be enough for the policy, and those that have cosigned the head now
// are not: a witness that is wrong, or lies, stops no log that others cosign.
func (v *View) Refused(head Checkpoint, states []WitnessState, p *Policy) error {
	var refuse, cosign []Cosignature
	name := ""
	for _, s := range states {
		if s.Evidence != "" {
			if err := v.Contradicts([]byte(s.Evidence), head); err != nil {
				return fmt.Errorf("witness %s: %w", s.Name, err)
			}
			continue // a newer copy of the log was restored since
		}
		switch {
		case s.Error == ErrRefused.Error():
			name, refuse = s.Name, append(refuse, Cosignature{Witness: s.Name})
		case s.Since == nil && s.CosignedAt != nil && s.Size == head.Size:
			cosign = append(cosign, Cosignature{Witness: s.Name})
		}
	}
	if len(refuse) > 0 && p.witnessed(p.quorum, refuse) && !p.witnessed(p.quorum, cosign) {
		return fmt.Errorf("witness %s: %w", name, ErrRefused)
	}
	return nil
}

// addCheckpoint sends the head to a witness. old is the size that it cosigned last, as far as is known.
// It returns the size that it has cosigned now.
func (l *Log) addCheckpoint(ctx context.Context, post Post, w PolicyWitness, head Signed, old int64) (lines []byte, at time.Time, size int64, err error) {
	for try := 0; ; try++ {
		old = min(old, head.Size)
		status, body, err := l.post(ctx, post, w, head, old)
		switch {
		case err != nil:
			return nil, at, old, err
		case status == http.StatusOK:
			at, err = l.cosignatureIn(body, head, w)
			if err != nil {
				return nil, at, old, err
			}
			return body, at, head.Size, nil
		case status == http.StatusConflict:
			size, ok := decimal(strings.TrimSuffix(string(body), "\n"))
			switch {
			case ok && size > head.Size:
				return nil, at, old, ErrRefused
			case ok && size != old && try == 0:
				old = size // it has cosigned more, or less, than was known
				continue
			}
			if ok && size == old && old == head.Size { // it has the size with another root
				return nil, at, old, ErrRefused
			}
			return nil, at, old, fmt.Errorf("%w: its answers about the size that it cosigned last contradict each other", ErrUnwitnessed)
		case status == http.StatusUnprocessableEntity:
			return nil, at, old, ErrRefused
		case status == http.StatusNotFound:
			return nil, at, old, fmt.Errorf("%w: it does not know the log %s: its operator has to add the log's verifier key", ErrUnwitnessed, head.Origin)
		case status == http.StatusForbidden:
			return nil, at, old, fmt.Errorf("%w: it knows the log %s with another key", ErrUnwitnessed, head.Origin)
		default:
			return nil, at, old, fmt.Errorf("%w: status %d", ErrUnwitnessed, status)
		}
	}
}

func (l *Log) post(ctx context.Context, post Post, w PolicyWitness, head Signed, old int64) (status int, body []byte, err error) {
	proof, err := l.Consistency(old, head.Checkpoint)
	if err != nil {
		return 0, nil, err
	}
	status, body, err = post(ctx, strings.TrimSuffix(w.URL, "/")+"/add-checkpoint", Request{Old: old, Proof: proof, Signed: head.Note}.Encode())
	if err != nil {
		return 0, nil, fmt.Errorf("%w: %w", ErrUnwitnessed, err)
	}
	if len(body) > maxAnswer {
		return 0, nil, fmt.Errorf("%w: its answer is too long", ErrUnwitnessed)
	}
	return status, body, nil
}

// cosignatureIn verifies the cosignature of a witness in its answer, and returns its time.
func (l *Log) cosignatureIn(lines []byte, head Signed, w PolicyWitness) (time.Time, error) {
	all, err := OpenSigned(append(bytes.Clone(head.Note), lines...), w.Verifier, l.verifier)
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: its answer has no valid cosignature", ErrUnwitnessed)
	}
	for _, s := range all.Signatures {
		if s.Name == w.Name() && s.Hash == w.KeyHash() {
			return CosignedAt(s)
		}
	}
	return time.Time{}, fmt.Errorf("%w: its answer has no valid cosignature", ErrUnwitnessed)
}
