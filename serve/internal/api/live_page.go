package api

import (
	"time"

	"github.com/cespare/xxhash/v2"
)

// LiveItems renders live fixtures as they are at now. It is the data of GET /live and of
// the socket's push.
func LiveItems(fixtures []*LiveFixture, now time.Time) *List {
	l := new(List)
	item := make([]byte, 0, 1024)
	for _, f := range fixtures {
		item = f.AppendItem(item[:0], now)
		l.Add(item)
	}
	return l
}

// AppendArray appends only the items, as a JSON array. Only Len may be called afterwards.
func (l *List) AppendArray(dst []byte) []byte {
	if l.n == 0 {
		return append(dst, "[]"...)
	}
	defer l.release()
	return append(append(dst, l.body[len(openList)-1:]...), ']')
}

// LiveListMeta is the meta of GET /live. count is the number of all fixtures in play.
func LiveListMeta(count int) Meta {
	return Meta{before: append(addInt(nil, `"live_fixture_count":`, int64(count)), ',')}
}

// AppendLiveMeta appends the meta of the socket's push: that of GET /live without the
// age.
func AppendLiveMeta(dst []byte, count int, f Freshness) []byte {
	dst = addInt(dst, `{"live_fixture_count":`, int64(count))
	return append(addFreshness(append(dst, ','), f), '}')
}

// PageTag returns the weak validator of a page with ages in its data. It is computed
// from the parts of the page, so it is known before the page is rendered. The parts
// must name everything the page depends on except the time.
func PageTag(parts ...string) (tag string) {
	d := xxhash.New()
	for _, part := range parts {
		d.WriteString(part) // never fails
		d.Write([]byte{0})
	}
	return weakTag(d.Sum64())
}

// StaleMarks returns, for each fixture, whether its feed is too old at now. It is a part
// for [PageTag].
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
