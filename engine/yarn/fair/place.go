package fair

import (
	"errors"

	"replay/engine/yarn/conf"
)

// Place asks the placement rules in force.
//
// Source: RMAppManager.placeApplication, PlacementManager, FairScheduler.addApplication.
func (f *Scheduler) Place(user, queue string) (string, error) {
	s := conf.NewSubmission(user, queue)
	p, err := f.rules.Place(s, f.QueueInfo)
	if err != nil {
		return "", err
	}
	if !p.Placed {
		return "", errors.New(conf.RejectedByRules(s))
	}
	return p.Submitted, nil
}
