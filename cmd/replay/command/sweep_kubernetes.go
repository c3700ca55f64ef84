package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"replay/cmd/replay/cmdline"
	"replay/report/quantity"
	"replay/sweep"
	"replay/sweep/on"
)

// someRequests wants what a pod may request.
func someRequests(value string) error {
	_, err := on.ParseRequests(value)
	return err
}

// manifests are the Jobs that were written for Kubernetes.
type manifests struct {
	Cells    int      `json:"cells"`
	Indices  int      `json:"indices"`
	Job      string   `json:"job"`      // name of the Indexed Job
	Merge    string   `json:"merge"`    // and of the one that merges
	Commands []string `json:"commands"` // that run them
}

// onKubernetes writes the Jobs and says how they are run. No API server takes part.
func (w *sweeping) onKubernetes(h *handed) error {
	root := w.c.String("volume")
	if root == "" {
		root = "."
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	paths := []string{h.dir}
	for _, s := range w.sources {
		path, err := filepath.Abs(s.dir)
		if err != nil {
			return err
		}
		paths = append(paths, path)
	}
	for _, path := range paths {
		if below, err := filepath.Rel(root, path); err != nil || below == ".." || strings.HasPrefix(below, ".."+string(os.PathSeparator)) {
			return cmdline.Usagef("%s is not below --volume %s: the pods see nothing else", path, root)
		}
	}
	requests, _ := on.ParseRequests(w.c.String("requests")) // the flag takes no other
	k := on.Kubernetes{Image: w.c.String("image"), Claim: w.c.String("claim"), Root: root, Plan: h.plan, Dir: h.dir, Namespace: w.c.String("namespace"),
		Queue: w.c.String("queue"), Requests: requests, Throttle: w.c.Int("throttle")}
	m := manifests{Cells: h.cells, Indices: len(h.parts)}
	if m.Job, m.Merge, err = k.Write(h.parts); err != nil {
		return err
	}
	m.Commands = k.Commands(m.Job)
	if w.c.Bool("json") {
		return cmdline.WriteJSON(w.c.App.Writer, m)
	}
	_, err = fmt.Fprintf(w.c.App.Writer, "%s in %s of Job %s, written to %s and sent nowhere. With that folder on the volume:\n  %s\nThe same command writes Jobs for what fails.\n",
		quantity.Counted(int64(h.cells), "cells"), quantity.Counted(int64(len(h.parts)), "indices"), m.Job, filepath.Join(w.store.Dir, sweep.KubernetesFolder), strings.Join(m.Commands, "\n  "))
	return err
}
