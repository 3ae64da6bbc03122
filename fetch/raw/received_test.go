package raw_test

import (
	"bytes"
	"testing"

	"mkt/fetch/internal/strictjson"
	"mkt/fetch/provider"
	"mkt/fetch/raw"
)

// An answer is taken from memory if its hash is that of the archived one, until it is released.
func TestReceived(t *testing.T) {
	fsys, received := disk(t), new(raw.Received)
	body := []byte(`{"success":1}`)
	w := create(t, fsys, first, nil)
	kept, err := w.Add(answer("1"), body)
	must(t, err)
	other, err := w.Add(answer("2"), []byte(`{"success":0}`))
	must(t, err)
	_, err = w.Seal(header())
	must(t, err)
	d := new(strictjson.Document)
	must(t, d.Parse(body))
	if p := received.Keep(kept, provider.Payload{Body: body, Document: d}); p.Document != d {
		t.Error("the document is not returned")
	}
	a, err := raw.Open(fsys, first)
	must(t, err)
	a.Use(received)
	for r, fromMemory := range map[*raw.Response]bool{&kept: true, &other: false} {
		p, err := a.Payload(*r)
		must(t, err)
		if (p.Document == d) != fromMemory || p.Number != r.Number || !p.FetchedAt.Equal(r.FetchedAt) || p.Endpoint != r.Endpoint {
			t.Errorf("%d: %+v", r.Number, p)
		}
		if !fromMemory && len(p.Body) == 0 {
			t.Errorf("%d: neither a body nor a document", r.Number)
		}
	}
	received.Release()
	if p, err := a.Payload(kept); err != nil || p.Document != nil || !bytes.Equal(p.Body, body) {
		t.Errorf("after the release: %+v, %v", p, err)
	}
}

// The memory of all runs together is bounded: the other answers are read from the archive.
func TestReceivedIsBounded(t *testing.T) {
	var runs [3]raw.Received
	large := raw.Response{Bytes: 3 << 20}
	n := 0
	for i := range 12 {
		large.SHA256 = string(rune('a' + i))
		d := new(strictjson.Document)
		if p := runs[i%len(runs)].Keep(large, provider.Payload{Document: d}); p.Document != nil {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d answers of 3 MiB are kept, want 2 of at most 6 MiB", n)
	}
	for i := range runs {
		runs[i].Release()
	}
	if p := runs[0].Keep(large, provider.Payload{Document: new(strictjson.Document)}); p.Document == nil {
		t.Error("nothing is kept after the release")
	}
	runs[0].Release()
	if p := (*raw.Received)(nil).Keep(large, provider.Payload{Document: new(strictjson.Document)}); p.Document != nil {
		t.Error("a nil Received keeps a document")
	}
}
