#include "ccd_queries.h"

#include "ccd_number.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE = 4096, ROWS = 8 };

/* State of reading a file. */
typedef struct reader {
    const char *path;
    FILE *file;
    long line; /* of the row read last, from 1 */
    char text[LINE];
} reader;

static int fail_row(const reader *r, const char *problem) {
    return cli_fail(CLI_BAD_DATA, "%s:%ld: %s", r->path, r->line, problem);
}

/* Reads the next line without its line end; *more is false after the last. */
static int next_line(reader *r, bool *more) {
    errno = 0;
    *more = fgets(r->text, LINE, r->file) != NULL;
    if (!*more && ferror(r->file))
        return cli_fail(CLI_BAD_DATA, "%s: cannot read: %s", r->path, strerror(errno));
    if (!*more) return CLI_DONE;
    r->line++;
    size_t length = strcspn(r->text, "\r\n");
    if (length == LINE - 1) return fail_row(r, "the line is too long");
    r->text[length] = 0;
    return CLI_DONE;
}

/* Parses three fractions and the truth. */
static int read_row(const reader *r, vo_vec3 *point, bool *touch) {
    static const char *const names[] = {"x", "y", "z"};
    double value[3];
    const char *p = r->text, *problem = NULL;
    for (int i = 0; i < 3; i++) {
        p = ccd_fraction_read(p, &value[i], &problem);
        if (!p)
            return cli_fail(CLI_BAD_DATA, "%s:%ld: %s: %s", r->path, r->line, names[i], problem);
        if (*p++ != ',') return fail_row(r, "a row has 7 columns, separated by commas");
    }
    if ((p[0] != '0' && p[0] != '1') || p[1] != 0)
        return fail_row(r, "the last of 7 columns, the truth, is not 0 or 1");
    *point = (vo_vec3){value[0], value[1], value[2]};
    *touch = p[0] == '1';
    return CLI_DONE;
}

/* Stores row `row` of a query and checks that its truth equals that of the previous rows. */
static int add_row(const reader *r, int row, ccd_query *query) {
    vo_vec3 *point = row < 4 ? &query->start[row] : &query->end[row - 4];
    bool touch = false;
    int code = read_row(r, point, &touch);
    if (code != CLI_DONE) return code;
    if (row > 0 && touch != query->touch)
        return fail_row(r, "the truth differs from the row above, in the same query");
    query->touch = touch;
    return CLI_DONE;
}

/* Appends an uninitialised query; NULL without memory. */
static ccd_query *append_query(ccd_file *file, int *capacity) {
    if (file->count == *capacity) {
        int wanted = *capacity + *capacity / 2 + 64;
        ccd_query *grown = realloc(file->queries, (size_t)wanted * sizeof *grown);
        if (!grown) return NULL;
        file->queries = grown;
        *capacity = wanted;
    }
    return &file->queries[file->count++];
}

/* Reads all rows of a file. */
static int read_rows(reader *r, ccd_file *file) {
    ccd_query *query = NULL;
    int row = 0, capacity = 0;
    for (;;) {
        bool more;
        int code = next_line(r, &more);
        if (code != CLI_DONE) return code;
        if (!more) break;
        if (row == 0 && !(query = append_query(file, &capacity)))
            return cli_fail(CLI_SYSTEM_ERROR, "%s: out of memory", r->path);
        code = add_row(r, row, query);
        if (code != CLI_DONE) return code;
        row = (row + 1) % ROWS;
    }
    return row == 0 ? CLI_DONE : fail_row(r, "the file ends inside a query of 8 rows");
}

/* Writes the absolute path. */
static int absolute_path(const char *path, char out[CLI_PATH]) {
    char here[CLI_PATH];
    if (path[0] == '/') return cli_join("", path + 1, out);
    if (!getcwd(here, sizeof here))
        return cli_fail(CLI_SYSTEM_ERROR, "cannot read the working folder: %s", strerror(errno));
    return cli_join(here, path, out);
}

/* Finds the kind of queries by the nearest folder with the name of a kind. */
static int find_kind(ccd_file *file) {
    char path[CLI_PATH], *slash;
    bool found = false;
    int code = absolute_path(file->path, path);
    if (code != CLI_DONE) return code;
    while (!found && (slash = strrchr(path, '/'))) {
        *slash = 0;
        const char *start = strrchr(path, '/');
        const char *name = start ? start + 1 : path;
        file->edges = strcmp(name, "edge-edge") == 0;
        found = file->edges || strcmp(name, "vertex-face") == 0;
    }
    if (found) return CLI_DONE;
    return cli_fail(CLI_BAD_DATA,
                    "%s: the kind of its queries is unknown; move it below a folder called "
                    "vertex-face or edge-edge",
                    file->path);
}

static int read_file(ccd_file *file) {
    int code = find_kind(file);
    if (code != CLI_DONE) return code;
    reader r = {.path = file->path, .file = fopen(file->path, "rb")};
    if (!r.file) return cli_fail(CLI_BAD_DATA, "%s: cannot read: %s", file->path, strerror(errno));
    code = read_rows(&r, file);
    fclose(r.file);
    return code;
}

/* Adds a file to the set. */
static int add_file(ccd_set *set, const char *path) {
    if (set->count == set->capacity) {
        int wanted = set->capacity + set->capacity / 2 + 16;
        ccd_file *grown = realloc(set->files, (size_t)wanted * sizeof *grown);
        if (!grown) return cli_fail(CLI_SYSTEM_ERROR, "%s: out of memory", path);
        set->files = grown;
        set->capacity = wanted;
    }
    ccd_file *file = &set->files[set->count++];
    *file = (ccd_file){0};
    snprintf(file->path, sizeof file->path, "%s", path);
    return read_file(file);
}

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static int add_folder(ccd_set *set, const char *folder);

/* Adds an entry of a folder: a file that ends in .csv, or a folder. Links to folders are ignored,
 * because they may form cycles. */
static int add_entry(ccd_set *set, const char *folder, const char *name) {
    char path[CLI_PATH];
    struct stat info;
    if (name[0] == '.') return CLI_DONE;
    int code = cli_join(folder, name, path);
    if (code != CLI_DONE) return code;
    if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode)) return add_folder(set, path);
    if (!ends_with(name, ".csv") || cli_is_folder(path)) return CLI_DONE;
    return add_file(set, path);
}

/* Adds all entries in the order of their names. */
static int add_folder(ccd_set *set, const char *folder) {
    struct dirent **entries;
    int code = CLI_DONE, count = scandir(folder, &entries, NULL, alphasort);
    if (count < 0)
        return cli_fail(CLI_BAD_DATA, "%s: cannot read the folder: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (code == CLI_DONE) code = add_entry(set, folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return code;
}

int ccd_set_read(const char *folder, ccd_set *set) {
    *set = (ccd_set){0};
    int code = add_folder(set, folder);
    if (code == CLI_DONE && set->count == 0)
        return cli_fail(CLI_BAD_DATA, "%s: contains no .csv file", folder);
    return code;
}

void ccd_set_free(ccd_set *set) {
    for (int i = 0; i < set->count; i++) free(set->files[i].queries);
    free(set->files);
    *set = (ccd_set){0};
}
