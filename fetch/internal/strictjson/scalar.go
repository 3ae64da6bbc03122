package strictjson

// plain marks the bytes that a string may hold as they are.
var plain = func() (t [256]bool) {
	for i := range t {
		t[i] = i >= 0x20 && i != '"' && i != '\\'
	}
	return t
}()

// str reads a string or key from its opening quote.
func (p *parser) str() {
	start, escaped := p.at+1, false
	for p.at++; ; {
		text, i := p.text, p.at
		for i < len(text) && plain[text[i]] {
			i++
		}
		p.at = i
		switch p.peek() {
		case '"':
			if p.at-start > MaxString {
				p.fail(RuleString)
				return
			}
			p.add(String, start, p.at, escaped)
			p.at++
			return
		case '\\':
			escaped = true
			if !p.escape() {
				p.fail("invalid escape")
				return
			}
		default:
			p.fail("string not closed, or a control character in it")
			return
		}
	}
}

// escape steps over one escape, a pair of surrogates included.
func (p *parser) escape() bool {
	if p.at+1 >= len(p.text) {
		return false
	}
	switch p.text[p.at+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		p.at += 2
		return true
	case 'u':
		_, n := decodeUnicode(p.text[p.at:])
		p.at += n
		return n > 0
	}
	return false
}

// number reads a number by the grammar of RFC 8259, section 6.
func (p *parser) number() {
	start := p.at
	if p.peek() == '-' {
		p.at++
	}
	if p.peek() == '0' {
		p.at++
	} else {
		p.digits()
	}
	if p.peek() == '.' {
		p.at++
		p.digits()
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.at++
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		p.digits()
	}
	if p.at-start > MaxNumber {
		p.fail(RuleNumber)
	}
	p.add(Number, start, p.at, false)
}

func (p *parser) digits() {
	start := p.at
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.at++
	}
	if p.at == start {
		p.fail("digit expected")
	}
}
