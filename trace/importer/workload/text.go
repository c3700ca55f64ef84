package workload

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode/utf8"
)

// longestText is how many bytes of a name are kept. The longest that people give, descriptions of queries, have some hundred.
const longestText = 4096

// tableText returns a text as the trace can hold it: bytes that are no UTF-8 stand as \xNN, and in place of what is beyond the longest text stands its hash, so that different names stay
// different.
func tableText(s string) string {
	if fits(s) {
		return s
	}
	var b strings.Builder
	for rest := s; len(rest) > 0; {
		r, n := utf8.DecodeRuneInString(rest)
		if b.Len()+n+4 > longestText {
			sum := sha256.Sum256([]byte(s))
			fmt.Fprintf(&b, "…%x", sum[:8])
			break
		}
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, rest[0])
		} else {
			b.WriteString(rest[:n])
		}
		rest = rest[n:]
	}
	return b.String()
}

func fits(s string) bool { return len(s) <= longestText && utf8.ValidString(s) }

// takeText makes a text such as the trace can hold, and counts one that was not.
func (b *Builder) takeText(s *string) {
	if fits(*s) {
		return
	}
	if !utf8.ValidString(*s) {
		b.Counts.Modelled["texts_of_other_encodings"]++
	} else {
		b.Counts.Modelled["texts_that_were_cut"]++
	}
	*s = tableText(*s)
}

// takeTexts is takeText of all names of an application.
func (b *Builder) takeTexts(a *Application) {
	take := b.takeText
	for _, s := range []*string{&a.Job.Name, &a.Job.ExternalID, &a.User, &a.Queue, &a.Attempt, &a.Manager} {
		take(s)
	}
	for _, list := range [][]string{a.DependsOn, a.Hosts} {
		for i := range list {
			take(&list[i])
		}
	}
	for i := range a.Files {
		take(&a.Files[i].Name)
	}
	for i := range a.Job.Conf {
		take(&a.Job.Conf[i].Key)
		take(&a.Job.Conf[i].Value)
	}
	for i := range a.Job.Stages {
		st := &a.Job.Stages[i]
		take(&st.Pool)
		take(&st.Name)
		take(&st.ExternalID)
	}
}
