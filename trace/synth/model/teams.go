package model

import (
	"fmt"
	"math/rand/v2"

	"replay/trace"
)

// Teams are users and leaf queues, numbered by how many jobs they have, after Zipf's law. With Names the queues are called so, and jobs
// say in which they are. With tables, those of a trace, jobs say both.
type Teams struct {
	UserTable  []trace.User
	QueueTable []trace.Queue

	Names     []string
	Users     int64
	UserZipf  float64
	Queues    int64
	QueueZipf float64
	Weights   []float64 // of the queues in a FairScheduler; the last one is also that of all further queues

	users, queues *Zipf
}

// Parameters names those of users and queues.
func (t *Teams) Parameters(p *Parameters) {
	if t.QueueTable != nil {
		return
	}
	p.Int("users.n", &t.Users, 1, 1_000_000, "users")
	p.Float("users.zipf", &t.UserZipf, 0, 10, "exponent of Zipf's law of the users' jobs")
	if t.Names == nil {
		p.Int("queues.n", &t.Queues, 1, 10_000, "leaf queues")
		p.Float("queues.zipf", &t.QueueZipf, 0, 10, "exponent of Zipf's law of the queues' jobs")
	}
	p.List("queues.weights", &t.Weights, 0, "weights of the queues; further ones have the last")
}

// Tables returns the users and queues of a trace. Queue i is row i+1, below the root.
func (t *Teams) Tables() (users []trace.User, queues []trace.Queue) {
	if t.QueueTable != nil {
		return t.UserTable, t.QueueTable
	}
	names := t.Names
	if names == nil {
		for i := range t.Queues {
			names = append(names, fmt.Sprintf("queue%d", i+1))
		}
	}
	t.users, t.queues = newZipf(int(t.Users), t.UserZipf), newZipf(len(names), t.QueueZipf)
	for i := range t.Users {
		users = append(users, trace.NewUser(int32(i), fmt.Sprintf("user%d", i+1)))
	}
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = "root." + name
	}
	queues = trace.QueueTree(paths)
	for i := range paths {
		queues[i+1].Weight = t.Weights[min(i, len(t.Weights)-1)]
	}
	return users, queues
}

// Draw gives a job its user, and its queue where it has none.
func (t *Teams) Draw(r *rand.Rand, j *trace.Job) {
	if t.QueueTable != nil {
		return
	}
	j.User = int32(t.users.Draw(r))
	if queue := int32(t.queues.Draw(r)) + 1; t.Names == nil {
		j.Queue = queue
	}
}
