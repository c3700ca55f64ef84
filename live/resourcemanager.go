package live

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// resourceManager is the REST API of the ResourceManager, /ws/v1/cluster. The shapes of its answers are those of Hadoop 3.4.1; what is
// left out of older ones is said.
type resourceManager struct {
	*client
	bases []*url.URL
	sync.Mutex
	active int // the base that answered last
}

// ask asks the ResourceManager that answered last, and then the others.
func (r *resourceManager) ask(ctx context.Context, path string, query url.Values, v any) ([]byte, error) {
	r.Lock()
	first := r.active
	r.Unlock()
	var errs []error
	for i := range r.bases {
		at := (first + i) % len(r.bases)
		b, err := r.get(ctx, r.bases[at], path, query, v)
		if err == nil {
			r.Lock()
			r.active = at
			r.Unlock()
			return b, nil
		}
		errs = append(errs, err)
		if !passing(err) || ctx.Err() != nil {
			return nil, err
		}
	}
	return nil, errors.Join(errs...)
}

// aPage is where the pages of a ResourceManager begin, and its REST API. A proxy may have something before it.
var aPage = regexp.MustCompile(`/(cluster|ui2|ws)(/.*)?$`)

// withoutPages makes of the addresses of pages, as people copy them, those of the servers, and returns the pages.
func (r *resourceManager) withoutPages() (pages []string) {
	for _, u := range r.bases {
		if at := aPage.FindStringIndex(u.Path); at != nil {
			pages = append(pages, u.String())
			u.Path = u.Path[:at[0]]
		}
	}
	return pages
}

// wrongField is an error of an answer: which field, its value and what was wanted.
func (r *resourceManager) wrongField(path, field string, value any, want string) error {
	return wrongAnswer(r.at(r.bases[r.active], path, nil), "%s is %#v, want %s", field, value, want)
}

// settings records the ResourceManager itself, its configuration and its queues.
func (r *recorder) settings(ctx context.Context, at int64) error {
	var info struct {
		Info struct {
			Started int64  `json:"startedOn"`
			State   string `json:"haState"`
			Hadoop  string `json:"hadoopVersion"`
		} `json:"clusterInfo"`
	}
	const infoPath, schedulerPath = "/ws/v1/cluster/info", "/ws/v1/cluster/scheduler"
	b, err := r.rm.ask(ctx, infoPath, nil, &info)
	if err != nil && ctx.Err() == nil && !passing(err) {
		if pages := r.rm.withoutPages(); pages != nil {
			if b, err = r.rm.ask(ctx, infoPath, nil, &info); err == nil {
				r.Note(fmt.Sprintf("--rm %s is a page: the ResourceManager is asked at %s", strings.Join(pages, ", "), r.rm.bases[r.rm.active]))
			}
		}
	}
	if err != nil {
		return err
	}
	if info.Info.Hadoop == "" {
		return r.rm.wrongField(infoPath, "clusterInfo.hadoopVersion", "", "the version of a ResourceManager: is this its web address?")
	}
	c := &r.rec.Cluster
	var scheduler schedulerAnswer
	tree, err := r.rm.ask(ctx, schedulerPath, nil, &scheduler)
	if err != nil {
		return err
	}
	if c.StartedMS != info.Info.Started {
		if err := r.store.writeSeen("info", at, b); err != nil {
			return err
		}
		c.Restarts++
	}
	c.Hadoop, c.StartedMS = info.Info.Hadoop, info.Info.Started
	if err := r.conf(ctx); err != nil {
		return err
	}
	own, err := r.schedulerConf(ctx)
	if err != nil {
		return err
	}
	name, file, queues, err := scheduler.file(own)
	if err != nil {
		return r.rm.wrongField(schedulerPath, "scheduler.schedulerInfo", err.Error(), "the queues of a FairScheduler, CapacityScheduler or FifoScheduler")
	}
	c.Scheduler, r.store.queues = scheduler.Scheduler.Info.Type, queues
	if name == "" {
		return nil
	}
	changed, err := r.store.writeMade(name, file)
	if err != nil || !changed {
		return err
	}
	return r.store.writeSeen("scheduler", at, tree)
}

// secretName matches names of settings and parameters that may hold a credential.
var secretName = regexp.MustCompile(`(?i)pass(word|wd|phrase)?\b|pass$|secret|credential|token|signature|private|account\.key|(access|encryption)\.?key`)

