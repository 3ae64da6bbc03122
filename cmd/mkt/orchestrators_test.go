package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mkt/internal/check"
	"mkt/internal/needs"
)

// standIns are what the programs of docs/operators.md need of Airflow and Dagster. A task or an
// asset is called at once, and what it did is printed.
const standIns = `
import sys, types

def module(name, **members):
    m = sys.modules[name] = types.ModuleType(name)
    m.__dict__.update(members)

class AirflowFailException(Exception): pass
class AirflowSkipException(Exception): pass

def task(**options):
    assert options["retries"] > 0
    def decorate(f):
        def call():
            try:
                f()
                print("RESULT done")
            except AirflowSkipException:
                print("RESULT skipped")
            except AirflowFailException:
                print("RESULT failed")
            except Exception:
                print("RESULT retry")
        return call
    return decorate

def dag(**options):
    assert options["catchup"] is False and options["max_active_runs"] == 1
    return lambda f: f

module("airflow")
module("airflow.sdk", dag=dag, task=task)
module("airflow.sdk.exceptions", AirflowFailException=AirflowFailException, AirflowSkipException=AirflowSkipException)

class RetryRequested(Exception):
    def __init__(self, max_retries, seconds_to_wait): pass
class Failure(Exception):
    def __init__(self, description, allow_retries): assert allow_retries is False
class Output:
    def __init__(self, value, metadata): assert metadata["cycle"] == "c1"

def asset(output_required):
    assert output_required is False
    def decorate(f):
        context = types.SimpleNamespace(log=types.SimpleNamespace(info=lambda text: None))
        try:
            print("RESULT done" if list(f(context)) else "RESULT skipped")
        except RetryRequested:
            print("RESULT retry")
        except Failure:
            print("RESULT failed")
        return f
    return decorate

module("dagster", asset=asset, RetryRequested=RetryRequested, Failure=Failure, Output=Output,
       define_asset_job=lambda name, selection: name, Definitions=lambda assets, schedules: None,
       ScheduleDefinition=lambda job, cron_schedule: None)
`

// TestOrchestrators runs the tasks of docs/operators.md for Airflow and Dagster with every way
// in which mkt cycle ends.
func TestOrchestrators(t *testing.T) {
	python := needs.Python(t, "json")
	text, err := os.ReadFile("../../docs/operators.md")
	check.Must(t, err)
	programs := regexp.MustCompile("(?s)```python\n(.*?)```").FindAllSubmatch(text, -1)
	if len(programs) != 2 {
		t.Fatalf("docs/operators.md has %d programs in Python, want those of Airflow and Dagster", len(programs))
	}
	for i, name := range []string{"airflow", "dagster"} {
		for _, c := range []struct {
			code       int
			line, want string
		}{
			{0, `{"step":"publish","cycle":"c1","ok":true}`, "done"},
			{75, `{"step":"lock","ok":false,"error":"locked by another run"}`, "skipped"},
			{75, `{"step":"fetch","ok":false,"code":"RATE_LIMITED"}`, "retry"},
			{1, `{"step":"fetch","ok":false,"code":"INVALID_CREDENTIAL","error":"refused"}`, "failed"},
			{2, "", "failed"},
		} {
			t.Run(fmt.Sprintf("%s %d %s", name, c.code, c.want), func(t *testing.T) {
				dir := t.TempDir()
				script := fmt.Sprintf("#!/bin/sh\ncat <<'END'\n%sEND\nexit %d\n", strings.TrimLeft(c.line+"\n", "\n"), c.code)
				check.Must(t, os.WriteFile(filepath.Join(dir, "mkt"), []byte(script), 0o755))
				cmd := exec.CommandContext(t.Context(), python, "-c", standIns+string(programs[i][1]))
				cmd.Env = append(os.Environ(), "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
				out, err := cmd.CombinedOutput()
				if err != nil || !bytes.Contains(out, []byte("RESULT "+c.want+"\n")) {
					t.Errorf("want %s, got %v:\n%s", c.want, err, out)
				}
			})
		}
	}
}
