package raw_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"mkt/fetch/raw"
	"mkt/internal/testing/durabletest"
	"mkt/publish/durable"
	"mkt/publish/football"
	"mkt/publish/layout"
)

var (
	folder      = layout.Cycle(layout.RawDir, first)
	answersFile = folder + "/" + layout.RawAnswers
)

// sealedBodies is a root with a cycle of these answers, the last one rejected.
func sealedBodies(t *testing.T, bodies ...string) *durabletest.Mem {
	t.Helper()
	mem := durabletest.NewMem()
	w := create(t, mem, first, nil)
	for i, body := range bodies {
		var err error
		if i < len(bodies)-1 {
			_, err = w.Add(answer(fmt.Sprint(i+1)), []byte(body))
		} else {
			_, err = w.Reject(answer(fmt.Sprint(i+1)), "HTML", []byte(body))
		}
		must(t, err)
	}
	_, err := w.Seal(header())
	must(t, err)
	return mem
}

// reseal edits the entries and the header of a cycle, and corrects the hash.
func reseal(t *testing.T, mem *durabletest.Mem, edit func(entries []any), format int) {
	t.Helper()
	read := func(name string) (o map[string]any) {
		data, err := durable.ReadFile(mem, folder+"/"+name, 1<<20)
		must(t, err)
		must(t, json.Unmarshal(data, &o))
		return o
	}
	write := func(name string, o map[string]any) string {
		o["format"] = format
		data, err := json.Marshal(o)
		must(t, err)
		must(t, durable.Overwrite(mem, folder+"/"+name, data))
		return durable.Hash(data)
	}
	list, cycle := read(layout.RawFetchFile), read(layout.RawCycleFile)
	edit(list["responses"].([]any))
	cycle["fetch_sha256"] = write(layout.RawFetchFile, list)
	write(layout.RawCycleFile, cycle)
}

