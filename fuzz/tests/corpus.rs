//! Replays every file of the committed corpus, without a fuzzer.

use std::fs;
use std::path::Path;

fn replay(target: &str) {
    let &(_, run) = cupel_fuzz::TARGETS.iter().find(|(name, _)| *name == target).expect("a target of that name");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 20, "{}: {} files are too few to be the corpus", folder.display(), files.len());
    for file in files {
        // Captured unless the test fails, and then the last line names the culprit.
        println!("{}", file.display());
        run(&fs::read(&file).unwrap());
    }
}

macro_rules! replays {
    ($($target:ident)*) => {
        $(
            #[test]
            fn $target() {
                replay(stringify!($target));
            }
        )*

        #[test]
        fn every_target_is_replayed() {
            let mut names = vec![$(stringify!($target)),*];
            let mut targets: Vec<_> = cupel_fuzz::TARGETS.iter().map(|(name, _)| *name).collect();
            names.sort_unstable();
            targets.sort_unstable();
            assert_eq!(names, targets);
        }
    };
}

replays! { scorer_from_json append_json append_columns append_arrow call_sequence differential select }
