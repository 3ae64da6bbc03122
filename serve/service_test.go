package serve_test

import (
	"encoding/json"
	"testing"
)

func TestServiceURLsAnswer(t *testing.T) {
	t.Parallel()
	w := shared(t)
	var body struct {
		Data struct {
			Service struct{ URLs map[string]string }
		}
	}
	must(t, json.Unmarshal([]byte(w.get("/status", "").body), &body))
	if len(body.Data.Service.URLs) == 0 {
		t.Fatal("no URLs")
	}
	for name, path := range body.Data.Service.URLs {
		if r := w.get("/"+path, "acme"); r.status != 200 {
			t.Errorf("%s is %s, which answers %d %s", name, path, r.status, r.body)
		}
	}
}
