package simulation

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"

	"mkt/internal/receipts/commitlog"
	"mkt/internal/receipts/receipt"
	"mkt/internal/receipts/transparency"
	"mkt/internal/receipts/witness"
	"mkt/internal/testing/durabletest"
	"mkt/publish/football"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
	"mkt/publish/table"
)

// translog is the transparency log of a machine that is alone, with its witness, who is somebody else, and the receipts
// that were given away.
type translog struct {
	*world
	office   *office
	book     *book
	jobs     []job
	every    time.Duration // commits are added to it so often
	key      *transparency.Key
	verifier note.Verifier
	policy   *transparency.Policy
	witness  *witness.Witness

	mu       sync.Mutex
	receipts [][]byte
	over     bool // an older copy of the log was restored: nothing is added any more

	restored bool   // an older copy of a disk was restored
	older    uint64 // the newest version of the first job that an older build published
}

func newTranslog(w *world, o *office, b *book, jobs []job, every time.Duration) *translog {
	random := rand.NewChaCha8([32]byte{byte(w.seed)})
	private, err := transparency.NewKey(random, "example.com/prices")
	var secret string
	t := &translog{world: w, office: o, book: b, jobs: jobs, every: every}
	if err == nil {
		t.key, err = transparency.ParseKey(private)
	}
	if err == nil {
		t.verifier, err = note.NewVerifier(t.key.VerifierKey())
	}
	if err == nil {
		secret, _, err = note.GenerateKey(random, "one.example/w")
	}
	if err == nil {
		t.witness, err = witness.New(witness.Options{Root: durabletest.NewMem(), Key: secret, Logs: []string{t.key.VerifierKey()}, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	}
	if err == nil {
		t.policy, err = transparency.ParsePolicy([]byte("log " + t.key.VerifierKey() + "\nwitness one " + t.witness.VerifierKey() + " http://one.example\nquorum one\n"))
	}
	if err != nil {
		panic(err) // of fixed keys
	}
	return t
}

// run adds the newest commits to the log again and again, as mkt schedule does.
func (t *translog) run(l *life) {
	for sleep(l.ctx, t.every) {
		if _, err := l.enter("log", ""); err != nil || t.isOver() {
			return
		}
		if err := t.add(l); err != nil && !l.dead.Load() {
			t.note("%s: log: %s", l.machine.name, shorten(err))
			continue
		}
		t.give(l)
	}
}

// end ends the log: nothing is added any more.
func (t *translog) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
}

func (t *translog) isOver() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.over
}

func (t *translog) add(l *life) error {
	log, err := transparency.Open(l.root("."), t.key)
	if err == nil {
		err = commitlog.RunOn(l.ctx, log, commitlog.Options{Key: t.key, Policy: t.policy, Wait: 30 * time.Second, Now: l.machine.now, Post: t.post(l), Newer: t.newer(l)})
		defer log.Close()
	}
	isFork, isAhead := errors.Is(err, transparency.ErrFork), errors.Is(err, transparency.ErrAhead)
	if isFork || isAhead {
		if isFork || !t.restored {
			t.fail(receiptsHold, "%s: %v", l.machine.name, err)
		}
		t.end()
	}
	return err
}

// newer returns the newest commits of a machine that are not in the log.
func (t *translog) newer(l *life) func([]transparency.Logged) ([]transparency.Record, error) {
	return func(logged []transparency.Logged) (records []transparency.Record, err error) {
		accounts := t.office.newest()
		for _, j := range t.jobs {
			if _, there := accounts.Tenant(j.id); !there {
				continue
			}
			var last transparency.Logged
			for _, one := range logged {
				if one.ClientID == j.id && one.Product == string(j.product) {
					last = one
				}
			}
			root := l.root(j.dir())
			c, isNew, err := commitlog.Newest(root, last)
			if err == nil && isNew {
				err = snapshot.EnsureDurable(root, c)
			}
			if err == nil && isNew {
				records = append(records, transparency.Record{ClientID: j.id, Product: string(j.product), HistoryID: c.HistoryID, Version: c.Version, CommitSHA256: c.SHA256, PublishedAt: c.PublishedAt})
			}
		}
		return records, nil
	}
}

// post reaches the witness.
func (t *translog) post(l *life) transparency.Post {
	return func(ctx context.Context, url string, body []byte) (int, []byte, error) {
		name, err := l.enter("witness", "")
		if err != nil {
			return 0, nil, err
		}
		if !sleep(ctx, t.span("latency", name, time.Millisecond, 200*time.Millisecond)) {
			return 0, nil, context.Cause(ctx)
		}
		if t.happens("witness away", name, 0.03) {
			return 0, nil, errors.New("the witness is away")
		}
		answer := httptest.NewRecorder()
		t.witness.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, url, bytes.NewReader(body)))
		if t.happens("answer of the witness lost", name, 0.03) {
			return 0, nil, errors.New("the answer is lost")
		}
		return answer.Code, answer.Body.Bytes(), nil
	}
}

// give makes a receipt of a price of the newest publication of a job, and gives it away.
func (t *translog) give(l *life) {
	name := l.id() + time.Since(t.began).String()
	j := t.jobs[t.pick("receipt", name, len(t.jobs))]
	root := within(l.disk, j.dir())
	head, found, err := snapshot.Head(root)
	if err != nil || !found || j.product != football.MarketEngine || l.machine.isRotten() || t.isOver() {
		return
	}
	wanted := receipt.Wanted{Root: root, Data: l.disk, ClientID: j.id, Product: j.product, Commit: head, Policy: t.policy}
	for row, err := range snapshot.Rows[table.MarketRow](root, head.Dir()+"/"+layout.MarketsFile) {
		if err == nil && len(row.Selections) > 0 {
			wanted.FixtureID, wanted.MarketID, wanted.Selection = row.FixtureID, row.MarketID, row.Selections[0].SelectionID
			break
		}
	}
	if wanted.Selection == "" {
		return
	}
	made, _, err := receipt.Make(wanted)
	switch {
	case errors.Is(err, transparency.ErrNotLogged), errors.Is(err, transparency.ErrNoLog):
	case errors.Is(err, receipt.ErrRewritten) && t.book.wasDeleted(j): // and added again, and not logged since
	case errors.Is(err, receipt.ErrNoRoot) && j == t.jobs[0] && (head.Version <= t.older || t.older > 0 && commitlog.Began(root, head).Version == head.Version): // a new history has its rows
	case err != nil:
		t.fail(receiptsHold, "%s: a receipt of version %d cannot be made: %v", j, head.Version, err)
	default:
		t.mu.Lock()
		t.receipts = append(t.receipts, made.Encode())
		t.mu.Unlock()
	}
}

// check checks every receipt that was ever given away.
func (t *translog) check() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.receipts {
		if _, err := receipt.Check(r, t.policy); err != nil {
			t.fail(receiptsHold, "a receipt does not hold any more: %v", err)
		}
	}
	t.note("%d receipts hold", len(t.receipts))
}
