package feedcheck

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"mkt/internal/evidence/document"
	"mkt/internal/terminal"
)

// Levels of findings.
const (
	isError   = "ERROR"   // something is refused, or lost, or published with another meaning
	isWarning = "WARNING" // something is perhaps wrong
)

// Finding is one fault. If it is in several places, Answer and Path are those of the first.
type Finding struct {
	Level  string `json:"level"`
	Code   string `json:"code"`
	Answer string `json:"answer"`         // its request, or its file
	Path   string `json:"path,omitempty"` // in the answer, as jq takes it
	What   string `json:"what"`
	Fix    string `json:"fix"`
	Places int    `json:"places"`
}

// indices are the parts of a path in which places of one fault differ.
var indices = regexp.MustCompile(`\[\d+\]|select\(.*\)`)

// add adds a fault of faults.csv, in which {1} is the first argument, or a place of one that was
// found at another index of the same path, or of a market of the same name.
func (c *checker) add(code string, a *answer, path string, args ...any) {
	f := c.faults[code]
	a.isFaulty = a.isFaulty || f.level == isError
	key, place := code+indices.ReplaceAllString(path, ""), code+a.name+path
	if strings.Contains(path, "select(") {
		key += fmt.Sprint(args[0])
	}
	at, met := c.at[key]
	switch {
	case met && !c.places[place]: // not the same place in another reading
		c.findings[at].Places++
	case !met:
		var words []string
		for i, arg := range args {
			words = append(words, fmt.Sprintf("{%d}", i+1), fmt.Sprint(arg))
		}
		fill := strings.NewReplacer(words...)
		c.at[key] = len(c.findings)
		c.findings = append(c.findings, Finding{f.level, code, a.name, path, fill.Replace(f.what), fill.Replace(f.fix), 1})
	}
	c.places[place] = true
}

// Document returns the report for people, with what the markets would be published as.
func (r *Report) Document() *document.Document {
	list := []document.Finding{}
	for _, f := range r.Findings {
		style, more := terminal.Bad, ""
		if f.Level == isWarning {
			style = terminal.Warn
		}
		if f.Places > 1 {
			more = fmt.Sprintf("(and %d more)", f.Places-1)
		}
		list = append(list, document.Finding{Level: f.Level, Code: f.Code, Style: style, Where: []string{f.Answer, f.Path, more}, What: f.What, Fix: f.Fix})
	}
	style := terminal.Good
	if r.Errors > 0 {
		style = terminal.Bad
	}
	verdict := document.Styled(style, terminal.Plural(r.Errors, "error")+", "+terminal.Plural(r.Warnings, "warning"))
	verdict = append(verdict, document.Format(" in %s of %s", terminal.Plural(r.Answers, "answer"), cmp.Or(r.Source, "an unknown source"))...)
	table := &document.Table{Columns: document.Columns("Would be published", "Period", "Name", "#Markets", "#Selections", "#Publishable")}
	if r.Prices != nil {
		for _, o := range r.Prices.Outcomes {
			if o.Reason == "" {
				table.Add(strings.TrimSpace(o.Market+" "+o.Subject), o.Period, o.Name, o.Markets, o.Selections, o.Publishable)
			}
		}
	}
	table.Add("matches in play", "", "", r.InPlay)
	return &document.Document{Sections: []document.Section{{Findings: list}, {Notes: []document.Note{{Line: verdict}}}, {Table: table}}}
}
