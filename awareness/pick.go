package awareness

// place is a tool's place in a list of servers.
type place struct{ server, tool int }

// pick chooses up to limit tools, one of each server in turn so that a server
// with many tools does not hide the others, and returns them in their own order
// with the number of those left out.
func pick(servers []Server, limit int) (picked []place, left int) {
	taken := make([]int, len(servers)) // tools taken of each server
	total := 0
	for _, server := range servers {
		total += len(server.Tools)
	}
	for n := min(limit, total); n > 0; {
		for i := range servers {
			if n > 0 && taken[i] < len(servers[i].Tools) {
				taken[i]++
				n--
			}
		}
	}
	for i, count := range taken {
		for j := range count {
			picked = append(picked, place{i, j})
		}
	}
	return picked, total - len(picked)
}
