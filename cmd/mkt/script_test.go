package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"mkt/cmd/mkt/internal/cli/demo"
	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
	"mkt/publish/durable"
	"mkt/publish/layout"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mkt": func() {
		if file := os.Getenv(testClock); file != "" {
			mainAsOf(file)
		}
		main()
	}})
}

// TestScript runs the command line as people and scripts do, with commands of its own beside those
// of testscript.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:      "../../testdata/script",
		Deadline: deadline(t),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"start":     command("NAME ARG...", startMkt),                        // mkt in the background until its ready line; $NAME_url, $NAME_token and $NAME_admin are set, and $NAME_ID_token for each account of serve --as-of
			"end":       command("NAME", stopMkt),                                // SIGTERM, and it must exit with 0
			"kill9":     command("NAME", killMkt),                                // kill -9
			"http":      command("STATUS URL [TOKEN]", httpGet),                  // GET; the body is the standard output
			"headers":   command("STATUS URL TOKEN [NAME:VALUE...]", askHeaders), // the same with headers, of the request and in the output
			"code":      command("N ARG...", codeMkt),                            // run mkt, which must exit with N
			"stopped":   command("N FILE|REGEXP ARG...", stoppedMkt),             // mkt, which gets SIGTERM once FILE is there or a line of its standard error matches, and must exit with N
			"spawn":     command("NAME ARG...", spawnMkt),                        // the same without a ready line
			"within":    command("D http|headers|body|exists ARG...", within),    // until it holds, at most D; body STATUS URL TOKEN REGEXP
			"deployed":  command("FILE...", deployedMetrics),                     // every metric of the alert rules and the dashboard in deploy is in one of these answers of /metrics
			"tenant":    command("NAME [ARG...]", addTenant),                     // mkt tenant add; $NAME_token is set
			"demotoken": command("NAME FILE", demoToken),                         // $NAME_token is set from the ready line of mkt demo
			"cursor":    command("VAR KEY", metaCursor),                          // $VAR is set from meta.KEY of the last body
			"append":    command("FILE MORE", appendFile),                        // put the content of MORE at the end of FILE
			"fill":      command("FILE [BYTES]", fillDisk),                       // write FILE until the disk is full; with BYTES, then free so many of them
			"sleep":     command("D", sleep),
			"settled":   command("D DIR", settled),                             // after D, and what then runs, nothing is added to DIR any more
			"grows":     command("D DIR", grows),                               // something is added to DIR, within D
			"endtoken":  command("NAME TOKEN", endToken),                       // mkt tenant token end
			"connect":   command("NAME SIM [PROVIDER FLAG...]", connectTenant), // mkt provider set, to the simulator started as SIM, of betsapi if no provider is named
			"pasted":    command("stdout|stderr [CREDENTIAL]", pasteFixes),     // paste each command with flags that stdout or stderr of the last command prints, as it is, and then run mkt verify; with CREDENTIAL each mkt provider set alone, with the content of that file
			"jsonenv":   command("VAR KEY", jsonEnv),                           // $VAR is set from the first JSON line of the last stdout
			"match":     command("VAR REGEXP", matchEnv),                       // $VAR is the first match in the last stdout
			"jsonlive":  command("VAR FILE", jsonLive),                         // $VAR is a fixture of GET /live in play for half an hour, with momentum if there is one
			"lock":      command("DIR", holdLock),                              // hold the lock file in DIR until the script ends
			"hangs":     command("VAR", hangingServer),                         // $VAR is the address of a server that never answers
			"smalldisk": command("DIR BYTES", smallDisk),                       // mount a file system of that size there
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Values[runningKey{}] = map[string]*background{}
			path, _ := needs.FindShared("providers/betsapi")
			env.Setenv("RECORDINGS", path)
			vectors, err := filepath.Abs("../../docs/receipts-vectors")
			env.Setenv("VECTORS", vectors)
			return err
		},
		Condition: condition(t),
	})
}

// command returns a command whose arguments are checked: a word of the usage each, any number where
// the usage ends with dots. Those in brackets may be left out.
func command(usage string, run func(*testscript.TestScript, []string)) func(*testscript.TestScript, bool, []string) {
	needed, optional, _ := strings.Cut(usage, "[")
	least, most := len(strings.Fields(needed)), len(strings.Fields(needed))+len(strings.Fields(optional))
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) < least || len(args) > most && !strings.Contains(usage, "...") {
			ts.Fatalf("the arguments are %s", usage)
		}
		run(ts, args)
	}
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

func httpGet(ts *testscript.TestScript, args []string) {
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
	status, body, err := get(ctx, http.DefaultClient, args[1], strings.Join(args[2:], ""))
	if err == nil && strconv.Itoa(status) != args[0] {
		err = fmt.Errorf("status %d, want %s\n%s", status, args[0], body)
	}
	return body, err
}

