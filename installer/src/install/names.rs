//! Which names a preset stands for. Names that are not here get no link, so a row costs nothing where a program is
//! missing.
use super::args::Names;

/// Names by preset, with what they have in common: they fetch, build, publish or reach other machines.
#[rustfmt::skip]
const NAMES: &[(Names, &[&str])] = &[
    // Runs what packages bring along (install scripts), and publishes.
    (Names::Node, &["node", "npm", "npx", "pnpm", "pnpx", "yarn", "corepack", "bun", "bunx", "deno", "tsx", "ts-node"]),
    (Names::Python, &["python", "python3", "pip", "pip3", "pipx", "uv", "uvx", "poetry", "pdm", "hatch", "conda", "mamba",
        "pytest", "tox", "nox", "twine"]),
    (Names::Rust, &["cargo", "rustc", "rustup", "cross"]),
    (Names::Go, &["go", "gofmt", "goreleaser"]),
    // Reaches other machines, with credentials of the person's.
    (Names::Cloud, &["docker", "docker-compose", "podman", "kubectl", "helm", "terraform", "tofu", "pulumi", "ansible",
        "ansible-playbook", "aws", "gcloud", "az", "flyctl", "vercel", "netlify", "wrangler", "ssh", "scp", "sftp", "rsync",
        "curl", "wget"]),
    (Names::Git, &["git", "gh", "glab", "hub", "svn", "hg"]),
];

/// Names of shells: these stand in a folder of their own, for whoever is given it.
pub const SHELLS: &[&str] = &["sh", "bash", "zsh"];

/// Names that never get a link by "all that PATH finds": shells, since a link named after one judges text, and what
/// a system starts before anything else.
pub const NOT_SHIMMED: &[&str] = &[
    "sh", "bash", "dash", "zsh", "fish", "ash", "ksh", "mksh", "rbash", "rzsh", "csh", "tcsh", "busybox",
    "init",
];

/// The names of a preset; `None` for the one that takes what it finds.
pub fn of(preset: Names) -> Option<&'static [&'static str]> {
    NAMES.iter().find(|(p, _)| *p == preset).map(|(_, n)| *n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn every_preset_has_names_but_one() {
        let without: Vec<_> = Names::value_variants().iter().filter(|p| of(**p).is_none()).collect();
        assert_eq!(without, [&Names::AllOnPath]);
    }

    #[test]
    fn no_shell_is_among_them() {
        for (preset, names) in NAMES {
            for name in *names {
                assert!(!NOT_SHIMMED.contains(name), "{preset:?} {name}");
            }
        }
    }
}
