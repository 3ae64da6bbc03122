package health

import (
	"fmt"
	"time"

	"mkt/publish/durable"
	"mkt/publish/layout"
)

// Calls counts the requests sent to a provider, as telemetry and not for billing. It is the
// content of state/calls.json, which the run with the lock writes.
type Calls struct {
	Format int `json:"format"` // 1
	// Days counts by UTC day ("2026-11-20") and the adapter's endpoint name.
	Days map[string]map[string]int64 `json:"days"`
}

const callsFile = layout.StateDir + "/calls.json"

// callDays is the number of days kept, including today.
const callDays = 35

const dayLayout = "2006-01-02"

// ReadCalls returns the counters, empty if the file is missing or invalid. An error comes from
// the disk.
func ReadCalls(f durable.ReadFS) (Calls, error) {
	var c Calls
	ok, err := ReadState(f, callsFile, Format, &c)
	if !ok || c.Format != Format || c.Days == nil {
		return Calls{Format: Format, Days: map[string]map[string]int64{}}, err
	}
	return c, nil
}

// AddCalls adds a run's requests, by endpoint, to the day of now.
func AddCalls(f durable.FS, now time.Time, requests map[string]int64) error {
	if len(requests) == 0 {
		return nil
	}
	c, err := ReadCalls(f)
	if err == nil {
		c.add(now, requests)
		err = writeState(f, callsFile, c)
	}
	if err != nil {
		return fmt.Errorf("count provider calls: %w", err)
	}
	return nil
}

func (c *Calls) add(now time.Time, requests map[string]int64) {
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
}
