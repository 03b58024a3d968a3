use super::*;

#[track_caller]
fn check(mode: Mode, kind: ToolKind, default: Permission, expected: &str) {
    let rules = BTreeSet::from(["Shell(ls)".to_owned()]);
    let facts = Facts {
        mode,
        kind,
        default,
        rule: None,
        rules: &rules,
        needs_user: false,
        confirm_required: false,
    };
    assert_eq!(name(&decide(&facts)), expected, "{mode:?} {kind:?}");
    let confirmed = Facts {
        confirm_required: true,
        ..facts
    };
    assert_eq!(
        decide(&confirmed),
        Decision::Ask,
        "a protected path asks in every mode"
    );
    let needed = Facts {
        needs_user: true,
        rule: Some("Shell(ls)"),
        ..facts
    };
    assert_eq!(
        decide(&needed),
        Decision::Ask,
        "no rule and no mode answers for the person"
    );
    let other = Facts {
        rule: Some("Shell(rm)"),
        ..facts
    };
    assert_eq!(
        decide(&other),
        decide(&facts),
        "a rule for something else changes nothing"
    );
}

fn name(decision: &Decision) -> &str {
    match decision {
        Decision::Allow { because } => because.as_deref().unwrap_or("allow"),
        Decision::Ask => "ask",
    }
}

#[test]
fn the_mode_decides_where_the_tool_would_ask() {
    use Permission::{Allow, Ask};
    check(Mode::Default, ToolKind::Read, Allow, "allow");
    check(Mode::Default, ToolKind::Read, Ask, "ask");
    check(Mode::Default, ToolKind::Edit, Ask, "ask");
    check(Mode::Default, ToolKind::Execute, Allow, "allow");
    check(Mode::AutoEdit, ToolKind::Edit, Ask, "mode auto_edit");
    check(Mode::AutoEdit, ToolKind::Execute, Ask, "ask");
    check(Mode::AutoEdit, ToolKind::Fetch, Ask, "ask");
    check(Mode::AutoEdit, ToolKind::Delete, Ask, "ask");
    check(Mode::Yolo, ToolKind::Edit, Ask, "mode yolo");
    check(Mode::Yolo, ToolKind::Execute, Ask, "mode yolo");
    check(Mode::Yolo, ToolKind::Other, Ask, "mode yolo");
    check(Mode::Plan, ToolKind::Fetch, Ask, "ask");
}

#[test]
fn a_rule_of_the_session_lets_its_calls_pass() {
    let rules = BTreeSet::from(["Shell(ls)".to_owned()]);
    let facts = Facts {
        mode: Mode::Default,
        kind: ToolKind::Execute,
        default: Permission::Ask,
        rule: Some("Shell(ls)"),
        rules: &rules,
        needs_user: false,
        confirm_required: false,
    };
    assert_eq!(
        decide(&facts),
        Decision::Allow {
            because: Some("Shell(ls)".to_owned())
        }
    );
}

#[test]
fn plan_mode_lets_through_what_changes_nothing() {
    let passing = [
        ToolKind::Read,
        ToolKind::Search,
        ToolKind::Fetch,
        ToolKind::Think,
    ];
    let refused = [
        ToolKind::Edit,
        ToolKind::Delete,
        ToolKind::Move,
        ToolKind::Execute,
        ToolKind::Agent,
        ToolKind::Other,
    ];
    assert!(passing.into_iter().all(passes_in_plan_mode));
    assert!(!refused.into_iter().any(passes_in_plan_mode));
}
