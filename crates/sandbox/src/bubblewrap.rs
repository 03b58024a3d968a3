//! The command line of bubblewrap.
//!
//! The whole system is there, read-only; on top of it come, parents before what is inside them, the folders that may be
//! written, and on top of those what is protected. No new session: the terminal belongs to this one command, and
//! without it there would be no job control.

use crate::policy::{FileAccess, GitAccess, Network, Walls};
use crate::protected::{Protection, git_folders, protections};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where other programs of this machine listen. Whoever may talk to these may do what they can.
const DAEMONS: &[&str] = &[
    "/run/docker.sock",
    "/run/podman",
    "/run/containerd",
    "/run/crio",
    "/run/libvirt",
    "/run/dbus",
    "/run/user",
];

/// One thing that is laid over the read-only system. The order is that in which they cover each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Layer {
    Empty,
    Writable,
    ReadOnly,
    HiddenFolder,
    HiddenFile,
}

/// The arguments after the program's name, up to the `--` behind which the command follows. `with_proc` is false where
/// the system does not let `/proc` be mounted.
#[must_use]
pub fn arguments(walls: &Walls, cwd: &Path, with_proc: bool) -> Vec<OsString> {
    let mut args: Vec<OsString> = Vec::new();
    let mut add = |words: &[&str]| args.extend(words.iter().map(OsString::from));
    add(&["--die-with-parent", "--unshare-pid", "--unshare-ipc"]);
    match walls.policy.network {
        Network::Off => add(&["--unshare-net"]),
        Network::On => {}
    }
    add(&["--ro-bind", "/", "/", "--dev", "/dev"]);
    if with_proc {
        add(&["--proc", "/proc"]);
    }
    for (path, layer) in layers(walls) {
        lay(&mut args, &path, layer);
    }
    args.extend(["--chdir".into(), cwd.into(), "--".into()]);
    args
}

fn lay(args: &mut Vec<OsString>, path: &Path, layer: Layer) {
    let path = path.as_os_str();
    let mut add = |words: &[OsString]| args.extend_from_slice(words);
    match layer {
        Layer::Empty => add(&["--tmpfs".into(), path.into()]),
        Layer::Writable => add(&["--bind".into(), path.into(), path.into()]),
        Layer::ReadOnly => add(&["--ro-bind".into(), path.into(), path.into()]),
        Layer::HiddenFolder => add(&[
            "--tmpfs".into(),
            path.into(),
            "--remount-ro".into(),
            path.into(),
        ]),
        Layer::HiddenFile => add(&["--ro-bind".into(), "/dev/null".into(), path.into()]),
    }
}

/// Everything to lay over the system; a parent comes before what is inside it.
fn layers(walls: &Walls) -> Vec<(PathBuf, Layer)> {
    let mut layers = vec![(PathBuf::from("/tmp"), Layer::Empty)];
    let mut lay = |path: PathBuf, layer: Layer| layers.push((path, layer));
    lay(walls.private_tmp.clone(), Layer::Writable);
    match walls.policy.files {
        FileAccess::WorkspaceWrite => {}
        // They may be below the temporary folder, which is hidden.
        FileAccess::ReadOnly => walls
            .roots
            .iter()
            .for_each(|root| lay(root.clone(), Layer::ReadOnly)),
    }
    for root in walls.writable() {
        lay(root.clone(), Layer::Writable);
        match walls.policy.git {
            GitAccess::Protected => {}
            GitAccess::Write => git_folders(&root.join(".git"))
                .into_iter()
                .for_each(|folder| lay(folder, Layer::Writable)),
        }
    }
    for protection in protections(walls) {
        match protection {
            Protection::Mount(path) => lay(path, Layer::ReadOnly),
            Protection::Watch(_) => {}
        }
    }
    let daemons = DAEMONS.iter().map(PathBuf::from);
    for path in daemons.chain(walls.policy.deny_read.iter().cloned()) {
        // Through links: over a link nothing can be laid.
        let Ok(path) = path.canonicalize() else {
            continue;
        };
        let layer = match path.is_dir() {
            true => Layer::HiddenFolder,
            false => Layer::HiddenFile,
        };
        lay(path, layer);
    }
    layers.sort();
    layers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;

    fn walls(files: FileAccess, network: Network) -> Walls {
        Walls {
            policy: Policy {
                files,
                network,
                git: GitAccess::Protected,
                extra_write: vec!["/opt/extra".into()],
                deny_read: Vec::new(),
            },
            roots: vec!["/no/such/root".into()],
            private_tmp: "/tmp/own".into(),
        }
    }

    fn line(walls: &Walls) -> String {
        arguments(walls, Path::new("/no/such/root"), true)
            .join(" ".as_ref())
            .into_string()
            .unwrap()
    }

    #[test]
    fn what_is_inside_comes_after_what_it_is_in() {
        let line = line(&walls(FileAccess::WorkspaceWrite, Network::Off));
        let at = |part: &str| {
            line.find(part)
                .unwrap_or_else(|| panic!("{part} in {line}"))
        };
        assert!(at("--ro-bind / /") < at("--tmpfs /tmp"));
        assert!(at("--tmpfs /tmp") < at("--bind /tmp/own /tmp/own"));
        assert!(line.contains("--bind /no/such/root /no/such/root"));
        assert!(line.contains("--bind /opt/extra /opt/extra"));
        assert!(line.contains("--unshare-net"));
        assert!(line.ends_with("--chdir /no/such/root --"));
    }

    #[test]
    fn a_reader_gets_no_writable_root() {
        let line = line(&walls(FileAccess::ReadOnly, Network::On));
        assert!(line.contains("--ro-bind /no/such/root /no/such/root"));
        assert!(!line.contains("--bind /no/such/root /no/such/root --b"));
        assert!(!line.contains("--unshare-net"));
    }
}
