package on

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"replay/outdir"
	"replay/sweep"
)

// Kubernetes writes an Indexed Job that replays cells, one list for each index, and a Job that merges them. Nothing is sent to a cluster. A volume has
// the sweep's directory, in which the plan is, and the traces, and stands in the pods at the path that it has here.
type Kubernetes struct {
	Image     string // has the program as /replay
	Claim     string // name of the PersistentVolumeClaim, of a volume that many nodes may write
	Root      string // absolute path of the volume here
	Plan, Dir string // absolute paths below Root
	Namespace string // "" for that of whoever applies it
	Queue     string // of Kueue, "" for none
	Requests  core.ResourceList
	Throttle  int // pods at once, 0 for all
}

// The files of the two Jobs in [sweep.KubernetesFolder], beside the lists of cells.
const (
	cellsJob = "cells.yaml"
	mergeJob = "merge.yaml"
)

// programInImage is where an image has the program; scripts/image puts it there.
const programInImage = "/replay"

// indexVariable is where a pod of an Indexed Job finds its index. Source: kubernetes.io/docs/concepts/workloads/controllers/job.
const indexVariable = "JOB_COMPLETION_INDEX"

// retries are how often an index runs again that failed or lost its pod. What it replayed before is there.
const retries = 3

// Write writes the lists and both Jobs, and returns the names of the Jobs. The names follow from the cells, so that what is still missing after a failure gets
// Jobs of its own.
func (k *Kubernetes) Write(parts [][]string) (cells, merge string, err error) {
	sum := sha256.New()
	for _, ids := range parts {
		fmt.Fprintln(sum, ids)
	}
	suffix := hex.EncodeToString(sum.Sum(nil))[:10]
	cells, merge = "replay-sweep-"+suffix, "replay-merge-"+suffix
	out, err := outdir.Begin(filepath.Join(k.Dir, sweep.KubernetesFolder))
	if err != nil {
		return "", "", err
	}
	defer out.Abort()
	if err := writeParts(0, out.WriteFile, parts); err != nil {
		return "", "", err
	}
	for name, job := range map[string]*batch.Job{cellsJob: k.cells(cells, len(parts)), mergeJob: k.job(merge, "sweep", "merge", k.Dir)} {
		text, err := manifest(job)
		if err == nil {
			err = out.WriteFile(name, text)
		}
		if err != nil {
			return "", "", err
		}
	}
	return cells, merge, out.Install()
}

// Commands run the Job of the cells called cells, wait for it, and merge. A Job of the same name that ended earlier gives way.
func (k *Kubernetes) Commands(cells string) []string {
	kubectl := "kubectl "
	if k.Namespace != "" {
		kubectl += "--namespace " + quoted(k.Namespace) + " "
	}
	file := func(name string) string { return quoted(filepath.Join(k.Dir, sweep.KubernetesFolder, name)) }
	return []string{
		kubectl + "replace --force -f " + file(cellsJob),
		kubectl + "wait --for=condition=Complete --timeout=-1s job/" + cells,
		kubectl + "replace --force -f " + file(mergeJob),
	}
}

// cells is the Job with an index for each list.
func (k *Kubernetes) cells(name string, n int) *batch.Job {
	jobs := k.Requests.Cpu().Value() // rounded up
	job := k.job(name, "sweep", "run", k.Plan, "--out", k.Dir, "--jobs", fmt.Sprint(max(1, jobs)), "--cells", filepath.Join(k.Dir, sweep.KubernetesFolder, "cells-"))
	args := job.Spec.Template.Spec.Containers[0].Args
	args[len(args)-1] += "$(" + indexVariable + ")"
	s := &job.Spec
	s.CompletionMode = pointer(batch.IndexedCompletion)
	s.Completions, s.Parallelism = pointer(int32(n)), pointer(int32(n))
	if k.Throttle > 0 {
		s.Parallelism = pointer(int32(min(n, k.Throttle)))
	}
	s.BackoffLimit, s.BackoffLimitPerIndex = nil, pointer(int32(retries))
	return job
}

// job is a Job of one pod that runs the program.
func (k *Kubernetes) job(name string, words ...string) *batch.Job {
	args := make([]string, len(words))
	for i, w := range words {
		args[i] = strings.ReplaceAll(w, "$(", "$$(") // is no variable
	}
	labels := map[string]string{"app.kubernetes.io/name": "replay"}
	job := &batch.Job{
		TypeMeta:   meta.TypeMeta{APIVersion: batch.SchemeGroupVersion.String(), Kind: "Job"},
		ObjectMeta: meta.ObjectMeta{Name: name, Namespace: k.Namespace, Labels: labels},
		Spec: batch.JobSpec{
			BackoffLimit: pointer(int32(retries)),
			PodFailurePolicy: &batch.PodFailurePolicy{Rules: []batch.PodFailurePolicyRule{{ // a pod that was evicted or preempted is no failure of its index
				Action:          batch.PodFailurePolicyActionIgnore,
				OnPodConditions: []batch.PodFailurePolicyOnPodConditionsPattern{{Type: core.DisruptionTarget, Status: core.ConditionTrue}},
			}}},
			Template: core.PodTemplateSpec{
				ObjectMeta: meta.ObjectMeta{Labels: labels},
				Spec: core.PodSpec{
					RestartPolicy: core.RestartPolicyNever,
					Containers: []core.Container{{
						Name: "replay", Image: k.Image, Command: []string{programInImage}, Args: args,
						Resources:    core.ResourceRequirements{Requests: k.Requests},
						VolumeMounts: []core.VolumeMount{{Name: "sweep", MountPath: k.Root}},
					}},
					Volumes: []core.Volume{{Name: "sweep", VolumeSource: core.VolumeSource{PersistentVolumeClaim: &core.PersistentVolumeClaimVolumeSource{ClaimName: k.Claim}}}},
				},
			},
		},
	}
	if k.Queue != "" {
		job.Labels = map[string]string{"app.kubernetes.io/name": "replay", kueueQueue: k.Queue}
		job.Spec.Suspend = pointer(true) // until Kueue admits it
	}
	return job
}

// kueueQueue is the label by which Kueue takes a Job into a LocalQueue. Source: kueue.sigs.k8s.io/docs/tasks/run/jobs.
const kueueQueue = "kueue.x-k8s.io/queue-name"

// manifest is a Job as kubectl reads it. The status is the cluster's to write.
func manifest(job *batch.Job) ([]byte, error) {
	text, err := yaml.Marshal(job)
	if err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text, []byte("status: {}\n")), nil
}

// amounts are quantities that a cluster may have: the library takes forever for an exponent of many digits.
var amounts = regexp.MustCompile(`^[0-9.]{1,30}([eE][-+]?[0-9]{1,2}|[A-Za-z]{0,2})$`)

// ParseRequests reads what a pod requests, such as "cpu=2,memory=4Gi".
func ParseRequests(text string) (core.ResourceList, error) {
	out := core.ResourceList{}
	for _, field := range strings.Split(text, ",") {
		name, amount, ok := strings.Cut(strings.TrimSpace(field), "=")
		wrong := fmt.Errorf("want a list of RESOURCE=QUANTITY such as cpu=2,memory=4Gi, and %q is none", field)
		if !ok || name == "" || !amounts.MatchString(amount) {
			return nil, wrong
		}
		q, err := resource.ParseQuantity(amount)
		if err != nil || q.Sign() <= 0 {
			return nil, wrong
		}
		out[core.ResourceName(name)] = q
	}
	return out, nil
}

func pointer[T any](x T) *T { return &x }
