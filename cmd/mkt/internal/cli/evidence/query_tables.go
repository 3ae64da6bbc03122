package evidence

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mkt/internal/dataset"
	"mkt/internal/evidence/query"
	"mkt/internal/terminal"
	"mkt/serve/offline"
)

// newQueryTables returns the command that a [query.Asker] runs.
func newQueryTables(g *Group) *cobra.Command {
	return &cobra.Command{
		Use:               query.Command,
		Short:             "Answer a query of mkt console",
		Hidden:            true,
		Args:              cobra.NoArgs,
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil }, // it has no settings
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := query.Receive(g.In)
			if err != nil {
				return err
			}
			g.Data = r.Data
			at, err := g.MomentArg("at", r.At)
			if err != nil {
				return err
			}
			var to answerer = &csvAnswer{bufio.NewWriter(g.DataOut())}
			if !r.IsCSV {
				to = &pageAnswer{out: g.Out}
			}
			err = g.ask(cmd.Context(), dataset.Filter{Tenant: r.Tenant}, at, offline.Options{Memory: query.EngineMemory, Threads: 1}, r.SQL, withoutPaths{to, r.Data})
			if errors.Is(err, offline.ErrMemory) {
				return query.ErrMemory
			}
			return err
		},
	}
}

// withoutPaths hides where the data root is, which the engine's own tables tell.
type withoutPaths struct {
	answerer
	data string // absolute
}

func (a withoutPaths) Row(values []any) error {
	for i, v := range values {
		switch v.(type) {
		case string, []any, map[string]any:
			if text := offline.Text(v); strings.Contains(text, a.data) {
				values[i] = strings.ReplaceAll(text, a.data, "…")
			}
		}
	}
	return a.answerer.Row(values)
}

// errEnough ends a query when an answer has all the rows that it shows.
var errEnough = errors.New("enough rows")

// pageAnswer is a [query.Result].
type pageAnswer struct {
	query.Result
	out  io.Writer
	size int // of the texts, in bytes
}

func (p *pageAnswer) Columns(columns []offline.Column) error {
	for _, c := range columns {
		p.Result.Columns = append(p.Result.Columns, query.Column{Name: c.Name, Type: terminal.Cut(c.Type, query.MaxType)})
	}
	return nil
}

func (p *pageAnswer) Row(values []any) error {
	if p.More = len(p.Rows) == query.MaxRows || p.size > query.MaxSize; p.More {
		return errEnough
	}
	row := make([]query.Cell, len(values))
	for i, v := range values {
		text := offline.Text(v)
		if most := 4 * query.MaxCell; len(text) > most { // characters without a width, of which no number is too wide
			text = strings.ToValidUTF8(text[:most], "") + "…"
		}
		row[i] = query.Cell{Text: terminal.Cut(text, query.MaxCell), Null: v == nil}
		p.size += len(row[i].Text)
	}
	p.Rows = append(p.Rows, row)
	return nil
}

func (p *pageAnswer) end() error {
	if p.Result.Columns == nil {
		return nil // the query failed
	}
	if err := json.NewEncoder(p.out).Encode(p.Result); err != nil {
		return fmt.Errorf("the answer: %w", err)
	}
	return nil
}