// Anybody can read the bodies with zstd and tar.
func TestAnswersAreATarArchive(t *testing.T) {
	mem := sealedBodies(t, `{"page":1}`, "", strings.Repeat("odds ", 300), "<html>")
	file, err := mem.Open(answersFile)
	must(t, err)
	defer file.Close()
	plain, err := zstd.NewReader(file)
	must(t, err)
	defer plain.Close()
	var got []string
	for in := tar.NewReader(plain); ; {
		h, err := in.Next()
		if err == io.EOF {
			break
		}
		must(t, err)
		body, err := io.ReadAll(in)
		must(t, err)
		got = append(got, fmt.Sprintf("%s %.10s", h.Name, body))
	}
	want := []string{`responses/000001 {"page":1}`, "responses/000002 ", "responses/000003 odds odds ", "rejected/000004 <html>"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A cycle of format 1, in which every body is a file, reads and compacts as before.
func TestFormat1(t *testing.T) {
	bodies := []string{`{"page":1}`, `{"page":2}`, "<html>"}
	mem := sealedBodies(t, bodies...)
	pack, err := zstd.NewWriter(nil)
	must(t, err)
	must(t, mem.Remove(answersFile))
	must(t, durable.MkdirAllSync(mem, folder+"/responses", folder+"/rejected"))
	reseal(t, mem, func(entries []any) {
		for i, e := range entries {
			o := e.(map[string]any)
			delete(o, "frame")
			o["file"] = o["file"].(string) + ".zst"
			must(t, durable.Create(mem, folder+"/"+o["file"].(string), durable.Bytes(pack.EncodeAll([]byte(bodies[i]), nil))))
		}
	}, 1)
	a, err := raw.Open(mem, first)
	must(t, err)
	if got, want := a.Files(), []string{"cycle.json", "fetch.json", "responses/000001.zst", "responses/000002.zst", "rejected/000003.zst"}; !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
	if file, member := a.Place(a.Responses()[0]); file != folder+"/responses/000001.zst" || member != "" {
		t.Errorf("the first is in %s %s", file, member)
	}
	before := archived(t, mem, first)
	for i, body := range bodies {
		if before[2+2*i] != body {
			t.Errorf("answer %d is %q, want %q", i+1, before[2+2*i], body)
		}
	}
	n, err := raw.Compact(mem, layout.NewCycleID(start.AddDate(0, 0, 1), "market_engine"))
	if n != 1 || err != nil {
		t.Fatalf("%d cycles compacted: %v", n, err)
	}
	if after := archived(t, mem, first); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("compacted %v, before %v", after, before)
	}
	reseal := func(t *testing.T, format int, frame any) error {
		mem := sealedBodies(t, bodies...)
		reseal(t, mem, func(entries []any) { entries[0].(map[string]any)["frame"] = frame }, format)
		_, err := raw.Open(mem, first)
		return err
	}
	for _, err := range []error{reseal(t, 2, nil), reseal(t, 1, map[string]int{"offset": 0, "length": 1})} {
		if !errors.Is(err, raw.ErrCorrupt) {
			t.Errorf("entries of both formats: %v", err)
		}
	}
}

// Everything outside the hashes of the bodies is checked as well.
func TestAnswersAreChecked(t *testing.T) {
	swap := func(key string) func([]any) {
		return func(entries []any) {
			a, b := entries[0].(map[string]any), entries[1].(map[string]any)
			a[key], b[key] = b[key], a[key]
		}
	}
	add := func(offset, length float64) func([]any) {
		return func(entries []any) {
			f := entries[1].(map[string]any)["frame"].(map[string]any)
			f["offset"], f["length"] = f["offset"].(float64)+offset, f["length"].(float64)+length
		}
	}
	for name, c := range map[string]struct {
		edit func(entries []any)
		file func([]byte) []byte
	}{
		"frames of each other": {edit: swap("frame")},
		"a gap":                {edit: add(1, 0)},
		"an overlap":           {edit: add(-1, 0)},
		"a longer frame":       {edit: add(0, 1)},
		"behind the end":       {edit: add(1<<40, 0)},
		"more behind it":       {file: func(b []byte) []byte { return append(b, 0) }},
		"another end":          {file: func(b []byte) []byte { b[len(b)-1] ^= 1; return b }},
		"a frame twice":        {file: func(b []byte) []byte { return append(b, b...) }},
		"another name":         {file: renamed},
	} {
		t.Run(name, func(t *testing.T) {
			mem := sealedBodies(t, "same", "same", "<html>")
			if c.edit != nil {
				reseal(t, mem, c.edit, 2)
			} else {
				data, err := durable.ReadFile(mem, answersFile, 1<<20)
				must(t, err)
				must(t, durable.Overwrite(mem, answersFile, c.file(data)))
			}
			a, err := raw.Open(mem, first)
			if err == nil {
				_, err = a.Body(a.Responses()[0])
			}
			if !errors.Is(err, raw.ErrCorrupt) {
				t.Errorf("%v, want ErrCorrupt", err)
			}
		})
	}
	// An entry of another cycle is an error, and nothing else.
	a, err := raw.Open(sealedBodies(t, "a", "b"), first)
	must(t, err)
	for _, frame := range []*raw.Frame{nil, {Offset: 1 << 40, Length: 7}} {
		r := a.Responses()[0]
		if r.Frame = frame; frame == nil {
			r.File += ".zst"
		}
		if _, err := a.Body(r); err == nil {
			t.Errorf("the body at %v was read", frame)
		}
	}
}

// Answers read into one buffer, in any order and also after a damaged one, are
// the same as with Body.
func TestOneBuffer(t *testing.T) {
	random := make([]byte, 3<<20) // more than is read at once
	rand.NewChaCha8([32]byte{}).Read(random)
	bodies := []string{string(random[:2<<20]), "small", "", string(random[1<<20:]), strings.Repeat("odds ", 1<<20), "<html>"}
	mem := sealedBodies(t, bodies...)
	a, err := raw.Open(mem, first)
	must(t, err)
	var buffer raw.Buffer
	for _, i := range []int{0, 1, 2, 3, 4, 3, 1, 0, 2} {
		p, err := a.PayloadIn(&buffer, a.Responses()[i])
		must(t, err)
		if string(p.Body) != bodies[i] {
			t.Errorf("answer %d: %d other bytes", i, len(p.Body))
		}
		wrong := a.Responses()[i]
		wrong.Frame = a.Responses()[(i+1)%len(bodies)].Frame
		if _, err := a.PayloadIn(&buffer, wrong); !errors.Is(err, raw.ErrCorrupt) {
			t.Errorf("answer %d in the frame of another: %v", i, err)
		}
	}
}

// renamed gives the first body another name in the archive, and keeps the frame's length.
func renamed(b []byte) []byte {
	d, _ := zstd.NewReader(nil)
	defer d.Close()
	e, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<20))
	plain, _ := d.DecodeAll(b, nil)
	for n := 1; n < len(b); n++ {
		one, err := d.DecodeAll(b[:n], nil)
		if err != nil || len(one) == 0 {
			continue
		}
		for digit := byte('2'); digit <= '9'; digit++ {
			altered := bytes.Clone(plain[:len(one)])
			altered[len("responses/00000")] = digit
			if packed := e.EncodeAll(altered, nil); len(packed) == n {
				return slices.Concat(packed, b[n:])
			}
		}
	}
	panic("no such frame has the same length")
}

