//! Sub-commands of container tools.
use super::Category::{LoadsCode, RunsProgram, Uploads, WritesFile};
use super::{EXACT, EXACT_POSIX, Opts, Sub, Test, When, row};
use crate::tables::words::words;

const HOST: &str = "gives the container files, devices or rights of the host";

/// docker, podman and their like.
pub(super) const DOCKER: &[Sub] = &[
    Sub {
        names: &["run", "create", "exec", "container", "service"],
        opts: Opts::new(
            EXACT_POSIX,
            "v:e:p:w:u:m:c:h:l:a:",
            "volume= mount= env= env-file= publish= workdir= user= memory= cpus= hostname= label= attach= name= \
             network= net= pid= ipc= uts= userns= cap-add= cap-drop= device= security-opt= entrypoint= \
             add-host= dns= expose= link= log-driver= log-opt= platform= pull= restart= runtime= shm-size= \
             stop-signal= sysctl= tmpfs= ulimit= volumes-from= cidfile= gpus= health-cmd= ip= annotation= \
             cgroup-parent= cgroupns= cpu-shares= cpuset-cpus= group-add= isolation= mac-address= \
             memory-swap= network-alias= pids-limit= storage-opt= blkio-weight= detach-keys=",
        ),
        rows: &[
            row(
                When::Val("-v --volume --mount", Test::HostMount),
                RunsProgram,
                HOST,
                "docker run -v; GTFOBins docker",
                "run -v /:/mnt alpine",
            ),
            row(
                When::Opt("--privileged --device --volumes-from --runtime"),
                RunsProgram,
                HOST,
                "docker run --privileged",
                "run --privileged alpine",
            ),
            row(
                When::Val("--pid --ipc --uts --userns --network --net --cgroupns", Test::Is(words!["host"])),
                RunsProgram,
                HOST,
                "docker run --pid",
                "run --pid=host alpine",
            ),
            row(
                When::Val(
                    "--cap-add",
                    Test::HasFold(words![
                        "all", "admin", "ptrace", "module", "rawio", "dac_", "bpf", "chroot"
                    ]),
                ),
                RunsProgram,
                HOST,
                "docker run --cap-add",
                "run --cap-add=SYS_ADMIN alpine",
            ),
            row(
                When::Val("--security-opt", Test::HasFold(words!["unconfined", "disable"])),
                RunsProgram,
                HOST,
                "docker run --security-opt",
                "run --security-opt seccomp=unconfined alpine",
            ),
            row(
                When::Opt("--cidfile"),
                WritesFile,
                "writes over a file of the caller's choice",
                "docker run --cidfile",
                "run --cidfile x alpine",
            ),
        ],
    },
    Sub {
        names: &["build", "buildx", "image"],
        opts: Opts::new(
            EXACT,
            "f:t:o:",
            "file= tag= output= build-arg= target= secret= ssh= metadata-file= iidfile= network= allow= \
             build-context= platform= cache-from= cache-to= label= progress= builder=",
        ),
        rows: &[
            row(
                When::Opt("-o --output --metadata-file --iidfile"),
                WritesFile,
                "writes over files of the caller's choice",
                "docker build --output",
                "build -o x .",
            ),
            row(
                When::Opt("--secret --ssh"),
                Uploads,
                "gives secrets of this host to the build",
                "docker build --secret",
                "build --secret id=x,src=y .",
            ),
            row(
                When::Opt("--allow"),
                RunsProgram,
                HOST,
                "docker buildx build --allow",
                "buildx build --allow security.insecure .",
            ),
        ],
    },
    Sub {
        names: &["save", "export"],
        opts: Opts::new(EXACT, "o:", "output="),
        rows: &[row(
            When::Opt("-o --output"),
            WritesFile,
            "writes over a file of the caller's choice",
            "docker save -o",
            "save -o x alpine",
        )],
    },
    Sub {
        names: &["plugin", "context"],
        opts: Opts::new(EXACT_POSIX, "", ""),
        rows: &[row(
            When::Path("install|set|use|create|import"),
            LoadsCode,
            "fetches a plugin with rights on the host, or works on another daemon",
            "docker plugin install",
            "plugin install x",
        )],
    },
];
