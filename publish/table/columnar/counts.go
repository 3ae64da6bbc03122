package columnar

// Counts has the number of values in each state of a column. Of a nested column, its elements are
// counted.
type Counts struct {
	Absent int64 `json:"absent"`
	Null   int64 `json:"null"`
	Zero   int64 `json:"zero"` // the value 0, false or ""
	Value  int64 `json:"value"`
}

func (c *Counts) all() [4]*int64 { return [4]*int64{&c.Absent, &c.Null, &c.Zero, &c.Value} }

// Add adds other counts.
func (c *Counts) Add(other Counts) {
	c.Absent += other.Absent
	c.Null += other.Null
	c.Zero += other.Zero
	c.Value += other.Value
}
