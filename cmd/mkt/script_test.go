package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mkt/cmd/mkt/internal/cli/demo"
	"mkt/internal/check"
	"mkt/internal/needs"
	"mkt/publish/durable"
	"mkt/publish/layout"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mkt": main})
}

// TestScript runs the command line as people and scripts do. Beside testscript's
// own commands there are
//
//	deployed FILE...      every metric of the alert rules and the dashboard in deploy is in one of these answers of /metrics
//	start NAME ARG...     mkt in the background until its ready line; $NAME_url, $NAME_token and $NAME_admin are set, and $NAME_ID_token for each account of serve --as-of
//	spawn NAME ARG...     the same without a ready line
//	end NAME              SIGTERM, and it must exit with 0
//	http STATUS URL [TOKEN]   GET; the body is the standard output
//	headers STATUS URL TOKEN [NAME:VALUE]...   the same with headers, of the request and in the output
//	code N ARG...         run mkt, which must exit with N
//	tenant NAME ARG...    mkt tenant add; $NAME_token is set
//	endtoken NAME TOKEN   mkt tenant token end
//	connect NAME SIM [PROVIDER FLAG...]   mkt provider set, to the simulator started as SIM, of betsapi if no provider is named
//	pasted STREAM CREDENTIAL   paste each mkt provider set that stdout or stderr of the last command prints, as it is, with the content of that file
//	jsonenv VAR KEY       $VAR is set from the first JSON line of the last stdout
//	match VAR REGEXP      $VAR is the first match in the last stdout
//	within D http|headers|body|exists ARG...   until it holds, at most D; body STATUS URL TOKEN REGEXP
//	demotoken NAME FILE   $NAME_token is set from the ready line of mkt demo
//	jsonlive VAR FILE     $VAR is a fixture of GET /live in play for half an hour, with momentum if there is one
//	cursor VAR KEY        $VAR is set from meta.KEY of the last body
//	append FILE MORE      put the content of MORE at the end of FILE
//	fill FILE             write until the disk is full
//	sleep D
//	settled D DIR         after D, and what then runs, nothing is added to DIR any more
//	grows D DIR           something is added to DIR, within D
//	lock DIR              hold the lock file in DIR until the script ends
//	smalldisk DIR BYTES   mount a file system of that size there
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:      "../../testdata/script",
		Deadline: deadline(t),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"start":   startMkt,
			"end":     stopMkt,
			"http":    httpGet,
			"headers": askHeaders,
			"code":    codeMkt,

			"spawn":     spawnMkt,
			"within":    within,
			"deployed":  deployedMetrics,
			"tenant":    addTenant,
			"demotoken": demoToken,
			"cursor":    metaCursor,
			"append":    appendFile,
			"fill":      fillDisk,
			"sleep":     sleep,
			"settled":   settled,
			"grows":     grows,
			"endtoken":  endToken,
			"connect":   connectTenant,
			"pasted":    pasteFixes,
			"jsonenv":   jsonEnv,
			"match":     matchEnv,
			"jsonlive":  jsonLive,
			"lock":      holdLock,
			"smalldisk": smallDisk,
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Values[runningKey{}] = map[string]*background{}
			path, _ := needs.FindShared("providers/betsapi")
			env.Setenv("RECORDINGS", path)
			return nil
		},
		Condition: condition(t),
	})
}

// condition knows recordings (of a real provider, beside the repository), smalldisk (a small file
// system can be mounted here) and long (not -short).
func condition(t *testing.T) func(string) (bool, error) {
	_, recordings := needs.FindShared("providers/betsapi")
	unmount, noMount := needs.MountDisk(t.TempDir(), "64k")
	if noMount == nil {
		unmount()
	}
	known := map[string]bool{"recordings": recordings, "smalldisk": noMount == nil, "long": !testing.Short()}
	return func(cond string) (bool, error) {
		holds, ok := known[cond]
		if !ok {
			return false, fmt.Errorf("unknown condition %q", cond)
		}
		return holds, nil
	}
}

// deadline leaves time to end the programs that a script started.
func deadline(t *testing.T) time.Time {
	at, ok := t.Deadline()
	if !ok {
		return time.Now().Add(10 * time.Minute)
	}
	return at.Add(-5 * time.Second)
}

func httpGet(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: http STATUS URL [TOKEN]")
	}
	ts.Check(onceLoaded(ts, func() error { return tryHTTP(ts, args) }))
}

