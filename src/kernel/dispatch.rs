//! Chooses the instruction set of a kernel when it is called.
//!
//! A build runs on every processor of its architecture, but the kernels are several times faster with AVX2.
//! [`multiversion!`] compiles a function twice, for the baseline and for AVX2, and calls the second copy where the processor
//! supports it. Both copies have one source and no fused multiply-add, so they compute the same bits.

use std::sync::atomic::{AtomicBool, Ordering};

/// Relaxed ordering suffices, since results do not depend on the path.
static FORCE_PORTABLE: AtomicBool = AtomicBool::new(false);

/// Makes every kernel of the process take the portable path; `false` restores detection.
///
/// For tests and benchmarks that compare the paths.
pub fn force_portable(force: bool) {
    FORCE_PORTABLE.store(force, Ordering::Relaxed);
}

/// Whether kernels run as AVX2 code.
#[inline]
pub fn uses_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    let is_detected = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2");
    #[cfg(not(target_arch = "x86_64"))]
    let is_detected = false;
    is_detected && !FORCE_PORTABLE.load(Ordering::Relaxed)
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
