//! System calls that are refused where no namespace keeps the command from the network and from other processes.
//!
//! Refused calls fail with "operation not permitted"; the program goes on and can say so. `recvfrom` and `sendmsg` stay:
//! programs talk to their own children over socket pairs. Deliberately absent: files, see [`crate::confine`].

use crate::Error;
use crate::policy::Network;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};
use std::collections::BTreeMap;

/// Reaching into other processes, and the queue through which other calls pass unseen.
const ALWAYS: &[i64] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

const NETWORK: &[i64] = &[
    libc::SYS_connect,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_getpeername,
    libc::SYS_getsockname,
    libc::SYS_shutdown,
    libc::SYS_sendto,
    libc::SYS_sendmmsg,
    libc::SYS_recvmmsg,
    libc::SYS_getsockopt,
    libc::SYS_setsockopt,
];

/// The filter, ready to be put in place.
pub(crate) fn filter(network: Network) -> Result<BpfProgram, Error> {
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(unavailable)?;
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    rules.extend(ALWAYS.iter().map(|call| (*call, Vec::new())));
    let sockets = match network {
        Network::Off => {
            rules.extend(NETWORK.iter().map(|call| (*call, Vec::new())));
            family_is(SeccompCmpOp::Ne, libc::AF_UNIX)?
        }
        Network::On => family_is(SeccompCmpOp::Eq, libc::AF_VSOCK)?,
    };
    rules.insert(libc::SYS_socket, vec![sockets.clone()]);
    rules.insert(libc::SYS_socketpair, vec![sockets]);
    let refused = SeccompAction::Errno(u32::try_from(libc::EPERM).unwrap_or(1));
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refused, arch);
    BpfProgram::try_from(filter.map_err(unavailable)?).map_err(unavailable)
}

/// Matches sockets by their family, which is the first argument.
fn family_is(operator: SeccompCmpOp, family: i32) -> Result<SeccompRule, Error> {
    let family = u64::try_from(family).map_err(unavailable)?;
    let condition = SeccompCondition::new(0, SeccompCmpArgLen::Dword, operator, family);
    SeccompRule::new(vec![condition.map_err(unavailable)?]).map_err(unavailable)
}

fn unavailable(error: impl std::fmt::Display) -> Error {
    Error::Unavailable(format!("no filter for system calls: {error}"))
}
