//! The order in which a tree of scorers is evaluated.
//!
//! A scorer may be a child of many parents, at any depth. A recursive walk of the tree could take exponential time and any
//! amount of stack. A plan is a flat list of steps over a few buffers: every scorer is evaluated once, nothing recurses, and
//! a buffer is reused once its scores have been folded into all parents.

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::HashTable;

use crate::batch::Batch;
use crate::error::Error;
use crate::memory::{OutOfMemory, try_collect, try_pad, try_push};
use crate::scorer::context::ClockReadings;
use crate::scorer::{Parameters, ScoreContext, ScoreInput, Scratch, SharedScorer};
use crate::text::hash_state;

/// The caller's buffer. The buffers of the scratch memory are numbered from 1.
const OUTPUT: usize = 0;

/// One step of a plan: a scorer writes to a buffer.
#[derive(Clone, Copy, Debug)]
struct Step {
    node: usize,
    into: usize,
    /// The position of a child and the buffer of its scores, which are folded into the buffer. `None`: the scorer scores; a
    /// combining scorer then finds the folded scores in the buffer.
    fold: Option<(usize, usize)>,
}

/// The steps that evaluate a scorer and all scorers below it.
#[derive(Debug)]
pub struct Plan {
    /// The scorers, each once. The first is the root, which owns the plan. It is `None`, since a share would keep it alive.
    nodes: Vec<Option<SharedScorer>>,
    steps: Vec<Step>,
    /// The number of buffers besides the output.
    buffers: usize,
    /// The buffer that holds the root's scores after the last step.
    result: usize,
    /// The most clocks that the scorers read.
    clocks: usize,
}

/// Up to so many words of scratch memory are on the stack. A small batch that is scored once needs no memory for it.
const WORDS_ON_STACK: usize = 192;

/// Calls `work` with words of scratch memory, which may hold anything: those that an earlier call left with the batch, or new ones.
fn with_scratch(batch: &Batch, words: usize, work: impl FnOnce(&mut [u64]) -> Result<(), Error>) -> Result<(), Error> {
    if words <= WORDS_ON_STACK {
        return work(&mut [0; WORDS_ON_STACK][..words]);
    }
    batch.workspace().with(|scratch: &mut Vec<u64>| {
        if scratch.len() < words {
            scratch.clear();
            try_pad(scratch, words, 0)?;
        }
        work(&mut scratch[..words])
    })
}

impl Plan {
    /// Plans the evaluation of `root`.
    pub fn new(root: &SharedScorer) -> Result<Self, OutOfMemory> {
        let mut planner = Planner::new(root)?;
        planner.plan()?;
        let Planner { nodes, steps, buffers, .. } = planner;
        let result = nodes[0].buffer.unwrap_or(OUTPUT);
        let reads_clock = |node: &&Planned| matches!(node.scorer.scorer().parameters(), Parameters::Decay(..));
        let clocks = nodes.iter().filter(reads_clock).count();
        let nodes = try_collect(nodes.into_iter().enumerate().map(|(index, node)| (index > 0).then_some(node.scorer)))?;
        Ok(Self { nodes, steps, buffers, result, clocks })
    }

    /// Runs the steps. On an error `out` is unchanged.
    pub fn run(
        &self,
        root: &SharedScorer,
        input: ScoreInput<'_>,
        readings: &mut ClockReadings,
        out: &mut [f64],
    ) -> Result<(), Error> {
        let node = |index: usize| self.nodes[index].as_ref().unwrap_or(root).scorer();
        let mut most = Scratch::default();
        for index in 0..self.nodes.len() {
            let Scratch { words, doubles } = node(index).scratch(input).ok_or(OutOfMemory)?;
            most = Scratch { words: most.words.max(words), doubles: most.doubles.max(doubles) };
        }
        let rows = input.batch().len();
        let validity = if input.peers().is_some() { rows.div_ceil(size_of::<u64>()) } else { 0 };
        let buffers = rows.checked_mul(self.buffers);
        let sum = [validity, most.words, most.doubles].into_iter().try_fold(0, usize::checked_add);
        let words = buffers.zip(sum).and_then(|(buffers, sum)| sum.checked_add(buffers)).ok_or(OutOfMemory)?;
        // Earlier parts of the same call may have read some of the clocks.
        readings.try_reserve(self.clocks.saturating_sub(readings.len())).map_err(|_| OutOfMemory)?;
        with_scratch(input.batch(), words, |scratch| {
            let (validity, scratch) = scratch.split_at_mut(validity);
            let (words, scratch) = scratch.split_at_mut(most.words);
            let (doubles, buffers) = bytemuck::cast_slice_mut(scratch).split_at_mut(most.doubles);
            let validity = bytemuck::cast_slice_mut(validity);
            let context = ScoreContext { input, words, doubles, validity, readings };
            self.run_steps(node, context, buffers, out)
        })
    }

