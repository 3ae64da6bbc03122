package credential_test

import (
	"bytes"
	"encoding/base64"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"mkt/fetch/credential"
)

var escapes = regexp.MustCompile(`%[0-9A-F]{2}`)

type holder struct {
	Public credential.Secret
	hidden credential.Secret
	key    credential.Identity
	inside map[string]*credential.Secret
}

// The canary goes through everything that prints, alone and inside of things.
func TestSecretIsNeverPrinted(t *testing.T) {
	secret := credential.NewSecret(canary)
	key := identity(t)
	line := strings.Fields(string(key.File()))
	private := line[len(line)-1]
	h := holder{secret, secret, key, map[string]*credential.Secret{"x": &secret}}
	things := map[string]any{
		"value": secret, "pointer": &secret, "struct": h, "to struct": &h, "slice": []credential.Secret{secret},
		"map": map[string]any{"k": secret}, "as key": map[string]holder{"k": h}, "identity": key, "to identity": &key,
	}
	scrubber := credential.NewScrubber(secret)
	check := func(t *testing.T, how, out string) {
		t.Helper()
		if scrubber.Found([]byte(out)) || strings.Contains(out, private) || strings.Contains(out, private[20:40]) {
			t.Errorf("%s reveals it: %s", how, out)
		}
	}
	for name, thing := range things {
		t.Run(name, func(t *testing.T) {
			for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T", "%p", "%10.3s", "%t", "%!"} {
				check(t, verb, fmt.Sprintf(verb, thing))
			}
			check(t, "error", fmt.Errorf("with %v: %w", thing, errors.New("cause")).Error())
			if b, err := json.Marshal(thing); err == nil {
				check(t, "json", string(b))
			}
			if b, err := yaml.Marshal(thing); err == nil {
				check(t, "yaml", string(b))
			}
			var out bytes.Buffer
			if err := gob.NewEncoder(&out).Encode(thing); err == nil {
				check(t, "gob", out.String())
			}
			for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
				slog.New(handler).Info("run", "secret", thing, slog.Group("g", "s", thing))
			}
			check(t, "slog", out.String())
			out.Reset()
			template.Must(template.New("t").Parse("{{.}} {{printf \"%v\" .}}")).Execute(&out, thing)
			check(t, "template", out.String())
		})
	}
	var back credential.Secret
	var wire bytes.Buffer
	must(t, gob.NewEncoder(&wire).Encode(secret))
	must(t, gob.NewDecoder(&wire).Decode(&back))
	if !back.Empty() || !(credential.Secret{}).Empty() || secret.Empty() {
		t.Error("what came through gob is not empty")
	}
}

func TestScrubberFindsEverySpelling(t *testing.T) {
	scrubber := credential.NewScrubber(credential.NewSecret(canary))
	spellings := map[string]string{
		"clear": canary, "query": url.QueryEscape(canary), "path": url.PathEscape(canary),
		"lower query": escapes.ReplaceAllStringFunc(url.QueryEscape(canary), strings.ToLower),
		"hex":         hex.EncodeToString([]byte(canary)), "HEX": fmt.Sprintf("%X", canary),
		"json": jsonOf(canary), "html": "CANARY-s3cret/+&amp;=&#34;&lt;token&gt;-0123456789",
		"json of PHP": strings.ReplaceAll(jsonOf(canary), "/", `\/`), "json that is not for HTML": `CANARY-s3cret/+&=\"<token>-0123456789`,
		"url":   (&url.URL{Path: "/x", RawQuery: url.Values{"token": {canary}}.Encode()}).String(),
		"basic": base64.StdEncoding.EncodeToString([]byte("user:" + canary)),
	}
	for before := range 6 {
		text := []byte(strings.Repeat("x", before) + canary + "tail")
		spellings[fmt.Sprint("base64 after ", before)] = base64.StdEncoding.EncodeToString(text)
		spellings[fmt.Sprint("base64 for URLs after ", before)] = base64.URLEncoding.EncodeToString(text)
	}
	for name, spelled := range spellings {
		t.Run(name, func(t *testing.T) {
			text := []byte(`{"echo":"` + spelled + `"}`)
			clean, found := scrubber.Scrub(text)
			if !found || !scrubber.Found(text) || scrubber.Found(clean) {
				t.Errorf("%s: found %v: %s", text, found, clean)
			}
		})
	}
}

// A text that only looks like the secret stays, and one that cannot be read stops nothing.
func TestScrubberReadsAnything(t *testing.T) {
	scrubber := credential.NewScrubber(credential.NewSecret(canary))
	pieces := []string{`\`, `\u`, `\ud83d`, `\u{`, `\x`, "%", "%u", "&", "&#", "&#x", "&amp;", "&amp", ";", "0", "43", "CANARY-", "s3cre", "{", "}", "\xff", "é"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "text"), "") + " end"
		clean, found := scrubber.Scrub([]byte(text))
		if found || string(clean) != text {
			t.Fatalf("changed %q to %q", text, clean)
		}
	})
}

func FuzzScrub(f *testing.F) {
	scrubber := credential.NewScrubber(credential.NewSecret(canary))
	f.Add([]byte(`{"echo":"CANARY\/"}`), 3)
	f.Fuzz(func(t *testing.T, text []byte, at int) {
		at = max(0, min(at, len(text)))
		echo := slices.Concat(text[:at], []byte(" "+jsonOf(canary)+" "), text[at:])
		if clean, found := scrubber.Scrub(echo); !found || bytes.Contains(clean, []byte("CANARY-s3cret")) {
			t.Fatalf("%q: %v, %q", echo, found, clean)
		}
		if clean, found := scrubber.Scrub(text); found != scrubber.Found(text) || !found && !bytes.Equal(clean, text) {
			t.Fatalf("%q: %v, %q", text, found, clean)
		}
	})
}

func TestScrubberOfATruncatedAnswer(t *testing.T) {
	scrubber := credential.NewScrubber(credential.NewSecret(canary))
	for n := 6; n < len(canary); n++ {
		clean, found := scrubber.Scrub([]byte("you sent " + canary[:n]))
		if !found || bytes.Contains(clean, []byte("CANARY")) {
			t.Errorf("cut after %d: %q", n, clean)
		}
	}
}

func TestScrubberLeavesTheRestAlone(t *testing.T) {
	scrubber := credential.NewScrubber(credential.NewSecret(canary))
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOf(rapid.Byte()).Draw(t, "text")
		clean, found := scrubber.Scrub(text)
		if found || !bytes.Equal(clean, text) {
			t.Fatalf("changed %q to %q", text, clean)
		}
	})
	if clean, found := credential.NewScrubber(credential.NewSecret("abc")).Scrub([]byte("abc")); found || string(clean) != "abc" {
		t.Error("a credential of three letters is looked for")
	}
}

func jsonOf(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
