package inspect

import (
	"errors"
	"io/fs"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Publication is one line of the history.
type Publication struct {
	Version     uint64           `json:"version"`
	CycleID     layout.CycleID   `json:"cycle_id,omitempty"`
	PublishedAt time.Time        `json:"published_at,omitzero"`
	FirstSeq    uint64           `json:"first_seq"` // of the published window
	LastSeq     uint64           `json:"last_seq"`
	Events      uint64           `json:"events"` // of its own cycle
	Kept        bool             `json:"kept"`   // its snapshot is still there
	Rows        map[string]int64 `json:"rows,omitempty"`
	Bytes       int64            `json:"bytes,omitempty"` // of the snapshot's files
	// Freshness; nil if the snapshot is not kept.
	ProviderFetchedAt *time.Time `json:"provider_fetched_at,omitempty"`
	ProcessedAt       *time.Time `json:"processed_at,omitempty"`
	Damage            string     `json:"damage,omitempty"`
	// Suspicions counts the suspicious markets by kind; nil if they were not counted.
	Suspicions map[string]int64 `json:"suspicions,omitempty"`
}

// PublicationOf describes a publication from its record and its manifest.
func PublicationOf(root durable.ReadFS, c snapshot.Commit) Publication {
	p, _ := Described(root, c)
	return p
}

// Described is [PublicationOf] with the manifest, which is empty if the snapshot is not kept or damaged.
func Described(root durable.ReadFS, c snapshot.Commit) (Publication, snapshot.Manifest) {
	p := Publication{Version: c.Version, CycleID: c.CycleID, PublishedAt: c.PublishedAt, FirstSeq: c.FirstSeq, LastSeq: c.LastSeq}
	if s := c.Segment; s != nil && s.Cycles == 0 {
		p.Events = s.Last - s.First + 1
	}
	m, err := snapshot.Open(root, c)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		kept, err := durable.Exists(root, c.Dir())
		if p.Kept = kept; kept || err != nil {
			p.Damage = "its manifest is missing"
		}
		return p, snapshot.Manifest{}
	case err != nil:
		p.Kept, p.Damage = true, err.Error()
		return p, snapshot.Manifest{}
	}
	p.Kept, p.Rows = true, map[string]int64{}
	p.ProviderFetchedAt, p.ProcessedAt, p.Suspicions = m.ProviderFetchedAt, m.ProcessedAt, Suspicions(m.Counters)
	for name, t := range m.Tables {
		p.Rows[name] = t.Rows
	}
	if n, ok := m.Counters["selections"]; ok {
		p.Rows["selections"] = n
	}
	for _, f := range m.Files {
		p.Bytes += f.Bytes
	}
	return p, m
}

// History returns the newest publications, newest first, including those whose records are
// damaged. If last is 0, it returns all of them.
func History(root durable.ReadFS, last int) (list []Publication, err error) {
	newest, _, err := snapshot.LastRecord(root)
	if err != nil && !snapshot.IsFault(err) {
		return nil, err
	}
	for c, err := range snapshot.Backward(root, snapshot.Commit{Version: newest}) {
		switch {
		case snapshot.IsFault(err), snapshot.IsDamage(err):
			list = append(list, Publication{Version: c.Version, Damage: err.Error()})
		case err != nil:
			return nil, err
		default:
			list = append(list, PublicationOf(root, c))
		}
		if len(list) == last {
			break
		}
	}
	return list, nil
}
