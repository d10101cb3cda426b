//! The least that a batch call can cost: reading the columns that the scorer needs, and writing a score per row.

/// Columns of the widths that occur, and a buffer for scores.
pub struct Floor {
    bytes: Vec<u8>,
    codes: Vec<u32>,
    doubles: Vec<f64>,
    more: Vec<f64>,
    out: Vec<f64>,
}

impl Floor {
    pub fn new(rows: usize) -> Self {
        Self {
            bytes: (0..rows).map(|row| row as u8).collect(),
            codes: (0..rows).map(|row| row as u32).collect(),
            doubles: (0..rows).map(|row| row as f64).collect(),
            more: (0..rows).map(|row| row as f64).collect(),
            out: vec![0.0; rows],
        }
    }

    /// Streams `width` bytes a row in and 8 out.
    pub fn stream(&mut self, width: usize) -> &[f64] {
        match width {
            1 => self.out.iter_mut().zip(&self.bytes).for_each(|(out, &byte)| *out = f64::from(byte)),
            4 => self.out.iter_mut().zip(&self.codes).for_each(|(out, &code)| *out = f64::from(code)),
            8 => self.out.copy_from_slice(&self.doubles),
            _ => {
                let columns = self.bytes.iter().zip(&self.codes).zip(self.doubles.iter().zip(&self.more));
                for (out, ((&byte, &code), (&a, &b))) in self.out.iter_mut().zip(columns) {
                    *out = f64::from(byte) + f64::from(code) + a + b;
                }
            }
        }
        &self.out
    }
}
