package workload

import (
	"fmt"
	"regexp"
	"strings"
)

// Things is what a name of a [Counter] says of so many: "file that is not read" of one of files_that_are_not_read.
func Things(n int64, name string) string {
	things := strings.ReplaceAll(name, "_", " ")
	if n != 1 || strings.ContainsAny(things, "./") { // the latter is a name of the source's own
		return things
	}
	more := ""
	if at := behindThings.FindStringIndex(things); at != nil {
		things, more = things[:at[0]], things[at[0]:]
	}
	for _, verb := range [][2]string{
		{"are", "is"}, {"were", "was"}, {"have", "has"}, {"say", "says"}, {"change", "changes"}, {"match", "matches"}, {"end", "ends"}, {"run", "runs"}, {"do", "does"},
	} {
		if rest, ok := strings.CutPrefix(more, " that "+verb[0]+" "); ok {
			more = " that " + verb[1] + " " + rest
		}
	}
	if one, ok := strings.CutSuffix(things, "ies"); ok {
		return one + "y" + more
	}
	if !strings.HasSuffix(things, " ms") {
		things = strings.TrimSuffix(things, "s")
	}
	return things + more
}

// Counted is so many [Things]: "1 file that is not read".
func Counted(n int64, name string) string { return fmt.Sprintf("%d %s", n, Things(n, name)) }

// behindThings begins what is said of things behind their name.
var behindThings = regexp.MustCompile(` (that|of|with|without|whose|for|on|to|in|as|at|before|after|outside|against|other|left|given|asked|taken|cut|added|removed|failed|killed|lost|run|skipped|below|never|speculative|0|ANY|NO|NODE|PROCESS|RACK)( |$)`)
