package workload

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// utf8Text returns a text as the trace can hold it: bytes that are no UTF-8 stand as \xNN, so that different names stay different.
func utf8Text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[0])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// takeTexts makes all names of an application UTF-8, and counts those that were not.
func (b *Builder) takeTexts(a *Application) {
	take := func(s *string) {
		if !utf8.ValidString(*s) {
			*s = utf8Text(*s)
			b.Counts.Modelled["texts_of_other_encodings"]++
		}
	}
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
		take(&a.Job.Stages[i].Pool)
	}
}
