package engine

import "replay/engine/protocol"

// live are the applications of which something is left, by number: a window over the numbers that have been given. Applications come
// in order and leave nearly so.
type live struct {
	first protocol.AppID // number of list[0]
	list  []*app         // the latest attempt of each, which knows the one before; nil = nothing is left
	gone  int            // of the list, those at its beginning
}

// latest returns the present attempt of an application, nil when nothing is left of it.
func (l *live) latest(id protocol.AppID) *app {
	if i := id - l.first; i >= 0 && int(i) < len(l.list) {
		return l.list[i]
	}
	return nil
}

// of returns the attempt that a container belongs to, nil when nothing is left of it.
func (l *live) of(id protocol.ContainerID) *app {
	a := l.latest(id.App)
	for a != nil && a.attempt != id.Attempt() {
		a = a.before
	}
	return a
}

// enter takes in an attempt, the latest of its application.
func (l *live) enter(a *app) {
	if len(l.list) == 0 {
		l.first = a.id
	}
	for int(a.id-l.first) >= len(l.list) {
		l.list = append(l.list, nil)
	}
	at := &l.list[a.id-l.first]
	a.before = *at
	*at = a
}

// leave lets go of an attempt of which nothing is left.
func (l *live) leave(a *app) {
	at := &l.list[a.id-l.first]
	for *at != a {
		at = &(*at).before
	}
	*at = a.before
	for l.gone < len(l.list) && l.list[l.gone] == nil {
		l.gone++
	}
	if 2*l.gone > len(l.list) {
		n := copy(l.list, l.list[l.gone:])
		clear(l.list[n:])
		l.list, l.first, l.gone = l.list[:n], l.first+protocol.AppID(l.gone), 0
	}
}
