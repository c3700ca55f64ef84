// Package counted says how many things there are: "1 job", "3 jobs".
package counted

import (
	"fmt"
	"regexp"
	"strings"
)

// Things is what so many of things are called by their name in the plural, which may have "_" for spaces: "file that is not read" of one of files_that_are_not_read.
func Things[N int | int32 | int64](n N, name string) string {
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

// Of is so many [Things]: "1 file that is not read".
func Of[N int | int32 | int64](n N, name string) string {
	return fmt.Sprintf("%d %s", n, Things(n, name))
}

// behindThings begins what is said of things behind their name.
var behindThings = regexp.MustCompile(` (that|of|with|without|whose|for|on|to|in|as|at|before|after|outside|against|other|left|given|asked|taken|cut|added|removed|failed|killed|lost|run|skipped|below|never|speculative|0|ANY|NO|NODE|PROCESS|RACK)( |$)`)
