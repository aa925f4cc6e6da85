package dsn

import "strings"

// Nearest returns the known word that takes the fewest single-letter changes to be made of word; case does not count.
// The first of equals wins; it is empty only when nothing is known. It is near, so that "did you mean" is no joke, when
// half of word's letters, or two, make the difference at most, or when word is its beginning.
func Nearest(word string, known []string) (nearest string, near bool) {
	word = strings.ToLower(word)
	least := -1
	for _, k := range known {
		if d := distance(word, k); least < 0 || d < least {
			nearest, least = k, d
		}
	}
	begins := len(word) > 2 && strings.HasPrefix(nearest, word)
	return nearest, begins || least >= 0 && least <= max(2, len(word)/2)
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
