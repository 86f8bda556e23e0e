/* Loaded into a real shell (LD_PRELOAD) so that millions of texts can be run: the shell is loaded once, and each text
 * is run by a copy of it (fork) that enters the shell's own, untouched `main` with the words and variables of the text.
 * Nothing of the shell has run before, so a copy does what a new process would do; what is saved is the loading.
 *
 * A program of the stage that such a shell executes is a witness. It is not started: what it would do is done in the
 * process that asked, behind the shell's own call of `execve`. This must equal `shell_witness.rs`, and is compared with
 * it all the time: every so many runs are made again by new processes and real witnesses.
 *
 * Standard input of the server is the socket that tells it what to run, its standard output and error those of the
 * texts. A request is `u32 length` and as many bytes: `u32 words`, `u32 variables`, then all of them, each ended by a
 * zero byte. The answer is `i32 pid`, `i32 status` (wait(2)). Numbers as the machine has them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROOT "/run/oracle/"
#define BIN ROOT "bin/"

/* Bytes of records after which nothing is worth seeing: the text loops. */
enum { ENOUGH = 12000, ROOM = 48 * 1024, MOST_FDS = 64 };

extern char **environ;
typedef int entry(int, char **, char **);
static entry *shell_main;
static ino_t witness_ino;
static dev_t witness_dev;

static const char *const variables[] = {"CI", "NODE_ENV", "PORT", "x", "y"};

static const char *const sayings[] = {"",      "a b",  "*",      "x\n", "-n", "$(w9)", "; w9",  "a\nb",
                                      "~",     "{a,b}", "w2",    "1",   "`w9`", "'q r'", "a\\b", "7 "};

static void hash_take(uint64_t *hash, const void *bytes, size_t length) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i <= length; i++)
        *hash = (*hash ^ (i < length ? at[i] : 0)) * 0x100000001b3u;
}

static const char *variable(char *const envp[], const char *name) {
    size_t length = strlen(name);
    for (; envp && *envp; envp++)
        if (!strncmp(*envp, name, length) && (*envp)[length] == '=')
            return *envp + length + 1;
    return NULL;
}

/* The record under way. It lies on the stack: a shell may have called vfork, and its memory is not ours. */
struct record {
    size_t length;
    char bytes[ROOM];
};

static void put(struct record *r, const void *bytes, size_t length) {
    memcpy(r->bytes + r->length, bytes, length);
    r->length += length;
}

/* What a witness does; does not return. Its words and variables fit into half the room. */
static void witness(char *const argv[], char *const envp[]) {
    struct record r;
    struct stat about;
    char here[4096];
    r.length = 0;
    uint64_t hash = 0xcbf29ce484222325u;

    /* What execve would have closed, so that pipes end. */
    for (int fd = 3; fd < MOST_FDS; fd++) {
        int flags = fcntl(fd, F_GETFD);
        if (flags > 0 && flags & FD_CLOEXEC)
            close(fd);
    }
    signal(SIGPIPE, SIG_IGN);
    int speaks = fcntl(1, F_GETFD) >= 0;

    for (int i = 0; argv[i]; i++) {
        const char *word = argv[i];
        const char *last = i == 0 ? strrchr(word, '/') : NULL;
        if (last)
            word = last + 1;
        size_t begin = r.length;
        while (*word) {
            if (!strncmp(word, BIN, sizeof BIN - 1))
                word += sizeof BIN - 1;
            else
                r.bytes[r.length++] = *word++;
        }
        hash_take(&hash, r.bytes + begin, r.length - begin);
        r.bytes[r.length++] = 0;
    }
    put(&r, "\1WORDS", 7);
    if (syscall(SYS_getcwd, here, sizeof here) > 0 && here[0] == '/')
        put(&r, here, strlen(here));
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = variable(envp, variables[i]);
        if (!value)
            continue;
        put(&r, " ", 1);
        put(&r, variables[i], strlen(variables[i]));
        put(&r, "=", 1);
        put(&r, value, strlen(value));
    }
    if (!fstat(0, &about) && (S_ISFIFO(about.st_mode) || S_ISREG(about.st_mode))) {
        put(&r, " <", 2);
        for (size_t left = 4000;;) {
            ssize_t got = read(0, here, left ? left : sizeof here);
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                break;
            if (left) {
                put(&r, here, (size_t)got);
                left -= (size_t)got;
            }
        }
    }
    put(&r, "\0\2RECORD", 9);

    int log = open(ROOT "log", O_WRONLY | O_APPEND | O_CLOEXEC);
    if (log < 0 || write(log, r.bytes, r.length) != (ssize_t)r.length || fstat(log, &about))
        _exit(99);
    if (about.st_size > ENOUGH)
        kill(0, SIGKILL);
    const char *mood = variable(envp, "W");
    mood = mood ? mood : "";
    hash_take(&hash, mood, strlen(mood));
    if (*mood == 'c') {
        uint64_t length = (uint64_t)about.st_size;
        hash_take(&hash, &length, sizeof length);
    }
    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 29;
    const char *saying = sayings[(hash >> 8) % (sizeof sayings / sizeof *sayings)];
    if (*saying && speaks) {
        size_t length = strlen(saying);
        memcpy(here, saying, length);
        here[length] = '\n';
        if (write(1, here, length + 1) < 0)
            speaks = 0;
    }
    _exit(hash % 8 < 5 ? 0 : hash % 8 < 7 ? 1 : 3);
}

