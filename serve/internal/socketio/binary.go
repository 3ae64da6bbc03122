package socketio

import (
	"bytes"
	"encoding/json"
)

// Attachments are binary messages beside a packet's JSON. Given among the
// arguments of NewPacket or of an ack, they are no argument: the others refer to
// the attachment i by {"_placeholder":true,"num":i}. At most 10.
type Attachments [][]byte

// assembly is a binary packet whose attachments are still coming.
type assembly struct {
	packet packet
	got    Attachments
}

// add takes a copy of the next attachment; it is true when all are there.
func (a *assembly) add(data []byte) (whole bool) {
	a.got = append(a.got, bytes.Clone(data))
	return len(a.got) == a.packet.attachments
}

// check looks at every placeholder in the arguments: it must name an attachment.
func (a *assembly) check() error {
	for _, arg := range a.packet.args {
		var v any
		d := json.NewDecoder(bytes.NewReader(arg))
		d.UseNumber() // one that no float can hold is a number all the same
		if d.Decode(&v) != nil || !placed(v, len(a.got)) {
			return errPacket
		}
	}
	return nil
}

// placed is false when v holds a placeholder that names none of n attachments.
func placed(v any, n int) bool {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if !placed(e, n) {
				return false
			}
		}
	case map[string]any:
		if v["_placeholder"] == true {
			number, _ := v["num"].(json.Number)
			num, err := number.Float64()
			return err == nil && num >= 0 && num < float64(n) && num == float64(int(num))
		}
		for _, e := range v {
			if !placed(e, n) {
				return false
			}
		}
	}
	return true
}
