package contract

import "strings"

// longestWord bounds what the distance is computed for; names are shorter,
// and whatever is longer is no misspelling of one.
const longestWord = 64

// Nearest is the known word that value most likely was meant to be, "" when
// none comes close. Letter case, "_" and "-" do not count, so issueNumber is
// as good as issue_number.
func Nearest(value string, known []string) string {
	word := fold(value)
	if word == "" || len(word) > longestWord {
		return ""
	}
	best, bestCost := "", 0
	for _, candidate := range known {
		cost, near := closeness(word, fold(candidate))
		if near && (best == "" || cost < bestCost) {
			best, bestCost = candidate, cost
		}
	}
	return best
}

// closeness is the edit distance, and whether it is small enough for the
// length of the words. A whole word inside the other ("number" in
// "issue_number") is near too, behind every misspelling.
func closeness(word, candidate string) (cost int, near bool) {
	cost = distance([]rune(word), []rune(candidate))
	longer := max(len(word), len(candidate))
	if cost*5 <= longer*2 {
		return cost, true
	}
	shorter := min(len(word), len(candidate))
	inside := strings.Contains(word, candidate) || strings.Contains(candidate, word)
	return cost + longestWord, inside && shorter >= 3
}

func fold(word string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(word))
}

// distance counts the letters to add, drop, change or swap with a neighbour.
func distance(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			rows[i][j] = min(rows[i-1][j-1]+change, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
