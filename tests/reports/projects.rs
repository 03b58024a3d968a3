//! A project is its folder by its full real path; nothing of one shows up in another.

use crate::program::said;
use crate::scene::Scene;
use protocol::confirmation::{Decision, Scope};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

/// Names that become one as soon as somebody tidies them up. A folder comes before what lies in it.
const NAMES: [&str; 7] = [
    "my_app",
    "my-app",
    "my.app",
    "my app",
    "MY-APP",
    "my-app/sub",
    "my-\u{e5}pp",
];

/// The folders by their real paths, with what is said in each.
fn projects(scene: &Scene) -> Vec<(String, PathBuf)> {
    let mut projects = Vec::new();
    for name in NAMES {
        let folder = scene.file(name);
        // Where capitals make no difference, it is not another project.
        if folder.exists() {
            continue;
        }
        fs::create_dir(&folder).unwrap();
        projects.push((format!("hello from {name}"), folder));
    }
    projects
}

fn command(command: &str) -> Value {
    json!({"calls": [{"tool": "run_shell_command", "args": {"command": command}}]})
}

#[test]
fn hi_03_projects_with_similar_paths_keep_their_sessions_apart() {
    let scene = Scene::of("HI-03");
    let projects = projects(&scene);
    for (words, folder) in &projects {
        let provider = scene.model(&[command("pwd"), json!({"text": "Hello."})]);
        let run = scene.run(&provider).approve("all").at(folder);
        run.say(words).end().completed();
        let result = &provider.last().results()[0];
        let here = format!("Output: {}", folder.display());
        assert!(result.lines().any(|line| line == here), "{result}");
    }
    for (words, folder) in &projects {
        let sessions = scene.sessions_of(folder);
        assert_eq!(sessions.len(), 1, "{words}");
        let stored = scene.stored(&sessions[0].session_id);
        assert_eq!(said(&stored.items), [words, "Hello."]);
    }
    assert_eq!(scene.sessions().len(), projects.len());
}

#[test]
fn hi_03_a_folder_is_the_same_however_it_is_reached() {
    let scene = Scene::of("HI-03");
    let real = scene.file("my-app");
    fs::create_dir(&real).unwrap();
    let link = scene.folder.path().join("link");
    symlink(&real, &link).unwrap();
    let slash = PathBuf::from(format!("{}/", real.display()));
    let provider = scene.model(&[json!({"text": "Hello."})]);
    scene.run(&provider).at(&real).say("1").end().completed();
    for (words, path) in [("2", &link), ("3", &slash)] {
        assert_eq!(scene.sessions_of(path), scene.sessions_of(&real));
        let run = scene.run(&provider).at(path).go_on();
        run.say(words).end().completed();
    }
    let stored = scene.stored(&scene.session().session_id);
    let expected = ["1", "Hello.", "2", "Hello.", "3", "Hello."];
    assert_eq!(said(&stored.items), expected);
}

#[test]
fn hi_03_what_is_allowed_in_one_project_is_asked_in_another() {
    let scene = Scene::of("HI-03");
    let make = command("mkdir made");
    let done = json!({"text": "Done."});
    let provider = scene.model(&[make.clone(), done.clone(), make, done]);
    for name in ["my_app", "my-app"] {
        let folder = scene.file(name);
        fs::create_dir(&folder).unwrap();
        let run = scene.run(&provider).approve("ask").at(&folder);
        let mut program = run.say("go");
        let ask = program.question();
        assert!(!folder.join("made").exists());
        let always = Decision::Allow {
            scope: Scope::Session,
        };
        program.answer(&ask, &always);
        program.end().completed();
        assert!(folder.join("made").exists());
    }
}
