package coordination

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"nats://a":                     "nats://a:4222",
		"nats://a:1,b,c:3":             "nats://a:1,b:4222,c:3",
		"nats://a,nats://b/":           "nats://a:4222,b:4222",
		"tls://[::1]:4222":             "tls://[::1]:4222",
		"nats://me:se%40cret@a,b":      "nats://a:4222,b:4222",
		"nats://token@a?cluster=live":  "nats://a:4222?cluster=live",
		"nats://a?creds=/etc/mkt/work": "nats://a:4222",
	} {
		a, err := Parse(text)
		if err != nil || a.String() != want {
			t.Errorf("%s: %s, %v, want %s", text, a, err, want)
		}
	}
	a, err := Parse("nats://me:se%40cret@a,b?cluster=live")
	if err != nil || a.user != "me" || a.password != "se@cret" || a.token || a.key("acme", "live_intelligence") != "$KV.live-leases.acme.live_intelligence" || a.subject("beat") != "live.beat" {
		t.Errorf("%v, %v", a, err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if text := fmt.Sprintf(verb, a); strings.Contains(text, "cret") {
			t.Errorf("%s prints the password: %s", verb, text)
		}
	}
}

// No error of an address may show its password.
func TestParseErrors(t *testing.T) {
	for _, text := range []string{"", "a", "http://me:s3cret@a", "me:s3cret@a", "nats://", "nats://me:s3cret@", "nats://me:s3cret@a:b", "nats://me:s3cret@a:70000", "nats://me:s3cret@a,me:s3cret@b",
		"nats://:s3cret@a", "nats://me:s3cret%@a", "nats://me:s3cret@a/s3cret", "nats://a?cluster=S3CRET.x", "nats://a?creds=s3cret", "nats://a?clusters=x", "nats://a?%zz", "nats://" + strings.Repeat("a,", 40) + "a"} {
		_, err := Parse(text)
		if err == nil || strings.Contains(strings.ToLower(err.Error()), "s3cret") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Accounts are distributed in proportion to the weights, and only those of a worker that goes move.
func TestOwnerOf(t *testing.T) {
	team := []voter{{"a", 2}, {"b", 2}, {"c", 4}}
	const accounts = 8000
	n, moved := map[string]int{}, 0
	for i := range accounts {
		client := fmt.Sprintf("account-%d", i)
		owner := ownerOf(client, team)
		n[owner]++
		if without := ownerOf(client, team[:2]); owner != "c" && without != owner {
			moved++
		}
	}
	for _, v := range team {
		if want := accounts * v.weight / 8; n[v.instance] < want*9/10 || n[v.instance] > want*11/10 {
			t.Errorf("%s runs %d accounts, want about %d", v.instance, n[v.instance], want)
		}
	}
	if moved > 0 {
		t.Errorf("%d accounts of workers that stay moved", moved)
	}
	if ownerOf("acme", nil) != "" {
		t.Error("without workers an account has an owner")
	}
}

// What others send is checked before it is used.
func TestReadWorker(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	w, ok := readWorker([]byte(`{"format":1,"instance":"ab","weight":1000000000,"time":"2026-11-22T12:01:00Z","able":true}`), now)
	if !ok || w.Weight != mostWeight || w.Difference != time.Minute {
		t.Errorf("%+v, %v", w, ok)
	}
	for _, text := range []string{"", "null", "{}", `{"format":1}`, `{"format":0,"instance":"ab"}`, `{"format":1,"instance":"a.b"}`, `{"format":1,"instance":"` + strings.Repeat("a", 65) + `"}`,
		`{"format":1,"instance":"ab","name":"` + strings.Repeat("a", 5000) + `"}`} {
		if w, ok := readWorker([]byte(text), now); ok {
			t.Errorf("%s is read as %+v", text, w)
		}
	}
}

func FuzzReadWorker(f *testing.F) {
	f.Add([]byte(`{"format":1,"instance":"ab","name":"a","weight":2,"time":"2026-11-22T12:00:00Z","able":true}`))
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, data []byte) {
		if w, ok := readWorker(data, now); ok && (w.Instance == "" || w.Weight < 1 || w.Weight > mostWeight || strings.ContainsAny(w.Instance, ".*> \r\n")) {
			t.Errorf("%q is read as %+v", data, w)
		}
	})
}

// What is printed of an address is an address of the same servers, without the password.
func FuzzParseAddress(f *testing.F) {
	f.Add("nats://me:s3cret@a:1,b,c?cluster=live&creds=/etc/work")
	f.Add("tls://[::1]:4222")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(a.String())
		if err != nil || again.String() != a.String() || again.user != "" || again.cluster != a.cluster {
			t.Errorf("%q is printed as %q, which is read as %v, %v", text, a.String(), again, err)
		}
	})
}
