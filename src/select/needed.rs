//! How large a budget keeps a row.

use crate::batch::Batch;
use crate::error::{Error, Excerpt, Parameter, Value, check};
use crate::memory::try_pad;
use crate::scorer::Groups;
use crate::select::scratch::Scratch;
use crate::select::selector::clamp;
use crate::select::slice::Order;
use crate::select::{Reason, Selection, Selector, Slicer};

impl Selector {
    /// Writes for each row of `batch` the least effective target from which on the row is always kept: 0 for rows of pinned
    /// units, -1 for rows that took no part. `selection` is one that this selector made of the batch; its scores count. A limit
    /// of rows is left out of account.
    ///
    /// # Errors
    ///
    /// The slicer is knapsack or there are quotas, where there is no such target; a length is not that of the batch; the
    /// selection is of groups. Nothing is written then.
    pub fn needed(&self, batch: &Batch, selection: &Selection, out: &mut [i64]) -> Result<(), Error> {
        let policy = self.policy();
        let order = match policy.slicer {
            Slicer::Greedy => Order::Density,
            Slicer::Ranked | Slicer::Prefix => Order::Score,
            Slicer::Knapsack => {
                let rule = "a larger budget may drop a row: only greedy, ranked and prefix have a least budget";
                let value = Value::Text(Excerpt::new("knapsack"));
                return Err(Error::Invalid { parameter: Parameter::Slicer, value, rule });
            }
        };
        for (parameter, len) in [
            (Parameter::Quotas, policy.quotas.entries().len()),
            (Parameter::CountQuotas, policy.count_quotas.entries().len()),
        ] {
            check(len == 0, parameter, Value::Size(len), "with quotas a row has no least budget")?;
        }
        for (parameter, actual) in
            [(Parameter::SelectionRows, selection.batch_len()), (Parameter::NeededTokens, out.len())]
        {
            if actual != batch.len() {
                return Err(Error::LengthMismatch { parameter, actual, expected: batch.len() });
            }
        }
        if selection.front.is_of_groups() {
            return Err(Error::SelectionOfGroups);
        }
        batch.workspace().with(|scratch| self.needed_in(order, batch, selection, scratch, out))
    }

    fn needed_in(
        &self,
        order: Order,
        batch: &Batch,
        selection: &Selection,
        scratch: &mut Scratch,
        out: &mut [i64],
    ) -> Result<(), Error> {
        let Scratch { units, slice, reasons, .. } = scratch;
        reasons.clear();
        try_pad(reasons, batch.len(), 0)?;
        let whole = [0, batch.len() as i64];
        units.classify(batch, Groups::new(&whole, batch.len())?, self.policy().group_key.as_deref(), reasons)?;
        let dropped = |unit: &u32| selection.reason_numbers()[*unit as usize] == Reason::Duplicate as u8;
        units.candidates.retain(|unit| !dropped(unit));
        units.sum_scores(selection.scores());
        let view = units.view(batch, selection.scores());
        let entries = slice.entries();
        order.read(view, &units.candidates, entries)?;
        order.sort(view, entries);
        out.fill(-1);
        for (&reason, out) in reasons.iter().zip(&mut *out) {
            if reason == Reason::Pinned as u8 || reason == Reason::Group as u8 {
                *out = 0;
            }
        }
        let mut sum = 0_u128;
        for &(_, unit) in &*entries {
            let tokens = view.exact_tokens(unit);
            sum += tokens;
            let needed = if tokens == 0 && self.policy().slicer != Slicer::Prefix { 1 } else { sum.max(1) };
            view.rows(unit).for_each(|row| out[row as usize] = clamp(needed as i128));
        }
        Ok(())
    }
}
