//! Shells of databases, whose texts and dot commands reach outside the database.
use super::Category::{LoadsCode, RunsProgram, Uploads, WritesFile};
use super::{DASH, EXACT, GNU, Opts, Program, Test, When, row};
use crate::tables::words::words;

const STDIN: &str = "commands on its input can run a shell";

/// The family.
pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &["sqlite3", "sqlite", "sqlcipher", "duckdb"],
        opts: Opts::new(
            DASH,
            "",
            "cmd= init= separator= newline= nullvalue= mmap= maxsize= vfs= zip= lookaside= \
pagecache= s= c= A= f=",
        ),
        rows: &[
            row(
                When::Val("--cmd --c --s", Test::Sqlite),
                RunsProgram,
                "the command reaches outside the database",
                "sqlite3(1) -cmd; GTFOBins sqlite3",
                "-cmd '.shell id' :memory:",
            ),
            row(
                When::From(1, Test::Sqlite),
                RunsProgram,
                "the text reaches outside the database",
                "sqlite3(1) .shell, writefile; GTFOBins sqlite3",
                ":memory: 'select writefile(1,2)'",
            ),
            row(
                When::Opt("--init --f"),
                LoadsCode,
                "runs commands from a file",
                "sqlite3(1) -init",
                "-init x a.db",
            ),
            row(When::Opt("--A"), WritesFile, "packs or unpacks an archive", "sqlite3(1) -A", "-A cf x y"),
            row(
                When::All(&[When::Without("--cmd --safe --version --help --c --s --A"), When::Fewer(2)]),
                RunsProgram,
                STDIN,
                "sqlite3(1) .shell",
                "a.db",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["psql", "pgcli"],
        opts: Opts::new(
            GNU,
            "c:d:f:v:F:P:R:T:h:p:U:o:L:",
            "command= dbname= file= set= variable= field-separator= pset= record-separator= host= port= \
             username= output= log-file= table-attr= version",
        ),
        rows: &[
            row(
                When::Val(
                    "-c --command",
                    Test::HasFold(words![
                        "\\!",
                        "\\o",
                        "\\i",
                        "\\w",
                        "\\copy",
                        "\\g",
                        "\\e",
                        "\\se",
                        "\\l",
                        "program",
                        "pg_read",
                        "lo_import",
                        "lo_export",
                        "pg_ls",
                        "to '",
                        "from '",
                    ]),
                ),
                RunsProgram,
                "the text runs a program, or reads or writes files",
                "psql(1) \\!, \\o; COPY … PROGRAM",
                "-c '\\! id'",
            ),
            row(
                When::Opt("-f --file"),
                LoadsCode,
                "runs commands from a file, which can run a shell",
                "psql(1) -f",
                "-f x.sql",
            ),
            row(
                When::Val("-o --output -L --log-file", Test::Not(words!["/dev/null"])),
                WritesFile,
                "writes the output over a file, or to a program",
                "psql(1) -o",
                "-c 'select 1' -o x",
            ),
            row(
                When::Val("-v --set --variable -P --pset", Test::HasFold(words!["pager", "editor"])),
                RunsProgram,
                "names a program",
                "psql(1) \\pset pager",
                "-v PSQL_EDITOR=x -c 'select 1'",
            ),
            row(
                When::Without("-c --command -l --list -f --file -V --version -? --help"),
                RunsProgram,
                STDIN,
                "psql(1) \\!",
                "db",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["mysql", "mariadb", "mycli"],
        opts: Opts::new(
            GNU,
            "e:h:P:S:u:D:p::",
            "execute= host= port= socket= user= database= password=? pager=? tee= init-command= plugin-dir= \
             defaults-file= defaults-extra-file= default-auth= prompt= delimiter= load-data-local-dir= init-command-add=",
        ),
        rows: &[
            row(
                When::Val(
                    "-e --execute",
                    Test::WordFold(words![
                        "\\!",
                        "system",
                        "source",
                        "\\.",
                        "outfile",
                        "dumpfile",
                        "tee",
                        "\\t",
                        "pager",
                        "\\p",
                        "edit",
                        "\\e",
                        "load_file",
                        "local",
                        "infile",
                    ]),
                ),
                RunsProgram,
                "the text runs a program, or reads or writes files",
                "mysql(1) system; GTFOBins mysql",
                "-e '\\! id'",
            ),
            row(
                When::Opt("--pager --plugin-dir --init-command --default-auth"),
                RunsProgram,
                "runs a program, or loads a plugin",
                "mysql(1) --pager",
                "--pager=x -e 'select 1'",
            ),
            row(
                When::Opt("--defaults-file --defaults-extra-file"),
                LoadsCode,
                "takes options from a file",
                "mysql(1) --defaults-file",
                "--defaults-file=x -e 'select 1'",
            ),
            row(
                When::Opt("--tee"),
                WritesFile,
                "writes the output over a file",
                "mysql(1) --tee",
                "--tee=x -e 'select 1'",
            ),
            row(
                When::Without("-e --execute -V --version -? --help"),
                RunsProgram,
                STDIN,
                "mysql(1) system",
                "db",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["redis-cli", "valkey-cli"],
        opts: Opts::new(
            EXACT,
            "h:p:s:a:u:r:i:n:d:D:",
            "user= pass= eval= rdb= functions-rdb= cert= key= cacert= pattern= count=",
        ),
        rows: &[
            row(
                When::Opt("--eval"),
                LoadsCode,
                "runs a script on the server",
                "redis-cli --eval",
                "--eval x.lua",
            ),
            row(
                When::Opt("--rdb --functions-rdb"),
                WritesFile,
                "writes the data over a file",
                "redis-cli --rdb",
                "--rdb x",
            ),
            row(
                When::Nth(
                    0,
                    Test::Fold(words![
                        "config",
                        "eval",
                        "evalsha",
                        "module",
                        "script",
                        "debug",
                        "slaveof",
                        "replicaof",
                        "function",
                        "save",
                        "bgsave",
                    ]),
                ),
                RunsProgram,
                "changes the server, runs code in it, or makes it write files",
                "Redis security documentation",
                "CONFIG SET dir /",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["mongosh", "mongo", "cqlsh", "clickhouse-client", "clickhouse-local", "clickhouse"],
        opts: Opts::new(
            EXACT,
            "u:p:e:f:q:h:",
            "eval= file= host= port= username= password= execute= query= queries-file=",
        ),
        rows: &[
            row(
                When::Opt("--eval -e --execute"),
                LoadsCode,
                "evaluates a program text",
                "mongosh --eval",
                "--eval x",
            ),
            row(
                When::Opt("--file -f --queries-file"),
                LoadsCode,
                "runs a program from a file",
                "mongosh --file",
                "--file x.js",
            ),
            row(
                When::Val("--query -q", Test::HasFold(words!["outfile", "file(", "executable", "url("])),
                Uploads,
                "the text reads or writes files, or runs a program",
                "ClickHouse table functions",
                "--query \"select file('x')\"",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["pg_dump", "pg_dumpall", "pg_basebackup", "mysqldump", "mongodump", "pg_restore"],
        opts: Opts::new(
            GNU,
            "f:d:h:p:U:n:t:r:o:F:j:D:Z:T:N:u:",
            "file= result-file= out= dbname= host= port= username= tab= pgdata=",
        ),
        rows: &[row(
            When::Val("-f --file -r --result-file --out -o --tab -D --pgdata", Test::File),
            WritesFile,
            "writes the data over a file",
            "pg_dump(1) -f",
            "-f x db",
        )],
        subs: &[],
    },
];
