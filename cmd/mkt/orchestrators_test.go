package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mkt/internal/testing/check"
	"mkt/internal/testing/needs"
)

// standIns are what the programs of deploy/orchestrators need of Airflow and Dagster. A task or an
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

// eachCase runs the program of each case on the standard input, with the folder of its mkt on the PATH.
const eachCase = `
import json, os
for case in json.load(sys.stdin):
    os.environ["PATH"] = case["path"]
    print("CASE")
    exec(case["program"], {"__name__": "program"})
`

// TestOrchestrators runs the programs of deploy/orchestrators for Airflow and Dagster with every way
// in which mkt cycle ends, all in one Python.
func TestOrchestrators(t *testing.T) {
	python := needs.Python(t, "json")
	type run struct {
		Path    string `json:"path"`
		Program string `json:"program"`
	}
	var runs []run
	var names, wants []string
	for _, name := range []string{"airflow", "dagster"} {
		program, err := os.ReadFile("../../deploy/orchestrators/" + name + ".py")
		check.Must(t, err)
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
			dir := t.TempDir()
			script := fmt.Sprintf("#!/bin/sh\ncat <<'END'\n%sEND\nexit %d\n", strings.TrimLeft(c.line+"\n", "\n"), c.code)
			check.Must(t, os.WriteFile(filepath.Join(dir, "mkt"), []byte(script), 0o755))
			runs = append(runs, run{dir + string(os.PathListSeparator) + os.Getenv("PATH"), string(program)})
			names, wants = append(names, fmt.Sprintf("%s %d", name, c.code)), append(wants, c.want)
		}
	}
	cases, err := json.Marshal(runs)
	check.Must(t, err)
	cmd := exec.CommandContext(t.Context(), python, "-c", standIns+eachCase)
	cmd.Stdin = bytes.NewReader(cases)
	out, err := cmd.CombinedOutput()
	answers := strings.Split(string(out), "CASE\n")[1:]
	if err != nil || len(answers) != len(wants) {
		t.Fatalf("%d answers of %d, %v:\n%s", len(answers), len(wants), err, out)
	}
	for i, want := range wants {
		if !strings.Contains(answers[i], "RESULT "+want+"\n") {
			t.Errorf("%s: want %s, got:\n%s", names[i], want, answers[i])
		}
	}
}
