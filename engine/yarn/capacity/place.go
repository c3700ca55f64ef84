package capacity

import "replay/engine/yarn/conf"

// Place returns the submitted queue: queue mappings are not modelled.
func (s *Scheduler) Place(_, queue string) (string, error) {
	if queue == conf.DefaultQueue || queue == "" {
		return "root." + conf.DefaultQueue, nil
	}
	return queue, nil
}
