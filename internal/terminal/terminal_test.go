package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"mkt/internal/testing/check"
)

// terminal is a pseudo-terminal. Its output is read to the end once it is closed.
type terminal struct {
	*output
	said chan string
}

func openTerminal(t *testing.T, columns uint16) *terminal {
	t.Helper()
	for name, value := range map[string]string{"TERM": "xterm", "NO_COLOR": "", "CI": "", "CLICOLOR_FORCE": "", "FORCE_COLOR": ""} {
		t.Setenv(name, value)
	}
	master, tty, err := pty.Open()
	if err == nil {
		err = pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: columns})
	}
	check.Must(t, err)
	term := &terminal{NewOutput(tty), make(chan string)}
	go func() {
		all, _ := io.ReadAll(master) // it ends with an error when the other side is closed
		master.Close()
		term.said <- string(all)
	}()
	return term
}

func (o *terminal) close() string {
	o.terminal.Close()
	return strings.ReplaceAll(<-o.said, "\r\n", "\n")
}

// Other output replaces a line of progress and leaves nothing of it behind.
func TestProgress(t *testing.T) {
	term := openTerminal(t, 60)
	out := &output{to: term.terminal, terminal: term.terminal}
	shared := NewOutput(out.terminal)
	ShareScreen(shared, term.output)
	bar := NewBar(term.output, "acme\x1b[2J fetch", "requests")
	bar.stop() // the test draws
	bar.ended.Wait()
	begun := time.Date(2026, 11, 22, 15, 0, 0, 0, time.UTC)
	bar.mu.Lock()
	bar.begun, bar.counted = begun, begun
	bar.mu.Unlock()
	bar.SetSoFar(10, 30, "953 left of the quota")
	bar.screen.draw(begun.Add(5 * time.Second))
	fmt.Fprint(shared, "half a line")
	bar.screen.draw(begun.Add(6 * time.Second)) // must not overwrite it
	fmt.Fprintln(shared, " and its end")
	bar.screen.draw(begun.Add(7 * time.Second))
	bar.Done()
	bar.Done()
	shown := `acme\u001b[2J fetch: 10 of 30+ requests, 2/s, at least 10s…`
	blanks := strings.Repeat(" ", 59)
	want := "\r" + shown + "\r" + blanks + "\rhalf a line and its end\n\r" + strings.Replace(shown, "2/s, at least 10s", "1.43/s, at least …", 1)
	if got := term.close(); !strings.HasPrefix(got, want[:len(want)-len("……")]) || !strings.HasSuffix(got, "\r"+blanks+"\r") {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	now := begun.Add(4 * time.Second)
	for want, b := range map[string]*Bar{
		"a: 3 of 4 fixtures, 0.75/s, about 1s to go":             {name: "a", units: "fixtures", begun: begun, counted: begun, done: 3, total: 4},
		"a: 75 %, about 1s to go":                                {name: "a", begun: begun, counted: begun, done: 3, total: 4},
		"a: 4 of 4 fixtures":                                     {name: "a", units: "fixtures", begun: begun, counted: begun, done: 4, total: 4},
		"a: 0 of 4 fixtures":                                     {name: "a", units: "fixtures", begun: begun, total: 4},
		"a: first cycles of the accounts, 4s":                    {name: "a", begun: begun, note: "first cycles of the accounts"},
		"a: 3 of 4+ requests, 0.75/s, at least 1s to go, 0 left": {name: "a", units: "requests", begun: begun, counted: begun, done: 3, total: 4, grows: true, note: "0 left"},
	} {
		if got := b.text(now); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// There is no progress where nobody watches, and no colour where none is wanted.
func TestNobodyWatches(t *testing.T) {
	term := openTerminal(t, 80)
	defer term.close()
	file, err := os.Create(t.TempDir() + "/errors")
	check.Must(t, err)
	defer file.Close()
	show := func(to io.Writer) bool {
		errs := NewOutput(to)
		ShareScreen(io.Discard, errs)
		bar := NewBar(errs, "a", "runs")
		defer bar.Done()
		return bar != nil
	}
	if !show(term.terminal) || !NewOutput(term.terminal).colours || NewOutput(file).colours {
		t.Error("no progress or no colour on a terminal, or colour in a file")
	}
	if show(file) {
		t.Error("progress in a file")
	}
	for name, value := range map[string]string{"CI": "true", "TERM": "dumb", "NO_COLOR": "1"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, value)
			t.Setenv("FORCE_COLOR", "1")
			if name != "NO_COLOR" && show(term.terminal) {
				t.Error("shows progress")
			}
			if name == "NO_COLOR" && NewOutput(term.terminal).colours || name == "TERM" && !NewOutput(file).colours {
				t.Error("NO_COLOR is stronger than FORCE_COLOR, and that is stronger than what the output is")
			}
		})
	}
}

