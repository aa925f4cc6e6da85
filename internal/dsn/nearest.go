package dsn

import "strings"

// Nearest returns the known word that takes the fewest single-letter changes to be made of word, for "did you
// mean"; case does not count. The first of equals wins; it is empty only when nothing is known.
func Nearest(word string, known []string) string {
	best, least := "", -1
	for _, k := range known {
		if d := distance(strings.ToLower(word), k); least < 0 || d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is the number of insertions, deletions and replacements that make b of a (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, corner+1)
		}
	}
	return row[len(b)]
}
