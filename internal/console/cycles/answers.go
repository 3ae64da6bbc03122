package cycles

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"mkt/fetch/raw"
	"mkt/internal/console/choice"
	"mkt/internal/console/frame"
	"mkt/publish/layout"
)

const (
	maxAnswerText = 64 << 10 // on the page of an answer
	answersShown  = 200      // in a list of answers
)

// answersBody is the content of the list of a cycle's answers.
type answersBody struct {
	choice.Choice
	CycleID     layout.CycleID
	Only        string // "refused" or ""
	List        []raw.Response
	All         int
	First, Last int
	Next        string // the address of the next page; "" if there is none
}

func (c *Pages) Answers(r *http.Request) (frame.View, error) {
	p, id, archive, closeRoot, err := c.archiveOf(r)
	if err != nil {
		return frame.View{}, err
	}
	defer closeRoot()
	b := answersBody{Choice: p, CycleID: id, Only: r.URL.Query().Get("only")}
	list := archive.Responses()
	switch b.Only {
	case "":
	case "refused":
		list = slices.DeleteFunc(list, raw.Response.Accepted)
	default:
		return frame.View{}, frame.BadRequest("only=%s: want refused, or nothing.", b.Only)
	}
	first := 0
	if text := r.URL.Query().Get("after"); text != "" {
		if first, err = strconv.Atoi(text); err != nil || first < 0 {
			return frame.View{}, frame.BadRequest("after=%s: want a number of answers.", text)
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
	return frame.View{Page: "answers", Section: "cycles", Title: "Answers of cycle " + string(id), Body: &b}, nil
}

// answerBody is the content of the page of an archived answer.
type answerBody struct {
	choice.Choice
	shownAnswer
	CycleID layout.CycleID
	Place   string // where its bytes are
}

func (c *Pages) Answer(r *http.Request) (frame.View, error) {
	p, id, archive, closeRoot, err := c.archiveOf(r)
	if err != nil {
		return frame.View{}, err
	}
	defer closeRoot()
	number, err := strconv.Atoi(r.PathValue("number"))
	if err != nil {
		return frame.View{}, frame.BadRequest("%q is not the number of an answer.", r.PathValue("number"))
	}
	list := archive.Responses()
	at := slices.IndexFunc(list, func(a raw.Response) bool { return a.Number == number })
	if at < 0 {
		return frame.View{}, frame.NotFound("Cycle %s has %d answers, and none with the number %d.", id, len(list), number)
	}
	b := answerBody{Choice: p, shownAnswer: shown(archive, list[at], maxAnswerText), CycleID: id}
	file, member := archive.Place(list[at])
	b.Place = strings.TrimSpace(file + " " + member)
	return frame.View{Page: "answer", Section: "cycles", Title: "Answer " + strconv.Itoa(number) + " of cycle " + string(id), Body: &b}, nil
}
