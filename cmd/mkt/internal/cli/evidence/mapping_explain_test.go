package evidence

import (
	"testing"

	"mkt/fetch/input"
	"mkt/fetch/mapping"
	"mkt/fetch/provider/all"
	"mkt/internal/evidence/explain"
	"mkt/publish/football"
)

// TestEveryRuleIsExplained: every habit, condition and reason in the tables has a
// description, and every line is found by its own rule, match and name.
func TestEveryRuleIsExplained(t *testing.T) {
	for _, name := range mapping.ShapeNames(^input.Shape(0)) {
		if habits[name] == "" {
			t.Errorf("shape %s has no description", name)
		}
	}
	for _, p := range all.All() {
		lines := p.Table().Lines()
		if len(lines) == 0 {
			t.Errorf("%s has no rules", p.Name)
		}
		for _, l := range lines {
			v := ruleOf(p, l)
			switch {
			case v.Condition != "" && tests[input.Condition(v.Condition)] == "":
				t.Errorf("%s: condition %s has no description", v.Rule, v.Condition)
			case v.Origin == string(football.Raw) && explain.WhyRaw(football.Reason(v.RawReason)) == "":
				t.Errorf("%s: reason %s has no description", v.Rule, v.RawReason)
			case lookedUp[v.By] == "":
				t.Errorf("%s: nothing says what %q is compared with", v.Rule, v.By)
			}
			for _, text := range []string{l.Rule, l.Match, l.Name} {
				if _, isCanonical := football.Lookup(text); text == "" || isCanonical {
					continue
				}
				found, exact := p.Table().Find(text)
				met := false
				for _, f := range found {
					met = met || f.Rule == l.Rule && f.By == l.By
				}
				if !exact || !met {
					t.Errorf("%s is not found by %q", l.Rule, text)
				}
			}
		}
	}
}