// within repeats http, headers, body or exists until it succeeds.
func within(ts *testscript.TestScript, args []string) {
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

func codeMkt(ts *testscript.TestScript, args []string) {
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

func addTenant(ts *testscript.TestScript, args []string) {
	ts.Check(ts.Exec("mkt", append([]string{"tenant", "add", "--output", "json"}, args...)...))
	var answer struct{ Token string }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &answer))
	ts.Setenv(args[0]+"_token", answer.Token)
}

func endToken(ts *testscript.TestScript, args []string) {
	ts.Check(ts.Exec("mkt", "tenant", "token", "end", args[0], args[1][len(args[1])-4:]))
}

func connectTenant(ts *testscript.TestScript, args []string) {
	provider, flags := "betsapi", []string(nil)
	if len(args) > 2 {
		provider, flags = args[2], args[3:]
	}
	ts.Check(ts.Exec("sh", append([]string{"-c", `printf %s "$0" | mkt "$@"`, ts.Getenv(args[1] + "_token"), "provider", "set", args[0], "--provider", provider,
		"--base-url", ts.Getenv(args[1] + "_url"), "--allow-private-address"}, flags...)...))
}

const commandFlags = `(?: --[a-z-]+(?: [^-\s,;][^\s,;]*)?)+`

var (
	providerSet = regexp.MustCompile(`mkt (?:--config \S+ )?provider set [a-z0-9]+` + commandFlags)
	advised     = regexp.MustCompile(`mkt [a-z]+` + commandFlags)
)

func pasteFixes(ts *testscript.TestScript, args []string) {
	form, input := advised, ""
	if len(args) > 1 {
		form, input = providerSet, " < "+args[1]
	}
	lines := form.FindAllString(strings.Join(strings.Fields(ts.ReadFile(args[0])), " "), -1)
	if len(lines) == 0 {
		ts.Fatalf("no command to paste")
	}
	for i, line := range lines {
		if slices.Contains(lines[:i], line) {
			continue
		}
		ts.Logf("pasted: %s", line)
		ts.Check(ts.Exec("sh", "-c", line+input))
	}
	if form == advised {
		ts.Check(ts.Exec("mkt", "verify"))
	}
}

func jsonEnv(ts *testscript.TestScript, args []string) {
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

func matchEnv(ts *testscript.TestScript, args []string) {
	re, err := regexp.Compile(args[1])
	ts.Check(err)
	found := re.FindStringSubmatch(ts.ReadFile("stdout"))
	if found == nil {
		ts.Fatalf("nothing matches %s", args[1])
	}
	ts.Setenv(args[0], found[len(found)-1]) // the group, if there is one
}

func jsonLive(ts *testscript.TestScript, args []string) {
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

func metaCursor(ts *testscript.TestScript, args []string) {
	var body struct{ Meta map[string]any }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &body))
	value, ok := body.Meta[args[1]].(string)
	if !ok {
		ts.Fatalf("no %s in %v", args[1], body.Meta)
	}
	ts.Setenv(args[0], value)
}

func demoToken(ts *testscript.TestScript, args []string) {
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

func appendFile(ts *testscript.TestScript, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(ts.ReadFile(args[0])+ts.ReadFile(args[1])), 0o600))
}

func fillDisk(ts *testscript.TestScript, args []string) {
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	for chunk := make([]byte, 64<<10); err == nil; {
		_, err = f.Write(chunk)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		ts.Fatalf("fill: %v", err)
	}
	if len(args) > 1 {
		room, err := strconv.ParseInt(args[1], 10, 64)
		ts.Check(err)
		info, err := f.Stat()
		ts.Check(err)
		ts.Check(f.Truncate(max(0, info.Size()-room)))
	}
}

func sleep(ts *testscript.TestScript, args []string) {
	d, err := time.ParseDuration(args[0])
	ts.Check(err)
	time.Sleep(d)
}

// underWay is how long a cycle that has just begun may still take.
const underWay = 2 * time.Second

func settled(ts *testscript.TestScript, args []string) {
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

func grows(ts *testscript.TestScript, args []string) {
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

func holdLock(ts *testscript.TestScript, args []string) {
	root, err := durable.OpenRoot(ts.MkAbs(args[0]))
	ts.Check(err)
	lock, err := root.Lock(layout.Lock)
	ts.Check(err)
	ts.Defer(func() { lock.Close(); root.Close() })
}

func hangingServer(ts *testscript.TestScript, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // connections are made, and nobody takes them
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	ts.Setenv(args[0], "http://"+l.Addr().String())
}

func smallDisk(ts *testscript.TestScript, args []string) {
	ts.Check(os.MkdirAll(ts.MkAbs(args[0]), 0o755))
	unmount, err := needs.MountDisk(ts.MkAbs(args[0]), args[1])
	ts.Check(err)
	ts.Defer(unmount)
}
