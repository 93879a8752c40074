/* Runs a fuzz target without libFuzzer. The mutations depend on the number of the run only, so that
 * a failure can be reproduced.
 *
 *     fuzz_NAME [--runs N] [--first N] [--save FILE] SEED_FILE_OR_FOLDER...
 *
 * Inputs run in child processes, one batch per process. The number of the current run is in shared
 * memory; after a crash or a hang, --first N --runs 1 --save FILE writes that input. Hangs are
 * detected by processor time, so that a busy machine causes no failure. Targets built with
 * libFuzzer (make fuzz) do not use this file. */
#define _GNU_SOURCE
#include "core/random.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Optional initialisation of a target, also called by libFuzzer. */
__attribute__((weak)) int LLVMFuzzerInitialize(int *count, char ***list);

enum {
    BATCH = 500,
    SECONDS_PER_INPUT = 20,
    IDLE_SECONDS = 600,
    MAX_SEED = 1 << 16,
    MAX_SEEDS = 256
};

typedef struct input {
    uint8_t *data;
    size_t size, capacity;
} input;

static input seeds[MAX_SEEDS];
static int seed_count;

/* Typical errors of users and programs. */
static const char *const words[] = {
    "0",
    "-1",
    "1e999",
    "-1e-320",
    "nan",
    "inf",
    "2147483648",
    "-9223372036854775809",
    "null",
    "true",
    "[]",
    "{}",
    "\"\"",
    "[[[[[[",
    "{\"a\":{\"b\":",
    "\\u0000",
    "//",
    "/*",
    "*/",
    "\n",
    "\r",
    "\t",
    "#",
    "f 1 2 3\n",
    "f 1/1 -1 3//2\n",
    "v 0 0 0\n",
    "vt 1e308 -1e308\n",
    "%s%n%d",
    "../../..",
    "/dev/zero",
};

static void die(const char *what, const char *name) {
    fprintf(stderr, "fuzz: %s: %s\n", name, what);
    exit(2);
}

/* ---- seeds ---------------------------------------------------------------------------------- */

static void load_file(const char *path) {
    if (seed_count == MAX_SEEDS) return;
    FILE *file = fopen(path, "rb");
    if (!file) die("cannot be read", path);
    input *seed = &seeds[seed_count++];
    *seed = (input){.data = malloc(MAX_SEED), .capacity = MAX_SEED};
    if (!seed->data) die("out of memory", path);
    seed->size = fread(seed->data, 1, MAX_SEED, file);
    fclose(file);
}

static int not_hidden(const struct dirent *entry) { return entry->d_name[0] != '.'; }

/* Loads a file, or all files of a folder in alphabetical order. */
static void load_seeds(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0) die("does not exist", path);
    if (!S_ISDIR(info.st_mode)) {
        load_file(path);
        return;
    }
    struct dirent **list;
    int count = scandir(path, &list, not_hidden, alphasort);
    for (int i = 0; i < count; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, list[i]->d_name);
        if (stat(name, &info) == 0 && S_ISREG(info.st_mode)) load_file(name);
        free(list[i]);
    }
    if (count >= 0) free(list);
}

/* ---- mutations ------------------------------------------------------------------------------ */

/* Replaces [at, at + old) by `size` bytes. */
static void replace(input *in, size_t at, size_t old, const void *bytes, size_t size) {
    if (in->size - old + size > in->capacity) return;
    memmove(in->data + at + size, in->data + at + old, in->size - at - old);
    memcpy(in->data + at, bytes, size);
    in->size += size - old;
}

static size_t pick(vo_random *r, size_t below) {
    return below ? (size_t)(vo_random_u64(r) % below) : 0;
}

static void put_word(input *in, vo_random *r) {
    const char *word = words[pick(r, sizeof words / sizeof *words)];
    size_t at = pick(r, in->size + 1), old = pick(r, 8);
    replace(in, at, old < in->size - at ? old : in->size - at, word, strlen(word));
}

/* Replaces one digit of a number. */
static void change_digit(input *in, vo_random *r) {
    size_t start = pick(r, in->size);
    for (size_t n = 0; n < in->size; n++) {
        uint8_t *c = &in->data[(start + n) % in->size];
        if (*c >= '0' && *c <= '9') {
            *c = (uint8_t) "0123456789-.eE+x"[pick(r, 16)];
            return;
        }
    }
}

/* Inserts part of another seed, or overwrites with it. */
static void splice(input *in, vo_random *r) {
    const input *from = &seeds[pick(r, (size_t)seed_count)];
    size_t begin = pick(r, from->size), length = pick(r, from->size - begin + 1);
    if (length > 200) length = pick(r, 200);
    size_t at = pick(r, in->size + 1);
    size_t old = vo_random_int(r, 2) && length < in->size - at ? length : 0;
    replace(in, at, old, from->data + begin, length);
}

/* Overwrites bytes with a boundary value. */
static void put_number(input *in, vo_random *r) {
    static const uint64_t numbers[] = {0,          1,          0x7f,        0x80,
                                       0xffff,     0x7fffffff, 0x80000000u, 0xffffffffu,
                                       1ull << 40, 1ull << 63, INT64_MAX,   UINT64_MAX};
    size_t size = (size_t)1 << pick(r, 4), at = pick(r, in->size + 1);
    size_t old = size < in->size - at ? size : in->size - at;
    replace(in, at, old, &numbers[pick(r, sizeof numbers / sizeof *numbers)], size);
}

