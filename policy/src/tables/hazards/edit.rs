//! Editors, pagers, and tools that make documents and pictures.
use super::Category::{LoadsCode, RunsProgram, Uploads, WritesFile};
use super::{DASH, EXACT, GNU, Opts, Program, Test, When, row};
use crate::tables::words::words;

const WRITES: &str = "writes over a file of the caller's choice";
const COMMANDS: &str = "runs editor commands, which can run a shell";
const SCRIPT: &str = "runs editor commands from a file";
const PROGRAM: &str = "runs a program of the caller's choice";
const PAGER: &str = "runs the pager it names";

/// The family.
pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &[
            "vim", "vi", "nvim", "ex", "view", "rvim", "gvim", "vimdiff", "rview", "evim", "vimtutor",
            "mvim", "nvi", "vis",
        ],
        opts: Opts::new(
            EXACT,
            "c:S:T:u:U:i:w:W:t:q:p::o::O::r::l:",
            "cmd= startuptime= listen= server= remote-expr= remote-send= servername=",
        ),
        rows: &[
            row(
                When::Val("-c --cmd", Test::VimCommand),
                RunsProgram,
                COMMANDS,
                "vim(1) -c; GTFOBins vim",
                "-c '!id'",
            ),
            row(When::Operand(Test::VimPlus), RunsProgram, COMMANDS, "vim(1) +; GTFOBins vim", "'+!id'"),
            row(When::Opt("-S -u -U -q -t"), LoadsCode, SCRIPT, "vim(1) -S -u", "-S x.vim a"),
            row(
                When::Opt("-e -E -s"),
                RunsProgram,
                "takes editor commands from its input or a file",
                "vim(1) -e -s",
                "-es a",
            ),
            row(When::Opt("-w -W --startuptime"), WritesFile, WRITES, "vim(1) -w", "-w x a"),
            row(
                When::Opt("--remote-expr --remote-send --server"),
                RunsProgram,
                COMMANDS,
                "vim(1) --remote-expr",
                "--remote-expr x",
            ),
            row(When::Opt("-l"), LoadsCode, "runs a Lua script", "nvim(1) -l", "-l x.lua"),
        ],
        subs: &[],
    },
    Program {
        names: &["ex", "ed", "red"],
        opts: Opts::new(GNU, "p:", "prompt="),
        rows: &[row(
            When::Without("-r --restricted --version --help"),
            RunsProgram,
            "its commands come from standard input and can run a shell",
            "ed(1) !; GTFOBins ed",
            "-s a",
        )],
        subs: &[],
    },
    Program {
        names: &["emacs", "emacsclient", "mg", "jmacs", "zile"],
        opts: Opts::new(
            EXACT,
            "l:f:u:L:e:s:a:",
            "eval= execute= load= script= funcall= user= directory= init-directory= \
alternate-editor= socket-name=",
        ),
        rows: &[
            row(
                When::Opt("--eval --execute -eval -execute -e"),
                RunsProgram,
                "evaluates Lisp",
                "emacs(1) --eval; GTFOBins emacs",
                "--eval '(x)'",
            ),
            row(
                When::Opt("-l --load --script -f --funcall --init-directory -L --directory"),
                LoadsCode,
                "loads or calls Lisp",
                "emacs(1) -l",
                "-l x.el",
            ),
            row(
                When::Word(Test::Is(words![
                    "-load", "-script", "-funcall", "-eval", "-execute", "-batch", "--batch",
                ])),
                LoadsCode,
                "loads or calls Lisp",
                "emacs(1) --batch",
                "-batch -script x",
            ),
            row(When::Opt("-a --alternate-editor"), RunsProgram, PROGRAM, "emacsclient(1) -a", "-a ./x a"),
        ],
        subs: &[],
    },
    Program {
        names: &["nano", "pico", "rnano", "micro", "kak", "joe", "hx", "helix"],
        opts: Opts::new(
            EXACT,
            "C:f:o:r:s:T:X:Y:e:E:c:",
            "speller= rcfile= backupdir= operatingdir= config= config-dir= plugin=",
        ),
        rows: &[
            row(When::Opt("-s --speller"), RunsProgram, PROGRAM, "nano(1) -s; GTFOBins nano", "-s ./x a"),
            row(
                When::Opt("-f --rcfile --config --config-dir -e -E --plugin"),
                LoadsCode,
                SCRIPT,
                "nano(1) --rcfile; kak(1) -e",
                "--rcfile x a",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["less", "more", "most", "zless", "pg"],
        opts: Opts::new(
            GNU,
            "b:D:h:j:k:o:O:p:P:t:T:x:y:z:#:",
            "cmd= lesskey-file= lesskey-src= lesskey-content= log-file= LOG-FILE= pattern= prompt= tag= tag-file= \
             tabs= jump-target= shift= color= buffers= max-back-scroll= max-forw-scroll= window=",
        ),
        rows: &[
            row(
                When::Operand(Test::LessPlus),
                RunsProgram,
                "starts with a command that can run a shell",
                "less(1) +; GTFOBins less",
                "'+!id' a",
            ),
            row(
                When::Val("--cmd", Test::LessCommand),
                RunsProgram,
                "starts with a command that can run a shell",
                "less(1) --cmd",
                "--cmd='!id' a",
            ),
            row(
                When::Val("-o -O --log-file --LOG-FILE", Test::Any),
                WritesFile,
                "copies its input to a file",
                "less(1) -o",
                "-o x",
            ),
            row(
                When::Opt("-k --lesskey-file --lesskey-src --lesskey-content"),
                LoadsCode,
                "takes key bindings and variables from a file",
                "less(1) -k",
                "-k x a",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["man", "apropos", "whatis", "mandoc", "groff", "troff", "nroff", "grops"],
        opts: Opts::new(
            GNU,
            "C:E:H::K:L:M:m:P:p:R:r:S:s:T::X::e:B:D:F:f:I:n:o:W:w:d:O:",
            "pager= html=? config-file= preprocessor= recode= sections= manpath= locale= systems= prompt= \
             extension= encoding= troff-device=? gxditview=? path",
        ),
        rows: &[
            row(When::Opt("-P --pager"), RunsProgram, PAGER, "man(1) -P; GTFOBins man", "-P x ls"),
            row(
                When::Opt("-H --html -B -X --gxditview"),
                RunsProgram,
                "runs the browser or viewer it names",
                "man(1) -H; GTFOBins man",
                "-H./x ls",
            ),
            row(
                When::Opt("-C --config-file"),
                LoadsCode,
                "the configuration names programs",
                "man(1) -C",
                "-C x ls",
            ),
            row(
                When::Opt("-p --preprocessor"),
                RunsProgram,
                "runs preprocessors over the page",
                "man(1) -p",
                "-p t ls",
            ),
            row(
                When::Opt("-U"),
                RunsProgram,
                "unsafe mode: the document can run programs",
                "groff(1) -U",
                "-U a",
            ),
            row(
                When::Operand(Test::HasSlash),
                RunsProgram,
                "shows a document of the caller's choice in a pager, which takes commands",
                "man(1); GTFOBins man",
                "./x.1",
            ),
            row(
                When::Opt("-l --local-file"),
                RunsProgram,
                "shows a document of the caller's choice in a pager, which takes commands",
                "man(1) -l",
                "-l x.1",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["info", "pinfo"],
        opts: Opts::new(GNU, "d:f:n:o:O:v:", "file= output= dribble= restore= init-file= init-file="),
        rows: &[
            row(When::Val("-o --output --dribble", Test::File), WritesFile, WRITES, "info(1) -o", "-o x ls"),
            row(When::Opt("--restore --init-file"), LoadsCode, SCRIPT, "info(1) --restore", "--restore=x ls"),
        ],
        subs: &[],
    },
    Program {
        names: &["exiftool"],
        opts: Opts::new(
            DASH,
            "",
            "config= if= o= out= w= W= textOut= tagOut= execute=? @= p= printFormat= use= \
tagsFromFile= filterW= filter=",
        ),
        rows: &[
            row(
                When::Opt("--config"),
                LoadsCode,
                "the configuration is Perl",
                "exiftool(1) -config; GTFOBins exiftool",
                "-config x a",
            ),
            row(
                When::Opt("--if --filter --p --printFormat --userParam --use"),
                RunsProgram,
                "evaluates Perl",
                "exiftool(1) -if",
                "-if 'system(1)' a",
            ),
            row(
                When::Opt("--o --out --w --W --textOut --tagOut"),
                WritesFile,
                WRITES,
                "exiftool(1) -o; GTFOBins exiftool",
                "-o x a",
            ),
            row(When::Opt("--@"), LoadsCode, "takes options from a file", "exiftool(1) -@", "-@ x"),
            row(
                When::Word(Test::Has(words!["="])),
                WritesFile,
                "rewrites the file",
                "exiftool(1) -TAG=VALUE",
                "-Comment=x a",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["pandoc", "quarto", "asciidoctor", "rst2html", "hugo", "jekyll"],
        opts: Opts::new(
            EXACT,
            "o:f:t:F:L:d:D:r:V:M:H:B:A:c:a:I:T:E:b:s",
            "output= from= to= filter= lua-filter= pdf-engine= pdf-engine-opt= defaults= extract-media= require= \
             template= metadata= variable= data-dir= read= write= log= bibliography= backend= config= plugins=",
        ),
        rows: &[
            row(
                When::Opt("-F --filter --pdf-engine --pdf-engine-opt"),
                RunsProgram,
                PROGRAM,
                "pandoc(1) --filter; GTFOBins pandoc",
                "-F ./x a",
            ),
            row(
                When::Opt("-L --lua-filter -d --defaults --data-dir --require --plugins"),
                LoadsCode,
                "runs a filter or takes options from a file",
                "pandoc(1) --lua-filter",
                "-L x.lua a",
            ),
            row(
                When::Val("-t --to -f --from -r --read --write", Test::Ends(words![".lua"])),
                LoadsCode,
                "runs a reader or writer written in Lua",
                "pandoc(1) -t",
                "-t x.lua a",
            ),
            row(
                When::Val("-o --output --extract-media --log", Test::File),
                WritesFile,
                WRITES,
                "pandoc(1) -o; GTFOBins pandoc",
                "-o x a",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &[
            "tex", "latex", "pdftex", "pdflatex", "xetex", "xelatex", "luatex", "lualatex", "latexmk", "mf",
            "mpost", "context", "tectonic",
        ],
        opts: Opts::new(
            DASH,
            "",
            "output-directory= jobname= lua= luaonly= e= r= pdflatex= latex= interaction= \
fmt= progname= cnf-line= Z=",
        ),
        rows: &[
            row(
                When::Opt(
                    "--shell-escape --enable-write18 --lua --luaonly --e --r --pdflatex --latex \
--cnf-line --shell-restricted --Z --xelatex --lualatex",
                ),
                RunsProgram,
                "lets the document run programs, or runs code",
                "pdftex(1) -shell-escape; GTFOBins pdftex",
                "--shell-escape a.tex",
            ),
            row(
                When::Operand(Test::Starts(words!["\\"])),
                RunsProgram,
                "evaluates TeX from the command line",
                "pdftex(1)",
                "'\\write18{id}'",
            ),
            row(
                When::Opt("--output-directory --jobname"),
                WritesFile,
                WRITES,
                "pdftex(1) -output-directory",
                "-jobname=x a.tex",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &[
            "convert",
            "magick",
            "identify",
            "mogrify",
            "composite",
            "montage",
            "display",
            "animate",
            "gm",
            "import",
        ],
        opts: Opts::new(DASH, "", ""),
        rows: &[
            row(
                When::Operand(Test::StartsFold(words![
                    "msl:",
                    "ephemeral:",
                    "mvg:",
                    "|",
                    "@",
                    "text:@",
                    "label:@",
                    "caption:@",
                    "vid:",
                    "x:",
                    "win:",
                    "show:",
                    "https:",
                    "http:",
                    "ftp:",
                    "url:",
                ])),
                RunsProgram,
                "the name is a script, a pipe, a list or an address",
                "ImageMagick security policy",
                "msl:x y",
            ),
            row(
                When::Word(Test::Is(words!["-script", "-write", "-process"])),
                LoadsCode,
                "runs a script or writes another file",
                "magick(1) -script",
                "-script x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["dot", "neato", "fdp", "circo", "twopi", "sfdp", "plantuml", "mmdc"],
        opts: Opts::new(EXACT, "o:T:K:G:N:E:l:s:i:p:c:", "output= config= puppeteerConfigFile="),
        rows: &[
            row(When::Val("-o --output", Test::File), WritesFile, WRITES, "dot(1) -o", "-Tpng -o x a"),
            row(When::Opt("-l"), LoadsCode, "loads a library", "dot(1) -l", "-l x a"),
        ],
        subs: &[],
    },
    Program {
        names: &["ffmpeg", "ffprobe", "ffplay"],
        opts: Opts::new(
            DASH,
            "",
            "i= f= protocol_whitelist= filter_complex= filter_script= vf= af= c= report",
        ),
        rows: &[
            row(
                When::Val(
                    "--i",
                    Test::StartsFold(words![
                        "concat:", "subfile", "data:", "file:", "tee:", "pipe:3", "unix:"
                    ]),
                ),
                Uploads,
                "reads files in ways of their own",
                "ffmpeg-protocols(1)",
                "-i concat:x a.mp4",
            ),
            row(
                When::Opt("--protocol_whitelist --filter_script --report --dump_attachment --pass"),
                WritesFile,
                "reads or writes other files, or opens other protocols",
                "ffmpeg(1) -report",
                "-report -i a b",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["gs", "ghostscript", "ps2pdf"],
        opts: Opts::new(DASH, "", ""),
        rows: &[row(
            When::Word(Test::Starts(words![
                "-dNOSAFER",
                "-dDELAYSAFER",
                "--permit-file",
                "-sOutputFile=%pipe",
                "-sOutputFile=|",
                "-c",
                "-o%pipe",
                "@",
            ])),
            RunsProgram,
            "lets the document run programs, or runs code",
            "gs(1) -dNOSAFER; GTFOBins gs",
            "-dNOSAFER a.ps",
        )],
        subs: &[],
    },
    Program {
        names: &["gnuplot", "gimp", "inkscape", "blender", "soffice", "libreoffice"],
        opts: Opts::new(EXACT, "e:b:c:P:d:p:", "python= python-expr= batch= actions= outdir="),
        rows: &[row(
            When::Opt(
                "-e -b -c -P --python --python-expr --batch --actions --batch-interpreter --headless-macro",
            ),
            RunsProgram,
            "evaluates code",
            "gnuplot(1) -e; gimp(1) -b; GTFOBins gimp",
            "-e 'system(1)'",
        )],
        subs: &[],
    },
    Program {
        names: &[
            "xdg-open",
            "open",
            "sensible-browser",
            "x-www-browser",
            "www-browser",
            "see",
            "run-mailcap",
            "gio",
        ],
        opts: Opts::new(EXACT, "a:b:", "action="),
        rows: &[row(
            When::All(&[When::Opt("-a -b --args --action"), When::More(0)]),
            RunsProgram,
            "names the application",
            "open(1) -a",
            "-a x y",
        )],
        subs: &[],
    },
];