// conf records the settings of YARN that are not its defaults. In HDFS's the usual replication and size of blocks are looked up.
func (r *recorder) conf(ctx context.Context) error {
	var conf struct {
		Properties []property `json:"properties"`
	}
	if _, err := r.rm.ask(ctx, "/conf", url.Values{"format": {"json"}}, &conf); err != nil {
		var answer *answerError
		if errors.As(err, &answer) && answer.status != 0 && answer.status != http.StatusOK {
			r.Note("settings of YARN are not recorded: " + err.Error())
			r.store.site = map[string]string{}
			return nil
		}
		return err
	}
	site, kept := map[string]string{}, []property{}
	for _, p := range conf.Properties {
		secret := secretName.MatchString(p.Key) || strings.Contains(p.Value, "redacted")
		switch p.Key {
		case "yarn.resourcemanager.max-completed-applications":
			r.rec.Cluster.MaxCompleted, _ = strconv.ParseInt(p.Value, 10, 64)
		case "dfs.replication":
			r.store.hdfs.Replication, _ = strconv.ParseInt(p.Value, 10, 64)
		case "dfs.blocksize":
			r.store.hdfs.BlockSize, _ = strconv.ParseInt(p.Value, 10, 64)
		}
		if secret || !strings.HasPrefix(p.Key, "yarn.") {
			continue
		}
		kept = append(kept, p)
		if !strings.HasSuffix(p.Resource, "-default.xml") && p.Key != "yarn.scheduler.fair.allocation.file" && p.Key != "yarn.scheduler.fair.allocation.file.check.interval-ms" {
			site[p.Key] = p.Value
		}
	}
	r.store.site = site
	return r.store.writeJSON(responses+"/conf.json", map[string]any{"properties": kept})
}

type property struct {
	Key      string `json:"key"`
	Name     string `json:"name,omitempty"` // what /scheduler-conf calls it
	Value    string `json:"value"`
	Resource string `json:"resource,omitempty"`
}

// schedulerConf returns the settings of a scheduler whose configuration can be changed over REST; other schedulers do not tell theirs.
func (r *recorder) schedulerConf(ctx context.Context) (map[string]string, error) {
	var conf struct {
		Properties []property `json:"property"`
	}
	_, err := r.rm.ask(ctx, "/ws/v1/cluster/scheduler-conf", nil, &conf)
	var answer *answerError
	if errors.As(err, &answer) && (answer.status == http.StatusBadRequest || answer.withheld()) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	own := map[string]string{}
	for _, p := range conf.Properties {
		key := cmp.Or(p.Key, p.Name)
		if strings.HasPrefix(key, "yarn.scheduler.") && !secretName.MatchString(key) {
			own[key] = p.Value
		}
	}
	return own, nil
}

// applicationID matches the ids of YARN.
var applicationID = regexp.MustCompile(`^application_[0-9]{1,19}_[0-9]{1,10}$`)

// Application is an application as the ResourceManager showed it last, without what may hold addresses or messages of its user.
type Application struct {
	ID       string `json:"id"`
	User     string `json:"user"`
	Name     string `json:"name"`
	Queue    string `json:"queue"`
	State    string `json:"state"`
	Final    string `json:"finalStatus"`
	Type     string `json:"applicationType"`
	Tags     string `json:"applicationTags,omitempty"`
	Priority int64  `json:"priority"`
	Started  int64  `json:"startedTime"`
	Launched int64  `json:"launchTime"`
	Finished int64  `json:"finishedTime"`
	MemSecs  int64  `json:"memorySeconds"` // MB
	CPUSecs  int64  `json:"vcoreSeconds"`
	Label    string `json:"appNodeLabelExpression,omitempty"`
	Gone     bool   `json:"gone,omitempty"` // the ResourceManager does not list it any more

	Log      *Log      `json:"-"`
	Attempts []attempt `json:"-"`
	Inputs   bool      `json:"-"` // HDFS was asked for the blocks of what it read
}

type attempt struct {
	ID        int64  `json:"id"`
	Started   int64  `json:"startTime"`
	Finished  int64  `json:"finishedTime"`
	Container string `json:"containerId"`
	Node      string `json:"nodeId"`
	Attempt   string `json:"appAttemptId"`
}

type attemptList struct {
	Attempts struct {
		Attempt []attempt `json:"appAttempt"`
	} `json:"appAttempts"`
}

func (a *Application) ended() bool {
	return a.State == "FINISHED" || a.State == "FAILED" || a.State == "KILLED"
}

func (a *Application) spark() bool { return strings.EqualFold(a.Type, "SPARK") }

func compareApplications(a, b *Application) int {
	_, m := parseID(a.ID)
	_, n := parseID(b.ID)
	return cmp.Or(cmp.Compare(a.Started, b.Started), cmp.Compare(m, n), cmp.Compare(a.ID, b.ID))
}

