//! Scores that depend on a small code of the row: one table, one load per row.

/// An integer that numbers distinct values from 0 up. A column of codes is as narrow as its values allow.
pub trait Code: Copy {
    /// The position in the table.
    fn index(self) -> usize;
}

macro_rules! codes {
    ($($code:ty as $unsigned:ty),+) => {
        $(impl Code for $code {
            #[inline(always)]
            fn index(self) -> usize {
                self as $unsigned as usize
            }
        })+
    };
}
codes!(i8 as u8, i16 as u16, i32 as u32, i64 as u64);

/// Writes `table[codes[i]]` for every row `i`.
///
/// # Panics
///
/// When the slices differ in length, or a code is not less than `table.len()`.
pub fn lookup<C: Code>(codes: &[C], table: &[f64], out: &mut [f64]) {
    assert_eq!(codes.len(), out.len());
    for (out, &code) in out.iter_mut().zip(codes) {
        *out = table[code.index()];
    }
}

#[cfg(test)]
mod tests {
    use super::super::dispatch::on_every_path;
    use super::super::random::Random;
    use super::{Code, lookup};
    use std::panic::catch_unwind;

    fn check<C: Code + TryFrom<u64> + std::panic::RefUnwindSafe>(rows: usize, len: u64, random: &mut Random) {
        let code = |code: u64| C::try_from(code).unwrap_or_else(|_| unreachable!("codes fit their type"));
        let table: Vec<f64> = (0..len).map(|_| random.double()).collect();
        let mut codes: Vec<C> = (0..rows).map(|_| code(random.below(len))).collect();
        on_every_path(|| {
            let mut out = vec![9.0; rows];
            lookup(&codes, &table, &mut out);
            assert!(out.iter().zip(&codes).all(|(out, code)| out.to_bits() == table[code.index()].to_bits()));
        });
        if let (Some(last), Ok(beyond)) = (codes.last_mut(), C::try_from(len)) {
            *last = beyond;
            on_every_path(|| assert!(catch_unwind(|| lookup(&codes, &table, &mut vec![9.0; rows])).is_err()));
        }
    }

    #[test]
    fn looks_every_row_up_and_refuses_codes_beyond_the_table() {
        let mut random = Random(13);
        for rows in [0, 1, 7, 20, 255, 256, 257, 1000] {
            for len in [1, 2, 5, 8, 9, 127, 128] {
                check::<i8>(rows, len, &mut random);
            }
            for len in [1, 5, 256, 300, 5000] {
                check::<i16>(rows, len, &mut random);
                check::<i32>(rows, len, &mut random);
                check::<i64>(rows, len, &mut random);
            }
        }
    }
}