    fn run_steps<'a>(
        &'a self,
        node: impl Fn(usize) -> &'a dyn super::Scorer,
        mut context: ScoreContext<'_>,
        buffers: &mut [f64],
        out: &mut [f64],
    ) -> Result<(), Error> {
        let rows = out.len();
        let rows_of = |buffer: usize| (buffer - 1) * rows..buffer * rows;
        for step in &self.steps {
            let scorer = node(step.node);
            match step.fold {
                None if step.into == OUTPUT => scorer.score(&mut context, out)?,
                None => scorer.score(&mut context, &mut buffers[rows_of(step.into)])?,
                Some((child, from)) if step.into == OUTPUT => scorer.fold(child, &buffers[rows_of(from)], out),
                Some((child, from)) => {
                    let both = buffers.get_disjoint_mut([rows_of(from), rows_of(step.into)]);
                    let [from, into] = both.expect("a child and its parent have different buffers");
                    scorer.fold(child, from, into);
                }
            }
        }
        if self.result != OUTPUT {
            out.copy_from_slice(&buffers[rows_of(self.result)]);
        }
        Ok(())
    }
}

/// A scorer while it is planned.
struct Planned {
    scorer: SharedScorer,
    /// Its children in `Planner::children`.
    children: Range<usize>,
    /// The number of parents that its scores are still to be folded into.
    uses: usize,
    /// The buffer of its scores, or of the scores folded so far.
    buffer: Option<usize>,
}

struct Planner {
    nodes: Vec<Planned>,
    /// The children of all nodes, by number.
    children: Vec<usize>,
    /// The path from the root to the node at hand, each with the number of children folded so far.
    path: Vec<(usize, usize)>,
    steps: Vec<Step>,
    /// The node that writes to the caller's buffer, if one may.
    writer: Option<usize>,
    buffers: usize,
    free: Vec<usize>,
}

impl Planner {
    /// Numbers the scorers below `root`, each once, with `root` first.
    fn new(root: &SharedScorer) -> Result<Self, OutOfMemory> {
        let hasher = hash_state();
        let mut numbers: HashTable<usize> = HashTable::new();
        let mut nodes: Vec<Planned> = Vec::new();
        let mut children = Vec::new();
        try_push(&mut nodes, Planned { scorer: root.clone(), children: 0..0, uses: 0, buffer: None })?;
        let mut next = 0;
        while next < nodes.len() {
            let first = children.len();
            let scorer = nodes[next].scorer.clone();
            for child in scorer.children() {
                let hash = hasher.hash_one(child.identity());
                let known = numbers.find(hash, |&number| nodes[number].scorer.identity() == child.identity());
                let number = match known {
                    Some(&number) => number,
                    None => {
                        let number = nodes.len();
                        numbers.try_reserve(1, |&number| hasher.hash_one(nodes[number].scorer.identity()))?;
                        try_push(&mut nodes, Planned { scorer: child.clone(), children: 0..0, uses: 0, buffer: None })?;
                        numbers.insert_unique(hash, number, |&number| hasher.hash_one(nodes[number].scorer.identity()));
                        number
                    }
                };
                nodes[number].uses += 1;
                try_push(&mut children, number)?;
            }
            nodes[next].children = first..children.len();
            next += 1;
        }
        let (path, steps, free) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { nodes, children, path, steps, writer: None, buffers: 0, free })
    }

    fn plan(&mut self) -> Result<(), OutOfMemory> {
        // A scorer that may fail must not write to the caller's buffer before all have succeeded.
        if !self.nodes.iter().any(|node| node.scorer.scorer().may_fail()) {
            let mut writer = 0;
            while let Some(child) = self.in_place_child(writer) {
                writer = child;
            }
            self.writer = Some(writer);
        }
        try_push(&mut self.path, (0, 0))?;
        while let Some(&(node, folded)) = self.path.last() {
            if folded == self.nodes[node].children.len() {
                let into = self.buffer_of(node);
                try_push(&mut self.steps, Step { node, into, fold: None })?;
                self.path.pop();
                continue;
            }
            let child = self.child(node, folded);
            match self.nodes[child].buffer {
                None => try_push(&mut self.path, (child, 0))?,
                Some(from) => {
                    self.fold(node, folded, from)?;
                    self.path.last_mut().expect("the node is on the path").1 += 1;
                }
            }
        }
        Ok(())
    }

    fn child(&self, node: usize, position: usize) -> usize {
        self.children[self.nodes[node].children.start + position]
    }

    /// The only child of a node, if the node can take over its buffer.
    fn in_place_child(&self, node: usize) -> Option<usize> {
        let Planned { scorer, children, .. } = &self.nodes[node];
        (children.len() == 1 && scorer.scorer().folds_in_place()).then(|| self.child(node, 0))
    }

    /// Folds the scores of a child, which are in the buffer `from`.
    fn fold(&mut self, node: usize, position: usize, from: usize) -> Result<(), OutOfMemory> {
        let child = self.child(node, position);
        self.nodes[child].uses -= 1;
        let is_last_use = self.nodes[child].uses == 0;
        if is_last_use && self.in_place_child(node).is_some() {
            self.nodes[node].buffer = Some(from);
            return Ok(());
        }
        let into = self.buffer_of(node);
        if is_last_use {
            try_push(&mut self.free, from)?;
        }
        try_push(&mut self.steps, Step { node, into, fold: Some((position, from)) })
    }

    /// The buffer of a node, which gets one if it has none.
    fn buffer_of(&mut self, node: usize) -> usize {
        let buffer = if let Some(buffer) = self.nodes[node].buffer {
            buffer
        } else if self.writer == Some(node) {
            OUTPUT
        } else if let Some(buffer) = self.free.pop() {
            buffer
        } else {
            self.buffers += 1;
            self.buffers
        };
        self.nodes[node].buffer = Some(buffer);
        buffer
    }
}
