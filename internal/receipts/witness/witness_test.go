package witness_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"mkt/internal/receipts/transparency"
	"mkt/internal/receipts/witness"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
)

const origin = "example.com/prices"

var noon = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

func seeded(seed byte) *rand.ChaCha8 { return rand.NewChaCha8([32]byte{seed}) }

func newKey(t testing.TB, seed byte) *transparency.Key {
	t.Helper()
	text, err := transparency.NewKey(seeded(seed), origin)
	if err != nil {
		t.Fatal(err)
	}
	key, err := transparency.ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func newWitness(t testing.TB, root durable.FS, seed byte, logs ...string) *witness.Witness {
	t.Helper()
	key, _, err := note.GenerateKey(seeded(seed), fmt.Sprintf("witness.example/%d", seed))
	if err != nil {
		t.Fatal(err)
	}
	w, err := witness.New(witness.Options{Root: root, Key: key, Logs: logs, Now: func() time.Time { return noon }, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func openLog(t testing.TB, f durable.FS, key *transparency.Key) *transparency.Log {
	t.Helper()
	l, err := transparency.Open(f, key)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func add(t testing.TB, l *transparency.Log, what string, n int) transparency.Signed {
	t.Helper()
	var list []transparency.Record
	for i := range n {
		list = append(list, transparency.Record{ClientID: what, Product: "market_engine", Version: uint64(i + 1), CommitSHA256: fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, what, i)))})
	}
	head, err := l.Append(list)
	if err != nil {
		t.Fatal(err)
	}
	return head
}

// send is a [transparency.Post].
func send(ctx context.Context, url string, body []byte) (int, []byte, error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		return 0, nil, err
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	return a.StatusCode, text, err
}

func post(t testing.TB, url string, body []byte) (int, string, string) {
	t.Helper()
	a, err := http.Post(url, "application/octet-stream", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return a.StatusCode, a.Header.Get("Content-Type"), string(text)
}

// Every answer of c2sp.org/tlog-witness, by the request that must get it.
func TestAnswers(t *testing.T) {
	key := newKey(t, 1)
	l := openLog(t, durabletest.NewMem(), key)
	other := openLog(t, durabletest.NewMem(), newKey(t, 2)) // the same origin, another key
	fork := openLog(t, durabletest.NewMem(), key)

	w := newWitness(t, durabletest.NewMem(), 7, key.VerifierKey())
	server := httptest.NewServer(w)
	defer server.Close()

	three := add(t, l, "acme", 3)
	five := add(t, l, "acme", 2)
	proof, err := l.Consistency(3, five.Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	forked := add(t, fork, "other", 3)
	forkedFive := add(t, fork, "other", 2)
	forkedProof, err := fork.Consistency(3, forkedFive.Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	foreign := add(t, other, "acme", 3)
	unknown := bytes.ReplaceAll(three.Note, []byte(origin), []byte("example.com/other"))
	tampered := bytes.Replace(five.Note, []byte("\n5\n"), []byte("\n6\n"), 1)

	type request = transparency.Request
	for _, c := range []struct {
		what   string
		body   []byte
		status int
		answer string // "" for a cosignature
	}{
		{"no request", []byte("hello"), 400, "*"},
		{"an old size with a zero in front", append([]byte("old 00\n\n"), three.Note...), 400, "*"},
		{"a checkpoint without signature", []byte("old 0\n\n" + three.Checkpoint.String()), 400, "*"},
		{"an unknown log", request{Signed: unknown}.Encode(), 404, "*"},
		{"a key that is not the log's", request{Signed: foreign.Note}.Encode(), 403, "*"},
		{"a changed size", request{Signed: tampered}.Encode(), 403, "*"},
		{"an old size beyond the checkpoint", request{Old: 4, Signed: three.Note}.Encode(), 400, "*"},
		{"an old size although nothing was cosigned", request{Old: 3, Proof: proof, Signed: five.Note}.Encode(), 409, "0\n"},
		{"a proof from nothing", request{Proof: proof, Signed: three.Note}.Encode(), 422, "*"},
		{"the first checkpoint", request{Signed: three.Note}.Encode(), 200, ""},
		{"the same again", request{Old: 3, Signed: three.Note}.Encode(), 200, ""},
		{"the first one as if for the first time", request{Signed: three.Note}.Encode(), 409, "3\n"},
		{"another history of the same size", request{Old: 3, Signed: forked.Note}.Encode(), 409, "3\n"},
		{"another history that is longer", request{Old: 3, Proof: forkedProof, Signed: forkedFive.Note}.Encode(), 422, "*"},
		{"a longer one without its proof", request{Old: 3, Signed: five.Note}.Encode(), 422, "*"},
		{"a longer one", request{Old: 3, Proof: proof, Signed: five.Note}.Encode(), 200, ""},
		{"back to the shorter one", request{Old: 3, Signed: three.Note}.Encode(), 409, "5\n"},
		{"back, with the right old size", request{Old: 5, Signed: three.Note}.Encode(), 400, "*"},
	} {
		t.Run(c.what, func(t *testing.T) {
			status, kind, answer := post(t, server.URL+"/add-checkpoint", c.body)
			if status != c.status || c.answer != "" && c.answer != "*" && c.answer != answer {
				t.Fatalf("%d %q", status, answer)
			}
			switch status {
			case 409:
				if kind != "text/x.tlog.size" {
					t.Errorf("type %s", kind)
				}
			case 200:
				v, err := transparency.NewCosignatureVerifier(w.VerifierKey())
				if err != nil {
					t.Fatal(err)
				}
				_, signed, _ := bytes.Cut(c.body, []byte("\n\n"))
				n, err := note.Open(append(signed, answer...), note.VerifierList(v))
				if err != nil {
					t.Fatal(err)
				}
				if at, err := transparency.CosignedAt(n.Sigs[0]); err != nil || !at.Equal(noon) {
					t.Errorf("cosigned at %v, %v", at, err)
				}
			}
		})
	}
	if status, _, _ := post(t, server.URL, bytes.Repeat([]byte("a"), 1<<20)); status != 400 {
		t.Errorf("a megabyte: %d", status)
	}
}

// Of many requests at once for heads of different sizes, none takes the witness back.
func TestNoRace(t *testing.T) {
	key := newKey(t, 1)
	l := openLog(t, durabletest.NewMem(), key)
	root := durabletest.NewMem()
	w := newWitness(t, root, 7, key.VerifierKey())
	server := httptest.NewServer(w)
	defer server.Close()
	var heads []transparency.Signed
	for range 40 {
		heads = append(heads, add(t, l, "acme", 1))
	}
	if status, _, text := post(t, server.URL, transparency.Request{Signed: heads[0].Note}.Encode()); status != 200 {
		t.Fatal(text)
	}
	var all sync.WaitGroup
	largest, mu := int64(1), sync.Mutex{}
	for _, h := range heads[1:] {
		proof, err := l.Consistency(1, h.Checkpoint)
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			status, _, _ := post(t, server.URL, transparency.Request{Old: 1, Proof: proof, Signed: h.Note}.Encode())
			mu.Lock()
			defer mu.Unlock()
			if status == 200 {
				largest = max(largest, h.Size)
			}
		})
	}
	all.Wait()
	status, _, text := post(t, server.URL, transparency.Request{Signed: heads[0].Note}.Encode())
	if status != 409 || text != fmt.Sprintf("%d\n", largest) || largest == 1 {
		t.Errorf("%d %q, and the largest that it cosigned is %d", status, text, largest)
	}
}

// A witness that is killed at any operation, with a power cut after it, never cosigns a fork of what it
// has cosigned.
func TestWitnessSurvivesKills(t *testing.T) {
	key := newKey(t, 1)
	l, fork := openLog(t, durabletest.NewMem(), key), openLog(t, durabletest.NewMem(), key)
	head, forked := add(t, l, "acme", 3), add(t, fork, "other", 3)
	answered := false
	for k := 1; !answered; k++ {
		if k > 100 {
			t.Fatal("the request is never answered")
		}
		disk := durabletest.NewMem()
		newWitness(t, disk, 7, key.VerifierKey()).Close()
		killed := httptest.NewServer(openKilled(t, disk, k, key))
		status, _, _ := post(t, killed.URL, transparency.Request{Signed: head.Note}.Encode())
		killed.Close()
		answered = status == 200
		after := disk.PowerCut(0, uint64(k))
		again := httptest.NewServer(newWitness(t, after, 7, key.VerifierKey()))
		status, _, _ = post(t, again.URL, transparency.Request{Signed: forked.Note}.Encode())
		again.Close()
		if answered && status == 200 {
			t.Fatalf("killed at %d: it has cosigned both histories", k)
		}
	}
}

// openKilled opens a witness whose disk dies at an operation after it has been opened.
func openKilled(t *testing.T, disk durable.FS, k int, key *transparency.Key) http.Handler {
	opened := 0
	wrapped := durabletest.Wrap(disk, func(op durabletest.Op) error {
		if opened > 0 && op.Number >= opened+k {
			return durabletest.ErrKilled
		}
		return nil
	})
	w := newWitness(t, wrapped, 7, key.VerifierKey())
	opened = wrapped.Ops()
	return w
}

// A log asks all witnesses of its policy; one that is away delays and breaks nothing, and one that has
// seen more than the log is reported as such.
func TestLogAsksWitnesses(t *testing.T) {
	key := newKey(t, 1)
	disk := durabletest.NewMem()
	l := openLog(t, disk, key)
	var servers []*httptest.Server
	var text strings.Builder
	fmt.Fprintf(&text, "log %s\n", key.VerifierKey())
	for i := range byte(3) {
		w := newWitness(t, durabletest.NewMem(), 10+i, key.VerifierKey())
		s := httptest.NewServer(w)
		defer s.Close()
		servers = append(servers, s)
		fmt.Fprintf(&text, "witness w%d %s %s\n", i, w.VerifierKey(), s.URL)
	}
	text.WriteString("group all-of-them 2 w0 w1 w2\nquorum all-of-them\n")
	policy, err := transparency.ParsePolicy([]byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	clock := noon
	ask := func(l *transparency.Log) (transparency.Signed, []transparency.WitnessState) {
		t.Helper()
		head, states, err := l.Cosign(context.Background(), send, policy, func() time.Time { return clock })
		if err != nil {
			t.Fatal(err)
		}
		return head, states
	}
	check := func(head transparency.Signed, number int, want bool) {
		t.Helper()
		c, by, enough, err := policy.Check(head.Note)
		if err != nil || c.Size != head.Size || len(by) != number || enough != want {
			t.Errorf("size %d of %d, cosigned by %v, enough: %v, %v", c.Size, head.Size, by, enough, err)
		}
	}
	add(t, l, "acme", 3)
	head, _ := ask(l)
	check(head, 3, true)

	servers[1].Close()
	add(t, l, "acme", 300)
	clock = noon.Add(time.Minute)
	head, states := ask(l)
	check(head, 2, true)
	if s := states[1]; s.Since == nil || !s.Since.Equal(clock) || s.Size != 3 || !s.CosignedAt.Equal(noon) {
		t.Errorf("the one that is away: %+v", s)
	}
	since := *states[1].Since
	servers[2].Close()
	add(t, l, "acme", 1)
	clock = noon.Add(2 * time.Minute)
	head, states = ask(l)
	check(head, 1, false)
	if !states[1].Since.Equal(since) {
		t.Errorf("away since %v", states[1].Since)
	}

	// Yesterday's copy of the log is behind the witness.
	old := openLog(t, durabletest.NewMem(), key)
	add(t, old, "acme", 3)
	_, states = ask(old)
	if states[0].Error != transparency.ErrAhead.Error() || states[0].Evidence == "" {
		t.Errorf("an older copy: %+v", states[0])
	}
	// Another history of the same log.
	fork := openLog(t, durabletest.NewMem(), key)
	add(t, fork, "other", 400)
	_, states = ask(fork)
	if states[0].Error != transparency.ErrFork.Error() {
		t.Errorf("a fork: %+v", states[0])
	}
}

// A witness that refuses without a proof stops no log that the others of its quorum cosign, and no log if it alone would not
// be enough for the policy. A checkpoint with the log's signature is a proof, whoever shows it, for as long as the log does
// not continue it.
func TestRefusals(t *testing.T) {
	key := newKey(t, 1)
	honest := httptest.NewServer(newWitness(t, durabletest.NewMem(), 10, key.VerifierKey()))
	defer honest.Close()
	grown := openLog(t, durabletest.NewMem(), key)
	larger := add(t, grown, "acme", 20)
	forked := add(t, openLog(t, durabletest.NewMem(), key), "other", 3)
	answers := map[string]struct {
		status   int
		body     string
		evidence []byte
	}{
		"a larger log":                     {409, "1000000\n", nil},
		"another history":                  {422, "", nil},
		"a larger log, with a proof":       {409, "20\n", larger.Note},
		"another history, with a proof":    {422, "", forked.Note},
		"a beginning of the log":           {422, "", nil},
		"a larger log, of another log":     {409, "20\n", add(t, openLog(t, durabletest.NewMem(), newKey(t, 2)), "acme", 20).Note},
		"a larger log, proven by nonsense": {409, "20\n", []byte("nonsense")},
	}
	first := add(t, openLog(t, durabletest.NewMem(), key), "acme", 2)
	answer := answers["a beginning of the log"]
	answer.evidence = first.Note
	answers["a beginning of the log"] = answer
	for name, a := range answers {
		liar := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if q.URL.Path != "/last-checkpoint" {
				w.WriteHeader(a.status)
				_, _ = w.Write([]byte(a.body))
			} else if a.evidence != nil {
				_, _ = w.Write(a.evidence)
			} else {
				w.WriteHeader(http.StatusNotFound)
			}
		}))
		for _, c := range []struct {
			quorum string
			away   bool // the honest witness
			stops  bool
		}{
			{"any", false, false}, {"any", true, true}, {"all", false, false}, {"all", true, false}, {"none", true, false},
		} {
			url := honest.URL
			if c.away {
				url = "http://127.0.0.1:1"
			}
			keys := []string{newWitness(t, durabletest.NewMem(), 10).VerifierKey(), newWitness(t, durabletest.NewMem(), 11).VerifierKey()}
			text := fmt.Sprintf("log %s\nwitness honest %s %s\nwitness liar %s %s\n", key.VerifierKey(), keys[0], url, keys[1], liar.URL)
			if c.quorum == "none" {
				text += "quorum none\n"
			} else {
				text += "group g " + c.quorum + " honest liar\nquorum g\n"
			}
			policy, err := transparency.ParsePolicy([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			l := openLog(t, durabletest.NewMem(), key)
			add(t, l, "acme", 3)
			head, states, err := l.Cosign(context.Background(), send, policy, func() time.Time { return noon })
			if err != nil {
				t.Fatal(err)
			}
			var want error
			switch {
			case strings.HasPrefix(name, "a larger log, with"):
				want = transparency.ErrAhead
			case strings.HasPrefix(name, "another history, with"):
				want = transparency.ErrFork
			case c.stops:
				want = transparency.ErrRefused
			}
			got := l.Refused(head.Checkpoint, states, policy)
			if !errors.Is(got, want) || (got == nil) != (want == nil) {
				t.Errorf("%s, quorum %s, the other one away: %v: %v, want %v", name, c.quorum, c.away, got, want)
			}
			if want == transparency.ErrAhead {
				if err := grown.Refused(larger.Checkpoint, states, policy); err != nil {
					t.Errorf("%s: the newest copy of the log: %v", name, err)
				}
			}
		}
		liar.Close()
	}
}
