package backtest

import (
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// Kind of an increment, in the files' spelling.
type Kind uint8

const (
	Possession Kind = iota // value in tenths of a second
	Attack
	DangerousAttack
	OnTarget
	OffTarget
	Corner
	Goal
	Yellow
	Red
	Penalty
	FreeKickDanger
	kinds
)

var kindNames = [kinds]string{"possession", "attack", "dangerous_attack", "on_target", "off_target",
	"corner", "goal", "yellow", "red", "penalty", "free_kick_danger"}

// periodNames are the periods of a match in order, in the files' spelling.
var periodNames = [4]string{"1H", "2H", "E1", "E2"}

// Increment is one rise of one side's counter.
type Increment struct {
	Period int // 0 to 3
	At     int // tenths of a second on the period's own clock
	Side   int // 0 home, 1 away
	Kind   Kind
	Value  int // 1, or tenths of a second of possession
}

// Match is one real match as counter increments.
type Match struct {
	ID         string
	Home, Away string
	Stratum    int    // how unequal the sides were over the season, 0 to 19: for evaluation only
	Ends       [4]int // tenths of a second, the last event of each period; -1 if not played
	Increments []Increment
}

// Read reads the matches in dir, in the order of matches.csv.gz. A match without its file
// of increments is left out, so that any subset of the files can be used; no match at all
// is an error.
func Read(dir fs.FS) ([]Match, error) {
	matches, files, err := readMatches(dir)
	if err != nil {
		return nil, fmt.Errorf("read matches.csv.gz: %w", err)
	}
	var found []Match
	byFile := make(map[string]map[string][]Increment)
	for i, m := range matches {
		byMatch, read := byFile[files[i]]
		if !read {
			byMatch, err = readIncrements(dir, files[i])
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("read %s: %w", files[i], err)
			}
			byFile[files[i]] = byMatch
		}
		if m.Increments = byMatch[m.ID]; m.Increments != nil {
			found = append(found, m)
		}
	}
	if len(found) == 0 {
		return nil, errors.New("no match has its file of increments")
	}
	return found, nil
}

func readMatches(dir fs.FS) (matches []Match, files []string, err error) {
	err = eachRow(dir, "matches.csv.gz", []string{"match_id", "home", "away", "end_1H", "end_2H", "end_E1", "end_E2", "stratum", "file"},
		func(row []string) error {
			m := Match{ID: row[0], Home: row[1], Away: row[2]}
			for p := range m.Ends {
				if m.Ends[p] = -1; row[3+p] != "" {
					if m.Ends[p], err = tenths(row[3+p]); err != nil {
						return err
					}
				}
			}
			if m.Stratum, err = strconv.Atoi(row[7]); err != nil {
				return err
			}
			matches, files = append(matches, m), append(files, row[8])
			return nil
		})
	return matches, files, err
}

func readIncrements(dir fs.FS, name string) (map[string][]Increment, error) {
	byMatch := make(map[string][]Increment)
	err := eachRow(dir, name, []string{"match_id", "period", "second", "side", "kind", "value"}, func(row []string) error {
		i, err := increment(row)
		if err != nil {
			return err
		}
		byMatch[row[0]] = append(byMatch[row[0]], i)
		return nil
	})
	return byMatch, err
}

func increment(row []string) (i Increment, err error) {
	if i.Period = slices.Index(periodNames[:], row[1]); i.Period < 0 {
		return i, fmt.Errorf("period %q", row[1])
	}
	if i.At, err = tenths(row[2]); err != nil {
		return i, err
	}
	if i.Side = slices.Index([]string{"home", "away"}, row[3]); i.Side < 0 {
		return i, fmt.Errorf("side %q", row[3])
	}
	kind := slices.Index(kindNames[:], row[4])
	if kind < 0 {
		return i, fmt.Errorf("kind %q", row[4])
	}
	if i.Kind = Kind(kind); i.Kind == Possession {
		i.Value, err = tenths(row[5])
		return i, err
	}
	i.Value, err = strconv.Atoi(row[5])
	return i, err
}

// tenths parses a decimal with at most one decimal place.
func tenths(s string) (int, error) {
	whole, place, _ := strings.Cut(s, ".")
	if place == "" {
		place = "0"
	}
	if len(place) != 1 {
		return 0, fmt.Errorf("%q has more than one decimal place", s)
	}
	return strconv.Atoi(whole + place)
}

// eachRow calls do with the wanted columns of every row of a gzip-compressed CSV file
// with a header.
func eachRow(dir fs.FS, name string, want []string, do func(row []string) error) error {
	file, err := dir.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	r := csv.NewReader(unzipped)
	r.ReuseRecord = true
	header, err := r.Read()
	if err != nil {
		return err
	}
	at := make([]int, len(want))
	for i, column := range want {
		if at[i] = slices.Index(header, column); at[i] < 0 {
			return fmt.Errorf("no column %s", column)
		}
	}
	row := make([]string, len(want))
	for {
		record, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i, column := range at {
			row[i] = strings.Clone(record[column])
		}
		if err := do(row); err != nil {
			line, _ := r.FieldPos(0)
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}
