package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"replay/cmd/replay/cmdline"
	"replay/report/quantity"
	"replay/sweep"
	"replay/sweep/on"
)

// onSpark has a Spark job replay the cells, and merges them after it.
func (w *sweeping) onSpark(h *handed, formats []string) error {
	options, err := splitWords(w.c.String("spark"))
	if err != nil {
		return cmdline.Usagef("--spark: %w", err)
	}
	if slices.ContainsFunc(options, func(o string) bool { return o == "--files" || strings.HasPrefix(o, "--files=") }) {
		return cmdline.Usagef("--spark has --files, which brings the program to the executors")
	}
	log := w.c.App.ErrWriter
	if w.c.Bool("quiet") {
		log = io.Discard
	} else {
		fmt.Fprintf(log, "%s in %s of a Spark job\n", quantity.Counted(int64(h.cells), "cells"), quantity.Counted(int64(len(h.parts)), "tasks"))
	}
	s := on.Spark{Submit: w.c.String("spark-submit"), Program: h.program, Plan: h.plan, Dir: h.dir, Options: options}
	if err := s.Run(w.c.Context, h.parts, log); err != nil {
		return err
	}
	return w.p.merge(w.c, []sweep.Store{w.store}, "", false, formats)
}
