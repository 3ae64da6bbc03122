package live_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"mkt/transform/live"
)

// scripted is the encoded state after every step of every golden match.
func scripted(t *testing.T) [][]byte {
	t.Helper()
	var states [][]byte
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range files {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		play(t, string(archive.Files[0].Data), func(_ string, s *live.State) { states = append(states, s.Encode(nil)) })
	}
	return states
}

func TestStatesReadBack(t *testing.T) {
	for _, stored := range scripted(t) {
		s, err := live.Decode(stored)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(s.Encode([]byte("before")), append([]byte("before"), stored...)) {
			t.Error("reads back otherwise, or does not append")
		}
	}
}

// A state that was cut off or changed is refused, never half read.
func TestDamagedStatesAreRefused(t *testing.T) {
	states := scripted(t)
	stored := states[len(states)/2]
	for n := range stored {
		if _, err := live.Decode(stored[:n]); err == nil {
			t.Errorf("cut at %d and read", n)
		}
	}
	if _, err := live.Decode(append(bytes.Clone(stored), 0)); err == nil {
		t.Error("a byte too many and read")
	}
	newer := bytes.Clone(stored)
	newer[3]++
	if _, err := live.Decode(newer); !errors.Is(err, live.ErrVersion) {
		t.Errorf("another version: %v", err)
	}
}

// The encoding is frozen: a state written by any build of this version reads
// back in every other. A change of it is a new version.
func TestEncodingIsFrozen(t *testing.T) {
	const want = "6d6c7302023737000207486f6d65204643020741776179204643000080d6c597bf68807d807d00010214021a00020101ca09010102020200030221013400036f6464200131112202363102333900ca09" +
		"100000d2bc2ca2c8040081f60bc6f5020100000b0000000000000000000002000000020000ba091a00807d0010510001300000000000000002340ca71c370cabd5"
	s := step(t, nil, "0 1:10:05 ss=1-0 dangerous_attacks=3/_ possession=60/40 odd=1/- inc=1:GOAL:5:HOME")
	next := step(t, &s, "8 1:10:13 ss=1-0 dangerous_attacks=4/_ possession=61/39 odd=1/- inc=2:CORNER:11:AWAY")
	if got := hex.EncodeToString(next.Encode(nil)); got != want {
		t.Errorf("encodes as\n%s, want\n%s", got, want)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("mls\x02"))
	s := live.Fold(nil, sampleFor(f))
	f.Add(s.Encode(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := live.Decode(b)
		if err != nil {
			return
		}
		if !bytes.Equal(s.Encode(nil), b) {
			t.Fatal("reads what Encode does not write")
		}
		s.Live()
		next := live.Fold(&s, sampleFor(t))
		if _, err := live.Decode(next.Encode(nil)); err != nil {
			t.Fatal(err)
		}
	})
}
