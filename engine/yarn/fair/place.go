package fair

import (
	"errors"

	"replay/engine/yarn/conf"
)

// Place asks the placement rules in force. A user's primary group is called like the user.
//
// Source: RMAppManager.placeApplication, PlacementManager, FairScheduler.addApplication.
func (f *Scheduler) Place(user, queue string) (string, error) {
	if queue == "" {
		queue = conf.DefaultQueue
	}
	s := &conf.Submission{User: user, Groups: []string{user}, Queue: queue}
	p, err := f.rules.Place(s, f.QueueInfo)
	if err != nil {
		return "", err
	}
	if !p.Placed {
		return "", errors.New(conf.RejectedByRules(s))
	}
	return p.Submitted, nil
}
