#include "sew_options.h"

#include "message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int read_number(const cli_number *n) {
    if (!n->words) return CLI_DONE;
    char *end;
    double value = strtod(n->words, &end);
    if (end == n->words || *end || !(value >= n->low && value <= n->high))
        return cli_fail(CLI_USAGE_ERROR, "--%s needs a number from %g to %g, not \"%s\".",
                        n->option, n->low, n->high, n->words);
    *n->out = value;
    return CLI_DONE;
}

int cli_read_numbers(size_t count, const cli_number *numbers) {
    int code = CLI_DONE;
    for (size_t i = 0; i < count && code == CLI_DONE; i++) code = read_number(&numbers[i]);
    return code;
}

void cli_read_body_axes(const cli_args *args, vo_sew_def *def) {
    static const char *const unit[] = {"m", "cm", "mm"};
    static const double metres[] = {1, 0.01, 0.001};
    for (int i = 0; args->units && i < 3; i++)
        if (strcmp(args->units, unit[i]) == 0) def->body_units = metres[i];
    if (args->up) def->body_up = (vo_up_axis)(VO_UP_X + (args->up[0] - 'x'));
}

static bool is_same_inode(const char *a, const char *b) {
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

/* Writes the folder of a path; returns the name in it. */
static const char *split_path(const char *path, char folder[CLI_PATH]) {
    const char *slash = strrchr(path, '/');
    snprintf(folder, CLI_PATH, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    return slash ? slash + 1 : path;
}

bool cli_is_same_file(const char *a, const char *b) {
    char folder_a[CLI_PATH], folder_b[CLI_PATH];
    if (!a || !b) return false;
    if (strcmp(a, b) == 0 || is_same_inode(a, b)) return true;
    bool same_name = strcmp(split_path(a, folder_a), split_path(b, folder_b)) == 0;
    return same_name && is_same_inode(folder_a, folder_b);
}
