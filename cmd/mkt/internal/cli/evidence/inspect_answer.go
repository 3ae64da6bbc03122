package evidence

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"mkt/cmd/mkt/internal/cli"
	"mkt/internal/terminal"
	"mkt/internal/terminal/printable"
	"mkt/serve/offline"
)

type answerer interface {
	offline.Answer
	end() error
}

func (g *Group) answer(f inspectFlags) answerer {
	switch {
	case g.JSON() || f.format.Value == "json":
		return &jsonAnswer{out: bufio.NewWriter(g.Out)}
	case f.format.Value == "csv":
		return &csvAnswer{bufio.NewWriter(g.DataOut())}
	}
	return &tableAnswer{w: terminal.NewTableWriter(g.Out), env: g.Env, most: f.rows}
}

// tableAnswer is a table for people: aligned, with a bounded number of rows. On a terminal the
// number of rows is below it. Elsewhere the answer is the table alone, and the standard error says
// when rows were left out.
type tableAnswer struct {
	w          *terminal.Table
	env        *cli.Env
	most, rows int
}

func (t *tableAnswer) Columns(columns []offline.Column) error {
	line := make([]string, len(columns))
	for i, c := range columns {
		line[i] = strings.ToUpper(printable.Text(c.Name))
	}
	t.w.Header(line...)
	return nil
}

func (t *tableAnswer) Row(values []any) error {
	if t.rows++; t.rows > t.most {
		return nil
	}
	line := make([]string, len(values))
	for i, v := range values {
		line[i] = printable.Text(offline.Text(v))
	}
	_, err := fmt.Fprintln(t.w, strings.Join(line, "\t"))
	return err
}

func (t *tableAnswer) end() error {
	if err := t.w.Flush(); err != nil {
		return err
	}
	onTerminal := terminal.OnTerminal(t.env.Out)
	switch {
	case t.rows > t.most && onTerminal:
		fmt.Fprintf(t.env.Out, "\nthe first %s of %s rows; --rows or --format csv shows more\n", terminal.Grouped(t.most), terminal.Grouped(t.rows))
	case t.rows > t.most:
		fmt.Fprintf(t.env.Errs, "mkt: the first %s of %s rows are shown; --rows or --format csv shows more\n", terminal.Grouped(t.most), terminal.Grouped(t.rows))
	case onTerminal && t.rows == 1:
		fmt.Fprintln(t.env.Out, "\n1 row")
	case onTerminal:
		fmt.Fprintf(t.env.Out, "\n%s rows\n", terminal.Grouped(t.rows))
	}
	return nil
}

// csvAnswer is RFC 4180; NULL is empty, and an empty text is two quotes, as PostgreSQL reads
// it. Values are not escaped, because they are data; an ambiguous text is quoted.
type csvAnswer struct{ out *bufio.Writer }

func (c *csvAnswer) Columns(columns []offline.Column) error {
	values := make([]any, len(columns))
	for i, column := range columns {
		values[i] = column.Name
	}
	return c.Row(values)
}

func (c *csvAnswer) Row(values []any) error {
	for i, v := range values {
		if i > 0 {
			c.out.WriteByte(',')
		}
		if v == nil {
			continue
		}
		text := offline.Text(v)
		if isPlainCell(text) {
			c.out.WriteString(text)
			continue
		}
		c.out.WriteByte('"')
		c.out.WriteString(strings.ReplaceAll(text, `"`, `""`))
		c.out.WriteByte('"')
	}
	return c.out.WriteByte('\n')
}

// isPlainCell reports whether every reader of CSV and every spreadsheet understands a text
// without quotes.
func isPlainCell(text string) bool {
	return text != "" && text != `\.` && printable.Text(text) == text && strings.TrimSpace(text) == text &&
		!strings.ContainsAny(text, `,"`) && (!strings.ContainsAny(text[:1], "=+-@") || isNumber(text))
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

func (c *csvAnswer) end() error { return c.out.Flush() }

// jsonAnswer is one array of objects, an object a line, columns in their order. Columns of
// one name have different names, as in Parquet: a, a_1.
type jsonAnswer struct {
	out   *bufio.Writer
	names [][]byte
	rows  int
}

func (j *jsonAnswer) Columns(columns []offline.Column) error {
	seen := map[string]bool{}
	for _, c := range columns {
		unique := c.Name
		for i := 1; seen[unique]; i++ {
			unique = fmt.Sprintf("%s_%d", c.Name, i)
		}
		seen[unique] = true
		name, err := json.Marshal(unique)
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
