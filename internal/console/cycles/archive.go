package cycles

import (
	"errors"
	"io/fs"
	"net/http"
	"strings"

	"mkt/fetch/raw"
	"mkt/internal/console/choice"
	"mkt/internal/console/frame"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// maxAnswerRead is how many bytes of a body are read for its page.
const maxAnswerRead = 16 << 20

// shownAnswer is an archived answer with the beginning of its body. The archive holds no
// credential: fetch masks it in refused answers, and accepts no answer with one.
type shownAnswer struct {
	raw.Response
	Text string // "" if it is not kept
	Cut  bool
	Lost string // why the body cannot be shown; "" if it can
}

// shown reads the beginning of an answer's body.
func shown(archive *raw.Archive, answer raw.Response, most int) shownAnswer {
	a := shownAnswer{Response: answer, Cut: answer.Truncated}
	if answer.Bytes > maxAnswerRead {
		a.Lost = "The answer is too large to be shown here."
		return a
	}
	body, err := archive.Body(answer)
	if err != nil {
		a.Lost = "The answer cannot be read: " + err.Error()
		return a
	}
	if len(body) > most {
		body, a.Cut = body[:most], true
	}
	a.Text = strings.ToValidUTF8(string(body), "\ufffd")
	return a
}

// archiveOf opens the archive of the cycle in a request's path.
func (c *Pages) archiveOf(r *http.Request) (choice.Choice, layout.CycleID, *raw.Archive, func(), error) {
	p, m, root, err := c.PickMoment(r)
	if err != nil {
		return p, "", nil, nil, err
	}
	id, archive, err := openArchive(root, p, m)
	if err != nil {
		root.Close()
		return p, "", nil, nil, err
	}
	return p, id, archive, func() { root.Close() }, nil
}

func openArchive(root durable.ReadFS, p choice.Choice, m snapshot.Moment) (layout.CycleID, *raw.Archive, error) {
	id := layout.CycleID(m.String())
	if _, _, err := layout.ParseCycleID(m.String()); err != nil {
		commit, err := snapshot.Find(root, m)
		if err != nil {
			return "", nil, frame.NotFound("%s of %s: %v.", m, p.Dataset, err)
		}
		id = commit.CycleID
	}
	archive, err := raw.Open(root, id)
	if errors.Is(err, raw.ErrNotSealed) || errors.Is(err, fs.ErrNotExist) {
		return "", nil, frame.NotFound("The answers of cycle %s of %s are not kept.", id, p.Dataset)
	}
	return id, archive, err
}
