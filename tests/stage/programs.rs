//! The programs under test, built once and put where an ordinary user can reach them.
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Where the programs are.
pub struct Programs {
    /// The folder of everything this test run makes.
    pub base: PathBuf,
    /// `exec-guard`.
    pub guard: PathBuf,
    /// `exec-guardctl`.
    pub ctl: PathBuf,
    /// `exec-guard-approver`.
    pub approver: PathBuf,
    /// The witness, which tools are copies of.
    pub witness: PathBuf,
    /// Starts programs out of odd situations.
    pub launch: PathBuf,
    /// The guard that disturbs.
    pub clumsy: PathBuf,
    /// Runs many jobs.
    pub batch: PathBuf,
    /// Speaks to an approver.
    pub person: PathBuf,
    /// Stands between guards and an approver.
    pub middle: PathBuf,
}

/// The repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace").to_owned()
}

/// Builds and places them at the first call.
///
/// `EXEC_GUARD_DIST=DIR` takes the programs of that folder instead, so that what is shipped is what is tested.
pub fn programs() -> &'static Programs {
    static ONCE: OnceLock<Programs> = OnceLock::new();
    ONCE.get_or_init(|| {
        sweep();
        let base = std::env::temp_dir().join(format!("exec-guard-stage.{}", std::process::id()));
        let bin = base.join("programs");
        fs::create_dir_all(&bin).expect("a folder for the programs");
        for d in [&base, &bin] {
            fs::set_permissions(d, fs::Permissions::from_mode(0o755)).expect("mode");
        }
        // The stage's folders lie in `base`, which the player has to enter and the tests have to write.
        let built = match std::env::var_os("EXEC_GUARD_DIST") {
            Some(d) => repository().join(d),
            None => build(),
        };
        let place = |from: &Path, name: &str| {
            let to = bin.join(name);
            fs::copy(from, &to).unwrap_or_else(|e| panic!("{}: {e}", from.display()));
            fs::set_permissions(&to, fs::Permissions::from_mode(0o755)).expect("mode");
            to
        };
        // Beside exec-guardctl, which starts it.
        place(&built.join("exec-guard-approver"), "exec-guard-approver");
        Programs {
            guard: place(&built.join("exec-guard"), "exec-guard"),
            ctl: place(&built.join("exec-guardctl"), "exec-guardctl"),
            approver: place(&built.join("exec-guard-approver"), "exec-guard-approver"),
            witness: place(Path::new(env!("CARGO_BIN_EXE_witness")), "witness"),
            launch: place(Path::new(env!("CARGO_BIN_EXE_launch")), "launch"),
            clumsy: place(Path::new(env!("CARGO_BIN_EXE_clumsy")), "clumsy"),
            batch: place(Path::new(env!("CARGO_BIN_EXE_batch")), "batch"),
            person: place(Path::new(env!("CARGO_BIN_EXE_person")), "person"),
            middle: place(Path::new(env!("CARGO_BIN_EXE_middle")), "middle"),
            base,
        }
    })
}

/// `cargo test` does not build the programs of other packages: a nested call does.
fn build() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let out = Command::new(cargo)
        .args(["build", "--quiet", "--locked", "--message-format=json-render-diagnostics"])
        .args(["-p", "exec-guard", "-p", "exec-guardctl", "-p", "exec-guard-approver", "--bins"])
        .current_dir(repository())
        .output()
        .expect("cargo");
    assert!(out.status.success(), "building the programs: {}", String::from_utf8_lossy(&out.stderr));
    let made = String::from_utf8_lossy(&out.stdout);
    let exe = made
        .lines()
        .filter_map(|l| serde_json::from_str::<serde_json::Value>(l).ok())
        .find_map(|m| Some(m["executable"].as_str()?.to_owned()).filter(|e| e.ends_with("/exec-guard")))
        .expect("cargo names the executable");
    Path::new(&exe).parent().expect("a folder").to_owned()
}

/// Removes what earlier runs left: a static is never dropped.
fn sweep() {
    let Ok(dir) = fs::read_dir(std::env::temp_dir()) else { return };
    for entry in dir.flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|n| n.strip_prefix("exec-guard-stage.")) else { continue };
        if !Path::new("/proc").join(pid).exists() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
