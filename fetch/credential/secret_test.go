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
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"
	"unicode/utf16"

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
		"every byte": everyByte(canary, "%%%02X"), "every byte in lower case": everyByte(canary, "%%%02x"),
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

// writers are the ways in which one character is written. A writer of an escape also
// escapes the character its escapes begin with.
var writers = map[string][]func(r rune) string{
	`\`: {
		func(r rune) string { return unicodeEscape(r, `\u%04x`) },
		func(r rune) string { return unicodeEscape(r, `\u%04X`) },
		func(r rune) string { return fmt.Sprintf(`\u{%x}`, r) },
		func(r rune) string { return everyByte(string(r), `\x%02x`) },
		func(r rune) string { return everyByte(string(r), `\%03o`) },
		func(r rune) string {
			if strings.ContainsRune(`\/"+&=<>-`, r) {
				return `\` + string(r)
			}
			return string(r)
		},
	},
	"%": {
		func(r rune) string { return everyByte(string(r), "%%%02X") },
		func(r rune) string { return everyByte(string(r), "%%%02x") },
		func(r rune) string { return unicodeEscape(r, "%%u%04x") },
	},
	"&": {
		func(r rune) string { return fmt.Sprintf("&#%d;", r) },
		func(r rune) string { return fmt.Sprintf("&#x%x;", r) },
		func(r rune) string { return fmt.Sprintf("&#X%010X;", r) },
	},
}

func unicodeEscape(r rune, form string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune{r}) {
		fmt.Fprintf(&b, form, unit)
	}
	return b.String()
}

// Any character may be escaped in any way, and its escape may be escaped again.
func TestScrubberFindsEveryMixtureOfEscapes(t *testing.T) {
	inBase64 := base64.StdEncoding.EncodeToString([]byte("xx" + canary))
	for _, secret := range []string{canary, "96142-7b29b533097f1a", `back\slash\u0041%41&amp;`, "Zürich-\U0001F511-ключ", "two words more"} {
		scrubber := credential.NewScrubber(credential.NewSecret(secret))
		rapid.Check(t, func(t *rapid.T) {
			text := secret
			if secret == canary && rapid.Bool().Draw(t, "in base64") {
				text = inBase64
			}
			for range rapid.IntRange(1, 3).Draw(t, "layers") {
				begins := rapid.SampledFrom(slices.Sorted(maps.Keys(writers))).Draw(t, "language")
				var b strings.Builder
				for _, r := range text {
					if string(r) != begins && rapid.Bool().Draw(t, "plain") {
						b.WriteRune(r)
						continue
					}
					b.WriteString(rapid.SampledFrom(writers[begins]).Draw(t, "writer")(r))
				}
				text = b.String()
			}
			body := []byte(`{"echo":"` + text + `"}`)
			clean, found := scrubber.Scrub(body)
			if !found || !scrubber.Found(body) || scrubber.Found(clean) {
				t.Fatalf("%s: found %v: %s", body, found, clean)
			}
		})
	}
}

// An answer that ends in the middle of an escaped credential gives nothing away.
func TestScrubberOfATruncatedEscape(t *testing.T) {
	scrubber := credential.NewScrubber(credential.NewSecret(canary))
	for _, language := range writers {
		for i, escape := range language {
			begun := ""
			for n, r := range canary[:14] {
				for cut := range escape(r) {
					text := "you sent " + begun + escape(r)[:cut]
					clean, found := scrubber.Scrub([]byte(text))
					if n >= 6 && (!found || string(clean) != "you sent "+credential.Mask) {
						t.Errorf("writer %d, cut: %s became %s", i, text, clean)
					}
				}
				begun += escape(r)
			}
		}
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
	f.Add([]byte(`{"echo":"CANARY\u002ds3cret\/"}`), 3)
	f.Add([]byte(`&#67;&#x41;%4e`), 0)
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

func everyByte(s, form string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, form, c)
	}
	return b.String()
}

func jsonOf(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
