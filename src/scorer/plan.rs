//! The order in which a tree of scorers does its work.
//!
//! A scorer may be a child of many parents, at any depth, so that walking the tree could take exponential time and any
//! amount of stack. A plan is a flat list of steps over a few buffers: every node is scored once, whatever shares it;
//! nothing recurses; and a buffer is used again as soon as its scores have been taken up.

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::HashTable;

use crate::batch::Workspace;
use crate::error::Error;
use crate::memory::{OutOfMemory, try_pad, try_push};
use crate::scorer::context::reserve_readings;
use crate::scorer::{ScoreContext, ScoreInput, Scratch, SharedScorer};
use crate::text::hash_state;

/// The buffer that the caller of the scoring call gave. The workspace's own are numbered from 1 up.
const OUTPUT: usize = 0;

/// What to do next.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Has a scorer write its scores. One that combines others finds what was folded in `into`.
    Score { node: usize, into: usize },
    /// Has a scorer fold the scores of its child into its own.
    Fold { node: usize, child: usize, from: usize, into: usize },
}

/// A flat list of steps, made once for each scorer that is used as a root.
#[derive(Debug)]
pub struct Plan {
    /// The scorers, each once. The root, whose plan this is, stands as `None`: a share of it would keep it alive for ever.
    nodes: Vec<Option<SharedScorer>>,
    steps: Vec<Step>,
    /// How many buffers there are besides the output.
    buffers: usize,
    /// Where the root's scores are when all steps are done.
    result: usize,
}

impl Plan {
    /// Plans the work of `root`.
    pub fn new(root: &SharedScorer) -> Result<Self, OutOfMemory> {
        let mut planner = Planner::new(root)?;
        // A scorer that may fail must not write to the caller's buffer before it has succeeded.
        let want = (!root.may_fail()).then_some(OUTPUT);
        planner.plan(want)?;
        let Planner { nodes, steps, buffers, .. } = planner;
        let result = nodes[0].buffer.unwrap_or(OUTPUT);
        let mut kept = Vec::new();
        kept.try_reserve_exact(nodes.len())?;
        kept.extend(nodes.into_iter().enumerate().map(|(index, node)| (index > 0).then_some(node.scorer)));
        Ok(Self { nodes: kept, steps, buffers, result })
    }

    /// How many scorers there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Does the work. `out` is written once nothing can fail any more.
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
        for &step in &self.steps {
            match step {
                Step::Score { node: index, into: OUTPUT } => node(index).score(&mut context, out)?,
                Step::Score { node: index, into } => node(index).score(&mut context, &mut slots[into - 1][..rows])?,
                Step::Fold { node: index, child, from, into: OUTPUT } => {
                    node(index).fold(child, &slots[from - 1][..rows], out);
                }
                Step::Fold { node: index, child, from, into } => {
                    let mut into_slot = std::mem::take(&mut slots[into - 1]);
                    node(index).fold(child, &slots[from - 1][..rows], &mut into_slot[..rows]);
                    slots[into - 1] = into_slot;
                }
            }
        }
        if self.result != OUTPUT {
            out.copy_from_slice(&slots[self.result - 1][..rows]);
        }
        Ok(())
    }

    /// Gets all the memory that the steps need.
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
        reserve_readings(&mut workspace.readings, missing)
    }
}

/// A scorer on its way into a plan.
struct Planned {
    scorer: SharedScorer,
    /// Its children in `Planner::children`.
    children: Range<usize>,
    /// How many times it is still to be folded into a parent.
    uses: usize,
    /// Where its scores are, or are being put together.
    buffer: Option<usize>,
}

/// What is left to plan; the last task comes first.
enum Task {
    /// Have the scores of a node in a buffer: in the wanted one, if one is wanted.
    Evaluate { node: usize, want: Option<usize> },
    /// Fold a child's scores, which are there, into the node's buffer.
    Fold { node: usize, child: usize, want: Option<usize> },
    /// Let the node finish what was folded.
    Finish { node: usize },
    /// Let the node finish in the buffer of its only child, which nobody else needs.
    FinishInPlace { node: usize },
}

