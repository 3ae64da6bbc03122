package play

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzip"
)

// each calls f with the given columns of every row of a file in a folder.
func each(dir, file string, columns []string, f func(row []string) error) error {
	path := filepath.Join(dir, file)
	in, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("matches: %w", err)
	}
	defer in.Close()
	if err := eachRow(in, columns, f); err != nil {
		return fmt.Errorf("matches %s: %w", path, err)
	}
	return nil
}

func eachRow(in io.Reader, columns []string, f func(row []string) error) error {
	z, err := gzip.NewReader(in)
	if err != nil {
		return err
	}
	rows := csv.NewReader(z)
	rows.ReuseRecord = true
	head, err := rows.Read()
	if err != nil {
		return err
	}
	at := make([]int, len(columns))
	for i, c := range columns {
		if at[i] = slices.Index(head, c); at[i] < 0 {
			return fmt.Errorf("no column %s", c)
		}
	}
	row := make([]string, len(columns))
	for {
		fields, err := rows.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range at {
			row[i] = fields[at[i]]
		}
		if err := f(row); err != nil {
			line, _ := rows.FieldPos(0)
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// seconds parses a second of a period, with tenths.
func seconds(text string) (time.Duration, error) {
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || !(s >= 0 && s < 10_000) {
		return 0, fmt.Errorf("second %q", text)
	}
	return time.Duration(math.Round(s*10)) * (time.Second / 10), nil
}
