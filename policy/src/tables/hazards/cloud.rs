//! Containers, clouds and forges.
use super::Category::{LoadsCode, RunsProgram, Uploads, WritesFile};
use super::{DASH, EXACT, EXACT_POSIX, GNU, Opts, Program, Test, When, row};
use crate::tables::words::words;

const WRITES: &str = "writes over a file of the caller's choice";

const SENDS: &str = "sends the content of a file";

const PROGRAM: &str = "runs a program of the caller's choice";

const OPTIONS: &str = "takes options from a file";

/// The family.
pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &["gh", "glab", "hub"],
        opts: Opts::new(
            EXACT,
            "R:f:F:H:X:q:t:b:B:l:a:m:p:r:L:s:",
            "repo= input= field= raw-field= header= method= jq= template= body= body-file= \
title= label= json= editor=",
        ),
        rows: &[
            row(
                When::Path("alias set|import"),
                RunsProgram,
                "writes an alias, which can be a shell line",
                "gh alias set",
                "alias set x '!id'",
            ),
            row(
                When::Path("extension|extensions|ext install|exec|upgrade|create"),
                LoadsCode,
                "fetches or runs an extension, which is a program",
                "gh extension install",
                "extension install a/b",
            ),
            row(
                When::All(&[When::Path("api"), When::Val("--input", Test::Not(words!["-"]))]),
                Uploads,
                SENDS,
                "gh api --input",
                "api --input x /y",
            ),
            row(
                When::All(&[When::Path("api"), When::Val("-F --field", Test::Has(words!["=@"]))]),
                Uploads,
                SENDS,
                "gh api -F",
                "api -F a=@x /y",
            ),
            row(
                When::Path("config set"),
                RunsProgram,
                "writes a setting that names an editor, a pager or a browser",
                "gh config set",
                "config set editor x",
            ),
            row(
                When::Path("auth token|git-credential"),
                Uploads,
                "prints the access token",
                "gh auth token",
                "auth token",
            ),
            row(When::Path("gist create|edit"), Uploads, SENDS, "gh gist create", "gist create x"),
            row(
                When::All(&[
                    When::Path("repo clone|fork"),
                    When::From(2, Test::Starts(words!["-u", "-c", "--upload", "--config", "--template"])),
                ]),
                RunsProgram,
                "passes options to git that name programs",
                "gh repo clone -- gitflags",
                "repo clone a/b -- --upload-pack=x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["aws"],
        opts: Opts::new(
            EXACT,
            "",
            "profile= region= endpoint-url= output= query= cli-input-json= ca-bundle=",
        ),
        rows: &[
            row(
                When::Path("configure set|import"),
                RunsProgram,
                "writes a setting that can name a credential program",
                "aws configure set credential_process",
                "configure set credential_process x",
            ),
            row(
                When::Opt("--endpoint-url"),
                Uploads,
                "sends requests and their signature to another host",
                "aws --endpoint-url",
                "--endpoint-url http://x s3 ls",
            ),
            row(
                When::Word(Test::Has(words!["file://", "fileb://"])),
                Uploads,
                SENDS,
                "aws CLI: loading parameters from a file",
                "x y --z file://s",
            ),
            row(
                When::Path("configure export-credentials|get"),
                Uploads,
                "prints credentials",
                "aws configure export-credentials",
                "configure export-credentials",
            ),
            row(
                When::Path("ssm start-session"),
                RunsProgram,
                "opens a shell on another host",
                "aws ssm start-session",
                "ssm start-session x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &[
            "gcloud", "gsutil", "az", "doctl", "heroku", "flyctl", "fly", "vercel", "netlify", "wrangler",
        ],
        opts: Opts::new(EXACT, "", "flags-file= impersonate-service-account= body="),
        rows: &[
            row(When::Opt("--flags-file"), LoadsCode, OPTIONS, "gcloud topic flags-file", "--flags-file x"),
            row(
                When::Path("auth print-access-token|print-identity-token|token"),
                Uploads,
                "prints the access token",
                "gcloud auth print-access-token",
                "auth print-access-token",
            ),
            row(
                When::Path("account get-access-token"),
                Uploads,
                "prints the access token",
                "az account get-access-token",
                "account get-access-token",
            ),
            row(When::Val("--body", Test::AtFile), Uploads, SENDS, "az rest --body", "rest --body @x"),
        ],
        subs: &[],
    },
    Program {
        names: &["docker", "podman", "nerdctl"],
        opts: Opts::new(EXACT_POSIX, "H:c:l:", "host= context= config= log-level= url= connection= root="),
        rows: &[row(
            When::Opt("-H --host --context -c --config --url --connection"),
            RunsProgram,
            "works on another daemon, or with another configuration",
            "docker(1) -H",
            "-H tcp://x ps",
        )],
        subs: super::cloud_subs::DOCKER,
    },
    Program {
        names: &["kubectl", "oc", "k9s"],
        opts: Opts::new(
            EXACT,
            "n:l:o:f:s:c:v:L:k:p:",
            "kubeconfig= context= namespace= server= token= as= user= cluster= certificate-authority= output= \
             exec-command= editor= field-selector= selector= filename= container= tail= since= timeout= cache-dir= \
             image= overrides=",
        ),
        rows: &[
            row(
                When::Nth(0, Test::HasSlash),
                RunsProgram,
                "runs a program of that name behind `kubectl-`, in a folder of the caller's",
                "kubectl plugin: naming",
                "x/evil",
            ),
            row(
                When::Opt("--kubeconfig --exec-command"),
                RunsProgram,
                "the configuration can name a credential program",
                "kubectl options: --kubeconfig",
                "--kubeconfig x get pods",
            ),
            row(
                When::Opt("-s --server"),
                Uploads,
                "sends credentials to another server",
                "kubectl options: --server",
                "-s https://x get pods",
            ),
            row(
                When::Path("config set-credentials|set|set-cluster"),
                RunsProgram,
                "writes a setting that can name a credential program",
                "kubectl config set-credentials",
                "config set-credentials x --exec-command=y",
            ),
            row(When::Path("proxy"), Uploads, "opens the cluster to others", "kubectl proxy", "proxy"),
            // On its own it listens on this machine alone, as its name says.
            row(
                When::All(&[When::Path("port-forward"), When::Opt("--address")]),
                Uploads,
                "opens the cluster to other machines",
                "kubectl port-forward --address",
                "port-forward --address 0.0.0.0 x 80",
            ),
            row(
                When::Path("edit|debug"),
                RunsProgram,
                "opens an editor or a shell",
                "kubectl edit",
                "edit pod x",
            ),
            row(
                When::Path("plugin|krew"),
                LoadsCode,
                "runs or fetches a plugin",
                "kubectl plugin",
                "krew install x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["helm", "helmfile", "kustomize"],
        opts: Opts::new(
            EXACT,
            "n:f:o:",
            "post-renderer= post-renderer-args= kubeconfig= namespace= values= set=",
        ),
        rows: &[
            row(
                When::Opt(
                    "--post-renderer --kubeconfig --enable-exec --enable-alpha-plugins --enable-helm \
--helm-command",
                ),
                RunsProgram,
                PROGRAM,
                "helm install --post-renderer; kustomize build --enable-exec",
                "install --post-renderer ./x a b",
            ),
            row(
                When::Path("plugin install|update"),
                LoadsCode,
                "fetches a plugin, which is a program",
                "helm plugin install",
                "plugin install ./x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["terraform", "tofu", "terragrunt", "pulumi", "packer", "vagrant"],
        opts: Opts::new(
            DASH,
            "",
            "plugin-dir= from-module= config= terragrunt-config= terragrunt-tfpath= tf-path= \
chdir= var-file= state-out= backup=",
        ),
        rows: &[
            row(
                When::Opt("--plugin-dir --from-module --terragrunt-config --terragrunt-tfpath --tf-path"),
                LoadsCode,
                "takes plugins or programs from another place",
                "terraform init -plugin-dir",
                "init -plugin-dir=x",
            ),
            row(
                When::Opt("--state-out --backup"),
                WritesFile,
                WRITES,
                "terraform apply -state-out",
                "apply -state-out=x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &[
            "ansible",
            "ansible-playbook",
            "ansible-console",
            "ansible-pull",
            "ansible-vault",
            "ansible-inventory",
        ],
        opts: Opts::new(
            GNU,
            "i:m:a:e:l:M:u:k:t:f:U:C",
            "inventory= module-name= args= module-path= vault-password-file= vault-id= \
connection= ssh-common-args= ssh-extra-args= sftp-extra-args= scp-extra-args= \
become-password-file= connection-password-file= become-method= private-key= extra-vars= limit= tags= output= playbook-dir=",
        ),
        rows: &[
            row(
                When::Opt("-m --module-name -a --args"),
                RunsProgram,
                "runs a module, by default a command",
                "ansible(1) -m; GTFOBins ansible",
                "localhost -m shell -a id",
            ),
            row(
                When::Opt(
                    "-M --module-path --vault-password-file --vault-id --connection --ssh-common-args --ssh-extra-args \
--sftp-extra-args --scp-extra-args --become-password-file --connection-password-file",
                ),
                LoadsCode,
                "runs a file of the caller's choice",
                "ansible(1) --vault-password-file",
                "x.yml --vault-password-file ./x",
            ),
            row(
                When::Val("-i --inventory", Test::Ends(words![".sh", ".py"])),
                RunsProgram,
                "runs an inventory script",
                "ansible(1) -i",
                "all -i ./x.py",
            ),
            row(
                When::Val("-e --extra-vars", Test::HasFold(words!["ansible_", "lookup", "{{", "@"])),
                RunsProgram,
                "the variable can name an interpreter or hold a template",
                "ansible-playbook(1) -e",
                "x.yml -e ansible_python_interpreter=./x",
            ),
        ],
        subs: &[],
    },
];
