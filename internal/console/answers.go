package console

import (
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"mkt/fetch/raw"
	"mkt/internal/evidence/inspect"
	"mkt/publish/durable"
	"mkt/publish/layout"
	"mkt/publish/snapshot"
)

// Limits of the pages about archived answers.
const (
	maxRejected       = 20       // refused answers on the page of a cycle
	maxRejectedText   = 2 << 10  // of each
	maxAnswerText     = 64 << 10 // on the page of an answer
	maxAnswerRead     = 16 << 20 // bytes of a body read for its page
	answersShown      = 200      // in a list of answers
	maxFailedFixtures = 50       // of a cycle
	maxAnswersEach    = 5        // of a failed fixture
)

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

// rejectedOf returns the first refused answers of an archive.
func rejectedOf(archive *raw.Archive) (list []shownAnswer) {
	for _, answer := range archive.Responses() {
		if !answer.Accepted() && len(list) < maxRejected {
			list = append(list, shown(archive, answer, maxRejectedText))
		}
	}
	return list
}

// failedFixture is a fixture whose markets could not be fetched.
type failedFixture struct {
	ID      string // the provider's
	Answers []raw.Response
	More    int // answers left out of Answers
}

// failedOf returns the first failed fixtures, each with the answers to the requests for it.
func failedOf(archive *raw.Archive) (list []failedFixture) {
	failed := archive.Cycle().Failed
	at := map[string]int{}
	for i, id := range failed[:min(len(failed), maxFailedFixtures)] {
		at[id], list = i, append(list, failedFixture{ID: id})
	}
	for _, answer := range archive.Responses() {
		named := map[string]bool{}
		for _, part := range strings.Split(answer.Path, "/") {
			named[part] = true
		}
		for _, values := range answer.Query {
			for _, value := range values {
				for _, id := range strings.Split(value, ",") {
					named[id] = true
				}
			}
		}
		for id := range named {
			i, is := at[id]
			switch {
			case !is:
			case len(list[i].Answers) == maxAnswersEach:
				list[i].More++
			default:
				list[i].Answers = append(list[i].Answers, answer)
			}
		}
	}
	return list
}

