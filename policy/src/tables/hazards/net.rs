//! Programs that talk to other hosts.
use super::Category::{Deletes, LoadsCode, RunsProgram, Uploads, WritesFile};
use super::{DASH, EXACT, GNU, HOST, Opts, POSIX, Program, Test, When, row};
use crate::tables::words::words;

const WRITES: &str = "writes over a file of the caller's choice";

const SENDS: &str = "sends the content of a file";

const PROGRAM: &str = "runs a program of the caller's choice";

const OPTIONS: &str = "takes options from a file";

/// The family.
pub(super) const PROGRAMS: &[Program] = &[
    Program {
        names: &["curl"],
        opts: Opts::new(
            GNU,
            "A:b:c:C:d:D:e:E:F:H:K:m:o:P:Q:r:t:T:u:U:w:x:X:y:Y:z:",
            "abstract-unix-socket= alt-svc= aws-sigv4= cacert= capath= cert= cert-type= ciphers= config= \
             connect-timeout= connect-to= continue-at= cookie= cookie-jar= create-file-mode= crlfile= curves= \
             data= data-ascii= data-binary= data-raw= data-urlencode= delegation= dns-interface= \
             dns-servers= doh-url= dump-header= egd-file= engine= etag-compare= etag-save= expect100-timeout= \
             form= form-string= ftp-account= ftp-method= ftp-port= ftp-ssl-ccc-mode= happy-eyeballs-timeout-ms= \
             header= hostpubmd5= hostpubsha256= hsts= interface= ipfs-gateway= json= keepalive-time= key= \
             key-type= krb= libcurl= limit-rate= local-port= login-options= mail-auth= mail-from= mail-rcpt= \
             max-filesize= max-redirs= max-time= netrc-file= noproxy= oauth2-bearer= output= output-dir= \
             parallel-max= pass= pinnedpubkey= preproxy= proto= proto-default= proto-redir= proxy= proxy-cert= \
             proxy-header= proxy-user= pubkey= quote= random-file= range= rate= referer= request= \
             request-target= resolve= retry= retry-delay= retry-max-time= sasl-authzid= service-name= socks4= \
             socks5= socks5-hostname= speed-limit= speed-time= stderr= telnet-option= tftp-blksize= time-cond= \
             tls-max= tls13-ciphers= trace= trace-ascii= unix-socket= upload-file= url= url-query= user= \
             user-agent= variable= write-out= expand-data= ssl-sessions= remote-name remote-time remote-name-all",
        ),
        rows: &[
            row(
                When::Val("-o --output", Test::File),
                WritesFile,
                WRITES,
                "curl(1) -o; GTFOBins curl",
                "-s -o x http://y",
            ),
            row(
                When::Opt("-O --remote-name --remote-name-all --output-dir"),
                WritesFile,
                "writes a file that the address names",
                "curl(1) -O",
                "-sO http://y/x",
            ),
            row(
                When::Word(Test::Starts(words!["--expand-"])),
                Uploads,
                "puts variables, which can come from the environment or a file, into the request",
                "curl(1) --variable",
                "--variable %HOME --expand-url http://x/{{HOME}}",
            ),
            row(
                When::Val("--ssl-sessions", Test::File),
                WritesFile,
                WRITES,
                "curl(1) --ssl-sessions",
                "--ssl-sessions x http://y",
            ),
            row(
                When::Val("-T --upload-file", Test::Not(words!["-", "."])),
                Uploads,
                SENDS,
                "curl(1) -T; GTFOBins curl",
                "-T x http://y",
            ),
            row(
                When::Val("-F --form", Test::Has(words!["=@", "=<", ";headers=@", ";headers=<"])),
                Uploads,
                SENDS,
                "curl(1) -F",
                "-F f=@x http://y",
            ),
            row(
                When::Val(
                    "-d --data --data-ascii --data-binary --json -H --header --proxy-header",
                    Test::AtFile,
                ),
                Uploads,
                SENDS,
                "curl(1) -d",
                "-d @x http://y",
            ),
            row(
                When::Val("--data-urlencode --url-query --variable", Test::NameAtFile),
                Uploads,
                SENDS,
                "curl(1) --data-urlencode",
                "--data-urlencode n@x http://y",
            ),
            row(
                When::Val(
                    "-c --cookie-jar -D --dump-header --trace --trace-ascii --stderr --libcurl \
--etag-save --hsts --alt-svc",
                    Test::File,
                ),
                WritesFile,
                WRITES,
                "curl(1) -c -D --trace",
                "-D x http://y",
            ),
            row(
                When::Val("-w --write-out", Test::Has(words!["%output{"])),
                WritesFile,
                WRITES,
                "curl(1) -w %output",
                "-w '%output{x}' http://y",
            ),
            row(
                When::Val("-w --write-out", Test::AtFile),
                Uploads,
                "prints the content of a file",
                "curl(1) -w",
                "-w @x http://y",
            ),
            row(When::Opt("-K --config"), LoadsCode, OPTIONS, "curl(1) -K; GTFOBins curl", "-K x"),
            row(
                When::Opt("--engine"),
                LoadsCode,
                "loads a cryptographic engine",
                "curl(1) --engine",
                "--engine ./x http://y",
            ),
            row(
                When::Opt("--unix-socket --abstract-unix-socket"),
                RunsProgram,
                "talks to a local service, such as one that starts containers",
                "curl(1) --unix-socket",
                "--unix-socket /run/x http://y",
            ),
            row(
                When::Operand(Test::StartsFold(words!["file:"])),
                Uploads,
                "prints the content of a local file",
                "curl(1), file URLs; GTFOBins curl",
                "-s file:///x",
            ),
            row(
                When::Val("--url", Test::StartsFold(words!["file:", "@"])),
                Uploads,
                "prints the content of a local file",
                "curl(1) --url",
                "--url file:///x",
            ),
            row(
                When::Operand(Test::HasFold(words!["{file:", "[file:", "{,file:", ",file:"])),
                Uploads,
                "prints the content of a local file",
                "curl(1), URL globbing",
                "'{file:///x}'",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["wget", "wget2"],
        opts: Opts::new(
            GNU,
            "a:A:B:D:e:g:G:i:I:l:o:O:P:Q:R:t:T:U:w:X:",
            "output-document= output-file= append-output= input-file= directory-prefix= post-file= body-file= \
             post-data= body-data= use-askpass= config= execute= save-cookies= load-cookies= warc-file= \
             warc-tempdir= rejected-log= header= user= password= user-agent= referer= tries= timeout= wait= \
             quota= limit-rate= method= base= accept= reject= domains= level= hsts-file= ca-certificate= \
             certificate= private-key= prefer-family= cut-dirs= default-page= progress=",
        ),
        rows: &[
            row(
                When::Val("-O --output-document", Test::File),
                WritesFile,
                WRITES,
                "wget(1) -O; GTFOBins wget",
                "-q -O x http://y",
            ),
            row(
                When::Val(
                    "-o --output-file -a --append-output --save-cookies --rejected-log --warc-file \
--hsts-file",
                    Test::File,
                ),
                WritesFile,
                WRITES,
                "wget(1) -o",
                "-o x http://y",
            ),
            row(
                When::Val("-P --directory-prefix", Test::Not(words![".", "./"])),
                WritesFile,
                "writes into a folder of the caller's choice",
                "wget(1) -P",
                "-P x http://y",
            ),
            row(
                When::Val("-i --input-file", Test::Not(words!["-"])),
                Uploads,
                "looks up, and shows, the lines of a file",
                "wget(1) -i; GTFOBins wget",
                "-i x",
            ),
            row(
                When::Val("--post-file --body-file", Test::Not(words!["-"])),
                Uploads,
                SENDS,
                "wget(1) --post-file",
                "--post-file=x http://y",
            ),
            row(
                When::Opt("--use-askpass"),
                RunsProgram,
                PROGRAM,
                "wget(1) --use-askpass; GTFOBins wget",
                "--use-askpass=./x http://y",
            ),
            row(
                When::Opt("--config -e --execute"),
                LoadsCode,
                "takes settings, which can name a program",
                "wget(1) -e",
                "-e use_askpass=x http://y",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["http", "https", "xh", "xhs"],
        opts: Opts::new(EXACT, "o:s:a:p:", "output= session= auth= cert= proxy= print= verify= timeout="),
        rows: &[
            row(When::Val("-o --output", Test::File), WritesFile, WRITES, "httpie: --output", "-o x y"),
            row(
                When::Opt("-d --download"),
                WritesFile,
                "writes a file that the address names",
                "httpie: --download",
                "-d y",
            ),
            row(
                When::Operand(Test::Has(words!["=@", ":=@", "@/", "@."])),
                Uploads,
                SENDS,
                "httpie: request items",
                "y f=@x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["aria2c", "axel"],
        opts: Opts::new(
            GNU,
            "d:o:i:l:x:s:",
            "dir= out= input-file= log= conf-path= on-download-complete= on-download-start= \
on-download-stop= on-download-error=",
        ),
        rows: &[
            row(
                When::Opt(
                    "--on-download-complete --on-download-start --on-download-stop \
--on-download-error --on-bt-download-complete --on-download-pause",
                ),
                RunsProgram,
                PROGRAM,
                "aria2c(1) --on-download-complete; GTFOBins aria2c",
                "--on-download-error=./x y",
            ),
            row(When::Opt("-d --dir -o --out -l --log"), WritesFile, WRITES, "aria2c(1) -o", "-o x y"),
            row(When::Opt("-i --input-file --conf-path"), LoadsCode, OPTIONS, "aria2c(1) -i", "-i x"),
        ],
        subs: &[],
    },
    Program {
        names: &["rsync"],
        opts: Opts::new(
            GNU,
            "e:f:B:T:M:@:",
            "rsh= rsync-path= files-from= exclude= include= exclude-from= include-from= filter= rsync-path= \
             remote-option= log-file= log-file-format= write-batch= only-write-batch= read-batch= backup-dir= \
             suffix= chmod= chown= partial-dir= temp-dir= compare-dest= copy-dest= link-dest= port= bwlimit= \
             timeout= password-file= out-format= max-size= min-size= config= delete del delete-after early-input=",
        ),
        rows: &[
            row(
                When::Val("-e --rsh", Test::Not(words!["ssh"])),
                RunsProgram,
                "runs the remote shell it names",
                "rsync(1) -e; GTFOBins rsync",
                "-e ./x a h:b",
            ),
            row(
                When::Opt("--rsync-path -M --remote-option"),
                RunsProgram,
                "names the program on the other side",
                "rsync(1) --rsync-path",
                "--rsync-path=x a h:b",
            ),
            row(
                When::Opt(
                    "--delete --del --delete-after --delete-before --delete-during --delete-delay \
--delete-excluded --remove-source-files --remove-sent-files",
                ),
                Deletes,
                "deletes files that are only on one side",
                "rsync(1) --delete",
                "-a --delete a/ b/",
            ),
            row(
                When::Opt("--daemon --config"),
                Uploads,
                "serves files to others",
                "rsync(1) --daemon",
                "--daemon --config=x",
            ),
            row(
                When::Val("--log-file --write-batch --only-write-batch", Test::File),
                WritesFile,
                WRITES,
                "rsync(1) --log-file",
                "--log-file=x a b",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["ssh", "autossh"],
        opts: Opts::new(HOST, "B:b:c:D:E:e:F:I:i:J:L:l:m:O:o:P:p:Q:R:S:W:w:", ""),
        rows: &[
            row(
                When::Val("-o", Test::SshOption),
                RunsProgram,
                "the option runs a program here, loads code or reads another configuration",
                "ssh_config(5) ProxyCommand; GTFOBins ssh",
                "-o ProxyCommand=x h",
            ),
            row(
                When::Val("-F", Test::Not(words!["/dev/null", "none"])),
                RunsProgram,
                "the configuration can name a program to run here",
                "ssh(1) -F",
                "-F x h",
            ),
            row(When::Opt("-I"), LoadsCode, "loads a PKCS#11 library", "ssh(1) -I", "-I ./x.so h"),
            row(When::Val("-E", Test::File), WritesFile, WRITES, "ssh(1) -E", "-E x h"),
            row(
                When::Opt("-R"),
                Uploads,
                "lets the other host reach into this network",
                "ssh(1) -R",
                "-R 80:localhost:80 h",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["scp", "sftp", "sshfs", "ssh-copy-id"],
        opts: Opts::new(GNU, "b:B:c:D:F:i:J:l:o:P:R:S:s:X:", ""),
        rows: &[
            row(
                When::Val("-o", Test::SshOption),
                RunsProgram,
                "the option runs a program here, loads code or reads another configuration",
                "scp(1) -o; GTFOBins scp",
                "-o ProxyCommand=x a h:b",
            ),
            row(
                When::Val("-F", Test::Not(words!["/dev/null", "none"])),
                RunsProgram,
                "the configuration can name a program to run here",
                "scp(1) -F",
                "-F x a h:b",
            ),
            row(When::Opt("-S -D"), RunsProgram, PROGRAM, "scp(1) -S; GTFOBins scp", "-S ./x a h:b"),
            row(
                When::Val("-b", Test::Not(words!["-"])),
                RunsProgram,
                "runs commands of a file, of which `!` runs a shell",
                "sftp(1) -b",
                "-b x h",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["ssh-keygen", "ssh-add", "ssh-agent", "ssh-keyscan"],
        opts: Opts::new(EXACT, "a:b:C:D:E:F:f:G:I:i:J:j:K:k:M:m:N:n:O:P:R:r:S:s:T:t:V:W:w:Y:Z:z:e:", ""),
        rows: &[row(
            When::Opt("-D -w"),
            LoadsCode,
            "loads a PKCS#11 or key library",
            "ssh-keygen(1) -D; GTFOBins ssh-keygen",
            "-D ./x.so",
        )],
        subs: &[],
    },
    Program {
        names: &["ssh-add"],
        opts: Opts::new(EXACT, "E:e:H:h:S:s:T:t:", ""),
        rows: &[row(When::Opt("-s -S"), LoadsCode, "loads a PKCS#11 library", "ssh-add(1) -s", "-s ./x.so")],
        subs: &[],
    },
    Program {
        names: &["socat", "socat1"],
        opts: Opts::new(EXACT, "b:t:T:l:f:", ""),
        rows: &[
            row(
                When::Operand(Test::HasFold(words!["exec", "system", "shell"])),
                RunsProgram,
                "the address runs a program",
                "socat(1) EXEC, SYSTEM; GTFOBins socat",
                "- EXEC:sh",
            ),
            row(
                When::Operand(Test::HasFold(words!["open:", "create:", "file:", "gopen:", "creat:"])),
                WritesFile,
                "the address is a file",
                "socat(1) OPEN",
                "- OPEN:x",
            ),
            row(
                When::Operand(Test::HasFold(words!["listen", "tcp-l", "udp-l"])),
                Uploads,
                "serves others",
                "socat(1) TCP-LISTEN",
                "TCP-LISTEN:80 -",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["nc", "ncat", "netcat", "nc6"],
        opts: Opts::new(
            EXACT,
            "c:e:g:G:i:I:m:M:O:o:P:p:q:s:T:V:w:W:X:x:d:",
            "exec= sh-exec= lua-exec= output= hex-dump= proxy= source-port= wait= ssl-cert= ssl-key=",
        ),
        rows: &[
            row(
                When::Opt("-e -c --exec --sh-exec --lua-exec"),
                RunsProgram,
                "gives a program to the other side",
                "ncat(1) -e; GTFOBins nc",
                "-e /bin/sh h 80",
            ),
            row(
                When::Val("-o --output --hex-dump", Test::File),
                WritesFile,
                WRITES,
                "ncat(1) -o",
                "-o x h 80",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["telnet", "ftp", "tnftp", "lftp", "smbclient", "tftp", "cadaver"],
        opts: Opts::new(EXACT, "c:e:f:n:o:E:U:u:p:N:", "command="),
        rows: &[
            row(
                When::Opt("-c -e -f --command"),
                RunsProgram,
                "runs commands, of which `!` runs a shell",
                "lftp(1) -c; smbclient(1) -c; GTFOBins ftp",
                "-c '!id'",
            ),
            row(
                When::Always,
                RunsProgram,
                "`!` in its input runs a shell",
                "ftp(1) !; telnet(1) !; GTFOBins ftp",
                "h",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["rclone", "restic", "borg", "duplicity", "rdiff-backup"],
        opts: Opts::new(
            EXACT,
            "",
            "password-command= config= rcat= remote-schema= rsh= log-file= cache-dir=",
        ),
        rows: &[
            row(
                When::Opt("--password-command --remote-schema --rsh --option -o"),
                RunsProgram,
                PROGRAM,
                "rclone: --password-command; restic: -o",
                "--password-command x ls r:",
            ),
            row(When::Opt("--config"), LoadsCode, OPTIONS, "rclone: --config", "--config x ls r:"),
            row(When::Opt("--log-file"), WritesFile, WRITES, "rclone: --log-file", "--log-file x ls r:"),
        ],
        subs: &[],
    },
    Program {
        names: &["openssl"],
        opts: Opts::new(
            DASH,
            "",
            "in= out= engine= provider= provider-path= config= key= cert= CAfile= passin= \
passout= days= subj= keyform= inform= outform= writerand= rand= pre= post= port= \
www accept= connect= k= pass= K= iv= md= nameopt=",
        ),
        rows: &[
            row(
                When::Opt(
                    "--engine --engine_impl --ssl_client_engine --provider --provider-path --config --pre --post --keyform",
                ),
                LoadsCode,
                "loads an engine or provider library, or a configuration that does",
                "openssl(1) -engine; GTFOBins openssl",
                "req -engine ./x.so",
            ),
            row(
                When::Val("--out --writerand --keyout", Test::File),
                WritesFile,
                WRITES,
                "openssl(1) -out; GTFOBins openssl",
                "enc -in a -out x",
            ),
            row(
                When::All(&[When::Path("engine"), When::More(1)]),
                LoadsCode,
                "loads an engine library",
                "openssl-engine(1)",
                "engine ./x.so",
            ),
            row(
                When::Path("s_server"),
                Uploads,
                "serves others, with -WWW the folder's files",
                "openssl-s_server(1)",
                "s_server -WWW",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["gpg", "gpg2", "gpgsm"],
        opts: Opts::new(
            GNU,
            "o:r:R:u:N:z:c",
            "output= recipient= local-user= homedir= options= exec-path= agent-program= dirmngr-program= \
             photo-viewer= log-file= status-file= logger-file= attribute-file= keyserver= passphrase= \
             passphrase-file= passphrase-fd= cipher-algo= digest-algo= default-key= keyring= load-extension= \
             gpg-program= command-file= pinentry-mode= status-fd= comment= set-filename= trust-model=",
        ),
        rows: &[
            row(
                When::Val("-o --output", Test::File),
                WritesFile,
                WRITES,
                "gpg(1) -o; GTFOBins gpg",
                "--yes -o x --store a",
            ),
            row(
                When::Opt(
                    "--exec-path --agent-program --dirmngr-program --photo-viewer --load-extension \
--gpg-program",
                ),
                RunsProgram,
                PROGRAM,
                "gpg(1) --agent-program",
                "--agent-program ./x -d a",
            ),
            row(When::Opt("--options"), LoadsCode, OPTIONS, "gpg(1) --options", "--options x -d a"),
            row(
                When::Val("--log-file --status-file --logger-file --attribute-file", Test::File),
                WritesFile,
                WRITES,
                "gpg(1) --log-file",
                "--log-file x -d a",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["nmap"],
        opts: Opts::new(
            EXACT,
            "p:e:S:g:D:iL:",
            "script= script-args= datadir= resume= script-args-file= exclude= excludefile=",
        ),
        rows: &[
            row(
                When::Val("--script", Test::Has(words!["/", ".nse"])),
                LoadsCode,
                "runs a Lua script",
                "nmap(1) --script; GTFOBins nmap",
                "--script=./x.nse h",
            ),
            row(
                When::Opt("--datadir --interactive --resume --script-args-file"),
                LoadsCode,
                "takes scripts or commands from elsewhere",
                "nmap(1) --datadir",
                "--datadir x h",
            ),
            row(
                When::Word(Test::Starts(words!["-oN", "-oX", "-oG", "-oA", "-oS"])),
                WritesFile,
                WRITES,
                "nmap(1) -oN",
                "-oN x h",
            ),
            row(
                When::Word(Test::Starts(words!["-iL"])),
                Uploads,
                "looks up, and shows, the lines of a file",
                "nmap(1) -iL",
                "-iL x",
            ),
        ],
        subs: &[],
    },
    Program {
        names: &["tcpdump", "tshark", "dumpcap"],
        opts: Opts::new(POSIX, "B:c:C:E:F:G:i:j:m:M:Q:r:s:T:V:w:W:y:z:X:Y:f:e:o:O:d:b:a:", ""),
        rows: &[
            row(
                When::Opt("-z"),
                RunsProgram,
                "runs a program on each file it has written",
                "tcpdump(8) -z; GTFOBins tcpdump",
                "-w x -G 1 -z ./y",
            ),
            row(When::Val("-w", Test::File), WritesFile, WRITES, "tcpdump(8) -w", "-w x"),
            row(
                When::Val("-X", Test::Starts(words!["lua_script", "read_format"])),
                LoadsCode,
                "runs a Lua script",
                "tshark(1) -X lua_script",
                "-X lua_script:x",
            ),
            row(When::Opt("-F"), Uploads, "shows the lines of a file in its errors", "tcpdump(8) -F", "-F x"),
        ],
        subs: &[],
    },
];
