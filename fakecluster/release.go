package fakecluster

import (
	"fmt"
	"strconv"
	"strings"
)

// release is a server version as numbers, for comparisons.
type release [3]int

func parseRelease(text string) (release, error) {
	var r release
	parts := strings.Split(text, ".")
	if len(parts) != len(r) {
		return r, fmt.Errorf("fakecluster: version %q is not of the form 8.19.7", text)
	}
	for i, p := range parts {
		n, err := strconv.Atoi(p)
		if err != nil {
			return r, fmt.Errorf("fakecluster: version %q is not of the form 8.19.7", text)
		}
		r[i] = n
	}
	return r, nil
}

// atLeast says whether the release is major.minor or a later one.
func (r release) atLeast(major, minor int) bool {
	return r[0] > major || r[0] == major && r[1] >= minor
}