int execve(const char *path, char *const argv[], char *const envp[]) {
    struct stat about;
    if (!strncmp(path, BIN, sizeof BIN - 1) && witness_ino && argv[0] && !stat(path, &about) &&
        about.st_ino == witness_ino && about.st_dev == witness_dev) {
        size_t size = 0;
        for (int i = 0; argv[i]; i++)
            size += strlen(argv[i]) + 1;
        for (int i = 0; envp && envp[i]; i++)
            size += strlen(envp[i]) + 2;
        if (size < ROOM / 2)
            witness(argv, envp);
    }
    return (int)syscall(SYS_execve, path, argv, envp);
}

static int all(int fd, void *bytes, size_t length) {
    for (char *at = bytes; length;) {
        ssize_t got = read(fd, at, length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return 0;
        at += got;
        length -= (size_t)got;
    }
    return 1;
}

/* What costs time in each copy and changes nothing: pages of files, which a copy would ask for one by one, and the
 * tables of the locale, which it would open one by one. */
static void prepare(void) {
    newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    struct { char *from, *to; int protection; } all[128];
    size_t count = 0;
    while (maps && count < sizeof all / sizeof *all && fgets(line, sizeof line, maps)) {
        unsigned long from, to, inode;
        char mode[5];
        if (sscanf(line, "%lx-%lx %4s %*x %*s %lu", &from, &to, mode, &inode) != 4 || !inode || mode[0] != 'r' ||
            mode[3] != 'p')
            continue;
        all[count].from = (char *)from;
        all[count].to = (char *)to;
        all[count++].protection =
            PROT_READ | (mode[1] == 'w' ? PROT_WRITE : 0) | (mode[2] == 'x' ? PROT_EXEC : 0);
    }
    if (maps)
        fclose(maps);
    for (size_t i = 0; i < count; i++) {
        size_t size = (size_t)(all[i].to - all[i].from);
        if (madvise(all[i].from, size, MADV_POPULATE_READ) || all[i].protection & PROT_WRITE)
            continue;
        /* Once a page was written, fork(2) copies the table of all of them. */
        if (mprotect(all[i].from, size, all[i].protection | PROT_WRITE))
            continue;
        *(volatile char *)all[i].from = *all[i].from;
        mprotect(all[i].from, size, all[i].protection);
    }
}

/* Stands before the shell's own main: returns in copies only, with what that makes of its words. */
static int serve(int argc, char **argv, char **envp) {
    (void)argc, (void)argv, (void)envp;
    struct stat about;
    if (!stat(ROOT "witness", &about)) {
        witness_ino = about.st_ino;
        witness_dev = about.st_dev;
    }
    prepare();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    static char request[1 << 20];
    static char *words[1 << 14];
    for (;;) {
        uint32_t length, counts[2];
        if (!all(0, &length, sizeof length) || length < sizeof counts || length > sizeof request ||
            !all(0, request, length))
            _exit(0);
        memcpy(counts, request, sizeof counts);
        uint64_t total = (uint64_t)counts[0] + counts[1] + 2;
        if (request[length - 1] || total > sizeof words / sizeof *words)
            _exit(3);
        pid_t child = fork();
        if (child == 0) {
            char *at = request + sizeof counts;
            char **to = words;
            for (int part = 0; part < 2; part++) {
                for (uint32_t i = 0; i < counts[part]; i++, at += strlen(at) + 1)
                    *to++ = at;
                *to++ = NULL;
            }
            environ = words + counts[0] + 1;
            setpgid(0, 0);
            close(0);
            if (open(ROOT "stdin", O_RDONLY) != 0)
                _exit(98);
            return shell_main((int)counts[0], words, environ);
        }
        /* Whoever is left behind is ours now: nobody may write into the records of the next text. */
        int32_t answer[2] = {child, 0};
        for (int status; child > 0;) {
            pid_t ended = waitpid(-1, &status, 0);
            if (ended == child)
                answer[1] = status;
            else if (ended < 0 && errno != EINTR)
                break;
        }
        if (child < 0)
            _exit(4);
        if (write(0, answer, sizeof answer) != sizeof answer)
            _exit(5);
    }
}

int __libc_start_main(entry *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end) {
    int (*start)(entry *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    shell_main = main;
    return start(serve, argc, argv, init, fini, rtld_fini, stack_end);
}
