package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"

	"mkt/serve/offline"
)

// answerer prints what a query gives; end completes it.
type answerer interface {
	offline.Answer
	end() error
}

// answer is the form that was asked for.
func (a *app) answer(f inspectFlags) answerer {
	switch {
	case a.json() || f.format.value == "json":
		return &jsonAnswer{out: bufio.NewWriter(a.out)}
	case f.format.value == "csv":
		return &csvAnswer{w: csv.NewWriter(a.out)}
	}
	return &tableAnswer{w: newTableWriter(a.out), errs: a.errs, most: f.rows}
}

// tableAnswer is for people: aligned, cut after so many rows.
type tableAnswer struct {
	w          *tabwriter.Writer
	errs       io.Writer
	most, rows int
}

func (t *tableAnswer) Columns(names []string) error {
	line := make([]string, len(names))
	for i, n := range names {
		line[i] = strings.ToUpper(printable(n))
	}
	_, err := fmt.Fprintln(t.w, strings.Join(line, "\t"))
	return err
}

func (t *tableAnswer) Row(values []any) error {
	if t.rows++; t.rows > t.most {
		return nil
	}
	line := make([]string, len(values))
	for i, v := range values {
		line[i] = printable(offline.Text(v))
	}
	_, err := fmt.Fprintln(t.w, strings.Join(line, "\t"))
	return err
}

func (t *tableAnswer) end() error {
	err := t.w.Flush()
	if t.rows > t.most {
		fmt.Fprintf(t.errs, "mkt: the first %d of %d rows are shown; --rows or --format csv shows more\n", t.most, t.rows)
	}
	return err
}

// printable shows what would move the cursor, or worse, as an escape: names are
// the provider's.
func printable(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) && r != ' ' }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) || r == ' ' {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(fmt.Sprintf("%+q", string(r)), `"`))
		}
	}
	return b.String()
}

// csvAnswer is RFC 4180, NULL being empty.
type csvAnswer struct{ w *csv.Writer }

func (c *csvAnswer) Columns(names []string) error { return c.w.Write(names) }

func (c *csvAnswer) Row(values []any) error {
	line := make([]string, len(values))
	for i, v := range values {
		if v != nil {
			line[i] = offline.Text(v)
		}
	}
	return c.w.Write(line)
}

func (c *csvAnswer) end() error {
	c.w.Flush()
	return c.w.Error()
}

// jsonAnswer is one array of objects, an object a line, columns in their order.
type jsonAnswer struct {
	out   *bufio.Writer
	names [][]byte
	rows  int
}

func (j *jsonAnswer) Columns(names []string) error {
	for _, n := range names {
		name, err := json.Marshal(n)
		if err != nil {
			return err
		}
		j.names = append(j.names, name)
	}
	return j.out.WriteByte('[')
}

func (j *jsonAnswer) Row(values []any) error {
	sep := "\n{"
	if j.rows++; j.rows > 1 {
		sep = ",\n{"
	}
	j.out.WriteString(sep)
	for i, v := range values {
		if i > 0 {
			j.out.WriteByte(',')
		}
		data, err := json.Marshal(v)
		if err != nil {
			return err
		}
		j.out.Write(j.names[i])
		j.out.WriteByte(':')
		j.out.Write(data)
	}
	return j.out.WriteByte('}')
}

func (j *jsonAnswer) end() error {
	if j.names != nil {
		j.out.WriteString("\n]\n")
	}
	return j.out.Flush()
}