struct Planner {
    nodes: Vec<Planned>,
    /// The children of all nodes, by number.
    children: Vec<usize>,
    tasks: Vec<Task>,
    steps: Vec<Step>,
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
        Ok(Self { nodes, children, tasks: Vec::new(), steps: Vec::new(), buffers: 0, free: Vec::new() })
    }

    fn plan(&mut self, want: Option<usize>) -> Result<(), OutOfMemory> {
        try_push(&mut self.tasks, Task::Evaluate { node: 0, want })?;
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Evaluate { node, want } => self.evaluate(node, want)?,
                Task::Fold { node, child, want } => self.fold(node, child, want)?,
                Task::Finish { node } => {
                    let into = self.nodes[node].buffer.unwrap_or(OUTPUT);
                    try_push(&mut self.steps, Step::Score { node, into })?;
                }
                Task::FinishInPlace { node } => {
                    let child = self.children[self.nodes[node].children.start];
                    let into = self.nodes[child].buffer.unwrap_or(OUTPUT);
                    self.nodes[node].buffer = Some(into);
                    try_push(&mut self.steps, Step::Score { node, into })?;
                }
            }
        }
        Ok(())
    }

    fn evaluate(&mut self, node: usize, want: Option<usize>) -> Result<(), OutOfMemory> {
        if self.nodes[node].buffer.is_some() {
            return Ok(());
        }
        let children = self.nodes[node].children.clone();
        if children.is_empty() {
            let into = self.buffer(want)?;
            self.nodes[node].buffer = Some(into);
            return try_push(&mut self.steps, Step::Score { node, into });
        }
        let scorer = &self.nodes[node].scorer;
        if let [only] = self.children[children.clone()]
            && self.nodes[only].uses == 1
            && scorer.scorer().folds_in_place()
        {
            try_push(&mut self.tasks, Task::FinishInPlace { node })?;
            return try_push(&mut self.tasks, Task::Evaluate { node: only, want });
        }
        try_push(&mut self.tasks, Task::Finish { node })?;
        for (position, index) in children.clone().enumerate().rev() {
            try_push(&mut self.tasks, Task::Fold { node, child: position, want })?;
            try_push(&mut self.tasks, Task::Evaluate { node: self.children[index], want: None })?;
        }
        // The deepest child goes first, while this node has no buffer yet. Folding goes on in the order of the children
        // all the same. Without this a chain that hangs on last children would need a buffer for each of its nodes.
        let deepest = children.map(|index| self.children[index]).max_by_key(|&child| self.nodes[child].scorer.depth());
        if let Some(deepest) = deepest.filter(|&deepest| self.nodes[deepest].scorer.depth() > 1) {
            try_push(&mut self.tasks, Task::Evaluate { node: deepest, want: None })?;
        }
        Ok(())
    }

    fn fold(&mut self, node: usize, child: usize, want: Option<usize>) -> Result<(), OutOfMemory> {
        let into = match self.nodes[node].buffer {
            Some(into) => into,
            None => self.buffer(want)?,
        };
        self.nodes[node].buffer = Some(into);
        let folded = self.children[self.nodes[node].children.start + child];
        let from = self.nodes[folded].buffer.unwrap_or(OUTPUT);
        self.nodes[folded].uses -= 1;
        if self.nodes[folded].uses == 0 {
            try_push(&mut self.free, from)?;
        }
        try_push(&mut self.steps, Step::Fold { node, child, from, into })
    }

    fn buffer(&mut self, want: Option<usize>) -> Result<usize, OutOfMemory> {
        if let Some(buffer) = want.or_else(|| self.free.pop()) {
            return Ok(buffer);
        }
        self.buffers += 1;
        Ok(self.buffers)
    }
}
