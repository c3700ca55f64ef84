package main

import (
	"strings"
	"testing"
)

func TestAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	var b strings.Builder
	kept, err := answer(t.Context(), &b, "../../traces", "../../cmd/replay", "diff,gate,sums,causes", 3) // a plan against a scan takes a thousand replays
	if err != nil || !kept || strings.Count(b.String(), "\n") != 4 {
		t.Errorf("%v\n%s", err, b.String())
	}
}