// Tables keep to the width of the terminal, whatever the characters, and lose nothing.
func TestTableOnTerminals(t *testing.T) {
	write := func(out io.Writer) {
		w := NewTableWriter(out)
		w.Header("ACCOUNT", "MATCH", "FIXTURE")
		w.Styles(Normal, Good)
		fmt.Fprint(w, "acme\t東京ヴェルディ - FC Ḱrumĺov Süd\tfx_27vdimbyj75drnltvt3int7lr2\n")
		fmt.Fprint(w, "main\tA - B\tfx_jqgoxoowwv3usuvjcs5bi2ejmc\n")
		fmt.Fprint(w, "\nkey\tone two three four five six seven eight nine ten\n\na\tb c d e f g\tsl_trl6jbjrv6f5k5uml5h22blk42\n")
		check.Must(t, w.Flush())
	}
	for columns, want := range map[uint16]string{
		200: `ACCOUNT  MATCH                            FIXTURE
acme     <東京ヴェルディ - FC Ḱrumĺov Süd>  fx_27vdimbyj75drnltvt3int7lr2
main     A - B                            fx_jqgoxoowwv3usuvjcs5bi2ejmc

key  one two three four five six seven eight nine ten

a  b c d e f g  sl_trl6jbjrv6f5k5uml5h22blk42
`,
		60: `ACCOUNT  MATCH                FIXTURE
acme     <東京ヴェルディ - FC>  fx_27vdimbyj75drnltvt3int7lr2
         <Ḱrumĺov Süd>
main     A - B                fx_jqgoxoowwv3usuvjcs5bi2ejmc

key  one two three four five six seven eight nine ten

a  b c d e f g  sl_trl6jbjrv6f5k5uml5h22blk42
`,
		42: `ACCOUNT  MATCH
      FIXTURE
acme     <東京ヴェルディ - FC Ḱrumĺov Süd>
      fx_27vdimbyj75drnltvt3int7lr2
main     A - B
      fx_jqgoxoowwv3usuvjcs5bi2ejmc

key  one two three four five six seven
     eight nine ten

a  b c d e f g
      sl_trl6jbjrv6f5k5uml5h22blk42
`,
		22: `ACCOUNT  acme
MATCH    <東京ヴェルディ>
         <- FC Ḱrumĺov>
         <Süd>
FIXTURE  fx_27vdimbyj75drnltvt3int7lr2

ACCOUNT  main
MATCH    A - B
FIXTURE  fx_jqgoxoowwv3usuvjcs5bi2ejmc

key  one two three
     four five six
     seven eight nine
     ten

a  b c d e f g
      sl_trl6jbjrv6f5k5uml5h22blk42
`,
	} {
		term := openTerminal(t, columns)
		write(term.output)
		if got := strings.NewReplacer("\x1b[32m", "<", "\x1b[0m", ">").Replace(term.close()); got != want {
			t.Errorf("%d columns: got\n%s\nwant\n%s", columns, got, want)
		}
	}
	var file strings.Builder
	write(&file)
	if !strings.Contains(file.String(), "acme     東京ヴェルディ - FC Ḱrumĺov Süd  fx_27vdimbyj75drnltvt3int7lr2\n") {
		t.Errorf("not on a terminal: %s", file.String())
	}
}
