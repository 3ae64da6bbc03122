package api

import (
	"time"

	"github.com/cespare/xxhash/v2"
)

// LiveItems is the items of live fixtures as they are at now: the data of GET
// /live and of the socket's push, made by the one function.
func LiveItems(fixtures []*LiveFixture, now time.Time) *List {
	l := new(List)
	l.Grow(720 * len(fixtures))
	item := make([]byte, 0, 1024)
	for _, f := range fixtures {
		item = f.AppendItem(item[:0], now)
		l.Add(item)
	}
	return l
}

// AppendArray appends the items alone, as a JSON array.
func (l *List) AppendArray(dst []byte) []byte {
	if l.n == 0 {
		return append(dst, "[]"...)
	}
	return append(append(dst, l.body[len(openList)-1:]...), ']')
}

// LiveListMeta is the meta of GET /live: the fixtures in play in all.
func LiveListMeta(count int) Meta {
	b := append([]byte(nil), `"live_fixture_count":`...)
	return Meta{before: append(appendInt(b, int64(count)), ',')}
}

// AppendLiveMeta appends the meta of the socket's push: that of GET /live
// without the age.
func AppendLiveMeta(dst []byte, count int, f Freshness) []byte {
	dst = append(dst, `{"live_fixture_count":`...)
	dst = appendInt(dst, int64(count))
	dst = append(dst, `,"provider_fetched_at":`...)
	dst = appendTimeOrNull(dst, f.ProviderFetchedAt)
	dst = append(dst, `,"processed_at":`...)
	dst = appendTimeOrNull(dst, f.ProcessedAt)
	dst = append(dst, `,"published_at":`...)
	dst = appendTimeOrNull(dst, f.PublishedAt)
	return append(dst, '}')
}

// MadeOf is the weak validator of a page that has ages inside its data: over what
// the page is made of, so that it is known before the page is. The parts must name
// all that the page depends on but the time.
func MadeOf(parts ...string) (tag string) {
	d := xxhash.New()
	for _, part := range parts {
		d.WriteString(part) // never fails
		d.Write([]byte{0})
	}
	return weakTag(d.Sum64(), "")
}

// StaleMarks says of each fixture whether its feed is too old at now: a part of
// what a page is made of.
func StaleMarks(now time.Time, fixtures ...*LiveFixture) string {
	b := make([]byte, len(fixtures))
	for i, f := range fixtures {
		b[i] = '.'
		if f.StaleAt(now) {
			b[i] = 's'
		}
	}
	return string(b)
}
