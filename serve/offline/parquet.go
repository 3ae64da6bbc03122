package offline

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"mkt/serve/internal/reader/duck"
)

// Parquet runs one SELECT over the datasets and writes its rows to a new Parquet file, with
// the types that the query gives them. It returns the names of the columns and the number
// of rows. After an error the file may remain.
func Parquet(ctx context.Context, o Options, text, file string) (columns []string, rows int64, err error) {
	err = run(ctx, o, text, file, func(ctx context.Context, conn *sql.Conn) error {
		if err := conn.Raw(func(raw any) error { return isSelect(raw.(driver.Conn), text) }); err != nil {
			return err
		}
		if err := createView(ctx, conn, text); err != nil {
			return err
		}
		var selected string
		if columns, selected, err = keptTypes(ctx, conn); err != nil {
			return err
		}
		copied := "COPY (" + selected + ") TO " + duck.Quoted(file) + " (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)"
		return conn.QueryRowContext(ctx, copied).Scan(&rows)
	})
	return columns, rows, err
}

// createView creates the view mkt_answer of a query, which gives columns of one name
// different names.
func createView(ctx context.Context, conn *sql.Conn, text string) error {
	// The text may end with a comment or a semicolon, so that it is not put in brackets.
	_, err := conn.ExecContext(ctx, "CREATE TEMP VIEW mkt_answer AS "+text)
	var fault *duckdb.Error
	if errors.As(err, &fault) && fault.Type == duckdb.ErrorTypeParser { // SHOW, DESCRIBE and SUMMARIZE need brackets
		_, err = conn.ExecContext(ctx, "CREATE TEMP VIEW mkt_answer AS FROM ("+strings.TrimRight(text, "; \t\r\n")+"\n)")
		if errors.As(err, &fault) && fault.Type == duckdb.ErrorTypeParser {
			return fmt.Errorf("%w: this statement cannot be written to Parquet; put it in brackets, such as FROM (DESCRIBE fixtures)", ErrSQL)
		}
	}
	return err
}

// keptTypes returns the columns of mkt_answer, and the query that selects them. Parquet has
// no integers of 128 bits, such as sums, which the engine would round to floating point, and its
// intervals have milliseconds, no sign, and an end. Inside lists and structs both are an error.
func keptTypes(ctx context.Context, conn *sql.Conn) (columns []string, query string, err error) {
	rows, err := conn.QueryContext(ctx, "FROM mkt_answer LIMIT 0")
	if err != nil {
		return nil, "", err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return nil, "", err
	}
	var selected []string
	for _, t := range types {
		columns = append(columns, t.Name())
		name := `"` + strings.ReplaceAll(t.Name(), `"`, `""`) + `"`
		switch kind := t.DatabaseTypeName(); {
		case kind == "HUGEINT" || kind == "UHUGEINT":
			name = "CAST(" + name + " AS DECIMAL(38, 0)) AS " + name
		case kind == "INTERVAL":
			name = "CAST(" + name + " AS VARCHAR) AS " + name
		case strings.Contains(kind, "HUGEINT") || strings.Contains(kind, "INTERVAL"):
			return nil, "", fmt.Errorf("%w: column %s is %s, which Parquet cannot hold exactly: cast it, such as CAST(%s AS VARCHAR), or write a .json file", ErrSQL, t.Name(), kind, name)
		}
		selected = append(selected, name)
	}
	return columns, "SELECT " + strings.Join(selected, ", ") + " FROM mkt_answer", rows.Err()
}
