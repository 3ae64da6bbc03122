package simulation

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mkt/internal/testing/needs"
)

// defect is a planted defect of testdata/defects.txt.
type defect struct {
	name, file    string
	world         string // machine, cluster, live or served
	before, after string
}

func readDefects(t *testing.T) (list []defect) {
	data, err := os.ReadFile("testdata/defects.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(data), "\ndefect: ")[1:] {
		var d defect
		var before, after []string
		name, rest, _ := strings.Cut(block, "\n")
		d.name = name
		for line := range strings.Lines(rest) {
			line = strings.TrimSuffix(line, "\n")
			switch {
			case strings.HasPrefix(line, "in: "):
				d.file = line[4:]
			case strings.HasPrefix(line, "world: "):
				d.world = line[7:]
			case strings.HasPrefix(line, "-"):
				before = append(before, line[1:])
			case strings.HasPrefix(line, "+"):
				after = append(after, line[1:])
			}
		}
		d.before, d.after = strings.Join(before, "\n"), strings.Join(after, "\n")
		list = append(list, d)
	}
	return list
}

// Every defect of the list still fits the code.
func TestDefectsFit(t *testing.T) {
	defects := readDefects(t)
	if len(defects) < 20 {
		t.Errorf("%d defects", len(defects))
	}
	for _, d := range defects {
		text, err := os.ReadFile(filepath.Join("../../..", d.file))
		if n := strings.Count(string(text), d.before); err != nil || n != 1 {
			t.Errorf("%s: %s has its lines %d times (%v)", d.name, d.file, n, err)
		}
	}
}

// The simulation finds each planted defect. A copy of the tree gets one defect at a time, and runs worlds
// until one fails: make simulate-defects.
func TestDefectsAreFound(t *testing.T) {
	needs.Env(t, "MKT_SIMULATE_DEFECTS", "minutes for each defect: make simulate-defects")
	tree := t.TempDir()
	if out, err := exec.Command("sh", "-c", "cd ../../.. && git ls-files -z | xargs -0 cp --parents -t "+tree).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	found, all := 0, 0
	for _, d := range readDefects(t) {
		if wanted, err := regexp.MatchString(*only, d.name+", "+d.world); err != nil || !wanted {
			continue
		}
		all++
		t.Run(d.name, func(t *testing.T) {
			name := filepath.Join(tree, d.file)
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			defer os.WriteFile(name, text, 0o600)
			planted := strings.Replace(string(text), d.before, d.after, 1)
			if err := os.WriteFile(name, []byte(planted), 0o600); err != nil {
				t.Fatal(err)
			}
			if d.find(t, d.build(t, tree, tree)) {
				found++
			}
		})
	}
	t.Logf("%d of %d defects were found", found, all)
}

// build compiles the tests of the defect's world.
func (d *defect) build(t *testing.T, tree, to string) (binary string) {
	t.Helper()
	binary = filepath.Join(to, "simulation.test")
	of := "./internal/testing/simulation"
	if d.world == "served" {
		of += "/served"
	}
	build := exec.Command("go", "test", "-trimpath", "-vet=off", "-c", "-o", binary, of) // with -trimpath the build cache serves every folder
	build.Dir = tree
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// clean returns the tests of the defect's world without the defect.
func (d *defect) clean(t *testing.T) (binary string) {
	t.Helper()
	if d.world != "served" {
		return os.Args[0]
	}
	return d.build(t, "../../..", t.TempDir())
}

func (d *defect) find(t *testing.T, binary string) bool {
	o := Options{Length: 12 * time.Hour, Quiet: true}
	switch d.world {
	case "cluster":
		o.Cluster, o.Length = true, time.Hour
	case "served":
		o.Cluster, o.Length = true, 20*time.Minute
	case "live":
		o = ofLive
	}
	began := time.Now()
	for o.Seed = 1; time.Since(began) < *budget; o.Seed++ {
		r := InProcess[Result](t, binary, o)
		if r.Failure == "" {
			continue
		}
		took := time.Since(began)
		small := Shrink(t, binary, o, r, time.Now().Add(*budget/4))
		without := o
		without.Only = map[string]bool{}
		for _, e := range small.Events {
			without.Only[e] = true
		}
		if r := InProcess[Result](t, d.clean(t), without); r.Failure != "" {
			t.Errorf("seed %d fails without the defect too: %s", o.Seed, r.Failure)
			fmt.Fprintf(os.Stderr, "DOUBTFUL %s: seed %d fails without it too: %s\n", d.name, o.Seed, r.Failure)
			return false
		}
		t.Logf("found by seed %d after %s: %s\nthe shortest history of the same failure has %d of %d events:\n  %s\n  %s",
			o.Seed, took.Round(time.Second), r.Failure, len(small.Events), len(r.Events), strings.Join(small.Events, "\n  "), small.Failure)
		fmt.Fprintf(os.Stderr, "FOUND %s: seed %d, %s: %s; %d of %d events\n", d.name, o.Seed, took.Round(time.Second), r.Invariant, len(small.Events), len(r.Events))
		return true
	}
	t.Errorf("not found in %s, %d seeds", time.Since(began).Round(time.Second), o.Seed-1)
	fmt.Fprintf(os.Stderr, "NOT FOUND %s: %d seeds\n", d.name, o.Seed-1)
	return false
}
