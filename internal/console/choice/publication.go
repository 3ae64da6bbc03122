package choice

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"mkt/internal/console/frame"
	"mkt/publish/durable"
	"mkt/publish/snapshot"
)

// Publication is the one that a page shows: the newest one, or one of the past whose snapshot is kept.
type Publication struct {
	Path        string // of the page
	First, Last uint64 // versions of the oldest and the newest publication to choose from
	Version     uint64
	PublishedAt time.Time

	Commit snapshot.Commit
}

// IsPast reports whether the page shows another publication than the newest one.
func (p *Publication) IsPast() bool { return p.Version < p.Last }

// Link returns the address of the page as of a version.
func (p *Publication) Link(version uint64) string {
	return fmt.Sprintf("%s?version=%d", p.Path, version)
}

// Before and After are the neighbouring versions, 0 if there is none.
func (p *Publication) Before() uint64 {
	if p.Version > p.First {
		return p.Version - 1
	}
	return 0
}

// After is the version after the one that is shown, 0 if there is none.
func (p *Publication) After() uint64 {
	if p.Version < p.Last {
		return p.Version + 1
	}
	return 0
}

// PublicationOf reads which publication a request wants. It returns nil if nothing was published yet.
func PublicationOf(r *http.Request, root durable.ReadFS) (*Publication, error) {
	head, found, err := snapshot.Head(root)
	if err != nil || !found {
		return nil, err
	}
	p := &Publication{Path: r.URL.EscapedPath(), First: snapshot.OldestKept(root, head).Version, Last: head.Version, Commit: head}
	if text := r.URL.Query().Get("version"); text != "" {
		version, err := strconv.ParseUint(text, 10, 64)
		if err != nil || version == 0 {
			return nil, frame.BadRequest("version=%.20s is not the version of a publication.", text)
		}
		if p.Commit, err = snapshot.Find(root, snapshot.Numbered(version)); errors.Is(err, snapshot.ErrUnknown) || err == nil && version < p.First {
			return nil, frame.NotFound("Version %d is not kept: the oldest one is %d, the newest one %d.", version, p.First, p.Last)
		}
		if err != nil {
			return nil, err
		}
	}
	p.Version, p.PublishedAt = p.Commit.Version, p.Commit.PublishedAt
	return p, nil
}
