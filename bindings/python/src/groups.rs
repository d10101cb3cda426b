//! Which messages belong together: tool calls and their results, and reasoning with what it led to.

use std::collections::{HashMap, HashSet};

/// What links a message to others.
#[derive(Debug, Default)]
pub struct Links {
    /// Ids of the calls that it makes.
    pub calls: Vec<String>,
    /// Ids of the calls that it has results of.
    pub results: Vec<String>,
    /// Whether it makes a call without an id, as the first functions of OpenAI's chat did.
    pub unnamed_call: bool,
    /// Whether it is the result of the last such call.
    pub unnamed_result: bool,
    /// Whether it is a reasoning item, which the interface takes only with the items that follow from it.
    pub reasoning: bool,
}

/// The group of each tool call, by the id of the call.
#[derive(Debug, Default)]
pub struct CallGroups(HashMap<String, String>);

impl From<HashMap<String, String>> for CallGroups {
    fn from(groups: HashMap<String, String>) -> Self {
        Self(groups)
    }
}

/// Sets of messages, by a tree for each set.
struct Sets(Vec<usize>);

impl Sets {
    /// The lowest message of the set.
    fn root(&mut self, mut message: usize) -> usize {
        while self.0[message] != message {
            self.0[message] = self.0[self.0[message]];
            message = self.0[message];
        }
        message
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other)] = one.min(other);
    }
}

impl CallGroups {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Remembers the groups of more calls.
    pub fn extend(&mut self, calls: HashMap<String, String>) {
        self.0.extend(calls);
    }

    /// The group of each message, and of each call that they make. `first` is the position of the first message.
    pub fn group(&self, messages: &[&Links], first: usize) -> (Vec<Option<String>>, HashMap<String, String>) {
        let mut sets = Sets((0..messages.len()).collect());
        // Some hosts use ids again: a result belongs to the latest call before it.
        let mut makers: HashMap<&str, usize> = HashMap::new();
        let mut earlier: Vec<Option<&String>> = vec![None; messages.len()];
        let mut unnamed = None;
        // The reasoning whose items are not over, and whether there was one.
        let mut reasoning: Option<(usize, bool)> = None;
        for (index, links) in messages.iter().enumerate() {
            for id in &links.results {
                match makers.get(id.as_str()) {
                    Some(&maker) => sets.join(index, maker),
                    None => earlier[index] = earlier[index].or(self.0.get(id)),
                }
            }
            if links.unnamed_result
                && let Some(maker) = unnamed
            {
                sets.join(index, maker);
            }
            makers.extend(links.calls.iter().map(|id| (id.as_str(), index)));
            if links.unnamed_call {
                unnamed = Some(index);
            }
            reasoning = match reasoning {
                Some((start, false)) if links.reasoning => {
                    sets.join(start, index);
                    Some((start, false))
                }
                _ if links.reasoning => Some((index, false)),
                Some((start, followed)) if !followed || !links.calls.is_empty() => {
                    sets.join(start, index);
                    (!links.calls.is_empty()).then_some((start, true))
                }
                _ => None,
            };
        }
        let roots: Vec<usize> = (0..messages.len()).map(|index| sets.root(index)).collect();
        let mut sizes = vec![0_usize; messages.len()];
        roots.iter().for_each(|&root| sizes[root] += 1);
        let mut names: Vec<Option<String>> = vec![None; messages.len()];
        for (index, &root) in roots.iter().enumerate() {
            if names[root].is_none() {
                names[root] = earlier[index].cloned();
            }
        }
        let mut used: HashSet<String> = self.0.values().chain(names.iter().flatten()).cloned().collect();
        for (index, &root) in roots.iter().enumerate() {
            let links = messages[index];
            if names[root].is_some() || (sizes[root] == 1 && links.calls.is_empty() && links.results.is_empty()) {
                continue;
            }
            let id = links.calls.first().or(links.results.first());
            let mut name = match id {
                Some(id) => id.clone(),
                // Another message of the set may have one.
                None if roots[index + 1..].contains(&root) => continue,
                None => format!("messages[{}]", first + root),
            };
            if !used.insert(name.clone()) {
                name = format!("{name} of messages[{}]", first + index);
                used.insert(name.clone());
            }
            names[root] = Some(name);
        }
        let group = |index: usize| names[roots[index]].clone();
        let calls = makers.into_iter().filter_map(|(id, index)| Some((id.to_owned(), group(index)?))).collect();
        ((0..messages.len()).map(group).collect(), calls)
    }
}