/* Repeats a part of the input up to eight times. */
static void repeat(input *in, vo_random *r) {
    uint8_t piece[200];
    size_t at = pick(r, in->size), length = pick(r, sizeof piece);
    if (length > in->size - at) length = in->size - at;
    memcpy(piece, in->data + at, length);
    for (size_t n = 1 + pick(r, 8); n > 0; n--) replace(in, at, 0, piece, length);
}

static void mutate_once(input *in, vo_random *r) {
    size_t at = pick(r, in->size);
    switch (vo_random_int(r, 9)) {
    case 0:
        if (in->size) in->data[at] ^= (uint8_t)(1 << vo_random_int(r, 8));
        break;
    case 1:
        if (in->size) in->data[at] = (uint8_t)vo_random_int(r, 256);
        break;
    case 2:
        put_word(in, r);
        break;
    case 3:
        change_digit(in, r);
        break;
    case 4:
        splice(in, r);
        break;
    case 5:
        replace(in, at, pick(r, in->size - at) % 64, "", 0);
        break;
    case 6:
        if (vo_random_int(r, 4) == 0) in->size = at;
        break;
    case 7:
        put_number(in, r);
        break;
    case 8:
        repeat(in, r);
        break;
    }
}

/* Creates the input of one run; its capacity is twice the largest seed. */
static void make_input(uint64_t run, input *in) {
    vo_random r = vo_random_seed(run * 0x2545f4914f6cdd1du + 1);
    const input *seed = &seeds[run % (uint64_t)seed_count];
    memcpy(in->data, seed->data, seed->size);
    in->size = seed->size;
    if (run < (uint64_t)seed_count) return; /* the first runs use the unmodified seeds */
    for (int n = 1 << vo_random_int(&r, 5); n > 0; n--) mutate_once(in, &r);
}

/* ---- batches -------------------------------------------------------------------------------- */

/* Ends the process after `seconds` of processor time or IDLE_SECONDS of wall-clock time; 0: never.
 */
static void set_alarms(int seconds) {
    struct itimerval timer = {.it_value.tv_sec = seconds};
    setitimer(ITIMER_PROF, &timer, NULL);
    alarm(seconds ? IDLE_SECONDS : 0);
}

static _Noreturn void run_batch(uint64_t first, uint64_t end, input *in, volatile uint64_t *now) {
    for (uint64_t run = first; run < end; run++) {
        *now = run;
        make_input(run, in);
        /* A block of exactly this size, so that sanitizers detect every overrun. */
        uint8_t *exact = malloc(in->size ? in->size : 1);
        if (!exact) die("out of memory", "input");
        memcpy(exact, in->data, in->size);
        set_alarms(SECONDS_PER_INPUT);
        LLVMFuzzerTestOneInput(exact, in->size);
        set_alarms(0);
        free(exact);
    }
    exit(0); /* not _exit: the leak sanitizer runs at exit */
}

static bool try_batch(uint64_t first, uint64_t end, input *in, volatile uint64_t *now) {
    *now = first;
    pid_t child = fork();
    if (child == 0) run_batch(first, end, in, now);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) die("no child process", "fork");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    bool hung = signal == SIGALRM || signal == SIGPROF;
    fprintf(stderr, "fuzz: run %llu of the batch from %llu %s\n", (unsigned long long)*now,
            (unsigned long long)first, hung ? "hung" : "failed");
    return false;
}

static void save_input(uint64_t run, input *in, const char *path) {
    make_input(run, in);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(in->data, 1, in->size, file) != in->size || fclose(file) != 0)
        die("cannot be written", path);
}

int main(int count, char **list) {
    uint64_t runs = 1000, first = 0;
    const char *save = NULL;
    for (int i = 1; i < count; i++) {
        bool more = i + 1 < count;
        if (more && !strcmp(list[i], "--runs"))
            runs = strtoull(list[++i], NULL, 10);
        else if (more && !strcmp(list[i], "--first"))
            first = strtoull(list[++i], NULL, 10);
        else if (more && !strcmp(list[i], "--save"))
            save = list[++i];
        else
            load_seeds(list[i]);
    }
    const char *longer = getenv("VOILE_TEST_LONG");
    if (longer && !save) runs *= 10;
    if (seed_count == 0) die("no seeds given", list[0]);
    input in = {.data = malloc(2 * MAX_SEED), .capacity = 2 * MAX_SEED};
    volatile uint64_t *now =
        mmap(NULL, sizeof *now, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!in.data || now == MAP_FAILED) die("out of memory", list[0]);
    if (save) save_input(first, &in, save);
    if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&count, &list);
    bool good = true;
    for (uint64_t run = first; good && run < first + runs; run += BATCH)
        good = try_batch(run, run + BATCH < first + runs ? run + BATCH : first + runs, &in, now);
    printf("fuzz: %llu inputs from %d seeds: %s\n", (unsigned long long)runs, seed_count,
           good ? "passed" : "FAILED");
    for (int i = 0; i < seed_count; i++) free(seeds[i].data);
    free(in.data);
    return good ? 0 : 1;
}
