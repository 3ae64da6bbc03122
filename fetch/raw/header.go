package raw

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"

	"mkt/publish/layout"
)

type entries struct {
	Format    int        `json:"format"`
	Responses []Response `json:"responses"`
}

// Validate returns an error if the header cannot be that of a cycle.
func (c Cycle) Validate() error {
	_, product, err := layout.ParseCycleID(string(c.CycleID))
	switch {
	case c.Format < 1 || c.Format > Format:
		return fmt.Errorf("format %d: this version reads 1 to %d", c.Format, Format)
	case err != nil:
		return err
	case product != string(c.Product):
		return fmt.Errorf("product %q in the cycle %q", c.Product, c.CycleID)
	case !layout.ValidTenantID(c.ClientID):
		return fmt.Errorf("client_id %q: not an account's id", c.ClientID)
	case c.Provider == "":
		return fmt.Errorf("provider is missing")
	case c.StartedAt.IsZero() || c.FinishedAt.Before(c.StartedAt):
		return fmt.Errorf("started_at and finished_at are missing or in the wrong order")
	case c.Outcome != Complete && c.Outcome != Partial && c.Outcome != Failed:
		return fmt.Errorf("outcome %q: want %s, %s or %s", c.Outcome, Complete, Partial, Failed)
	case c.Outcome == Failed && c.Code == "":
		return fmt.Errorf("a failed cycle has no code")
	case !risesStrictly(c.Failed) || !risesStrictly(c.NotOffered):
		return fmt.Errorf("failed or not_offered is not sorted and unique")
	case c.Previous != "" && !precedes(c.Previous, c.CycleID):
		return fmt.Errorf("previous %q is not a cycle before %s", c.Previous, c.CycleID)
	case c.Requests < 0:
		return fmt.Errorf("requests %d", c.Requests)
	case !isHash(c.FetchSHA256):
		return fmt.Errorf("fetch_sha256 is not a hash")
	}
	return nil
}

// precedes reports whether a is a cycle before b.
func precedes(a, b layout.CycleID) bool {
	_, _, err := layout.ParseCycleID(string(a))
	return err == nil && a < b
}

func risesStrictly(ids []string) bool {
	for i := 1; i < len(ids); i++ {
		if ids[i] <= ids[i-1] {
			return false
		}
	}
	return true
}

// Validate returns an error if the entry cannot be that of an answer.
func (r Response) Validate() error {
	switch {
	case r.Number < 1 || r.Number > MaxResponses:
		return fmt.Errorf("number %d", r.Number)
	case r.File != r.wantedFile():
		return fmt.Errorf("response %d: file %q: want %q", r.Number, r.File, r.wantedFile())
	case r.Frame != nil && (r.Frame.Offset < 0 || r.Frame.Length < 1 || r.Frame.Length > longestFrame || r.Frame.Offset > math.MaxInt64-longestFrame):
		return fmt.Errorf("response %d: frame of %d bytes at %d", r.Number, r.Frame.Length, r.Frame.Offset)
	case r.Endpoint == "":
		return fmt.Errorf("response %d: endpoint is missing", r.Number)
	case r.Attempt < 1:
		return fmt.Errorf("response %d: attempt %d", r.Number, r.Attempt)
	case r.FetchedAt.IsZero():
		return fmt.Errorf("response %d: fetched_at is missing", r.Number)
	case r.Bytes < 0 || r.Bytes > MaxBody:
		return fmt.Errorf("response %d: %d bytes", r.Number, r.Bytes)
	case r.Accepted() && r.Truncated:
		return fmt.Errorf("response %d: accepted and truncated", r.Number)
	case !r.Accepted() && r.Bytes > MaxRejected:
		return fmt.Errorf("response %d: rejected, with %d bytes kept", r.Number, r.Bytes)
	case !isHash(r.SHA256):
		return fmt.Errorf("response %d: sha256 is not a hash", r.Number)
	}
	return nil
}

// memberName is the name of an answer in answers.tar.zst, and in a compacted file below
// its cycle.
func (r Response) memberName() string {
	dir := responsesDir
	if !r.Accepted() {
		dir = rejectedDir
	}
	return fmt.Sprintf("%s/%06d", dir, r.Number)
}

// wantedFile is the only allowed value of File.
func (r Response) wantedFile() string {
	if r.Frame == nil {
		return r.memberName() + ".zst"
	}
	return r.memberName()
}

func isHash(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 32
}

// encode encodes a header with indentation; equal values have equal bytes, and times one width.
func encode(v any) ([]byte, error) {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return nil, err
	}
	return append(layout.FixTimes(b), '\n'), nil
}

func decodeCycle(data []byte) (Cycle, error) {
	var c Cycle
	if err := layout.DecodeHeader(layout.RawCycleFile, data, Format, &c); err != nil {
		return Cycle{}, err
	}
	return c, c.Validate()
}

// decodeEntries decodes fetch.json. Numbers must rise but may have gaps.
func decodeEntries(data []byte) ([]Response, error) {
	var e entries
	if err := layout.DecodeHeader(layout.RawFetchFile, data, Format, &e); err != nil {
		return nil, err
	}
	if e.Format < 1 || e.Format > Format {
		return nil, fmt.Errorf("format %d: this version reads 1 to %d", e.Format, Format)
	}
	last := 0
	for _, r := range e.Responses {
		if err := r.Validate(); err != nil {
			return nil, err
		}
		if (r.Frame != nil) != (e.Format > 1) {
			return nil, fmt.Errorf("response %d: not as in format %d", r.Number, e.Format)
		}
		if r.Number <= last {
			return nil, fmt.Errorf("response %d comes after %d", r.Number, last)
		}
		last = r.Number
	}
	return e.Responses, nil
}

const (
	responsesDir = "responses"
	rejectedDir  = "rejected"
)
