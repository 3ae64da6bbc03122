package raw_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"mkt/fetch/raw"
	"mkt/publish/durable"
)

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

func BenchmarkAdd(b *testing.B) {
	root, err := durable.OpenRoot(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	w, err := raw.Create(root, first, nil)
	if err != nil {
		b.Fatal(err)
	}
	body := odds()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := w.Add(answer("1"), body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBody(b *testing.B) {
	root, err := durable.OpenRoot(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	w, err := raw.Create(root, first, nil)
	if err != nil {
		b.Fatal(err)
	}
	body := odds()
	if _, err := w.Add(answer("1"), body); err != nil {
		b.Fatal(err)
	}
	if _, err := w.Seal(header()); err != nil {
		b.Fatal(err)
	}
	a, err := raw.Open(root, first)
	if err != nil {
		b.Fatal(err)
	}
	entry := a.Responses()[0]
	b.SetBytes(entry.Bytes)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.Body(entry); err != nil {
			b.Fatal(err)
		}
	}
}
