package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"

	"mkt/scripts/internal/cost"
)

// nodeFolder has DuckDB's package for Node and its scripts.
const nodeFolder = "scripts/bench/node"

// hasDuckDB installs the package for Node in the version of the lock file, if npm is there. npm
// ci would need the bindings for every platform in the lock file.
func (b *bench) hasDuckDB(ctx context.Context) bool {
	const install = "install Node.js with npm"
	if !b.has("node", install) || !b.has("npm", install) {
		return false
	}
	if _, err := os.Stat(nodeFolder + "/node_modules/@duckdb/node-api"); err == nil {
		return true
	}
	cmd := exec.CommandContext(ctx, "npm", "install", "--no-save", "--no-audit", "--no-fund", "--silent")
	cmd.Dir = nodeFolder
	out, err := cmd.CombinedOutput()
	if s := fmt.Sprintf("DuckDB was skipped: npm install in %s: %v %s", nodeFolder, err, oneLine(out)); err != nil && !slices.Contains(b.skipped, s) {
		b.skipped = append(b.skipped, s)
	}
	return err == nil
}

// duckDB runs a command of duckdb.mjs and reads its output.
func duckDB(ctx context.Context, result any, args ...string) (cost.Cost, error) {
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "node", append([]string{nodeFolder + "/duckdb.mjs"}, args...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return cost.Cost{}, fmt.Errorf("duckdb.mjs %s: %w: %s", args[0], err, oneLine(stderr.Bytes()))
	}
	if result != nil {
		err = json.Unmarshal(out, result)
	}
	return cost.Ended(cmd.ProcessState), err
}
