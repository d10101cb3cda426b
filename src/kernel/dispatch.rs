//! Chooses the instruction set of a kernel when it is called.
//!
//! A build runs on any processor of its architecture, yet the plain loops of this module are
//! several times faster when the compiler may use the vector instructions of the processor at hand.
//! So [`multiversion!`] compiles the *same source* twice, once for the baseline and once for AVX2,
//! and calls the second where the processor has it. One source, and no fused multiply-add in either
//! copy, is what makes both give the same bits.

use std::sync::atomic::{AtomicU8, Ordering};

const UNKNOWN: u8 = 0;
const PORTABLE: u8 = 1;
const AVX2: u8 = 2;

/// What the next kernel runs on. Relaxed order suffices: every value gives the same results, and
/// detection is idempotent.
static PATH: AtomicU8 = AtomicU8::new(UNKNOWN);

/// Makes every kernel of the process take the portable path, or, given `false`, choose for itself
/// again.
///
/// For tests and benchmarks that compare the paths. Results do not depend on it.
pub fn force_portable(force: bool) {
    PATH.store(if force { PORTABLE } else { UNKNOWN }, Ordering::Relaxed);
}

/// Whether kernels run as AVX2 code.
#[inline]
pub fn uses_avx2() -> bool {
    match PATH.load(Ordering::Relaxed) {
        UNKNOWN => detect(),
        path => path == AVX2,
    }
}

#[cold]
fn detect() -> bool {
    #[cfg(target_arch = "x86_64")]
    let path = if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") { AVX2 } else { PORTABLE };
    #[cfg(not(target_arch = "x86_64"))]
    let path = PORTABLE;
    // A concurrent `force_portable` wins.
    let _ = PATH.compare_exchange(UNKNOWN, path, Ordering::Relaxed, Ordering::Relaxed);
    path == AVX2
}

/// Compiles a function for the baseline and for AVX2, and picks one of the two at each call.
///
/// What the body calls must be `#[inline(always)]`, or small enough to be inlined anyway: a
/// function that is not inlined stays baseline code.
macro_rules! multiversion {
    (
        $(#[$meta:meta])*
        $vis:vis fn $name:ident $(<$($generic:ident: $bound:ident),+>)?
        ($($arg:ident: $ty:ty),+ $(,)?) $(-> $out:ty)?
        $body:block
    ) => {
        $(#[$meta])*
        $vis fn $name $(<$($generic: $bound),+>)? ($($arg: $ty),+) $(-> $out)? {
            #[inline(always)]
            fn portable $(<$($generic: $bound),+>)? ($($arg: $ty),+) $(-> $out)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,bmi2")]
                fn avx2 $(<$($generic: $bound),+>)? ($($arg: $ty),+) $(-> $out)? {
                    portable($($arg),+)
                }
                if $crate::kernel::dispatch::uses_avx2() {
                    // SAFETY: `uses_avx2` answers true only on a processor that has both features.
                    return unsafe { avx2($($arg),+) };
                }
            }
            portable($($arg),+)
        }
    };
}
pub(super) use multiversion;

/// Runs a test body once for each path this machine has.
#[cfg(test)]
pub(super) fn on_every_path(mut body: impl FnMut()) {
    use std::sync::{Mutex, PoisonError};

    // The choice is global, so tests that make it take turns.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    force_portable(true);
    assert!(!uses_avx2());
    body();
    force_portable(false);
    if uses_avx2() {
        body();
    }
}
