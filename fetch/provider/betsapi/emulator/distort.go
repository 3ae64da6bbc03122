package emulator

import (
	"bytes"
	"encoding/json"

	"mkt/fetch/provider/betsapi/internal/wire"
	"mkt/fetch/simulator"
)

// envelope is an answer taken apart far enough to spoil it.
type envelope struct {
	Success int               `json:"success"`
	Pager   *envelopePager    `json:"pager,omitempty"`
	Results []json.RawMessage `json:"results"`
}

type envelopePager struct {
	Page    int `json:"page"`
	PerPage int `json:"per_page"`
	Total   int `json:"total"`
}

// Distort spoils an answer in the provider's own format. An answer that is an
// error already stays as it is.
func (base) Distort(kind simulator.FaultKind, a simulator.Answer, pick func(n int) int) simulator.Answer {
	var e envelope
	if json.Unmarshal(a.Body, &e) != nil || e.Success != 1 {
		return a
	}
	switch kind {
	case simulator.Wrong:
		a.Body = otherShape(e, a.Body, pick)
		return a
	case simulator.WithoutIDs:
		for i := range e.Results {
			e.Results[i] = without(e.Results[i], "id", wire.KeyFI)
		}
	case simulator.Duplicate:
		if len(e.Results) > 0 {
			e.Results = append(e.Results, e.Results[pick(len(e.Results))])
		}
	case simulator.Shrink:
		e.shrink()
	case simulator.BrokenFixture:
		if len(e.Results) > 0 {
			i := pick(len(e.Results))
			e.Results[i] = broken(e.Results[i])
		}
	}
	a.Body = e.bytes()
	return a
}

// otherShape is valid JSON that cannot be what was asked for.
func otherShape(e envelope, body []byte, pick func(n int) int) []byte {
	switch pick(4) {
	case 0:
		return bytes.Replace(body, []byte(`"results":`), []byte(`"data":`), 1)
	case 1:
		return append(append([]byte(`{"success":1,"results":{"items":`), e.list()...), "}}"...)
	case 2:
		return []byte(`{"success":"yes","results":"see attachment"}`)
	default:
		return e.list()
	}
}

// shrink keeps the first 40 % of a listing, over all its pages, and of the
// fixtures of any other answer.
func (e *envelope) shrink() {
	if e.Pager == nil {
		e.Results = e.Results[:len(e.Results)*2/5]
		return
	}
	e.Pager.Total = e.Pager.Total * 2 / 5
	keep := e.Pager.Total - (e.Pager.Page-1)*e.Pager.PerPage
	e.Results = e.Results[:min(max(keep, 0), len(e.Results))]
}

// without takes fields out of an object.
func without(raw json.RawMessage, fields ...string) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return raw
	}
	for _, f := range fields {
		delete(object, f)
	}
	return remade(object)
}

// broken keeps a fixture's id and makes the rest of it unreadable.
func broken(raw json.RawMessage) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return raw
	}
	for field := range object {
		if field != "id" && field != wire.KeyFI {
			object[field] = json.RawMessage("17")
		}
	}
	return remade(object)
}

func remade(object map[string]json.RawMessage) json.RawMessage {
	b, _ := json.Marshal(object)
	return b
}

func (e *envelope) list() []byte {
	if e.Results == nil {
		return []byte("[]")
	}
	b := append([]byte{'['}, bytes.Join(rawBytes(e.Results), []byte(","))...)
	return append(b, ']')
}

func rawBytes(list []json.RawMessage) [][]byte {
	all := make([][]byte, len(list))
	for i, raw := range list {
		all[i] = raw
	}
	return all
}

// bytes writes the envelope with its results as they are.
func (e *envelope) bytes() []byte {
	b := []byte(`{"success":1`)
	if e.Pager != nil {
		pager, _ := json.Marshal(e.Pager)
		b = append(append(b, `,"pager":`...), pager...)
	}
	return append(append(append(b, `,"results":`...), e.list()...), '}')
}
