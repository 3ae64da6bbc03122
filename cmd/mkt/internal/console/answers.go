package console

import (
	"mkt/fetch/raw"
	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Limits of what a page shows of refused answers.
const (
	maxRejected     = 20
	maxRejectedText = 2 << 10
)

// rejectedAnswer is an answer that the provider's adapter refused.
type rejectedAnswer struct {
	raw.Response
	Text string // its beginning; "" if it is not kept
	Cut  bool
}

// rejectedOf returns the first refused answers of a cycle, with the beginnings of their
// bodies. The archive has masked the credential in them.
func rejectedOf(root durable.ReadFS, cycle layout.CycleID) (list []rejectedAnswer, err error) {
	archive, err := raw.Open(root, cycle)
	if err != nil {
		return nil, err
	}
	for _, answer := range archive.Responses() {
		if answer.Accepted() {
			continue
		}
		if len(list) == maxRejected {
			break
		}
		a := rejectedAnswer{Response: answer, Cut: answer.Truncated}
		if body, err := archive.Body(answer); err == nil {
			a.Text, a.Cut = string(body[:min(len(body), maxRejectedText)]), a.Cut || len(body) > maxRejectedText
		}
		list = append(list, a)
	}
	return list, nil
}
