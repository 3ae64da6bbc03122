package live_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"mkt/internal/testing/check"
	"mkt/transform/live"
)

func scripted(t *testing.T) [][]byte {
	t.Helper()
	var states [][]byte
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range files {
		archive, err := txtar.ParseFile(name)
		check.Must(t, err)
		play(t, string(archive.Files[0].Data), func(_ string, s *live.State) { states = append(states, s.Encode(nil)) })
	}
	return states
}

func TestStatesReadBack(t *testing.T) {
	for _, stored := range scripted(t) {
		s, err := live.Decode(stored)
		check.Must(t, err)
		if !bytes.Equal(s.Encode([]byte("before")), append([]byte("before"), stored...)) {
			t.Error("the state reads back differently, or Encode does not append")
		}
	}
}

// A truncated or changed state is refused, and never read in part.
func TestDamagedStatesAreRefused(t *testing.T) {
	states := scripted(t)
	stored := states[len(states)/2]
	for n := range stored {
		if _, err := live.Decode(stored[:n]); err == nil {
			t.Errorf("a state cut at byte %d was read", n)
		}
	}
	if _, err := live.Decode(append(bytes.Clone(stored), 0)); err == nil {
		t.Error("a state with an extra byte was read")
	}
	newer := bytes.Clone(stored)
	newer[3]++
	if _, err := live.Decode(newer); !errors.Is(err, live.ErrVersion) {
		t.Errorf("another version: %v", err)
	}
}

// The encoding is frozen: every build of this version can read a state that another
// one wrote. A change of it needs a new version.
func TestEncodingIsFrozen(t *testing.T) {
	const want = "6d6c7304023737000207486f6d65204643020741776179204643000080d6c597bf6880fa0180fa0100010214022a00020101da090101020202000407220131013102220135013200036f646420013111" +
		"22023631023339000180fa0102020000000180fa01020001060004da090180fa0100da090010b2d0ee018884b402f2cf0400fc66b6fa02010000da090b0000003c000000003c000000003c000000003c000000003c" +
		"000000003c000000003c000000003c000000003c000000003c000200080508000000040003ba096011340ca71c02e003000003ba091a00807d03ca09540c000003ca095111370cabd502b0090088ed80e7b9f94208020000000080fa01" +
		"012001000001000000000003ba090102340ca71c210987f201370cabd5e7ca022400"
	s := step(t, nil, "0 1:10:05 ss=1-0 dangerous_attacks=3/_ possession=60/40 corners=1/1 odd=1/- inc=1:GOAL:5:HOME")
	s = step(t, &s, "8 1:10:13 ss=1-0 dangerous_attacks=4/2 possession=61/39 corners=2/1 odd=1/- inc=1:GOAL:5:HOME inc=2:CORNER:11:AWAY")
	next := step(t, &s, "16 1:10:21 ss=1-0 dangerous_attacks=5/2 possession=61/39 corners=1/1 odd=1/- inc=2:CORNER:11:AWAY")
	if got := hex.EncodeToString(next.Encode(nil)); got != want {
		t.Errorf("encodes as\n%s, want\n%s", got, want)
	}
}

// A state of version 3 is read. Its entries have no numbers yet, and get some.
func TestVersion3IsRead(t *testing.T) {
	const version3 = "6d6c7303023737000207486f6d65204643020741776179204643000080d6c597bf6880fa0180fa0100010214022a00020101da090101020202000407220131013102220135013200036f646420013111" +
		"22023631023339000180fa0102020000000180fa01020001060004da090180fa0100da090010b2d0ee018884b402f2cf0400fc66b6fa02010000da090b0000003c000000003c000000003c000000003c000000003c" +
		"000000003c000000003c000000003c000000003c000000003c000200080508000000040003ba096011340ca71c02e003000003ba091a00807d03ca09540c000003ca095111370cabd502b0090080fa01" +
		"012001000001000000000003ba090102340ca71c210987f201370cabd5e7ca022400"
	b, _ := hex.DecodeString(version3)
	s, err := live.Decode(b)
	check.Must(t, err)
	ids := map[string]bool{}
	for _, e := range s.Live().Timeline {
		ids[e.ID] = true
	}
	if len(ids) != 3 || !bytes.Equal(reread(t, &s).Encode(nil)[4:100], b[4:100]) {
		t.Errorf("the ids are %v", ids)
	}
}

// A state that the rules live-4 wrote, in version 2 of the encoding, is read, and play continues
// from it with the rules of today.
func TestEarlierRulesAreContinued(t *testing.T) {
	const stored = "6d6c7302023737000207486f6d65204643020741776179204643000080d6c597bf6880fa0180fa0100010214022a00020101da090101020202000407220131013102220135013200036f646420013111" +
		"22023631023339000180fa0102020000000180fa01020001060004da09da090010b2d0ee01dafab302f2cf0400d267b6fa02010000da090b0000003c000000003c000000003c000000003c000000003c" +
		"000000003c000000003c000000003c000000003c000000003c000400080508000000040003ba096011340ca71c02e003000003ba091a00807d03ca09540c000003ca095111370cabd502b0090080fa01" +
		"012001000001000000000003ba090102340ca71c210987f201370cabd5e7ca022400"
	b, _ := hex.DecodeString(stored)
	before, err := live.Decode(b)
	check.Must(t, err)
	next := step(t, &before, "24 1:10:29 ss=1-0 dangerous_attacks=6/2 possession=61/39 corners=1/1 odd=1/-")
	in, was := next.Inputs(), before.Inputs()
	if in.Fast[0] <= was.Fast[0] || in.Slow[0] <= was.Slow[0] {
		t.Errorf("an attack after %+v gives %+v", was, in)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("mls\x01"))
	s := live.Fold(nil, sampleFor(f))
	f.Add(s.Encode(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := live.Decode(b)
		if err != nil {
			return
		}
		if b[3] == live.Version && !bytes.Equal(s.Encode(nil), b) {
			t.Fatal("Decode reads what Encode does not write")
		}
		s.Live()
		next := live.Fold(&s, sampleFor(t))
		if _, err := live.Decode(next.Encode(nil)); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzDecodeShown(f *testing.F) {
	s := live.Fold(nil, sampleFor(f))
	l := s.Live()
	shown := new(live.Shown).Add(&l, nil, &s, true)
	f.Add(shown.Encode(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := live.DecodeShown(b)
		if err == nil && !bytes.Equal(s.Encode(nil), b) {
			t.Fatal("DecodeShown reads what Encode does not write")
		}
	})
}
