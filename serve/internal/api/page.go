package api

import (
	"bytes"
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
)

// Page is one rendered answer with status 200. Everything in it is fixed except the age
// of the data and, on the fixture list, whether the index is stale. These two are near
// the end, so the long part before them is rendered and compressed once for all
// requests. Safe for concurrent use.
type Page struct {
	head      []byte // up to the age, or everything if the page has none
	mid       []byte // from after the age up to index_stale
	end       []byte // the rest
	aged      bool
	staleable bool
	fetchedAt *time.Time
	tag       string // the validator of everything but the age and index_stale

	zip zipped
}

// Pagination of a collection (specification, section 2.3). NextCursor "" is null.
type Pagination struct {
	Limit      int
	NextCursor string
	HasMore    bool
}

// List collects the items of one page of a collection. Its zero value is ready to use.
type List struct {
	body []byte
	n    int
}

const openList = `{"data":[`

// bodies are buffers in which lists are collected. A page is copied from there, because a buffer that
// grows costs more than a copy, and so does a new one, which is cleared.
var bodies = sync.Pool{New: func() any { return new([]byte) }}

// maxBody is the maximum size of a buffer that is kept.
const maxBody = 1 << 20

// Add appends a rendered item. It keeps no reference to it.
func (l *List) Add(item []byte) {
	if l.n == 0 {
		l.open()
	} else {
		l.body = append(l.body, ',')
	}
	l.body = append(l.body, item...)
	l.n++
}

func (l *List) open() { l.body = append((*bodies.Get().(*[]byte))[:0], openList...) }

// Len returns the number of items.
func (l *List) Len() int { return l.n }

// Page returns the page with the items. Only Len may be called afterwards.
func (l *List) Page(p Pagination, f Freshness, m Meta) *Page {
	if l.n == 0 {
		l.open()
	}
	l.body = appendMeta(appendPagination(append(l.body, ']'), p), f, m)
	defer l.release()
	return newPage(bytes.Clone(l.body), f, m)
}

func appendPagination(b []byte, p Pagination) []byte {
	b = addInt(b, `,"pagination":{"limit":`, int64(p.Limit))
	b = addNonEmpty(b, `,"next_cursor":`, p.NextCursor)
	b = addBool(b, `,"has_more":`, p.HasMore)
	return append(b, '}')
}

func (l *List) release() {
	b := l.body
	l.body = nil
	if cap(b) <= maxBody {
		bodies.Put(&b)
	}
}

// Object returns the page of a single resource. It keeps no reference to body.
func Object(body []byte, f Freshness) *Page {
	b := make([]byte, 0, len(body)+256)
	b = append(b, `{"data":`...)
	return newPage(appendMeta(append(b, body...), f, Meta{}), f, Meta{})
}

// appendMeta appends the meta up to the age.
func appendMeta(b []byte, f Freshness, m Meta) []byte {
	b = append(b, `,"meta":{`...)
	b = append(b, m.before...)
	b = addFreshness(b, f)
	return append(b, `,"age_ms":`...)
}

func newPage(head []byte, f Freshness, m Meta) *Page {
	p := &Page{head: head, mid: m.fields, end: append(m.after, "}}"...), aged: true, staleable: m.staleable, fetchedAt: f.ProviderFetchedAt}
	p.tag = p.digest()
	return p
}

// Document returns the page of data that does not belong to a dataset and has no times
// and no age. data is one of the structs of this package.
func Document(data any) (*Page, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteString(`{"data":`)
	if err := enc.Encode(data); err != nil {
		return nil, err
	}
	b.Truncate(b.Len() - 1) // the newline that Encode adds
	b.WriteString(`,"meta":{}}`)
	p := &Page{head: b.Bytes()}
	p.tag = p.digest()
	return p, nil
}

func (p *Page) digest() string {
	d := xxhash.New()
	for _, part := range [][]byte{p.head, {0}, p.mid, {0}, p.end} {
		d.Write(part) // never fails
	}
	return weakTag(d.Sum64())
}

// ETag returns the weak validator of everything but the age.
func (p *Page) ETag(stale bool) string {
	if p.staleable && stale {
		return p.tag[:len(p.tag)-1] + `s"`
	}
	return p.tag
}

func weakTag(hash uint64) string { return `W/"` + strconv.FormatUint(hash, 36) + `"` }

// Size returns the approximate memory of the page.
func (p *Page) Size() int {
	const overhead = 512
	return len(p.head) + len(p.head)/8 + len(p.mid) + len(p.end) + overhead
}

// Head returns the part that is the same for every request. The caller must not modify
// it.
func (p *Page) Head() []byte { return p.head }

// AppendTail appends the rest of the body, as it is at now.
func (p *Page) AppendTail(dst []byte, now time.Time, stale bool) []byte {
	if !p.aged {
		return dst
	}
	dst = appendAge(dst, p.fetchedAt, now)
	dst = append(dst, p.mid...)
	if p.staleable {
		dst = strconv.AppendBool(dst, stale)
	}
	return append(dst, p.end...)
}

// appendAge appends the milliseconds since at, which are never negative, or null.
func appendAge(dst []byte, at *time.Time, now time.Time) []byte {
	if at == nil {
		return append(dst, "null"...)
	}
	return strconv.AppendInt(dst, AgeMS(*at, now), 10)
}

// AgeMS returns the milliseconds from at to now, or 0 if at is later.
func AgeMS(at, now time.Time) int64 { return max(0, now.Sub(at).Milliseconds()) }

type zipped struct {
	once sync.Once
	head []byte
	crc  uint32
}
