package allocator

import (
	"fmt"
	"math"
	"slices"

	"replay/engine/protocol"
	"replay/engine/spark/conf"
)

// containerHealth counts executors that failed and keeps the hosts on which none is wanted.
//
// Source: YarnAllocatorNodeHealthTracker, ExecutorFailureTracker.
type containerHealth struct {
	perHost    bool  // failures exclude hosts
	maxPerHost int   // failures that a host may have
	timeout    int64 // ms that a host stays excluded
	validity   int64 // ms that a failure counts; [conf.Unset]: for ever
	limit      int   // failures that the application may not have

	failedAt []int64 // all failures
	hosts    []hostHealth

	configured   []protocol.Name // spark.yarn.exclude.nodes
	scheduler    []protocol.Name // from the driver
	current      []protocol.Name // told to the ResourceManager
	clusterNodes int
	names        *protocol.Names
}

type hostHealth struct {
	host     protocol.Name
	failedAt []int64
	excluded bool
	until    int64
}

func newContainerHealth(c *conf.Conf, names *protocol.Names) containerHealth {
	h := containerHealth{
		perHost: c.LaunchExclude, maxPerHost: c.Exclude.AppExecutorsOnNode, timeout: c.Exclude.Timeout,
		validity: c.FailuresValidity, limit: c.ExecutorFailureLimit(), clusterNodes: math.MaxInt, names: names,
	}
	for _, host := range c.ExcludeNodes {
		h.configured = append(h.configured, names.Intern(host))
	}
	return h
}

// recent drops the times that do not count any more and returns the rest.
func (h *containerHealth) recent(times []int64, now int64) []int64 {
	if h.validity > 0 {
		for len(times) > 0 && times[0] < now-h.validity {
			times = times[1:]
		}
	}
	return times
}

// failures returns how many executors have failed lately.
func (h *containerHealth) failures(now int64) int {
	h.failedAt = h.recent(h.failedAt, now)
	return len(h.failedAt)
}

func (h *containerHealth) host(name protocol.Name) *hostHealth {
	for i := range h.hosts {
		if h.hosts[i].host == name {
			return &h.hosts[i]
		}
	}
	h.hosts = append(h.hosts, hostHealth{host: name})
	return &h.hosts[len(h.hosts)-1]
}

// failed counts a failure, on a host if that is known. Failures on a host that is excluded already
// do not count: they were on their way when it was.
func (h *containerHealth) failed(now int64, host protocol.Name, known bool, client *protocol.RelaxedClient) {
	if !known || !h.perHost {
		h.failedAt = append(h.failedAt, now)
		return
	}
	x := h.host(host)
	if x.excluded || slices.Contains(h.scheduler, host) {
		return
	}
	h.failedAt = append(h.failedAt, now)
	x.failedAt = append(h.recent(x.failedAt, now), now)
	if len(x.failedAt) > h.maxPerHost {
		x.excluded, x.until = true, now+h.timeout
		h.refresh(now, client)
	}
}

// setScheduler replaces the hosts that the driver excludes.
func (h *containerHealth) setScheduler(now int64, hosts []protocol.Name, client *protocol.RelaxedClient) {
	h.scheduler = append(h.scheduler[:0], hosts...)
	h.refresh(now, client)
}

// leavesOut reports whether some host is left out, or may be.
func (h *containerHealth) leavesOut() bool {
	return len(h.configured)+len(h.scheduler)+len(h.hosts)+len(h.current) > 0
}

// refresh tells the ResourceManager what has changed in the excluded hosts. It happens only when
// one of the lists changes: a host whose time is over stays excluded until then.
func (h *containerHealth) refresh(now int64, client *protocol.RelaxedClient) {
	if !h.leavesOut() {
		return
	}
	wanted := slices.Concat(h.configured, h.scheduler)
	for i := range h.hosts {
		x := &h.hosts[i]
		x.excluded = x.excluded && x.until > now
		if x.excluded {
			wanted = append(wanted, x.host)
		}
	}
	slices.SortFunc(wanted, func(a, b protocol.Name) int { return int(h.names.Rank(a)) - int(h.names.Rank(b)) })
	wanted = slices.Compact(wanted)
	var add, remove []protocol.Name
	for _, n := range wanted {
		if !slices.Contains(h.current, n) {
			add = append(add, n)
		}
	}
	for _, n := range h.current {
		if !slices.Contains(wanted, n) {
			remove = append(remove, n)
		}
	}
	client.UpdateBlacklist(add, remove)
	h.current = wanted
}

// fatal returns why the application has to fail, "" when it has not.
func (h *containerHealth) fatal(now int64) string {
	if len(h.failedAt)|len(h.current) == 0 && h.limit > 0 {
		return ""
	}
	return h.fatalNow(now)
}

// fatalNow is fatal where it is not clear at once.
func (h *containerHealth) fatalNow(now int64) string {
	if n := h.failures(now); n >= h.limit {
		return fmt.Sprintf("max number of executor failures (%d) reached", h.limit)
	}
	if h.clusterNodes > 0 && len(h.current) >= h.clusterNodes {
		return fmt.Sprintf("all %d nodes are excluded", h.clusterNodes)
	}
	return ""
}
