package rm

import (
	"cmp"
	"slices"

	"replay/engine/protocol"
	"replay/engine/yarn/jvm"
)

// silence is that of an application master, up to the look of the monitor that finds it.
type silence struct {
	until int64
	app   protocol.AppID
	of    int32 // its attempt
}

// watchMaster begins to watch the master of an attempt: with the monitor of those that have unregistered once it has.
//
// Source: RMAppAttemptImpl.AMLaunchedTransition, AMUnregisteredTransition.
func (r *RM) watchMaster(a *app) { a.place = r.masters[index(a.unregistered)].begins() }

// unwatchMaster ends that.
func (r *RM) unwatchMaster(a *app) {
	if a.place > 0 {
		a.place = 0
		r.masters[index(a.unregistered)].size--
	}
}

func index(unregistered bool) int {
	if unregistered {
		return 1
	}
	return 0
}

// MasterSilent says that an application master will not be heard of any more, as its node has failed with it. It was heard last at lastMS, as far as the
// ResourceManager was not called: when it was launched, or with a heartbeat that was left out. The liveness monitor finds it expired when it looks, unless the
// attempt has ended before. One that has unregistered is watched by a monitor of its own, with the same interval, from then on.
//
// Source: AMLivelinessMonitor, RMAppAttemptImpl.ExpiredTransition.
func (r *RM) MasterSilent(now int64, id protocol.AppID, lastMS int64) {
	a := r.app(id)
	if a == nil {
		return
	}
	last := a.heard
	if !a.unregistered {
		last = max(last, lastMS)
	}
	until := max(expires(last, r.config.MasterExpiryMS), now)
	r.silent = append(r.silent, silence{until, id, a.attempt})
	r.host.At(until, MasterExpired, int64(id), int64(a.attempt))
}

// mastersExpire ends the attempts whose masters are found silent at one look, before anything follows from their ends: in the order of the monitor's hash table, and those
// that have unregistered behind the others. There is no exit status, so they count among those that have failed.
//
// Source: AbstractLivelinessMonitor.PingChecker.
func (r *RM) mastersExpire(now int64) {
	var late []*app
	r.silent = slices.DeleteFunc(r.silent, func(s silence) bool {
		if a := r.app(s.app); s.until <= now && a != nil && a.attempt == s.of && !slices.Contains(late, a) {
			late = append(late, a)
		}
		return s.until <= now
	})
	if len(late) > 1 {
		slot := func(a *app) int {
			return jvm.Slot(jvm.AttemptHash(jvm.AppHash(r.config.StartMS, int32(a.spec.ID)), a.attempt), r.masters[index(a.unregistered)].most)
		}
		slices.SortStableFunc(late, func(a, b *app) int {
			return cmp.Or(cmp.Compare(index(a.unregistered), index(b.unregistered)), cmp.Compare(slot(a), slot(b)), cmp.Compare(a.place, b.place))
		})
	}
	for _, a := range late {
		r.endAttempt(now, a, protocol.ExitInvalid)
	}
}