// onceLoaded tries again while the data is not ready, if serve was started on so busy a machine that
// it did not wait for the data: it says after ten seconds that it is ready.
func onceLoaded(ts *testscript.TestScript, try func() error) error {
	for end := time.Now().Add(check.Limit); ; time.Sleep(100 * time.Millisecond) {
		err := try()
		if err == nil || time.Now().After(end) || !strings.Contains(err.Error(), "DATA_NOT_READY") || !startedLate(ts) {
			return err
		}
	}
}

func tryHTTP(ts *testscript.TestScript, args []string) error {
	body, err := askHTTP(args)
	if err == nil {
		_, err = fmt.Fprintf(ts.Stdout(), "%s\n", body)
	}
	return err
}

func askHTTP(args []string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, args[1], nil)
	if err != nil {
		return "", err
	}
	if len(args) == 3 {
		r.Header.Set("Authorization", "Bearer "+args[2])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return "", err
	}
	if strconv.Itoa(answer.StatusCode) != args[0] {
		return "", fmt.Errorf("status %d, want %s\n%s", answer.StatusCode, args[0], body)
	}
	return string(body), nil
}

// within repeats http, headers, body or exists until it succeeds.
func within(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: within DURATION http|headers|body|exists ARG...")
	}
	d, err := time.ParseDuration(args[0])
	ts.Check(err)
	for end := time.Now().Add(d); ; time.Sleep(20 * time.Millisecond) {
		switch args[1] {
		case "http":
			err = tryHTTP(ts, args[2:])
		case "headers":
			err = tryHeaders(ts, args[2:])
		case "body":
			err = tryBody(ts, args[2:])
		case "exists":
			_, err = os.Stat(ts.MkAbs(args[2]))
		default:
			ts.Fatalf("within: %s cannot be tried again", args[1])
		}
		if err == nil {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("not within %v: %v", d, err)
		}
	}
}

func tryBody(ts *testscript.TestScript, args []string) error {
	if len(args) != 4 {
		ts.Fatalf("usage: body STATUS URL TOKEN REGEXP")
	}
	want, err := regexp.Compile(args[3])
	ts.Check(err)
	answer, err := askHTTP(args[:3])
	if err == nil && !want.MatchString(answer) {
		return fmt.Errorf("no %s in %s", args[3], answer)
	}
	return err
}

func codeMkt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N ARG...")
	}
	err := ts.Exec("mkt", args[1:]...)
	got := 0
	if exit, ok := err.(*exec.ExitError); ok {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("mkt %v: %v", args[1:], err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

func addTenant(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: tenant NAME ARG...")
	}
	ts.Check(ts.Exec("mkt", append([]string{"tenant", "add", "--output", "json"}, args...)...))
	var answer struct{ Token string }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &answer))
	ts.Setenv(args[0]+"_token", answer.Token)
}

func endToken(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: endtoken NAME TOKEN")
	}
	ts.Check(ts.Exec("mkt", "tenant", "token", "end", args[0], args[1][len(args[1])-4:]))
}

func connectTenant(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: connect NAME SIM [PROVIDER FLAG...]")
	}
	provider, flags := "betsapi", []string(nil)
	if len(args) > 2 {
		provider, flags = args[2], args[3:]
	}
	ts.Check(os.WriteFile(ts.MkAbs("credential.tmp"), []byte(ts.Getenv(args[1]+"_token")), 0o600))
	ts.Check(ts.Exec("mkt", append([]string{"provider", "set", args[0], "--provider", provider, "--base-url", ts.Getenv(args[1] + "_url"),
		"--allow-private-address", "--credential-file", "credential.tmp"}, flags...)...))
	ts.Check(os.Remove(ts.MkAbs("credential.tmp")))
}

var providerSet = regexp.MustCompile(`mkt (?:--config \S+ )?provider set [a-z0-9]+(?: --[a-z-]+(?: [^-\s,;][^\s,;]*)?)+`)

func pasteFixes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: pasted stdout|stderr CREDENTIAL")
	}
	lines := providerSet.FindAllString(strings.Join(strings.Fields(ts.ReadFile(args[0])), " "), -1)
	if len(lines) == 0 {
		ts.Fatalf("no command to paste")
	}
	for _, line := range lines {
		ts.Logf("pasted: %s", line)
		ts.Check(ts.Exec("sh", "-c", line+" < "+args[1]))
	}
}

func jsonEnv(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: jsonenv VAR KEY")
	}
	var line map[string]any
	ts.Check(json.NewDecoder(strings.NewReader(ts.ReadFile("stdout"))).Decode(&line))
	value, ok := line[args[1]]
	if !ok {
		ts.Fatalf("no key %s in %v", args[1], line)
	}
	ts.Setenv(args[0], fmt.Sprint(value))
}

