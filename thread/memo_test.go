package thread

import (
	"strconv"
	"testing"
)

func TestMemoIsBoundedAndKeepsThreadsApart(t *testing.T) {
	memo := NewMemo()
	for i := range 10 * memoSize {
		memo.learn("o/r#1", strconv.Itoa(i), "cursor"+strconv.Itoa(i))
	}
	if n := len(memo.young) + len(memo.old); n > memoSize {
		t.Errorf("the memo holds %d cursors, its bound is %d", n, memoSize)
	}
	newest := strconv.Itoa(10*memoSize - 1)
	if got := memo.cursor("o/r#1", newest); got != "cursor"+newest {
		t.Errorf("the newest cursor is %q", got)
	}
	if got := memo.cursor("o/r#2", newest); got != "" {
		t.Errorf("another thread knows %q", got)
	}
	if got := memo.cursor("o/r#1", "0"); got != "" {
		t.Errorf("the oldest cursor is still %q", got)
	}
	memo.learn("o/r#1", newest, "")
	if got := memo.cursor("o/r#1", newest); got != "cursor"+newest {
		t.Errorf("no cursor made %q of a known one", got)
	}
	for i := range memoSize / 2 {
		memo.learn("o/r#3", strconv.Itoa(i), "cursor")
	}
	if got := memo.cursor("o/r#1", newest); got != "cursor"+newest {
		t.Errorf("what was learned lately is %q", got)
	}
	var none *Memo
	none.learn("o/r#1", "1", "x")
	if got := none.cursor("o/r#1", "1"); got != "" {
		t.Errorf("no memo knows %q", got)
	}
}
