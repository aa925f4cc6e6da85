package demo

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func allElements(t *testing.T) []element {
	t.Helper()
	elements, err := readElements()
	require.NoError(t, err)
	return elements
}

func TestElementsAreAllThereAndInOrder(t *testing.T) {
	elements := allElements(t)
	require.Len(t, elements, 118)
	periods, symbols, names := map[any]int{}, map[any]bool{}, map[any]bool{}
	for i, e := range elements {
		assert.Equal(t, i+1, e["number"])
		periods[e["period"]]++
		symbols[e["symbol"]], names[e["name"]] = true, true
	}
	assert.Equal(t, map[any]int{1: 2, 2: 8, 3: 8, 4: 18, 5: 18, 6: 32, 7: 32}, periods)
	assert.Len(t, symbols, 118)
	assert.Len(t, names, 118)
}

func TestSymbolsAreThoseOfTheTextbook(t *testing.T) {
	elements := allElements(t)
	for number, symbol := range map[int]string{
		1: "H", 2: "He", 6: "C", 7: "N", 8: "O", 11: "Na", 17: "Cl", 19: "K", 26: "Fe", 29: "Cu", 47: "Ag", 50: "Sn",
		54: "Xe", 57: "La", 71: "Lu", 74: "W", 79: "Au", 80: "Hg", 82: "Pb", 92: "U", 103: "Lr", 118: "Og",
	} {
		assert.Equal(t, symbol, elements[number-1]["symbol"])
	}
}

func TestWeightsGrowButForTheKnownInversions(t *testing.T) {
	inversions := map[any]any{ // the heavier one comes first
		"Ar": "K", "Co": "Ni", "Te": "I", "Th": "Pa", "U": "Np", "Pu": "Am", "Bh": "Hs",
	}
	elements := allElements(t)
	for i, e := range elements[:117] {
		next := elements[i+1]
		if inversions[e["symbol"]] == next["symbol"] {
			assert.Greater(t, e["weight"], next["weight"], "%s and %s", e["symbol"], next["symbol"])
			continue
		}
		assert.LessOrEqual(t, e["weight"], next["weight"], "%s and %s", e["symbol"], next["symbol"])
	}
}

func TestGroupsAndBlocksFillTheTable(t *testing.T) {
	blocks, groups := map[any]int{}, map[any]int{}
	for _, e := range allElements(t) {
		blocks[e["block"]]++
		groups[e["group"]]++
		assert.Equal(t, e["block"] == "f", e["group"] == nil, "%s", e["symbol"])
	}
	assert.Equal(t, map[any]int{"s": 14, "p": 36, "d": 40, "f": 28}, blocks)
	assert.Equal(t, map[any]int{
		1: 7, 2: 6, 3: 4, 4: 4, 5: 4, 6: 4, 7: 4, 8: 4, 9: 4, 10: 4, 11: 4, 12: 4,
		13: 6, 14: 6, 15: 6, 16: 6, 17: 6, 18: 7, nil: 28,
	}, groups)
}

func TestPhasesFitTheMeltingAndBoilingPoints(t *testing.T) {
	const room = 298.15
	for _, e := range allElements(t) {
		melting, hasMelting := e["melting"].(float64)
		boiling, hasBoiling := e["boiling"].(float64)
		if hasMelting && hasBoiling {
			assert.Less(t, melting, boiling, "%s", e["symbol"])
		}
		switch e["phase"] {
		case "gas":
			assert.Less(t, boiling, room, "%s", e["symbol"])
		case "liquid":
			assert.Less(t, melting, room, "%s", e["symbol"])
			assert.Greater(t, boiling, room, "%s", e["symbol"])
		case "solid":
			assert.True(t, !hasMelting || melting > room, "%s", e["symbol"])
		default:
			assert.Contains(t, []any{nil}, e["phase"], "%s", e["symbol"])
			assert.False(t, hasMelting || hasBoiling || e["density"] != nil, "%s", e["symbol"])
		}
	}
}

func TestDensitiesOfSolidsAndGasesAreApart(t *testing.T) {
	for _, e := range allElements(t) {
		if density, ok := e["density"].(float64); ok {
			assert.Equal(t, e["phase"] == "gas", density < 0.1, "%s", e["symbol"])
			assert.Less(t, density, 23.0, "%s: osmium is the densest", e["symbol"])
		}
	}
}
