package health

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Calls counts the requests sent to a provider: telemetry, not billing records.
// It is the whole content of state/calls.json, whose one writer is the run that
// holds the lock.
type Calls struct {
	Format int `json:"format"` // 1
	// Days counts by UTC day ("2026-11-20") and the adapter's endpoint name.
	Days map[string]map[string]int64 `json:"days"`
}

const callsFile = layout.StateDir + "/calls.json"

// callDays is how many days are kept, today included.
const callDays = 35

// dayLayout is how a UTC day is written.
const dayLayout = "2006-01-02"

// ReadCalls returns the counters; none when there is no file or when it cannot
// be read as one. The error is one of the disk.
func ReadCalls(f durable.ReadFS) (Calls, error) {
	none := Calls{Format: Format, Days: map[string]map[string]int64{}}
	data, err := durable.ReadFile(f, callsFile, maxState)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, durable.ErrTooLarge), errors.Is(err, durable.ErrNotRegular):
		return none, nil
	case err != nil:
		return none, err
	}
	var c Calls
	if json.Unmarshal(data, &c) != nil || c.Format != Format || c.Days == nil {
		return none, nil
	}
	return c, nil
}

// AddCalls adds a run's requests, by endpoint, to the day of now.
func AddCalls(f durable.FS, now time.Time, requests map[string]int64) error {
	if len(requests) == 0 {
		return nil
	}
	c, err := ReadCalls(f)
	if err != nil {
		return fmt.Errorf("count provider calls: %w", err)
	}
	today := now.UTC().Format(dayLayout)
	oldest := now.UTC().AddDate(0, 0, 1-callDays).Format(dayLayout)
	for day := range c.Days {
		if day < oldest || day > today {
			delete(c.Days, day)
		}
	}
	if c.Days[today] == nil {
		c.Days[today] = map[string]int64{}
	}
	for endpoint, n := range requests {
		c.Days[today][endpoint] += n
	}
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return fmt.Errorf("count provider calls: %w", err)
	}
	if err := durable.MkdirAllSync(f, layout.StateDir); err != nil {
		return fmt.Errorf("count provider calls: %w", err)
	}
	return durable.Overwrite(f, callsFile, append(data, '\n'))
}
