package master

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"replay/engine/record"
)

// OwnKeys warns of the keys of a file that jobs set themselves; counts says how many of them do, by key.
func OwnKeys(code, file string, counts map[string]int, jobs int) []record.Warning {
	return ofJobs(code, file, "jobs set these keys themselves, so the file changes nothing for them: ", "; --override puts the file on top", counts, jobs)
}

// UnreadKeys warns of keys at a place that jobs do not read because of another setting.
func UnreadKeys(code, place, setting string, counts map[string]int, jobs int) []record.Warning {
	return ofJobs(code, place, "keys that jobs do not read under their "+setting+": ", "", counts, jobs)
}

func ofJobs(code, place, before, after string, counts map[string]int, jobs int) []record.Warning {
	if len(counts) == 0 {
		return nil
	}
	var texts []string
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		texts = append(texts, fmt.Sprintf("%s (%d of %d jobs)", key, counts[key], jobs))
	}
	return []record.Warning{{Code: code, Count: 1, Text: place + ": " + before + strings.Join(texts, ", ") + after}}
}

// NoJobFor warns that a file, "" for none, and single keys have no effect, because no application of their kind is replayed.
func NoJobFor(kind, file string, keys []string) (list []record.Warning) {
	say := func(place, what string) {
		list = append(list, record.Warning{Code: record.NoJob, Count: 1, Text: fmt.Sprintf("%s: no %s is replayed, so %s", place, kind, what)})
	}
	if file != "" {
		say(file, "the file has no effect")
	}
	if len(keys) > 0 {
		say("--conf", "these keys have no effect: "+strings.Join(keys, ", "))
	}
	return list
}
