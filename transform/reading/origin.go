package reading

import (
	"mkt/fetch/provider"
	"mkt/fetch/raw"
	"mkt/publish/layout"
)

// Origin is one archived answer with the values found in it and their places. Number is 0 if there
// is none.
type Origin struct {
	raw.Response
	Cycle      layout.CycleID
	In, Member string // the file and the member in it, see raw.Archive.Place
	Trace      *provider.Trace
}

// OriginOf returns the origin of an answer of an archive. t may be nil.
func OriginOf(a *raw.Archive, r raw.Response, t *provider.Trace) Origin {
	in, member := a.Place(r)
	return Origin{Response: r, Cycle: a.Cycle().CycleID, In: in, Member: member, Trace: t}
}

// LastWith returns the last answer with the item.
func LastWith(item string, origins []Origin) (last Origin) {
	for _, o := range origins {
		if o.Trace.Of(provider.Subject{Fixture: item}) != nil {
			last = o
		}
	}
	return last
}
