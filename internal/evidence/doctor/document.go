package doctor

import (
	"fmt"
	"slices"
	"strings"

	doc "mkt/internal/evidence/document"
	"mkt/internal/terminal"
)

var styles = map[Level]terminal.Style{OK: terminal.Good, Warn: terminal.Warn, Fail: terminal.Bad}

// Document returns the report for people: the findings, and then the verdict. Findings at [OK] are
// listed only if verbose is set.
func (r Report) Document(verbose bool) *doc.Document {
	found := r.Findings
	if verbose {
		found = slices.Concat(r.Passed, found)
	}
	list := []doc.Finding{}
	for _, f := range found {
		one := doc.Finding{Level: string(f.Level), Code: f.Code, Style: styles[f.Level], Where: []string{f.Tenant, f.Product, f.File}, What: f.What, Details: f.details(), Fix: f.Fix}
		if f.Level == OK {
			one.Code = f.Area
		}
		list = append(list, one)
	}
	verdict := doc.Styled(terminal.Good, "healthy")
	switch {
	case !r.Healthy:
		verdict = doc.Styled(terminal.Bad, terminal.Plural(r.Failures, "failure")+", "+terminal.Plural(r.Warnings, "warning"))
	case r.Warnings > 0:
		verdict = doc.Styled(terminal.Warn, "healthy, "+terminal.Plural(r.Warnings, "warning"))
	}
	verdict = append(verdict, doc.Format(" (%s)", terminal.Plural(r.Checks, "check"))...)
	return &doc.Document{Sections: []doc.Section{{Findings: list}, {Notes: []doc.Note{{Line: verdict}}}}}
}

// maxDetails is how many details people see of a finding. --output json has all.
const maxDetails = 10

func (f Finding) details() (lines []string) {
	for i, one := range f.Details {
		if left := len(f.Details) - i; i == maxDetails-1 && left > 1 {
			return append(lines, fmt.Sprintf("and %d more: --output json has all", left))
		}
		what := one.What
		if one.Code != f.Code {
			what = one.Code + ", " + what
		}
		if at := strings.TrimSpace(one.Tenant + " " + one.Product); at != "" {
			what = at + ": " + what
		} else if one.File != "" {
			what = one.File + ": " + what
		}
		lines = append(lines, what)
	}
	return lines
}
