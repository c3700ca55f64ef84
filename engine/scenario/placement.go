package scenario

import (
	"bytes"
	"slices"
	"strings"

	"replay/engine/yarn/conf"
	"replay/trace"
)

// defaultQueue is where the jobs of clients are that name no queue, unless rules place them elsewhere.
const defaultQueue = "root." + conf.DefaultQueue

const keyUserAsDefault, keyUndeclared = "yarn.scheduler.fair.user-as-default-queue", "yarn.scheduler.fair.allow-undeclared-pools"

// placement says which jobs the rules of the FairScheduler place. The queues of a trace are those in which its jobs ran, under the rules of then; rules
// that are handed in place the jobs of clients that named no queue anew.
func (sc *Scenario) placement(file File, a *conf.Allocations) {
	attached := sc.Input.Files[sc.scheduler.File].Text
	handedIn := sc.AllocationFile && !bytes.Equal(file.Text, attached)
	keys := sc.site[keyUserAsDefault].from >= OfFile || sc.site[keyUndeclared].from >= OfFile
	sc.Unnamed = a.OwnRules && handedIn || !a.OwnRules && keys
	if a.Rules != nil && a.Rules.AskGroups() {
		sc.warn("placement-groups", "%s places jobs by groups of users, which no trace has: the only group of a user is called like the user", file.Name)
	}
	unnamed := slices.ContainsFunc(sc.Input.Queues, func(q trace.Queue) bool { return q.Path == defaultQueue })
	if handedIn && !a.OwnRules && !keys && sc.Site.UserAsDefaultQueue && unnamed && len(sc.Input.Users) > 1 {
		sc.warn("placement-default", "%s has no <queuePlacementPolicy>: jobs in %s stay there. YARN places those of clients that name no queue in root.USER then, as here with %s=true",
			file.Name, defaultQueue, keyUserAsDefault)
	}
}

// Moved reports whether the rules of the FairScheduler put a job whose client named a queue in another one.
func (sc *Scenario) Moved(asked, placed string) bool {
	switch asked {
	case placed, defaultQueue, conf.DefaultQueue:
		return false
	}
	return sc.AllocationFile && !strings.HasSuffix(asked, "."+placed) && !strings.HasSuffix(placed, "."+asked)
}
