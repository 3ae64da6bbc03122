package table

import (
	"math"
	"unsafe"

	"github.com/parquet-go/parquet-go"
)

// assembler is shredMarket backwards: a sink that puts a market's row together
// from the values of its leaves. Loading a snapshot is mostly this: the library's
// own way, by reflection, allocates ten times as often and takes twice as long. A
// test holds the two against each other.
//
// What it makes is new: texts lie together in blocks, and a row that is kept
// keeps its block.
type assembler struct {
	row   *MarketRow
	at    int // selection that the column at hand has come to
	label int // label within it
	block []byte
	slab  []string
	num   []float64
}

// Sizes of the blocks that texts and the values pointed to are cut from.
const (
	textBlock = 64 << 10
	slabBlock = 1 << 10
)

// read fills rows with the next ones, as GenericReader.Read does.
func (a *assembler) read(r *parquet.GenericReader[MarketRow], rows []MarketRow, buffer []parquet.Row) (n int, err error) {
	for n < len(rows) && err == nil {
		var got int
		got, err = r.ReadRows(buffer[:min(len(buffer), len(rows)-n)])
		for _, row := range buffer[:got] {
			a.row = &rows[n]
			pour(a, row)
			n++
		}
		if got == 0 && err == nil {
			break
		}
	}
	return n, err
}

func (a *assembler) none(leaf int, rep, def byte) {
	if leaf > 15 && def > 0 {
		a.selection(rep)
	}
}

func (a *assembler) number(leaf int, rep, def byte, bits uint64) {
	switch leaf {
	case 2:
		a.row.Ordinal = int32(bits)
	case 10:
		a.row.SelectionCount = int32(bits)
	case 22:
		a.selection(rep).OddsDecimal = a.float(math.Float64frombits(bits))
	case 29:
		a.selection(rep).Publishable = bits != 0
	}
}

// begin adds a selection.
func (a *assembler) begin(id string) {
	m := a.row
	if m.Selections == nil {
		const most = 1 << 12 // the count is only a hint
		m.Selections = make([]SelectionRow, 0, max(1, min(int(m.SelectionCount), most)))
	}
	m.Selections = append(m.Selections, SelectionRow{SelectionID: id})
}

// selection is the one that a value of a column belongs to: the first of the
// row, the next one, or the one before again.
func (a *assembler) selection(rep byte) *SelectionRow {
	switch rep {
	case 0:
		a.at = 0
	case 1:
		a.at++
	}
	return &a.row.Selections[a.at]
}

func (a *assembler) text(leaf int, rep, def byte, borrowed string) {
	s, m := a.copied(borrowed), a.row
	switch leaf {
	case 0:
		m.FixtureID = s
	case 1:
		m.MarketID = s
	case 3:
		m.Market = a.pointer(s)
	case 4:
		m.MarketName = a.pointer(s)
	case 5:
		m.Period = a.pointer(s)
	case 6:
		a.extend(&m.Sections, s)
	case 7:
		a.extend(&m.Lines, s)
	case 8:
		m.OriginType = s
	case 9:
		m.DerivationVersion = s
	case 11:
		a.extend(&m.ProviderMarketIDs, s)
	case 12:
		m.ProviderMarketKey = s
	case 13:
		m.Rule = a.pointer(s)
	case 14:
		m.RawReason = a.pointer(s)
	case 15:
		a.extend(&m.Absent, s)
	case 16:
		a.begin(s)
	default:
		a.selectionText(leaf, rep, s)
	}
}

func (a *assembler) selectionText(leaf int, rep byte, s string) {
	sel := a.selection(rep)
	switch leaf {
	case 17:
		sel.Selection = a.pointer(s)
	case 18:
		sel.Line = a.pointer(s)
	case 19:
		sel.Qualifier = a.pointer(s)
	case 20:
		sel.OddsFractional = a.pointer(s)
	case 21:
		sel.OddsDecimalText = a.pointer(s)
	case 23:
		sel.Dimension = a.pointer(s)
	case 24:
		sel.Subject = a.pointer(s)
	case 25:
		sel.Subject2 = a.pointer(s)
	case 26:
		sel.GridRow = a.pointer(s)
	case 27:
		sel.GridColumn = a.pointer(s)
	case 28:
		sel.QualityStatus = s
	case 30:
		a.extend(&sel.Reasons, s)
	case 31:
		sel.ProviderSelectionID = a.pointer(s)
	case 32:
		a.extend(&sel.Absent, s)
	case 33:
		sel.Labels = append(sel.Labels, LabelRow{Field: s})
	case 34:
		if rep < 2 {
			a.label = -1
		}
		a.label++
		sel.Labels[a.label].Text = s
	}
}

// copied is a text of our own: the library reuses the memory it came in.
func (a *assembler) copied(s string) string {
	if len(s) == 0 {
		return ""
	}
	if cap(a.block)-len(a.block) < len(s) {
		a.block = make([]byte, 0, max(textBlock, len(s)))
	}
	from := len(a.block)
	a.block = append(a.block, s...)
	return unsafe.String(&a.block[from], len(s)) // the block is never written there again
}

func (a *assembler) pointer(s string) *string {
	if len(a.slab) == cap(a.slab) {
		a.slab = make([]string, 0, slabBlock)
	}
	a.slab = append(a.slab, s)
	return &a.slab[len(a.slab)-1]
}

func (a *assembler) float(f float64) *float64 {
	if len(a.num) == cap(a.num) {
		a.num = make([]float64, 0, slabBlock)
	}
	a.num = append(a.num, f)
	return &a.num[len(a.num)-1]
}

// extend appends to a list; most have one item, which is cut from the block.
func (a *assembler) extend(list *[]string, s string) {
	if *list != nil {
		*list = append(*list, s)
		return
	}
	a.pointer(s)
	n := len(a.slab)
	*list = a.slab[n-1 : n : n]
}
