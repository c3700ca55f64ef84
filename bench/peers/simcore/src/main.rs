//! The workload W1 on SimCore: w1 LOAD TASKS prints what it comes to.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::rc::Rc;

use serde::Serialize;
use simcore::{cast, Event, EventHandler, Simulation, SimulationContext};

const NODES: usize = 1000;
const CORES: u32 = 16;
const MEMORY: u32 = 65_536;
const TASK_MIB: u32 = 2048;

#[derive(Clone, Serialize)]
struct Ended {
    node: usize,
}

/// The submissions of a second. It is emitted in the second before, after all ends of its second have been: durations are ten seconds or
/// more, and what is due at one time comes in the order in which it was emitted.
#[derive(Clone, Serialize)]
struct Second {}

/// First come, first served, on the first node with room.
struct Cluster {
    ctx: SimulationContext,
    load: f64,
    tasks: u64,
    state: u64,
    next: u64,
    waiting: VecDeque<(f64, f64)>,
    cores: Vec<u32>,
    memory: Vec<u32>,
    room: BinaryHeap<Reverse<usize>>,
    makespan: f64,
    waited: f64,
    longest: usize,
}

impl Cluster {
    /// The duration of the next task: 10 + (z mod 100) s for the output z of splitmix64.
    fn seconds(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        (10 + (z ^ (z >> 31)) % 100) as f64
    }

    fn submitted(&self, task: u64) -> f64 {
        (task as f64 * 59.5 / ((NODES as u32 * CORES) as f64 * self.load)).floor()
    }

    fn dispatch(&mut self) {
        while !self.waiting.is_empty() {
            let Some(&Reverse(node)) = self.room.peek() else { return };
            let (since, seconds) = self.waiting.pop_front().unwrap();
            self.waited += self.ctx.time() - since;
            self.cores[node] -= 1;
            self.memory[node] -= TASK_MIB;
            if self.cores[node] < 1 || self.memory[node] < TASK_MIB {
                self.room.pop();
            }
            self.ctx.emit_self(Ended { node }, seconds);
        }
    }

    fn submit(&mut self) {
        let now = self.ctx.time();
        while self.next < self.tasks && self.submitted(self.next) <= now {
            let seconds = self.seconds();
            self.waiting.push_back((now, seconds));
            self.next += 1;
        }
        self.dispatch();
        self.longest = self.longest.max(self.waiting.len());
        if self.next < self.tasks {
            self.ctx.emit_self(Second {}, self.submitted(self.next) - now);
        }
    }

    fn ended(&mut self, node: usize) {
        if self.cores[node] < 1 || self.memory[node] < TASK_MIB {
            self.room.push(Reverse(node));
        }
        self.cores[node] += 1;
        self.memory[node] += TASK_MIB;
        self.makespan = self.ctx.time();
        self.dispatch();
    }
}

impl EventHandler for Cluster {
    fn on(&mut self, event: Event) {
        cast!(match event.data {
            Ended { node } => {
                self.ended(node)
            }
            Second {} => {
                self.submit()
            }
        })
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let load = args[1].parse().expect("want a load");
    let tasks = args[2].parse().expect("want a number of tasks");
    let mut sim = Simulation::new(1);
    let ctx = sim.create_context("cluster");
    let cluster = Rc::new(RefCell::new(Cluster {
        ctx, load, tasks, state: 42, next: 0, waiting: VecDeque::new(), cores: vec![CORES; NODES], memory: vec![MEMORY; NODES],
        room: (0..NODES).map(Reverse).collect(), makespan: 0.0, waited: 0.0, longest: 0,
    }));
    sim.add_handler("cluster", cluster.clone());
    cluster.borrow_mut().submit();
    sim.step_until_no_events();
    let c = cluster.borrow();
    println!("makespan {} s, mean wait {:.4} s, longest queue {}", c.makespan, c.waited / c.tasks as f64, c.longest);
}