// A changed bit is found, unless zstd and tar read the same from the file as before.
func TestEveryBitOfTheAnswers(t *testing.T) {
	mem := sealedBodies(t, `{"page":1}`, "", strings.Repeat("odds ", 300), "<html>")
	data, err := durable.ReadFile(mem, answersFile, 1<<20)
	must(t, err)
	d, err := zstd.NewReader(nil)
	must(t, err)
	defer d.Close()
	plain, err := d.DecodeAll(data, nil)
	must(t, err)
	for at := range data {
		for bit := range 8 {
			altered := bytes.Clone(data)
			altered[at] ^= 1 << bit
			must(t, durable.Overwrite(mem, answersFile, altered))
			a, err := raw.Open(mem, first)
			must(t, err)
			for _, r := range a.Responses() {
				_, e := a.Body(r)
				err = errors.Join(err, e)
			}
			if err != nil && !errors.Is(err, raw.ErrCorrupt) {
				t.Errorf("bit %d of byte %d of %d: %v, want ErrCorrupt", bit, at, len(data), err)
			}
			if read, e := d.DecodeAll(altered, nil); err == nil && (e != nil || !bytes.Equal(read, plain)) {
				t.Errorf("bit %d of byte %d of %d is not found, but zstd returns %v", bit, at, len(data), e)
			}
		}
	}
}

// odds is a megabyte that compresses about as well as a real answer.
func odds() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for b.Len() < 1<<20 {
		b.WriteString(`{"id":"`)
		for range 9 {
			b.WriteByte('0' + byte(r.IntN(10)))
		}
		b.WriteString(`","odds":"1.90","header":"Over","name":"2.5","handicap":"-0.5"},`)
	}
	return b.Bytes()
}

// A large answer of a market cycle, which is kept for long, is compressed at another level than the
// same answer of a live cycle, which is compacted soon.
func TestLargeAnswersByProduct(t *testing.T) {
	body, length := odds(), map[football.Product]int64{}
	for _, product := range []football.Product{football.MarketEngine, football.LiveIntelligence} {
		w := create(t, durabletest.NewMem(), layout.NewCycleID(start, string(product)), nil)
		r, err := w.Add(answer("1"), body)
		must(t, err)
		must(t, w.Close())
		length[product] = r.Frame.Length
	}
	if length[football.MarketEngine] == length[football.LiveIntelligence] {
		t.Errorf("both have %d bytes", length[football.MarketEngine])
	}
}
