//! Scores that depend on a small code of the row: one table, one load per row.

/// An integer that numbers distinct values from 0 up. A column of codes is as narrow as its values allow.
pub trait Code: Copy {
    /// The position in the table.
    fn index(self) -> usize;

    /// Looks every row up; see [`lookup`].
    #[inline(always)]
    fn lookup(codes: &[Self], table: &[f64], out: &mut [f64]) {
        checked(codes, table, out);
    }
}

#[inline(always)]
fn checked<C: Code>(codes: &[C], table: &[f64], out: &mut [f64]) {
    for (out, &code) in out.iter_mut().zip(codes) {
        *out = table[code.index()];
    }
}

impl Code for i8 {
    #[inline(always)]
    fn index(self) -> usize {
        usize::from(self as u8)
    }

    fn lookup(codes: &[Self], table: &[f64], out: &mut [f64]) {
        // A table of every possible code spares the bounds check per row. On a short batch it costs more than it saves.
        if codes.len() < 256 {
            return checked(codes, table, out);
        }
        let mut padded = [0.0; 256];
        let len = table.len().min(256);
        padded[..len].copy_from_slice(&table[..len]);
        let greatest = codes.iter().fold(0, |greatest, &code| (code as u8).max(greatest));
        assert!(usize::from(greatest) < len, "a code beyond the table");
        for (out, &code) in out.iter_mut().zip(codes) {
            *out = padded[code.index()];
        }
    }
}

macro_rules! wide_codes {
    ($($code:ty),+) => {
        $(impl Code for $code {
            #[inline(always)]
            fn index(self) -> usize {
                self as usize
            }
        })+
    };
}
wide_codes!(i16, i32, i64);

/// Writes `table[codes[i]]` for every row `i`.
///
/// # Panics
///
/// When the slices differ in length, or a code is not less than `table.len()`.
pub fn lookup<C: Code>(codes: &[C], table: &[f64], out: &mut [f64]) {
    assert_eq!(codes.len(), out.len());
    C::lookup(codes, table, out);
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
