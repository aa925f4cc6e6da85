package balancer

// untried returns how many of the nodes the request has not tried.
func untried(nodes []*Node, r *Request) int {
	count := 0
	for _, n := range nodes {
		if !r.HasTried(n) {
			count++
		}
	}
	return count
}

// nthUntried returns the place of the n-th node, from 0, that the request has not tried.
// There must be more than n of them.
func nthUntried(nodes []*Node, r *Request, n int) int {
	for i, node := range nodes {
		if r.HasTried(node) {
			continue
		}
		if n == 0 {
			return i
		}
		n--
	}
	panic("balancer: fewer untried nodes than counted")
}