// line is the application in apps.jsonl.
func (a *Application) line() any {
	out := struct {
		App       string `json:"app"`
		Name      string `json:"name"`
		User      string `json:"user"`
		Queue     string `json:"queue"`
		Type      string `json:"type"`
		Final     string `json:"final,omitempty"`
		Attempts  int    `json:"attempts"`
		Submitted int64  `json:"t_submitted"`
		Scheduled int64  `json:"t_attempt_scheduled,omitempty"`
		Launched  int64  `json:"t_am_launched,omitempty"`
		Finished  int64  `json:"t_finished,omitempty"`
		MemSecs   int64  `json:"memory_mb_seconds"`
		CPUSecs   int64  `json:"vcore_seconds"`
	}{App: a.ID, Name: a.Name, User: a.User, Queue: a.Queue, Type: a.Type, Attempts: len(a.Attempts), Submitted: a.Started, Launched: a.Launched, MemSecs: a.MemSecs, CPUSecs: a.CPUSecs}
	if a.ended() {
		out.Finished, out.Final = a.Finished, a.State
		if a.State == "FINISHED" && (a.Final == "FAILED" || a.Final == "KILLED") { // it said so itself
			out.Final = a.Final
		}
	}
	if len(a.Attempts) > 0 {
		out.Scheduled = a.Attempts[0].Started
	}
	return out
}

// applications records the applications that are listed, and the attempts of those that changed.
func (r *recorder) applications(ctx context.Context) error {
	const path = "/ws/v1/cluster/apps"
	var list struct {
		Apps *struct {
			App []Application `json:"app"`
		} `json:"apps"`
	}
	if _, err := r.rm.ask(ctx, path, url.Values{"deSelects": {"resourceRequests,timeouts,appNodeLabelExpression,amNodeLabelExpression,resourceInfo"}}, &list); err != nil {
		return err
	}
	listed := map[string]bool{}
	var changed []*Application
	if list.Apps != nil {
		for i := range list.Apps.App {
			a := &list.Apps.App[i]
			at := fmt.Sprintf("apps.app[%d]", i)
			switch {
			case !applicationID.MatchString(a.ID):
				return r.rm.wrongField(path, at+".id", a.ID, "application_CLUSTER_NUMBER")
			case listed[a.ID]:
				return r.rm.wrongField(path, at+".id", a.ID, "one that is not listed before")
			case a.Started < 0 || a.Finished < 0 || a.Launched < 0:
				return r.rm.wrongField(path, at+".startedTime, launchTime, finishedTime", []int64{a.Started, a.Launched, a.Finished}, "times of 0 or more")
			case a.ended() && a.Started > 0 && a.Finished < a.Started:
				return r.rm.wrongField(path, at+".finishedTime", a.Finished, fmt.Sprintf("startedTime, %d, or later", a.Started))
			}
			listed[a.ID] = true
			if old := r.store.apps[a.ID]; old == nil || old.differs(a) || len(old.Attempts) == 0 && !a.ended() {
				changed = append(changed, a)
			}
		}
	}
	for _, a := range r.store.inOrder() {
		if !listed[a.ID] && !a.ended() && !a.Gone {
			b := *a
			b.Gone = true
			if err := r.store.writeJSON(appsDir+"/"+a.ID+".json", &b); err != nil {
				return err
			}
			r.store.apps[a.ID] = &b
		}
	}
	attempts := make([]attemptList, len(changed))
	group, asking := errgroup.WithContext(ctx)
	group.SetLimit(max(r.Parallel, 1))
	for i, a := range changed {
		group.Go(func() error {
			_, err := r.rm.ask(asking, path+"/"+a.ID+"/appattempts", nil, &attempts[i])
			var answer *answerError
			if errors.As(err, &answer) && answer.withheld() {
				return nil // forgotten since it was listed, or another user's
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, a := range changed {
		if old := r.store.apps[a.ID]; old != nil {
			a.Log, a.Attempts, a.Inputs = old.Log, old.Attempts, old.Inputs
		}
		if got := attempts[i].Attempts.Attempt; len(got) > 0 {
			a.Attempts = got
			if err := r.store.writeJSON(attemptsDir+"/"+a.ID+".json", &attempts[i]); err != nil {
				return err
			}
		}
		if err := r.store.writeJSON(appsDir+"/"+a.ID+".json", a); err != nil {
			return err
		}
		r.store.apps[a.ID] = a
	}
	return nil
}

// differs tells whether something other than what an application has used so far has changed.
func (a *Application) differs(b *Application) bool {
	x, y := *a, *b
	for _, p := range []*Application{&x, &y} {
		p.Log, p.Attempts, p.Inputs = nil, nil, false
		if !p.ended() {
			p.MemSecs, p.CPUSecs = 0, 0
		}
	}
	m, _ := json.Marshal(&x)
	n, _ := json.Marshal(&y)
	return string(m) != string(n)
}
