package explain

import (
	"fmt"
	"strings"

	"mkt/publish/table"
)

// differences names the columns in which a market that is read again differs from
// the one served. Ids are left out: they take the id key, which is not here.
func differences(served, again table.MarketRow) []string {
	again.MarketID = served.MarketID
	for i := range again.Selections {
		if i < len(served.Selections) {
			again.Selections[i].SelectionID = served.Selections[i].SelectionID
		}
	}
	return table.Differences(served, again)
}

func list(names []string) string {
	const most = 6
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}
