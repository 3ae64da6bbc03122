package transparency_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"mkt/internal/receipts/transparency"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
)

// seeded is a source of random bytes that gives the same ones in every run.
func seeded(seed uint64) *rand.ChaCha8 {
	return rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
}

func newKey(t testing.TB, seed uint64) *transparency.Key {
	t.Helper()
	text, err := transparency.NewKey(seeded(seed), "example.com/prices")
	if err != nil {
		t.Fatal(err)
	}
	key, err := transparency.ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func open(t testing.TB, f durable.FS, key *transparency.Key) *transparency.Log {
	t.Helper()
	l, err := transparency.Open(f, key)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// recordsFrom are the leaves of an account's publications from a version on.
func recordsFrom(version, n int) (list []transparency.Record) {
	for i := range n {
		sum := sha256.Sum256(fmt.Append(nil, version+i))
		list = append(list, transparency.Record{ClientID: "acme", Product: "market_engine", Version: uint64(version + i), CommitSHA256: fmt.Sprintf("%x", sum),
			PublishedAt: time.Date(2026, 11, 28, 9, 0, version+i, 0, time.UTC)})
	}
	return list
}

// rootOf computes the root of a tree as RFC 6962, section 2.1, defines it.
func rootOf(entries [][]byte) [32]byte {
	switch len(entries) {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return sha256.Sum256(append([]byte{0}, entries[0]...))
	}
	k := 1
	for 2*k < len(entries) {
		k *= 2
	}
	left, right := rootOf(entries[:k]), rootOf(entries[k:])
	return sha256.Sum256(append(append([]byte{1}, left[:]...), right[:]...))
}

// entriesOf reads the entries of a log from its bundles, as any reader of tiled logs does.
func entriesOf(t testing.TB, f durable.ReadFS, size int64) (all [][]byte) {
	t.Helper()
	for n := int64(0); n*256 < size; n++ {
		name := fmt.Sprintf("log/tile/entries/%03d", n)
		if w := size - n*256; w < 256 {
			name += fmt.Sprintf(".p/%d", w)
		}
		data, err := durable.ReadFile(f, name, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		for len(data) > 0 {
			length := int(data[0])<<8 | int(data[1])
			all, data = append(all, data[2:2+length]), data[2+length:]
		}
	}
	return all
}

// The log is a tree of RFC 6962 over its entries, however many are added at once, and every entry and
// every older head has a proof.
func TestLogIsATree(t *testing.T) {
	f, key := durabletest.NewMem(), newKey(t, 1)
	random := rand.New(rand.NewPCG(1, 2))
	l := open(t, f, key)
	var heads []transparency.Signed
	size := 0
	for size < 1200 {
		n := 1 + random.IntN(90)
		if random.IntN(10) == 0 {
			n = 256 - size%256 // up to the end of a tile
		}
		head, err := l.Append(recordsFrom(size, n))
		if err != nil {
			t.Fatal(err)
		}
		size += n
		entries := entriesOf(t, f, head.Size)
		if len(entries) != size || head.Size != int64(size) || rootOf(entries) != head.Root {
			t.Fatalf("after %d: size %d with %d entries, root %s", size, head.Size, len(entries), head.Root)
		}
		heads = append(heads, head)
	}
	newest := heads[len(heads)-1]
	for i, entry := range entriesOf(t, f, newest.Size) {
		p, err := l.Prove(int64(i), newest, newest)
		if err != nil {
			t.Fatal(err)
		}
		p, err = transparency.ParseProof(p.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Check(entry, newest.Checkpoint); err != nil {
			t.Fatalf("entry %d: %v", i, err)
		}
		p.Index ^= 1
		if err := p.Check(entry, newest.Checkpoint); !errors.Is(err, transparency.ErrProof) {
			t.Fatalf("entry %d at the index of its neighbour: %v", i, err)
		}
	}
	for _, old := range heads {
		p, err := l.Consistency(old.Size, newest.Checkpoint)
		if err != nil {
			t.Fatal(err)
		}
		if old.Size == newest.Size {
			continue
		}
		if err := tlog.CheckTree(p, newest.Size, newest.Root, old.Size, old.Root); err != nil {
			t.Fatalf("from %d: %v", old.Size, err)
		}
	}
	if _, err := f.Stat("log/tile/0/000.p"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("partial tiles whose full one is there: %v", err)
	}
}

// What stands in the log are the leaves, and nothing of whose they are.
func TestEntriesHideAccounts(t *testing.T) {
	f, key := durabletest.NewMem(), newKey(t, 1)
	l := open(t, f, key)
	records := recordsFrom(7, 3)
	if _, err := l.Append(records); err != nil {
		t.Fatal(err)
	}
	other := newKey(t, 2)
	if transparency.Pseudonym([]byte("a"), "acme", "market_engine", "h") == transparency.Pseudonym([]byte("b"), "acme", "market_engine", "h") ||
		key.VerifierKey() == other.VerifierKey() {
		t.Error("pseudonyms do not depend on the key")
	}
	for _, entry := range entriesOf(t, f, 3) {
		if len(entry) != sha256.Size || strings.Contains(string(entry), "acme") {
			t.Errorf("entry %x", entry)
		}
	}
}

// A run that is killed at any operation, with a power cut after it, leaves a log that the next run
// continues: no head that anybody could see is ever contradicted.
func TestLogSurvivesKills(t *testing.T) {
	key := newKey(t, 1)
	ended := false
	for k := 1; !ended; k++ {
		if k > 2000 {
			t.Fatal("the run never ends")
		}
		disk := durabletest.NewMem()
		l := open(t, disk, key)
		first, err := l.Append(recordsFrom(0, 250))
		if err != nil {
			t.Fatal(err)
		}
		l.Close()

		seen := []transparency.Signed{first}
		if l, err := transparency.Open(durabletest.Wrap(disk, durabletest.KillAt(k)), key); err == nil {
			head, err := l.Append(recordsFrom(250, 20)) // over the end of a tile
			if err == nil {
				seen = append(seen, head)
			}
			ended = err == nil && l.Close() == nil
		}
		for keep := range 2 {
			after := disk.PowerCut(float64(keep)/2, uint64(k))
			if cut, err := transparency.OpenView(after, key.VerifierKey()); err == nil {
				if head, err := cut.Head(); err == nil {
					seen = append(seen[:len(seen):len(seen)], head)
				}
			}
			again := open(t, after, key)
			last, err := again.Append(recordsFrom(1000, 30)) // other leaves than those of the killed run
			if err != nil {
				t.Fatalf("killed at %d, kept %d: %v", k, keep, err)
			}
			for _, dir := range []string{"log", "leaves", "log/tile/0", "log/tile/entries"} {
				entries, err := after.ReadDir(dir)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range entries {
					if _, is := durable.TempOf(e.Name()); is {
						t.Fatalf("killed at %d, kept %d: %s/%s is left", k, keep, dir, e.Name())
					}
				}
			}
			if rootOf(entriesOf(t, after, last.Size)) != last.Root {
				t.Fatalf("killed at %d, kept %d: the entries are not those of the head", k, keep)
			}
			for _, old := range seen {
				p, err := again.Consistency(old.Size, last.Checkpoint)
				if err != nil {
					t.Fatal(err)
				}
				if err := tlog.CheckTree(p, last.Size, last.Root, old.Size, old.Root); err != nil {
					t.Fatalf("killed at %d, kept %d: the head of size %d is contradicted by that of size %d: %v", k, keep, old.Size, last.Size, err)
				}
			}
		}
	}
}

// A full disk at any operation changes no head, and the log goes on once there is space.
func TestLogOnAFullDisk(t *testing.T) {
	key := newKey(t, 1)
	ended := false
	for k := 1; !ended; k++ {
		if k > 2000 {
			t.Fatal("the disk is never large enough")
		}
		disk := durabletest.NewMem()
		l := open(t, disk, key)
		before, err := l.Append(recordsFrom(0, 250))
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		full, err := transparency.Open(durabletest.Wrap(disk, durabletest.FullAt(k)), key)
		if err == nil {
			_, err = full.Append(recordsFrom(250, 20))
			full.Close()
		}
		if ended = err == nil; !ended && !errors.Is(err, durable.ErrNoSpace) {
			t.Fatalf("full at %d: %v", k, err)
		}
		again := open(t, disk, key)
		head, err := again.Head()
		if err != nil || !ended && head.Checkpoint != before.Checkpoint {
			t.Fatalf("full at %d: %+v, %v", k, head.Checkpoint, err)
		}
		last, err := again.Append(recordsFrom(1000, 30))
		if err != nil || rootOf(entriesOf(t, disk, last.Size)) != last.Root {
			t.Fatalf("full at %d: %v", k, err)
		}
	}
}

// A log is not continued with another key, nor by two processes, nor from damaged tiles.
func TestLogIsNotContinued(t *testing.T) {
	f, key := durabletest.NewMem(), newKey(t, 1)
	l := open(t, f, key)
	if _, err := transparency.Open(f, key); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("a second process: %v", err)
	}
	if _, err := l.Append(recordsFrom(0, 3)); err != nil {
		t.Fatal(err)
	}
	l.Close()
	if _, err := transparency.Open(f, newKey(t, 2)); !errors.Is(err, transparency.ErrOtherKey) {
		t.Errorf("another key: %v", err)
	}
	for name, want := range map[string]error{"log/tile/0/000.p/3": transparency.ErrDamaged, "log/tile/entries/000.p/3": transparency.ErrDamaged, "log/checkpoint": transparency.ErrDamaged} {
		t.Run(name, func(t *testing.T) {
			f := f.PowerCut(1, 1)
			data, err := durable.ReadFile(f, name, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			if err := durable.Overwrite(f, name, data[:len(data)-1]); err != nil {
				t.Fatal(err)
			}
			l, err := transparency.Open(f, key)
			if err == nil {
				_, err = l.Append(recordsFrom(3, 1))
			}
			if !errors.Is(err, want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A flipped bit of a tile is found by the root of the head.
func TestDamagedTileIsFound(t *testing.T) {
	f, key := durabletest.NewMem(), newKey(t, 1)
	l := open(t, f, key)
	head, err := l.Append(recordsFrom(0, 300))
	if err != nil {
		t.Fatal(err)
	}
	data, err := durable.ReadFile(f, "log/tile/0/000", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	data[40] ^= 1
	if err := durable.Overwrite(f, "log/tile/0/000", data); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Prove(1, head, head); err == nil {
		t.Error("a proof from a damaged tile")
	}
}

func FuzzCheckpoint(f *testing.F) {
	f.Add("example.com/prices\n3\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n")
	f.Add("example.com/prices\n3\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\nextra\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := transparency.ParseCheckpoint(text)
		if err == nil && c.String() != text {
			t.Errorf("%q is read as %q", text, c.String())
		}
	})
}

func FuzzProof(f *testing.F) {
	f.Add([]byte("c2sp.org/tlog-proof@v1\nindex 7\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\nexample.com/prices\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := transparency.ParseProof(text)
		if err == nil && !strings.Contains(string(text), "\nextra ") && string(p.Encode()) != string(text) {
			t.Errorf("%q is read as %q", text, p.Encode())
		}
	})
}

func FuzzRequest(f *testing.F) {
	f.Add([]byte("old 3\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\nexample.com/prices\n"))
	f.Fuzz(func(t *testing.T, body []byte) {
		q, err := transparency.ParseRequest(body)
		if err == nil && string(q.Encode()) != string(body) {
			t.Errorf("%q is read as %q", body, q.Encode())
		}
	})
}
