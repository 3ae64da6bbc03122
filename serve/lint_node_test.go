package serve_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mkt/internal/testing/needs"
)

// A public linter reports no errors and no warnings for the documents of the API. It runs
// from the lock file, without network access.
func TestNodeLinter(t *testing.T) {
	modules := needs.Node(t)
	for _, document := range []string{openAPIFile, historyFile, "../docs/asyncapi.yaml"} {
		cmd := exec.CommandContext(t.Context(), "node", filepath.Join(modules, "@redocly", "cli", "bin", "cli.js"), "lint", "--format", "json",
			"--config", filepath.Join(filepath.Dir(modules), "redocly.yaml"), document)
		cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true", "CI=true")
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run() // fails where the linter finds an error, which the report names
		var report struct {
			Totals   *struct{ Errors, Warnings int }
			Problems []struct {
				RuleID   string `json:"ruleId"`
				Severity string
				Message  string
				Location []struct{ Pointer string }
			}
		}
		if problem := json.Unmarshal(out.Bytes(), &report); problem != nil || report.Totals == nil {
			t.Fatalf("%s: %v, %v\n%.2000s", document, err, problem, errs.String())
		}
		for _, p := range report.Problems {
			at := ""
			if len(p.Location) > 0 {
				at = p.Location[0].Pointer
			}
			t.Errorf("%s, %s: %s %s: %s", document, at, p.Severity, p.RuleID, p.Message)
		}
		if err != nil && len(report.Problems) == 0 {
			t.Errorf("%s: %v\n%.2000s", document, err, errs.String())
		}
	}
}
