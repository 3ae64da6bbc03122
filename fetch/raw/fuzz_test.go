package raw

import (
	"encoding/json"
	"testing"
)

// Headers that decode are valid, and encode and decode to the same.
func FuzzDecodeCycle(f *testing.F) {
	f.Add([]byte(`{"format":1,"client_id":"acme","product":"market_engine","provider":"betsapi","cycle_id":"20261120T090700Z-market_engine","started_at":"2026-11-20T09:07:00Z","finished_at":"2026-11-20T09:08:00Z","outcome":"COMPLETE","listing_complete":true,"requests":3,"fetch_sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := decodeCycle(data)
		if err != nil {
			return
		}
		again, err := json.Marshal(c)
		if err != nil {
			t.Fatalf("accepted, cannot be written: %v", err)
		}
		if _, err := decodeCycle(again); err != nil {
			t.Fatalf("accepted once, refused as written: %v", err)
		}
	})
}

func FuzzDecodeEntries(f *testing.F) {
	f.Add([]byte(`{"format":1,"responses":[{"number":1,"endpoint":"e","path":"/e","attempt":1,"status":200,"fetched_at":"2026-11-20T09:07:00Z","file":"responses/000001.zst","bytes":0,"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}]}`))
	f.Add([]byte(`{"format":1,"responses":[{"number":1,"file":"responses/../../../../etc/passwd"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := decodeEntries(data)
		if err != nil {
			return
		}
		for _, r := range list {
			if r.File != "responses/"+r.File[len(r.File)-10:] && r.File != "rejected/"+r.File[len(r.File)-10:] {
				t.Fatalf("file %q leaves the folder", r.File)
			}
		}
	})
}
