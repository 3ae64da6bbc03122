package accounts

import (
	"fmt"
	"strings"
)

// Problem is one thing wrong with a file.
type Problem struct {
	Line   int    // from 1; 0: the file as a whole
	Tenant string // id, if known
	Field  string // "rate_limit.per"; "": the tenant or the file
	Reason string
}

func (p Problem) String() string {
	var parts []string
	if p.Tenant != "" {
		parts = append(parts, "tenant "+p.Tenant)
	}
	if p.Field != "" {
		parts = append(parts, p.Field)
	}
	return strings.Join(append(parts, p.Reason), ": ")
}

// InvalidError lists everything that is wrong with a tenants file, by line.
type InvalidError struct {
	File     string
	Problems []Problem // at least one
}

func (e *InvalidError) Error() string {
	const shown = 10
	var lines []string
	for i, p := range e.Problems {
		if i == shown {
			lines = append(lines, fmt.Sprintf("and %d more", len(e.Problems)-shown))
			break
		}
		lines = append(lines, e.place(p)+p.String())
	}
	return strings.Join(lines, "\n")
}

func (e *InvalidError) place(p Problem) string {
	if p.Line == 0 {
		return e.File + ": "
	}
	return fmt.Sprintf("%s:%d: ", e.File, p.Line)
}
