package scenario

import (
	"replay/engine/protocol"
	"replay/engine/yarn"
	"replay/engine/yarn/conf"
	"replay/engine/yarn/fifo"
)

// fifoSetup is the FifoScheduler, which has one queue and no file.
type fifoSetup struct{ site *conf.Site }

func readFIFO(sc *Scenario) (Setup, error) {
	for i := range sc.Changes {
		if c := &sc.Changes[i]; c.queue != "" || c.user != "" {
			return nil, optionf("--change %q: the %s has one queue, %s, and limits neither it nor users", c.Text, sc.scheduler.SimpleClass(), fifo.Queue)
		}
	}
	return fifoSetup{sc.Site}, sc.siteError(sc.Site.CheckFIFO())
}

func (f fifoSetup) New(names *protocol.Names, clusterTimestamp int64, o yarn.Observer) (yarn.Scheduler, error) {
	return fifo.New(f.site, names, clusterTimestamp, o)
}

func (fifoSetup) MemoryOnly() bool { return true }

func (fifoSetup) Config() map[string]string { return nil }

func (fifoSetup) Queues() map[string]string { return nil }
