//! Programs that look at, sort, pack or copy files.
use super::Category::{Deletes, LoadsCode, RunsProgram, Uploads, WritesFile};
use super::{BUNDLE, DASH, Deed, EXACT, GNU, Opts, POSIX, Program, Row, Test, When, row};
use crate::tables::words::words;

const NONE: Opts = Opts::new(GNU, "", "");
const WRITES: &str = "writes its output over a file";
const NAMES: &str = "opens the files named in a file, and shows those names in its errors";
const PROGRAM: &str = "runs a program of the caller's choice";

/// The family.
pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &["find", "gfind", "bfs"],
        opts: Opts::new(DASH, "", ""),
        rows: &[
            row(
                When::Find(words!["-delete"]),
                Deletes,
                "deletes what it finds",
                "find(1) -delete",
                ". -name x -delete",
            ),
            row(
                When::Find(words!["-fprint", "-fprint0", "-fprintf", "-fls"]),
                WritesFile,
                "writes the list over a file",
                "find(1) -fprint",
                ". -maxdepth 0 -fprint x",
            ),
            row(When::Find(words!["-files0-from"]), Uploads, NAMES, "find(1) -files0-from", "-files0-from x"),
        ],
        subs: &[],
    },
    Program {
        names: &["fd", "fdfind"],
        opts: Opts::new(EXACT, "e:t:E:d:c:j:S:x:X:g", ""),
        rows: &[row(
            When::Opt("--list-details -l"),
            RunsProgram,
            "runs ls from PATH",
            "fd(1) --list-details",
            "-l x",
        )],
        subs: &[],
    },
    Program {
        names: &["tar", "gtar", "bsdtar", "star"],
        opts: Opts::new(
            BUNDLE,
            "f:C:b:I:F:g:H:K:L:N:T:V:X:",
            "file= directory= to-command= checkpoint-action= checkpoint=? use-compress-program= rsh-command= \
             rmt-command= new-volume-script= info-script= exclude= exclude-from= files-from= transform= \
             xform= owner= group= mode= mtime= strip-components= warning= format= suffix= newer= \
             listed-incremental= index-file= volno-file= sort= record-size= remove-files starting-file= \
             blocking-factor= label= tape-length= add-file= one-top-level=? totals=? to-stdout \
             list extract get create append update diff compare delete verbose gzip gunzip ungzip bzip2 xz zstd \
             lzma lzip lzop compress uncompress auto-compress no-auto-compress keep-old-files overwrite \
             overwrite-dir no-overwrite-dir same-owner no-same-owner same-permissions no-same-permissions \
             preserve-permissions absolute-names dereference hard-dereference one-file-system recursion \
             no-recursion exclude-vcs exclude-vcs-ignores exclude-caches exclude-backups exclude-tag= \
             exclude-ignore= wildcards no-wildcards anchored no-anchored ignore-case ignore-failed-read \
             ignore-zeros incremental numeric-owner null no-null verify version help usage touch unlink-first \
             keep-newer-files keep-directory-symlink skip-old-files recursive-unlink sparse utc full-time \
             show-transformed-names show-stored-names show-defaults show-omitted-dirs block-number \
             interactive multi-volume newer-mtime= after-date= occurrence=? pax-option= posix acls selinux \
             xattrs clamp-mtime test-label level= seek no-seek backup=? concatenate catenate",
        ),
        rows: &[
            row(
                When::Opt("-M --multi-volume -L --tape-length"),
                RunsProgram,
                "asks for the next volume on its input, and a `!` there starts a shell",
                "tar manual, Changing Volumes Manually",
                "cML 20 -f x.tar y",
            ),
            row(
                When::Val("-g --listed-incremental --volno-file", Test::File),
                WritesFile,
                "writes the file beside the archive",
                "tar(1) -g",
                "cf a.tar -g x y",
            ),
            row(
                When::Opt("--to-command"),
                RunsProgram,
                "pipes every member to a shell line",
                "tar(1) --to-command; GTFOBins tar",
                "xf a.tar --to-command=x",
            ),
            row(
                When::Val(
                    "--checkpoint-action",
                    Test::Not(words!["dot", ".", "echo", "bell", "totals", "wait", "sleep=1"]),
                ),
                RunsProgram,
                "can run a shell line at checkpoints",
                "tar(1) --checkpoint-action; GTFOBins tar",
                "cf /dev/null x --checkpoint-action=exec=y",
            ),
            row(
                When::Val(
                    "-I --use-compress-program",
                    Test::Not(words![
                        "zstd", "zstdmt", "gzip", "pigz", "xz", "bzip2", "lz4", "zstd -T0", "pixz"
                    ]),
                ),
                RunsProgram,
                "runs the compressor that is named",
                "tar(1) -I; GTFOBins tar",
                "-I ./x -cf a b",
            ),
            row(
                When::Opt("--rsh-command --rmt-command"),
                RunsProgram,
                PROGRAM,
                "tar(1) --rsh-command",
                "xf h:a --rsh-command=x",
            ),
            row(
                When::Opt("-F --info-script --new-volume-script"),
                RunsProgram,
                "runs a script at the end of each volume",
                "tar(1) -F",
                "cf a b -F x -L 1",
            ),
            row(
                When::Val("-f --file", Test::Has(words![":"])),
                RunsProgram,
                "a colon in the archive's name means another host, reached by rsh",
                "tar(1) --force-local",
                "cf host:a b",
            ),
            row(
                When::Opt("--remove-files"),
                Deletes,
                "deletes the files it has packed",
                "tar(1) --remove-files",
                "cf a b --remove-files",
            ),
            row(
                When::Opt("--index-file"),
                WritesFile,
                "writes the listing over a file",
                "tar(1) --index-file",
                "tvf a --index-file=x",
            ),
            row(
                When::Opt("-P --absolute-names"),
                WritesFile,
                "extracts over any path the archive names",
                "tar(1) -P",
                "xPf a.tar",
            ),
            row(
                When::All(&[When::Opt("-T --files-from"), When::Without("--verbatim-files-from --null")]),
                RunsProgram,
                "lines of the list that begin with a dash are options",
                "tar manual, files-from",
                "cf a -T x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["zip"],
        opts: Opts::new(GNU, "b:n:t:i:x:P:s:O:", "unzip-command= out= output-file= temp-path= test move"),
        rows: &[
            row(
                When::Opt("--unzip-command"),
                RunsProgram,
                "tests the archive with a shell line",
                "zip(1) -TT; GTFOBins zip",
                "a.zip b -T --unzip-command x",
            ),
            row(
                When::Word(Test::Starts(words!["-TT"])),
                RunsProgram,
                "tests the archive with a shell line",
                "zip(1) -TT; GTFOBins zip",
                "a.zip b -T -TT x",
            ),
            row(
                When::Opt("-m --move"),
                Deletes,
                "deletes the files it has packed",
                "zip(1) -m",
                "-m a.zip b",
            ),
            row(When::Opt("-O --out --output-file"), WritesFile, WRITES, "zip(1) -O", "a.zip b --out c.zip"),
        ],
        subs: &[],
    },
    Program {
        names: &["cpio", "pax"],
        opts: Opts::new(GNU, "C:E:F:I:O:R:H:D:f:s:", "rsh-command= file= directory="),
        rows: &[
            row(
                When::Opt("--rsh-command"),
                RunsProgram,
                PROGRAM,
                "cpio(1) --rsh-command",
                "-o --rsh-command=x",
            ),
            row(When::Opt("-O -F --file"), WritesFile, WRITES, "cpio(1) -O", "-o -O x"),
        ],
        subs: &[],
    },
    Program {
        names: &["7z", "7za", "7zr", "7zz"],
        opts: Opts::new(EXACT, "", ""),
        rows: &[row(
            When::Word(Test::Is(words!["-sdel"])),
            Deletes,
            "deletes the files it has packed",
            "7z(1)",
            "a x.7z y -sdel",
        )],
        subs: &[],
    },
    Program {
        names: &["ar", "gar"],
        opts: Opts::new(GNU, "", "plugin= target= output= thin"),
        rows: &[
            row(
                When::Nth(0, Test::Starts(words!["r", "q", "d", "m", "s", "cr", "cq", "ur", "D"])),
                WritesFile,
                "writes an archive",
                "ar(1); GTFOBins ar",
                "rc x y",
            ),
            row(
                When::Opt("-r -q -d -m -s"),
                WritesFile,
                "writes an archive",
                "ar(1); GTFOBins ar",
                "-rc x y",
            ),
            row(When::Opt("--plugin"), LoadsCode, "loads a plugin", "ar(1) --plugin", "t --plugin x.so a"),
        ],
        subs: &[],
    },
    Program {
        names: &["sort", "gsort"],
        opts: Opts::new(
            GNU,
            "k:t:o:S:T:",
            "key= field-separator= output= buffer-size= temporary-directory= compress-program= \
             files0-from= parallel= batch-size= sort= random-source= random-sort",
        ),
        rows: &[
            row(When::Val("-o --output", Test::File), WritesFile, WRITES, "sort(1) -o", "-o x"),
            row(
                When::Opt("--compress-program"),
                RunsProgram,
                "runs a program on its temporary files",
                "sort(1) --compress-program; CVE-2026-28363",
                "--compress-program=x",
            ),
            row(When::Opt("--files0-from"), Uploads, NAMES, "sort(1) --files0-from", "--files0-from=x"),
        ],
        subs: &[],
    },
    Program {
        names: &["uniq", "guniq"],
        opts: Opts::new(GNU, "f:s:w:", "skip-fields= skip-chars= check-chars="),
        rows: &[row(
            When::From(1, Test::File),
            WritesFile,
            "the second operand is an output file",
            "uniq(1)",
            "a b",
        )],
        subs: &[],
    },
    Program {
        names: &["shuf", "gshuf"],
        opts: Opts::new(GNU, "i:n:o:", "input-range= head-count= output= random-source="),
        rows: &[row(When::Val("-o --output", Test::File), WritesFile, WRITES, "shuf(1) -o", "-o x y")],
        subs: &[],
    },
    Program {
        names: &["split", "gsplit"],
        opts: Opts::new(
            GNU,
            "a:b:C:l:n:t:",
            "filter= bytes= lines= number= suffix-length= additional-suffix=",
        ),
        rows: &[row(
            When::Opt("--filter"),
            RunsProgram,
            "pipes each piece to a shell line",
            "split(1) --filter",
            "--filter=x a",
        )],
        subs: &[],
    },
    Program {
        names: &["wc", "gwc", "du", "gdu"],
        opts: Opts::new(
            GNU,
            "B:d:t:X:",
            "files0-from= max-depth= exclude= exclude-from= threshold= block-size=",
        ),
        rows: &[row(When::Opt("--files0-from"), Uploads, NAMES, "wc(1) --files0-from", "--files0-from=x")],
        subs: &[],
    },
    Program {
        names: &["file"],
        opts: Opts::new(
            GNU,
            "e:F:f:m:P:",
            "files-from= magic-file= exclude= separator= parameter= compile uncompress uncompress-noreport",
        ),
        rows: &[
            row(
                When::Val("-f --files-from", Test::Not(words!["-"])),
                Uploads,
                NAMES,
                "file(1) -f; GTFOBins file",
                "-f secret",
            ),
            row(When::Opt("-C --compile"), WritesFile, "writes a magic file", "file(1) -C", "-C -m x"),
            row(
                When::Opt("-z -Z --uncompress --uncompress-noreport"),
                RunsProgram,
                "runs decompressors found in PATH",
                "file(1) -z",
                "-z a.gz",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["date", "gdate"],
        opts: Opts::new(GNU, "d:f:r:s:I::", "date= file= reference= set= iso-8601=? rfc-3339="),
        rows: &[
            row(
                When::Opt("-f --file"),
                Uploads,
                "shows the lines of a file in its errors",
                "date(1) -f; GTFOBins date",
                "-f secret",
            ),
            row(When::Opt("-s --set"), WritesFile, "sets the clock of the machine", "date(1) -s", "-s 12:00"),
            row(
                When::From(0, Test::Clock),
                WritesFile,
                "sets the clock of the machine",
                "date(1) MMDDhhmm",
                "010100002020",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["hostname", "domainname", "nisdomainname", "ypdomainname", "dnsdomainname"],
        opts: Opts::new(GNU, "F:", "file="),
        rows: &[
            row(
                When::Opt("-F --file -b --boot"),
                WritesFile,
                "sets the name of the machine",
                "hostname(1) -F",
                "-F x",
            ),
            row(When::From(0, Test::Any), WritesFile, "sets the name of the machine", "hostname(1)", "x"),
        ],
        subs: &[],
    },
    Program {
        names: &["mktemp"],
        opts: Opts::new(GNU, "p:", "tmpdir=? suffix="),
        rows: &[row(
            When::All(&[When::Opt("-p --tmpdir -t"), When::From(0, Test::HasSlash)]),
            WritesFile,
            "makes it in a folder below another one than it stands in",
            "mktemp(1) -p",
            "-p x y/fXXXX",
        )],
        subs: &[],
    },
    Program {
        names: &["xxd"],
        // One letter decides (`-ps` is `-p`), and a value is attached or stands behind the letter or its full name.
        opts: Opts::new(
            DASH,
            "",
            "c= cols= g= groupsize= group= l= len= n= name= o= offset= s= seek= skip= R=",
        ),
        rows: &[row(
            When::From(1, Test::File),
            WritesFile,
            "the second operand is an output file",
            "xxd(1); GTFOBins xxd",
            "-r a b",
        )],
        subs: &[],
    },
    Program {
        names: &["dd", "gdd", "dcfldd"],
        opts: NONE,
        rows: &[row(
            When::Operand(Test::DdOutput),
            WritesFile,
            "writes over a file or a device",
            "dd(1); GTFOBins dd",
            "if=a of=./b",
        )],
        subs: &[],
    },
    Program {
        names: &["install", "ginstall"],
        opts: Opts::new(GNU, "g:m:o:S:t:", "strip-program= group= mode= owner= suffix= target-directory="),
        rows: &[row(
            When::Opt("--strip-program"),
            RunsProgram,
            PROGRAM,
            "install(1) --strip-program",
            "--strip-program=x -s a b",
        )],
        subs: &[],
    },
    Program {
        names: &["patch", "gpatch"],
        opts: Opts::new(
            GNU,
            "B:d:D:F:g:i:o:p:r:V:Y:z:",
            "output= reject-file= directory= input= strip= ed prefix= suffix= fuzz=",
        ),
        rows: &[
            row(
                When::Opt("-e --ed"),
                RunsProgram,
                "runs the patch as a script of ed",
                "patch(1) -e",
                "-e -i x",
            ),
            row(
                When::Val("-o --output -r --reject-file", Test::File),
                WritesFile,
                WRITES,
                "patch(1) -o",
                "-o x a b",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["rg", "ripgrep"],
        opts: Opts::new(
            EXACT,
            "e:+f:g:t:T:A:B:C:m:M:j:E:r:d:",
            "pre= pre-glob= hostname-bin= regexp=+ file= glob= iglob= type= type-not= type-add= \
             after-context= before-context= context= max-count= max-columns= threads= encoding= replace= \
             max-depth= sort= sortr= colors= color= engine= ignore-file= path-separator= max-filesize=",
        ),
        rows: &[
            row(
                When::Val("--pre", Test::Not(words![""])),
                RunsProgram,
                "runs a program on every file",
                "rg(1) --pre",
                "--pre x y",
            ),
            row(
                When::Opt("--hostname-bin"),
                RunsProgram,
                PROGRAM,
                "rg(1) --hostname-bin",
                "--hostname-bin x y",
            ),
            row(
                When::Opt("-z --search-zip"),
                RunsProgram,
                "runs decompressors found in PATH",
                "rg(1) -z",
                "-z x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["ag", "ack"],
        opts: Opts::new(GNU, "A:B:C:G:g:m:p:W:", "pager= output= ackrc= file-search-regex="),
        rows: &[
            row(When::Opt("--pager"), RunsProgram, PROGRAM, "ag(1) --pager; ack(1)", "--pager=x y"),
            row(
                When::Opt("--output --ackrc"),
                LoadsCode,
                "evaluates a Perl expression or options of a file",
                "ack(1) --output",
                "--output=x y",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["bat", "batcat", "delta"],
        opts: Opts::new(
            EXACT,
            "l:m:r:H:",
            "pager= paging= language= theme= style= line-range= highlight-line= wrap= color= file-name=",
        ),
        rows: &[row(When::Opt("--pager"), RunsProgram, PROGRAM, "bat(1) --pager", "--pager=x y")],
        subs: &[],
    },
    Program {
        names: &["sed", "gsed"],
        opts: Opts::new(GNU, "e:f:i::l:I::", "expression= file= in-place=? line-length="),
        rows: &[
            row(
                When::Sed(Deed::Runs),
                RunsProgram,
                "the script runs a program (e), or is not understood",
                "GNU sed manual, e; GTFOBins sed",
                "'1e touch x' a",
            ),
            row(
                When::Sed(Deed::Writes),
                WritesFile,
                "the script writes a file (w)",
                "sed(1) w; GTFOBins sed",
                "'s/a/b/w x' a",
            ),
            row(
                When::Opt("-i -I --in-place"),
                WritesFile,
                "rewrites the files in place",
                "sed(1) -i",
                "-i s/a/b/ x",
            ),
            row(
                When::Opt("-f --file"),
                LoadsCode,
                "the script comes from a file, and can run programs",
                "sed(1) -f",
                "-f x.sed a",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["awk", "gawk", "mawk", "nawk", "original-awk", "goawk", "frawk"],
        opts: Opts::new(
            POSIX,
            "e:f:v:F:i:l:E:W:L::d::D::o::p::",
            "source= file= assign= field-separator= include= load= exec= lint=? debug=? dump-variables=? \
             pretty-print=? profile=?",
        ),
        rows: &[
            row(
                When::Awk(Deed::Runs),
                RunsProgram,
                "the program text runs another program",
                "awk(1) system, pipes; GTFOBins awk",
                "'BEGIN{system(\"id\")}'",
            ),
            row(
                When::Awk(Deed::Writes),
                WritesFile,
                "the program text writes a file",
                "awk(1) output redirection; GTFOBins awk",
                "'BEGIN{print \"x\" > \"y\"}'",
            ),
            row(
                When::Awk(Deed::Loads),
                LoadsCode,
                "the program text loads code",
                "gawk manual, @load and @include",
                "'@load \"./x\";BEGIN{}'",
            ),
            row(
                When::Opt("-f --file -i --include -l --load -E --exec"),
                LoadsCode,
                "the program text comes from a file, and can run programs",
                "gawk(1) -f -i -l -E",
                "-f x.awk a",
            ),
            row(
                When::Opt("-d --dump-variables -o --pretty-print -p --profile"),
                WritesFile,
                "writes a file beside its output",
                "gawk(1) -o",
                "-ox '{print}'",
            ),
            row(
                When::Opt("-D --debug"),
                RunsProgram,
                "reads debugger commands",
                "gawk(1) -D",
                "-D '{print}'",
            ),
            row(
                // Shortened, or several with commas: what is not known to be harmless.
                When::Val(
                    "-W",
                    Test::Not(words![
                        "version",
                        "interactive",
                        "posix",
                        "posix_space",
                        "usage",
                        "help",
                        "lint",
                        "traditional",
                    ]),
                ),
                LoadsCode,
                "the program text may come from a file",
                "mawk(1) -W exec",
                "-W exec x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["yq"],
        opts: Opts::new(EXACT, "o:p:I:f:", "output-format= input-format= from-file= split-exp="),
        rows: &[
            row(
                When::Opt("-i --inplace --in-place"),
                WritesFile,
                "rewrites the file in place",
                "yq manual, -i",
                "-i .a=1 x",
            ),
            row(
                When::Opt("-s --split-exp"),
                WritesFile,
                "writes a file for each document",
                "yq manual, -s",
                "-s .a x",
            ),
            row(
                When::Nth(0, Test::Has(words!["load(", "load_str(", "env(", "strenv(", "envsubst"])),
                Uploads,
                "the expression reads files or the environment",
                "yq manual, load and env",
                "'load(\"x\")'",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["xsltproc"],
        opts: Opts::new(EXACT, "o:", "output="),
        rows: &[row(When::Opt("-o --output"), WritesFile, WRITES, "xsltproc(1) -o", "-o x a.xsl b.xml")],
        subs: &[],
    },
    Program {
        names: &["xmllint", "xmlstarlet"],
        opts: Opts::new(EXACT, "o:", "output="),
        rows: &[
            row(When::Opt("-o --output"), WritesFile, WRITES, "xmllint(1) --output", "--output x a.xml"),
            row(
                When::Opt("--shell"),
                RunsProgram,
                "reads commands that write files",
                "xmllint(1) --shell",
                "--shell a.xml",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["gzip", "bzip2", "xz", "zstd", "lz4", "gunzip", "unxz"],
        opts: Opts::new(GNU, "S:T:o:", "suffix= threads= output-dir-flat="),
        rows: &[
            row(When::Val("-o", Test::File), WritesFile, WRITES, "zstd(1) -o", "-o x a"),
            row(When::Opt("--rm"), Deletes, "deletes the original", "zstd(1) --rm", "--rm a"),
        ],
        subs: &[],
    },
    Program {
        names: &["tree"],
        opts: Opts::new(EXACT, "o:L:P:I:H:T:", "filelimit= timefmt= charset= sort="),
        rows: &[
            row(When::Val("-o", Test::File), WritesFile, WRITES, "tree(1) -o", "-o x"),
            row(
                When::Opt("-R"),
                WritesFile,
                "writes a page into folders below",
                "tree(1) -R",
                "-R -H . -L 1",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["run-parts"],
        opts: Opts::new(GNU, "a:u:", "regex= arg= umask="),
        rows: &[row(
            When::Without("--test --list"),
            RunsProgram,
            "runs every file of a folder",
            "run-parts(8); GTFOBins run-parts",
            "--regex x .",
        )],
        subs: &[],
    },
    Program {
        names: &["logrotate"],
        opts: Opts::new(GNU, "s:m:l:", "state= mail= log="),
        rows: &[row(
            When::Always,
            RunsProgram,
            "its configuration names scripts it runs",
            "logrotate(8); GTFOBins logrotate",
            "x.conf",
        )],
        subs: &[],
    },
    Program { names: &["ptx"], opts: Opts::new(GNU, "", ""), rows: PTX, subs: &[] },
];

/// ptx and tsort in traditional mode take a second operand; only ptx writes it.
const PTX: &[Row] = &[row(
    When::All(&[When::Opt("-G --traditional"), When::More(1)]),
    WritesFile,
    "the second operand is an output file",
    "ptx(1) -G",
    "-G a b",
)];
