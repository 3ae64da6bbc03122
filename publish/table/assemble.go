package table

import (
	"math"
	"unsafe"

	"github.com/parquet-go/parquet-go"
)

// assembler is the reverse of shredMarket: a sink that assembles a market's row from
// the values of its leaves. Most of the time of loading a snapshot is spent here. The
// library's reader, which uses reflection, allocates ten times as often and takes
// twice as long; a test compares the two.
//
// Rows share no memory with the library: their texts lie together in blocks, and a
// row keeps its block alive.
type assembler struct {
	row   *MarketRow
	at    int // index of the selection that the last value belongs to
	label int // index of the label within it
	block []byte
	slab  []string
	num   []float64
}

// Sizes of the blocks from which texts, and the values that rows point to, are cut.
const (
	textBlock = 64 << 10
	slabBlock = 1 << 10
)

// read fills rows with the next rows, as GenericReader.Read does.
func (a *assembler) read(r *parquet.GenericReader[MarketRow], rows []MarketRow, buffer []parquet.Row) (n int, err error) {
	for n < len(rows) && err == nil {
		var got int
		got, err = r.ReadRows(buffer[:min(len(buffer), len(rows)-n)])
		for _, row := range buffer[:got] {
			a.row = &rows[n]
			feed(a, row)
			n++
		}
		if got == 0 && err == nil {
			break
		}
	}
	return n, err
}

func (a *assembler) none(leaf int, rep, def byte) {
	if marketLeaves[leaf].depth > 0 && def > 0 {
		a.selection(rep)
	}
}

func (a *assembler) number(leaf int, rep, def byte, bits uint64) {
	s, at := a.place(leaf, rep)
	switch s.kind {
	case integerSlot:
		*(*int32)(at) = int32(bits)
	case booleanSlot:
		*(*bool)(at) = bits != 0
	case optionalFloatSlot:
		*(**float64)(at) = a.float(math.Float64frombits(bits))
	}
}

func (a *assembler) text(leaf int, rep, def byte, borrowed string) {
	text := a.copied(borrowed)
	s, at := a.place(leaf, rep)
	switch s.kind {
	case textSlot:
		*(*string)(at) = text
	case optionalTextSlot:
		*(**string)(at) = a.pointer(text)
	case textsSlot:
		a.extend((*[]string)(at), text)
	}
}

// place returns where a value belongs: in the row, in one of its selections, or in
// a label of that. The first leaf of a nested row begins a new one.
func (a *assembler) place(leaf int, rep byte) (*slot, unsafe.Pointer) {
	s := &marketLeaves[leaf]
	row := unsafe.Pointer(a.row)
	switch {
	case s.depth == 1 && s.begins:
		row = unsafe.Pointer(a.begin())
	case s.depth == 1:
		row = unsafe.Pointer(a.selection(rep))
	case s.depth == 2:
		row = unsafe.Pointer(a.labelOf(a.selection(rep), rep, s.begins))
	}
	return s, unsafe.Add(row, s.offset)
}

func (a *assembler) begin() *SelectionRow {
	m := a.row
	if m.Selections == nil {
		const most = 1 << 12 // the count is only a hint
		m.Selections = make([]SelectionRow, 0, max(1, min(int(m.SelectionCount), most)))
	}
	m.Selections = append(m.Selections, SelectionRow{})
	return &m.Selections[len(m.Selections)-1]
}

// selection returns the one that a value of a column belongs to: the first of the
// row, the next one, or the same as the value before.
func (a *assembler) selection(rep byte) *SelectionRow {
	switch rep {
	case 0:
		a.at = 0
	case 1:
		a.at++
	}
	return &a.row.Selections[a.at]
}

func (a *assembler) labelOf(s *SelectionRow, rep byte, begins bool) *LabelRow {
	if begins {
		s.Labels = append(s.Labels, LabelRow{})
		return &s.Labels[len(s.Labels)-1]
	}
	if a.label++; rep < 2 {
		a.label = 0
	}
	return &s.Labels[a.label]
}

// copied returns a copy of a text, since the library reuses its memory.
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

// extend appends to a list. Most lists have one item, which is cut from the slab.
func (a *assembler) extend(list *[]string, s string) {
	if *list != nil {
		*list = append(*list, s)
		return
	}
	a.pointer(s)
	n := len(a.slab)
	*list = a.slab[n-1 : n : n]
}
