//! The shared cases for edits and writes, as far as this crate decides them.

pub(crate) mod scene;

use crate::support::{Bench, IGNORE_NAME, now_ns};
use files::{
    Applied, ChangeRequest, Decided, Error, InPlace, Location, Occurrences, Proposal, Reviewer,
    apply, plan,
};
use protocol::settings::EditProfile;
use scene::{Ended, Scene, cases, run_all};
use serde_json::Value;
use std::sync::atomic::Ordering;

/// Needs what this crate does not decide: rules and the schema of a tool.
const OUT_OF_SCOPE_KEYS: [&str; 2] = ["policy", "extra_args"];

#[test]
fn edit_cases() {
    check_list("cases", 259);
}

#[test]
fn write_file_cases() {
    check_list("write_file_cases", 18);
}

fn check_list(list: &str, n_expected: usize) {
    let all = cases(list);
    let chosen: Vec<&Value> = all.iter().filter(|case| is_in_scope(case)).collect();
    assert_eq!(chosen.len(), n_expected, "all that is decided here is run");
    run_all(&chosen, run);
}

fn is_in_scope(case: &Value) -> bool {
    let setup = &case["setup"];
    let by_person = matches!(
        setup["human"]["decision"].as_str(),
        Some("reject" | "cancel")
    );
    !by_person && OUT_OF_SCOPE_KEYS.iter().all(|key| setup.get(key).is_none())
}

fn run(case: &Value) -> Result<(), String> {
    let setup = &case["setup"];
    let in_place = if setup["allow_in_place"] == false {
        InPlace::Refused
    } else {
        InPlace::Allowed
    };
    let mut bench = Bench::with(in_place);
    if let Some(max) = setup["max_edit_bytes"].as_u64() {
        bench.settings.max_edit_bytes = max;
    }
    if let Some(max) = setup["max_result_bytes"].as_u64() {
        bench.settings.max_result_bytes = usize::try_from(max).expect("small");
    }
    if setup["profile"] == "extended" {
        bench.settings.edit_profile = EditProfile::Extended;
    }
    if setup["approver"] == "none" {
        bench.settings.reviewer = Reviewer::Nobody;
    }
    let mut scene = Scene::new(case, bench.ws(), bench.outside());
    scene.lay_out(&bench.cache, IGNORE_NAME, now_ns());
    for (old, new) in scene.prior_edits() {
        let request = edit(old, new, Occurrences::One);
        let resolved = bench.resolve(&scene.path).expect("a path");
        let proposal = plan(&resolved, &request, &bench.plan_context()).expect("a plan");
        apply(&proposal, Decided::AsProposed, &bench.apply_context()).expect("a write");
    }
    let refuses = setup["backup"] == "fail";
    bench.store.refuses.store(refuses, Ordering::Relaxed);
    scene.mutate_at("after_read");
    let _faults = scene.arm();
    scene.arm_mutations();
    let ended = call(&bench, &scene);
    bench.committer.settle();
    scene.judge(&told(ended))
}

fn call(bench: &Bench, scene: &Scene<'_>) -> Result<(Proposal, Applied), Error> {
    let resolved = bench.resolve(&scene.path)?;
    if resolved.location == Location::Outside {
        return Err(Error::NotInWorkspace {
            path: resolved.path,
            roots: bench.roots.as_slice().to_vec(),
        });
    }
    if let Some(pattern) = files::ignored_by(&resolved.path, &bench.roots, IGNORE_NAME) {
        return Err(Error::Ignored {
            path: resolved.path,
            pattern,
        });
    }
    let proposal = plan(&resolved, &request(scene.case), &bench.plan_context())?;
    scene.mutate_at("during_confirm");
    let decided = match scene.setup()["human"]["final"].as_str() {
        Some(text) => Decided::Text(text),
        None => Decided::AsProposed,
    };
    let applied = apply(&proposal, decided, &bench.apply_context())?;
    Ok((proposal, applied))
}

fn request(case: &Value) -> ChangeRequest<'_> {
    let text = |key: &str| case[key].as_str().expect("text");
    match case["content"].as_str() {
        Some(content) => ChangeRequest::Write { content },
        None => edit(
            text("old_string"),
            text("new_string"),
            if case["replace_all"] == true {
                Occurrences::All
            } else {
                Occurrences::One
            },
        ),
    }
}

fn edit<'a>(old: &'a str, new: &'a str, occurrences: Occurrences) -> ChangeRequest<'a> {
    ChangeRequest::Edit {
        old,
        new,
        occurrences,
    }
}

fn told(ended: Result<(Proposal, Applied), Error>) -> Ended {
    let (proposal, applied) = match ended {
        Ok(done) => done,
        Err(error) => {
            return Ended::Refused {
                code: error.code().to_owned(),
                reason: error.reason().map(str::to_owned),
                message: error.to_string(),
            };
        }
    };
    let planned = proposal.warnings.iter().map(files::EditWarning::code);
    let committed = applied
        .committed
        .warnings
        .iter()
        .map(|warning| warning.code());
    Ended::Written {
        layer: proposal.layer.name().to_owned(),
        confirm: !proposal.confirm_reasons.is_empty(),
        warnings: planned.chain(committed).map(str::to_owned).collect(),
    }
}
