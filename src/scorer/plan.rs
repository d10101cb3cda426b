//! The order in which a tree of scorers is evaluated.
//!
//! A scorer may be a child of many parents, at any depth. A recursive walk of the tree could take exponential time and any
//! amount of stack. A plan is a flat list of steps over a few buffers: every scorer is evaluated once, nothing recurses, and
//! a buffer is reused once its scores have been folded into all parents.

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::HashTable;

use crate::batch::Workspace;
use crate::error::Error;
use crate::memory::{OutOfMemory, try_collect, try_pad, try_push, try_reserve};
use crate::scorer::{ScoreContext, ScoreInput, Scratch, SharedScorer};
use crate::text::hash_state;

/// The caller's buffer. The buffers of the workspace are numbered from 1.
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
}

impl Plan {
    /// Plans the evaluation of `root`.
    pub fn new(root: &SharedScorer) -> Result<Self, OutOfMemory> {
        let mut planner = Planner::new(root)?;
        planner.plan()?;
        let Planner { nodes, steps, buffers, .. } = planner;
        let result = nodes[0].buffer.unwrap_or(OUTPUT);
        let nodes = try_collect(nodes.into_iter().enumerate().map(|(index, node)| (index > 0).then_some(node.scorer)))?;
        Ok(Self { nodes, steps, buffers, result })
    }

    /// Runs the steps. On an error `out` is unchanged.
    pub fn run(
        &self,
        root: &SharedScorer,
        input: ScoreInput<'_>,
        workspace: &mut Workspace,
        out: &mut [f64],
    ) -> Result<(), Error> {
        let node = |index: usize| self.nodes[index].as_ref().unwrap_or(root).scorer();
        self.prepare(node, input, workspace)?;
        let Workspace { slots, words, doubles, validity, readings, .. } = workspace;
        let rows = input.batch().len();
        let mut context = ScoreContext::new(input, words, doubles, validity, readings);
        for step in &self.steps {
            // Moved out, so that another slot can be read meanwhile.
            let mut slot = (step.into != OUTPUT).then(|| std::mem::take(&mut slots[step.into - 1]));
            let into = slot.as_mut().map_or(&mut *out, |slot| &mut slot[..rows]);
            let scorer = node(step.node);
            let result = match step.fold {
                None => scorer.score(&mut context, into),
                Some((child, from)) => {
                    scorer.fold(child, &slots[from - 1][..rows], into);
                    Ok(())
                }
            };
            if let Some(slot) = slot {
                slots[step.into - 1] = slot;
            }
            result?;
        }
        if self.result != OUTPUT {
            out.copy_from_slice(&slots[self.result - 1][..rows]);
        }
        Ok(())
    }

    /// Allocates the memory that the steps need.
    fn prepare<'a>(
        &'a self,
        node: impl Fn(usize) -> &'a dyn super::Scorer,
        input: ScoreInput<'_>,
        workspace: &mut Workspace,
    ) -> Result<(), OutOfMemory> {
        let mut most = Scratch::default();
        for index in 0..self.nodes.len() {
            let Scratch { words, doubles } = node(index).scratch(input).ok_or(OutOfMemory)?;
            most = Scratch { words: most.words.max(words), doubles: most.doubles.max(doubles) };
        }
        try_pad(&mut workspace.words, most.words, 0)?;
        try_pad(&mut workspace.doubles, most.doubles, 0.0)?;
        if input.peers().is_some() {
            try_pad(&mut workspace.validity, input.batch().len(), 0)?;
        }
        if let Some(missing) = self.buffers.checked_sub(workspace.slots.len()) {
            workspace.slots.try_reserve(missing)?;
            workspace.slots.resize_with(self.buffers, Vec::new);
        }
        for slot in &mut workspace.slots[..self.buffers] {
            try_pad(slot, input.batch().len(), 0.0)?;
        }
        // There are never more clocks than scorers. Earlier parts of the same call may have read them.
        let missing = self.nodes.len().saturating_sub(workspace.readings.len());
        try_reserve(&mut workspace.readings, missing)
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
        if !self.nodes[0].scorer.may_fail() {
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
