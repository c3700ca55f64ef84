package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	batch "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"

	"replay/cmd/replay/cmdline"
)

// readJob reads a manifest by the API's types, and refuses what they do not have.
func readJob(t *testing.T, path string) *batch.Job {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var job batch.Job
	if err := yaml.UnmarshalStrict(text, &job); err != nil {
		t.Fatalf("%s: %v\n%s", path, err, text)
	}
	again, err := yaml.Marshal(&job)
	if err != nil || strings.TrimSuffix(string(again), "status: {}\n") != string(text) {
		t.Errorf("%s reads as\n%s\nnot\n%s (%v)", path, again, text, err)
	}
	return &job
}

// pod is the process of a Job's pod with an index, as a kubelet starts it.
func pod(job *batch.Job, index int) *exec.Cmd {
	c := job.Spec.Template.Spec.Containers[0]
	var words []string
	for _, w := range c.Args {
		w = strings.ReplaceAll(w, "$(JOB_COMPLETION_INDEX)", fmt.Sprint(index))
		words = append(words, strings.ReplaceAll(w, "$$(", "$("))
	}
	p := process(words...)
	p.Env = append(p.Env, fmt.Sprintf("JOB_COMPLETION_INDEX=%d", index))
	return p
}

// A sweep on Kubernetes is an Indexed Job and one that merges. Run index by index, one killed and run again as the Job's backoff does, they leave the bytes of one machine.
func TestSweepOnKubernetes(t *testing.T) {
	dir := sweepDir(t, strings.Replace(smallPlan, "drf: --sharing drf", "newest: --policy files/newest.star", 1))
	fairFile(t, "")
	if err := os.WriteFile("in/files/newest.star", []byte(newestFile), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, "sweep", "in/plan.yaml", "--out", "alone", "-q")
	on := []string{"sweep", "in/plan.yaml", "--out", "$(s)", "--on", "kubernetes", "--image", "registry/replay:1", "--claim", "sweeps", "--shards", "4", "--throttle", "3", "--queue", "night", "--namespace", "lab", "--requests", "cpu=1500m,memory=3Gi"}
	var said manifests
	if err := json.Unmarshal([]byte(must(t, append(on, "--json")...)), &said); err != nil || said.Cells != 12 || said.Indices != 4 || len(said.Commands) != 3 {
		t.Fatalf("it says %+v (%v)", said, err)
	}
	job, merge := readJob(t, "$(s)/kubernetes/cells.yaml"), readJob(t, "$(s)/kubernetes/merge.yaml")
	s, c := &job.Spec, job.Spec.Template.Spec.Containers[0]
	if job.Name != said.Job || merge.Name != said.Merge || job.Namespace != "lab" || job.Labels["kueue.x-k8s.io/queue-name"] != "night" || !*s.Suspend ||
		*s.CompletionMode != batch.IndexedCompletion || *s.Completions != 4 || *s.Parallelism != 3 || *s.BackoffLimitPerIndex != 3 || s.BackoffLimit != nil {
		t.Errorf("the Job is %+v", job)
	}
	if c.Image != "registry/replay:1" || c.VolumeMounts[0].MountPath != dir || c.Resources.Requests.Memory().String() != "3Gi" || !strings.Contains(strings.Join(c.Args, " "), "--jobs 2 ") {
		t.Errorf("the container is %+v", c)
	}
	if !strings.Contains(said.Commands[1], "job/"+said.Job) {
		t.Errorf("it says %v", said.Commands)
	}
	for _, name := range []string{"in/files", "in/plan.yaml"} { // the pods have them with the sweep
		if err := os.Rename(name, filepath.Join(t.TempDir(), "away")); err != nil {
			t.Fatal(err)
		}
	}
	var words bytes.Buffer
	lost := pod(job, 1)
	lost.Stdout, lost.Stderr = &words, &words
	if err := lost.Start(); err != nil {
		t.Fatal(err)
	}
	gone := make(chan error, 1)
	go func() { gone <- lost.Wait() }()
	for alive := true; alive; { // killed when it has replayed something
		select {
		case err := <-gone:
			if there, _ := filepath.Glob("$(s)/cells/*.json"); len(there) == 0 {
				t.Fatalf("index 1 ends without a cell: %v\n%s", err, &words)
			}
			alive = false
		case <-time.After(time.Millisecond):
			if there, _ := filepath.Glob("$(s)/cells/*.json"); len(there) > 0 {
				lost.Process.Kill()
			}
		}
	}
	for _, index := range []int{3, 0, 1, 2} {
		if out, err := pod(job, index).CombinedOutput(); err != nil {
			t.Fatalf("index %d: %v\n%s", index, err, out)
		}
	}
	if out, err := pod(merge, 0).CombinedOutput(); err != nil {
		t.Fatalf("merge: %v\n%s", err, out)
	}
	if !sameFiles(files(t, "$(s)/merged"), files(t, "alone/merged")) {
		t.Error("merged by Jobs are other bytes than those of one machine")
	}
	text, err := os.ReadFile("$(s)/packed-plan.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("changed.json", []byte(strings.Replace(string(text), "b.start - a.start", "a.start - b.start", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := cmd(t, "sweep", "run", "changed.json", "--out", "t", "--shard", "1/4"); code != cmdline.ExitBadInput || !strings.Contains(stderr, "changed.json: hash is") {
		t.Errorf("a packed plan that was changed: exit %d, %s", code, stderr)
	}
	writePlan(t, smallPlan)
	fairFile(t, "")
	for _, tt := range []struct{ args, want string }{
		{"--on kubernetes --claim a", "--on kubernetes wants --image"},
		{"--on kubernetes --claim a --image b --volume in/traces", "/t is not below --volume"},
		{"--on kubernetes --claim a --image b --requests cpu=x", `--requests is "cpu=x", want a list of RESOURCE=QUANTITY such as cpu=2,memory=4Gi`},
		{"--image b", "--image wants --on kubernetes"},
		{"--on slurm --claim b", "--claim wants --on kubernetes"},
	} {
		words := append([]string{"sweep", "in/plan.yaml", "--out", "t"}, strings.Fields(tt.args)...)
		if code, _, stderr := cmd(t, words...); code != cmdline.ExitUsage || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: exit %d, %s", tt.args, code, stderr)
		}
	}
}
