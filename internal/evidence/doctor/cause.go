package doctor

import "slices"

// causedBy names the cause of a finding; the fix for several accounts is common, if it is another than that
// for one. It does nothing for nil, a finding about an account that was not requested.
func (f *Finding) causedBy(cause, common string) {
	if f != nil {
		f.cause, f.common = cause, common
	}
}

// byCause returns one finding for each cause, where its first one was. One about several accounts is at the
// data root.
func byCause(all []Finding, data string) []Finding {
	found := []Finding{}
	var done []string
	for _, f := range all {
		switch {
		case f.Level == OK || f.cause != "" && slices.Contains(done, f.cause):
			continue
		case f.cause == "":
			found = append(found, f)
			continue
		}
		done = append(done, f.cause)
		one := merge(slices.DeleteFunc(slices.Clone(all), func(other Finding) bool { return other.cause != f.cause }))
		if one.Tenant == "" && one.File == "" {
			one.File = data
		}
		found = append(found, one)
	}
	return found
}

// merge returns one finding for several with one cause. If one of them is about the whole installation, it
// explains the others; otherwise the first one does, in the words of its code.
func merge(same []Finding) Finding {
	if len(same) == 1 {
		return same[0]
	}
	explains := max(0, slices.IndexFunc(same, func(f Finding) bool { return f.Tenant == "" }))
	one := same[explains]
	differs := func(of func(Finding) string) bool {
		return slices.ContainsFunc(same, func(f Finding) bool { return of(f) != of(one) })
	}
	if one.Tenant != "" {
		one.What = codes[one.Code]
		if one.common != "" && differs(func(f Finding) string { return f.Fix }) {
			one.Fix = one.common
		}
		if differs(func(f Finding) string { return f.File }) {
			one.File = ""
		}
		if differs(func(f Finding) string { return f.Product }) {
			one.Product = ""
		}
		if differs(func(f Finding) string { return f.Tenant }) {
			one.Tenant = ""
		}
	}
	for _, f := range same {
		if severity[f.Level] > severity[one.Level] {
			one.Level = f.Level
		}
		one.Details = append(one.Details, Detail{f.Code, f.Tenant, f.Product, f.File, f.What})
	}
	one.Count = len(same)
	return one
}

var severity = map[Level]int{Note: 1, Warn: 2, Fail: 3}
