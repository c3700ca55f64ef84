package jvm

import "slices"

// Sort is java.util.Arrays.sort of objects. Up to 31 of them come out as there also when compare contradicts itself; more are sorted
// by any stable way, which is the same where it does not.
//
// Source: java.util.TimSort.
func Sort[T any](list []T, compare func(a, b T) int) {
	n := len(list)
	if n >= 32 {
		slices.SortStableFunc(list, compare)
		return
	}
	if n < 2 {
		return
	}
	run := 2
	if compare(list[1], list[0]) < 0 {
		for run < n && compare(list[run], list[run-1]) < 0 {
			run++
		}
		slices.Reverse(list[:run])
	} else {
		for run < n && compare(list[run], list[run-1]) >= 0 {
			run++
		}
	}
	for ; run < n; run++ {
		x := list[run]
		left, right := 0, run
		for left < right {
			if mid := (left + right) / 2; compare(x, list[mid]) < 0 {
				right = mid
			} else {
				left = mid + 1
			}
		}
		copy(list[left+1:run+1], list[left:run])
		list[left] = x
	}
}
