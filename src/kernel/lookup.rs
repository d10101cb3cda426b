//! Scores that depend on a small code of the row: one table, one load per row.

use super::dispatch::multiversion;

mod sealed {
    pub trait Sealed {}
    impl Sealed for i8 {}
    impl Sealed for i16 {}
    impl Sealed for i32 {}
    impl Sealed for i64 {}
}

/// A whole number that numbers distinct values, from 0 up; a column of them is as narrow as the
/// numbers allow.
pub trait Code: Copy + sealed::Sealed {
    /// The position in the table.
    fn index(self) -> usize;

    /// Runs the lookup for this type of code.
    #[doc(hidden)]
    fn lookup(codes: &[Self], table: &[f64], out: &mut [f64]);
}

/// Writes `table[codes[i]]` for every row `i`.
///
/// # Panics
///
/// When the slices differ in length, or a code is not less than `table.len()`.
pub fn lookup<C: Code>(codes: &[C], table: &[f64], out: &mut [f64]) {
    assert_eq!(codes.len(), out.len());
    C::lookup(codes, table, out);
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
        // Padding the table to every possible code spares the bounds check per row; on a short
        // batch it costs more.
        if codes.len() < 256 && table.len() < 256 {
            return checked(codes, table, out);
        }
        if table.len() < 256 {
            assert!(usize::from(greatest(codes)) < table.len());
        }
        let mut full = [0.0; 256];
        let len = table.len().min(256);
        full[..len].copy_from_slice(&table[..len]);
        // Eight rows a step: counting rows would cost as much as looking them up.
        let (steps, rest) = codes.as_chunks::<8>();
        let (out_steps, out_rest) = out.as_chunks_mut::<8>();
        for (out, codes) in out_steps.iter_mut().zip(steps) {
            *out = codes.map(|code| full[code.index()]);
        }
        for (out, &code) in out_rest.iter_mut().zip(rest) {
            *out = full[code.index()];
        }
    }
}

multiversion! {
    fn greatest(codes: &[i8]) -> u8 {
        codes.iter().fold(0, |greatest, &code| greatest.max(code as u8))
    }
}

macro_rules! wide_code {
    ($code:ty) => {
        impl Code for $code {
            #[inline(always)]
            fn index(self) -> usize {
                self as usize
            }

            fn lookup(codes: &[Self], table: &[f64], out: &mut [f64]) {
                checked(codes, table, out);
            }
        }
    };
}
wide_code!(i16);
wide_code!(i32);
wide_code!(i64);

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
            let codes = vec![0_i8; rows];
            lookup(&codes, &[0.25; 300], &mut vec![0.0; rows]);
        }
    }

    #[test]
    fn no_rows_need_no_table() {
        lookup::<i8>(&[], &[], &mut []);
        lookup::<i32>(&[], &[], &mut []);
    }
}
