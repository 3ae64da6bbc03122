package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// bench is a run of the benchmark with its results.
type bench struct {
	options
	rows    []row
	notes   []string
	skipped []string
}

// row is a line of the table. A field without a value is empty.
type row struct{ what, ours, beside, ratio, aim string }

func (b *bench) add(r row) { b.rows = append(b.rows, r) }
func (b *bench) note(format string, args ...any) {
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
}

// progress names the next measurement on stderr.
func (b *bench) progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...)
}

// has reports whether a program of a neighbour is installed. If not, the report says how to
// install it.
func (b *bench) has(program, install string) bool {
	if _, err := exec.LookPath(program); err == nil {
		return true
	}
	if s := program + " is not installed, or not in PATH, and was skipped: " + install; !slices.Contains(b.skipped, s) {
		b.skipped = append(b.skipped, s)
	}
	return false
}

func (b *bench) print(conditions string) {
	fmt.Println(conditions)
	fmt.Println("\n| what | ours | beside | ratio | aim |\n|---|---|---|---|---|")
	for _, r := range b.rows {
		fmt.Printf("| %s | %s | %s | %s | %s |\n", r.what, r.ours, r.beside, r.ratio, r.aim)
	}
	for _, list := range [][]string{b.notes, b.skipped} {
		if len(list) > 0 {
			fmt.Println()
		}
		for _, s := range list {
			fmt.Println("- " + s)
		}
	}
}

// figures are the results of several rounds.
type figures []float64

func (f figures) best() float64 { return slices.Min(f) }

func (f figures) median() float64 {
	sorted := slices.Sorted(slices.Values(f))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// seconds formats processor time: the best round, and the median.
func (f figures) seconds() string {
	if len(f) == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f s (median %.2f)", f.best(), f.median())
}

// over formats how f compares with others, best with best.
func (f figures) over(others figures) string {
	if len(f) == 0 || len(others) == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", f.best()/others.best())
}

// oneLine returns the end of a program's output, for an error.
func oneLine(text []byte) string {
	s := strings.TrimSpace(string(text))
	return s[max(0, len(s)-500):]
}
