package console

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"mkt/fetch/raw"
	"mkt/publish/layout"
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
