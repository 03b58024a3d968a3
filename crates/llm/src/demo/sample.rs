//! The script and the project of the demo, as they are shipped.

/// One file of the sample project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleFile {
    /// Path inside the project, with `/`.
    pub path: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
    /// It can be run.
    pub executable: bool,
}

macro_rules! sample {
    ($($executable:literal $path:literal),* $(,)?) => {
        &[$(SampleFile {
            path: $path,
            bytes: include_bytes!(concat!("../../assets/demo/project/", $path)),
            executable: $executable,
        }),*]
    };
}

/// A small project with one failing test; it needs nothing but `sh` and `awk`.
#[must_use]
pub fn sample_project() -> &'static [SampleFile] {
    sample![
        false "README.md",
        false "CHANGES.md",
        true "bill.sh",
        true "run-tests.sh",
        false "prices.txt",
        false "lib/bill.awk",
        false "orders/one-cup.txt",
        false "orders/party.txt",
        false "orders/school-trip.txt",
        false "tests/cases.txt",
    ]
}

/// The script that plays on the sample project.
#[must_use]
pub fn shipped_script() -> &'static str {
    include_str!("../../assets/demo/script.txt")
}
