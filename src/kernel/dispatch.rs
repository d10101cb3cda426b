//! Chooses the instruction set of a kernel when it is called.
//!
//! A build runs on every processor of its architecture, but the kernels are several times faster with AVX2.
//! [`multiversion!`] compiles a function twice, for the baseline and for AVX2, and calls the second copy where the processor
//! supports it. Both copies have one source and no fused multiply-add, so they compute the same bits.

use std::sync::atomic::{AtomicU8, Ordering};

const UNKNOWN: u8 = 0;
const PORTABLE: u8 = 1;
const AVX2: u8 = 2;

/// The path of the next kernel. Relaxed ordering suffices: results do not depend on the path, and detection is idempotent.
static PATH: AtomicU8 = AtomicU8::new(UNKNOWN);

/// Makes every kernel of the process take the portable path; `false` restores detection.
///
/// For tests and benchmarks that compare the paths.
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

/// Compiles a function for the baseline and for AVX2, and chooses a copy at each call.
///
/// Functions that the body calls should be `#[inline(always)]`: one that is not inlined is compiled for the baseline only.
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
                    // SAFETY: `uses_avx2` returns true only on a processor with both features.
                    return unsafe { avx2($($arg),+) };
                }
            }
            portable($($arg),+)
        }
    };
}
pub(super) use multiversion;

/// Runs a test once for each path that this processor supports.
#[cfg(test)]
pub(super) fn on_every_path(mut body: impl FnMut()) {
    use std::sync::{Mutex, PoisonError};

    // The path is global, so tests that force it are serialised.
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