// archiveOf opens the archive of the cycle in a request's path.
func (c *Console) archiveOf(r *http.Request) (picker, layout.CycleID, *raw.Archive, func(), error) {
	p, m, root, err := c.momentOf(r)
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

func openArchive(root durable.ReadFS, p picker, m snapshot.Moment) (layout.CycleID, *raw.Archive, error) {
	id := layout.CycleID(m.String())
	if _, _, err := layout.ParseCycleID(m.String()); err != nil {
		commit, err := snapshot.Find(root, m)
		if err != nil {
			return "", nil, notFound("%s of %s: %v.", m, p.dataset, err)
		}
		id = commit.CycleID
	}
	archive, err := raw.Open(root, id)
	if errors.Is(err, raw.ErrNotSealed) || errors.Is(err, fs.ErrNotExist) {
		return "", nil, notFound("The answers of cycle %s of %s are not kept.", id, p.dataset)
	}
	return id, archive, err
}

// answersBody is the content of the list of a cycle's answers.
type answersBody struct {
	picker
	CycleID     layout.CycleID
	Only        string // "refused" or ""
	List        []raw.Response
	All         int
	First, Last int
	Next        string // the address of the next page; "" if there is none
}

func (c *Console) answers(r *http.Request) (view, error) {
	p, id, archive, closeRoot, err := c.archiveOf(r)
	if err != nil {
		return view{}, err
	}
	defer closeRoot()
	b := answersBody{picker: p, CycleID: id, Only: r.URL.Query().Get("only")}
	list := archive.Responses()
	switch b.Only {
	case "":
	case "refused":
		list = slices.DeleteFunc(list, raw.Response.Accepted)
	default:
		return view{}, badRequest("only=%s: want refused, or nothing.", b.Only)
	}
	first := 0
	if text := r.URL.Query().Get("after"); text != "" {
		if first, err = strconv.Atoi(text); err != nil || first < 0 {
			return view{}, badRequest("after=%s: want a number of answers.", text)
		}
	}
	first = min(first, len(list))
	b.All, b.List = len(list), list[first:min(first+answersShown, len(list))]
	b.First, b.Last = first+1, first+len(b.List)
	if b.Last < b.All {
		b.Next = "?after=" + strconv.Itoa(b.Last)
		if b.Only != "" {
			b.Next += "&only=" + b.Only
		}
	}
	return view{Page: "answers", Section: "cycles", Title: "Answers of cycle " + string(id), Body: &b}, nil
}

// answerBody is the content of the page of an archived answer.
type answerBody struct {
	picker
	shownAnswer
	CycleID layout.CycleID
	Place   string // where its bytes are
}

func (c *Console) answer(r *http.Request) (view, error) {
	p, id, archive, closeRoot, err := c.archiveOf(r)
	if err != nil {
		return view{}, err
	}
	defer closeRoot()
	number, err := strconv.Atoi(r.PathValue("number"))
	if err != nil {
		return view{}, badRequest("%q is not the number of an answer.", r.PathValue("number"))
	}
	list := archive.Responses()
	at := slices.IndexFunc(list, func(a raw.Response) bool { return a.Number == number })
	if at < 0 {
		return view{}, notFound("Cycle %s has %d answers, and none with the number %d.", id, len(list), number)
	}
	b := answerBody{picker: p, shownAnswer: shown(archive, list[at], maxAnswerText), CycleID: id}
	file, member := archive.Place(list[at])
	b.Place = strings.TrimSpace(file + " " + member)
	return view{Page: "answer", Section: "cycles", Title: "Answer " + strconv.Itoa(number) + " of cycle " + string(id), Body: &b}, nil
}

// Unpublished lists cycles that were fetched and never published.
type Unpublished struct {
	Cycles []unpublishedCycle // newest first
	More   int                // older ones, left out of Cycles
}

// unpublishedCycle is a cycle without a publication.
type unpublishedCycle struct {
	raw.Cycle
	Sealed  bool // its answers are archived; otherwise fetch was interrupted
	Refused int  // answers
	Damage  string
}

// unpublishedShown is how many cycles without a publication a page has.
const unpublishedShown = 20

// unpublishedOf returns the cycles without a publication that began between the publications of a
// page. The newest page also has the cycles after them, and the oldest those before. A cycle that
// may be under way is left out. Cycles that were compacted are not looked at.
func unpublishedOf(root durable.ReadFS, lines []cycleLine, newest, oldest bool) (u Unpublished, err error) {
	ids, err := raw.Cycles(root)
	if err != nil || len(ids) == 0 {
		return u, err
	}
	published := map[layout.CycleID]bool{}
	var from, to layout.CycleID
	for _, l := range lines {
		if l.CycleID == "" {
			continue
		}
		published[l.CycleID] = true
		if from = l.CycleID; to == "" {
			to = l.CycleID
		}
	}
	if oldest {
		from = ""
	}
	for i, id := range slices.Backward(ids) {
		if published[id] || id < from || id > to && !newest {
			continue
		}
		one := unpublishedCycle{Cycle: raw.Cycle{CycleID: id}}
		archive, err := raw.Open(root, id)
		switch {
		case errors.Is(err, raw.ErrNotSealed), errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, raw.ErrCorrupt), errors.Is(err, layout.ErrNewer):
			one.Damage = err.Error()
		case err != nil:
			return u, err
		default:
			one.Cycle, one.Sealed = archive.Cycle(), true
			for _, answer := range archive.Responses() {
				if !answer.Accepted() {
					one.Refused++
				}
			}
		}
		if i == len(ids)-1 && one.Outcome != raw.Failed && one.Damage == "" {
			continue // it may be under way
		}
		if u.Cycles = append(u.Cycles, one); len(u.Cycles) == unpublishedShown {
			for _, older := range ids[:i] {
				if !published[older] && older >= from {
					u.More++
				}
			}
			break
		}
	}
	return u, nil
}

// cycleOf is [inspect.Find] with an error for the reader.
func cycleOf(root durable.ReadFS, p picker, m snapshot.Moment) (inspect.Cycle, error) {
	cycle, err := inspect.Find(inspect.Place{ClientID: p.Account, Product: p.Product, Root: root}, m)
	if errors.Is(err, snapshot.ErrUnknown) {
		return cycle, notFound("%s of %s: %v.", m, p.dataset, err)
	}
	return cycle, err
}
