package sqlapi

import "time"

// parseTime reads the texts in which both servers write points in time: a date, "T" or a space, a time of day
// with up to nine digits of fraction, and "Z", an offset or nothing, which means UTC. Years may have a sign and
// more than four digits (Elasticsearch 7.3 writes +10000-01-01T…), offsets may have seconds (+09:18:59, local
// mean time). It reports false for anything else.
func parseTime(text []byte) (time.Time, bool) {
	if t, ok := parseUsual(text); ok {
		return t, true
	}
	s := timeScanner{text: text, good: true}
	year, month, day := s.date()
	if s.done() {
		return civil(year, month, day), s.good
	}
	s.separator()
	hour, minute := s.two(23), s.colonTwo(59)
	second, nanos := 0, 0
	if s.peek() == ':' {
		second = s.colonTwo(59)
		nanos = s.fraction()
	}
	offset := s.offset()
	if !s.good || !s.done() {
		return time.Time{}, false
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, nanos, time.UTC).Add(-offset), true
}

// parseUsual reads the shape that nearly all texts have, 2026-10-01T07:04:56.789Z, with or without the fraction and
// the "Z", and a space for the "T". It leaves everything else to parseTime.
func parseUsual(text []byte) (time.Time, bool) {
	const shape = "0000-00-00T00:00:00"
	if len(text) < len(shape) || text[4] != '-' || text[7] != '-' || text[13] != ':' || text[16] != ':' ||
		text[10] != 'T' && text[10] != ' ' {
		return time.Time{}, false
	}
	bad := false
	pair := func(i int) int {
		tens, ones := text[i]-'0', text[i+1]-'0'
		bad = bad || tens > 9 || ones > 9
		return int(tens)*10 + int(ones)
	}
	year, month, day := pair(0)*100+pair(2), pair(5), pair(8)
	hour, minute, second := pair(11), pair(14), pair(17)
	nanos, ok := usualFraction(text[len(shape):])
	if bad || !ok || month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, nanos, time.UTC), true
}

// usualFraction reads "", "Z", ".789" and ".789Z" as nanoseconds.
func usualFraction(text []byte) (nanos int, ok bool) {
	if n := len(text); n > 0 && text[n-1] == 'Z' {
		text = text[:n-1]
	}
	if len(text) == 0 {
		return 0, true
	}
	if text[0] != '.' || len(text) < 2 || len(text) > 10 {
		return 0, false
	}
	for i := 1; i < 10; i++ {
		digit := byte(0)
		if i < len(text) {
			digit = text[i] - '0'
		}
		if digit > 9 {
			return 0, false
		}
		nanos = nanos*10 + int(digit)
	}
	return nanos, true
}

// parseDay reads the calendar day that a text begins with, whatever follows it, as midnight in UTC.
func parseDay(text []byte) (time.Time, bool) {
	s := timeScanner{text: text, good: true}
	year, month, day := s.date()
	return civil(year, month, day), s.good && (s.done() || s.peek() == 'T')
}

func civil(year, month, day int) time.Time {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
}

// timeScanner reads a text from left to right; good turns false at the first byte that does not fit.
type timeScanner struct {
	text []byte
	at   int
	good bool
}

func (s *timeScanner) done() bool { return s.at == len(s.text) }

func (s *timeScanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *timeScanner) expect(c byte) {
	if s.peek() != c {
		s.good = false
		return
	}
	s.at++
}

// digits reads at least one and at most limit digits.
func (s *timeScanner) digits(limit int) (value, count int) {
	for count < limit && s.peek() >= '0' && s.peek() <= '9' {
		value = value*10 + int(s.peek()-'0')
		s.at++
		count++
	}
	s.good = s.good && count > 0
	return value, count
}

func (s *timeScanner) two(highest int) int {
	value, count := s.digits(2)
	s.good = s.good && count == 2 && value <= highest
	return value
}

func (s *timeScanner) colonTwo(highest int) int {
	s.expect(':')
	return s.two(highest)
}

func (s *timeScanner) date() (year, month, day int) {
	sign := s.sign()
	year, count := s.digits(9)
	s.good = s.good && count >= 4
	s.expect('-')
	month = s.two(12)
	s.expect('-')
	day = s.two(31)
	s.good = s.good && month > 0 && day > 0
	return sign * year, month, day
}

// sign reads a leading sign, if there is one.
func (s *timeScanner) sign() int {
	switch s.peek() {
	case '-':
		s.at++
		return -1
	case '+':
		s.at++
	}
	return 1
}

func (s *timeScanner) separator() {
	if s.peek() != 'T' && s.peek() != ' ' {
		s.good = false
		return
	}
	s.at++
}

func (s *timeScanner) fraction() int {
	if s.peek() != '.' {
		return 0
	}
	s.at++
	value, count := s.digits(9)
	for ; count < 9; count++ {
		value *= 10
	}
	return value
}

func (s *timeScanner) offset() time.Duration {
	switch s.peek() {
	case 'Z':
		s.at++
		return 0
	case '+', '-':
	default:
		return 0
	}
	sign := time.Duration(s.sign())
	total := time.Duration(s.two(18))*time.Hour + time.Duration(s.colonTwo(59))*time.Minute
	if s.peek() == ':' {
		total += time.Duration(s.colonTwo(59)) * time.Second
	}
	return sign * total
}