// TestScriptsRunToTheirEnd forbids testscript's own command stop, which ends a script there and lets
// it pass.
func TestScriptsRunToTheirEnd(t *testing.T) {
	files, err := filepath.Glob("../../testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	early := regexp.MustCompile(`(?m)^stop\b.*$`)
	for _, file := range files {
		script, err := os.ReadFile(file)
		check.Must(t, err)
		if line := early.Find(script); line != nil {
			t.Errorf("%s: %q ends the script: a process is ended by end NAME", filepath.Base(file), line)
		}
	}
}

func matchEnv(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: match VAR REGEXP")
	}
	re, err := regexp.Compile(args[1])
	ts.Check(err)
	found := re.FindStringSubmatch(ts.ReadFile("stdout"))
	if found == nil {
		ts.Fatalf("nothing matches %s", args[1])
	}
	ts.Setenv(args[0], found[len(found)-1]) // the group, if there is one
}

func jsonLive(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: jsonlive VAR FILE")
	}
	var page struct {
		Data []struct {
			FixtureID string `json:"fixture_id"`
			Detailed  bool   `json:"detail_available"`
			Momentum  *struct{}
			Clock     struct{ Minute *int }
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &page))
	for _, withMomentum := range []bool{true, false} {
		for _, f := range page.Data {
			if (f.Momentum != nil) == withMomentum && f.Detailed && f.Clock.Minute != nil && *f.Clock.Minute >= 25 && *f.Clock.Minute < 90 {
				ts.Setenv(args[0], f.FixtureID)
				return
			}
		}
	}
	ts.Fatalf("no fixture in play for half an hour in %s", ts.ReadFile(args[1]))
}

func metaCursor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cursor VAR KEY")
	}
	var body struct{ Meta map[string]any }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &body))
	value, ok := body.Meta[args[1]].(string)
	if !ok {
		ts.Fatalf("no %s in %v", args[1], body.Meta)
	}
	ts.Setenv(args[0], value)
}

func demoToken(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: demotoken NAME FILE")
	}
	var line demo.Ready
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &line))
	for _, t := range line.Tenants {
		if t.ClientID == args[0] {
			ts.Setenv(args[0]+"_token", t.Token)
			return
		}
	}
	ts.Fatalf("no account %s in the ready line", args[0])
}

func appendFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: append FILE MORE")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(ts.ReadFile(args[0])+ts.ReadFile(args[1])), 0o600))
}

func fillDisk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: fill FILE")
	}
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	for chunk := make([]byte, 64<<10); err == nil; {
		_, err = f.Write(chunk)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		ts.Fatalf("fill: %v", err)
	}
}

func sleep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: sleep D")
	}
	d, err := time.ParseDuration(args[0])
	ts.Check(err)
	time.Sleep(d)
}

// underWay is how long a cycle that has just begun may still take.
const underWay = 2 * time.Second

func settled(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: settled D DIR")
	}
	d, err := time.ParseDuration(args[0])
	ts.Check(err)
	time.Sleep(d)
	before := count(ts, args[1])
	time.Sleep(underWay)
	if then := count(ts, args[1]); then > before+1 { // one cycle was under way
		ts.Fatalf("%d more in %s", then-before, args[1])
	}
	before = count(ts, args[1])
	time.Sleep(underWay)
	if then := count(ts, args[1]); then != before {
		ts.Fatalf("still %d more in %s", then-before, args[1])
	}
}

func grows(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: grows D DIR")
	}
	d, err := time.ParseDuration(args[0])
	ts.Check(err)
	before := count(ts, args[1])
	for end := time.Now().Add(d); count(ts, args[1]) == before; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("nothing more in %s within %v", args[1], d)
		}
	}
}

func count(ts *testscript.TestScript, dir string) int {
	entries, err := os.ReadDir(ts.MkAbs(dir))
	ts.Check(err)
	return len(entries)
}

func holdLock(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: lock DIR")
	}
	root, err := durable.OpenRoot(ts.MkAbs(args[0]))
	ts.Check(err)
	lock, err := root.Lock(layout.Lock)
	ts.Check(err)
	ts.Defer(func() { lock.Close(); root.Close() })
}

func smallDisk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: smalldisk DIR BYTES")
	}
	ts.Check(os.MkdirAll(ts.MkAbs(args[0]), 0o755))
	unmount, err := needs.MountDisk(ts.MkAbs(args[0]), args[1])
	ts.Check(err)
	ts.Defer(unmount)
}
