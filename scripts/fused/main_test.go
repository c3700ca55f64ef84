package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// Each product of the example that is marked is found, also by way of a variable and of a function, and no other.
func TestProducts(t *testing.T) {
	const name = "testdata/sums/sums.go"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	found, err := look([]string{"./testdata/sums"})
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(line, "// want") {
			want = append(want, fmt.Sprint(name, ":", i+1))
		}
	}
	for _, line := range found {
		place := strings.Split(line[strings.Index(line, name):], ":")
		got = append(got, place[0]+":"+place[1])
	}
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}
