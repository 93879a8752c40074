#include "options.h"

#include "message.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 63 };

static int min3(int a, int b, int c) {
    int m = a < b ? a : b;
    return m < c ? m : c;
}

/* Optimal string alignment: rows of the table of prefix distances, the last three kept. */
int cli_distance(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    if (n > WORD_MAX || m > WORD_MAX) return INT_MAX;
    int row[3][WORD_MAX + 1];
    for (size_t j = 0; j <= m; j++) row[0][j] = (int)j;
    for (size_t i = 1; i <= n; i++) {
        const int *before = row[(i + 1) % 3], *last = row[(i - 1) % 3];
        int *now = row[i % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= m; j++) {
            now[j] = min3(last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before[j - 2] + 1 < now[j]) now[j] = before[j - 2] + 1;
        }
    }
    return row[n % 3][m];
}

bool cli_is_near(const char *word, int distance) {
    size_t length = strlen(word);
    return distance <= (length <= 3 ? 1 : length <= 6 ? 2 : 3);
}

/* State of the parser. */
typedef struct parser {
    const cli_command *command;
    cli_args *args;
    int count, next;
    char **words;
} parser;

static const cli_option help_option = {
    "help", 'h', CLI_FLAG, offsetof(cli_args, help), NULL, "shows this help",
};

/* By name of the given length; the letter is 0 for long options. */
static const cli_option *find_option(const cli_command *command, const char *name, size_t length,
                                     char letter) {
    for (const cli_option *o = command->options; o->name; o++)
        if (letter ? o->letter == letter
                   : strlen(o->name) == length && strncmp(o->name, name, length) == 0)
            return o;
    if (letter == 'h' || (length == 4 && strncmp(name, "help", 4) == 0)) return &help_option;
    return NULL;
}

/* Returns the closest option, or NULL. */
static const char *nearest_option(const cli_command *command, const char *name) {
    const char *best = NULL;
    int best_distance = INT_MAX;
    for (const cli_option *o = command->options; o->name; o++) {
        int distance = cli_distance(name, o->name);
        if (distance < best_distance) best_distance = distance, best = o->name;
    }
    return best && cli_is_near(name, best_distance) ? best : NULL;
}

/* Prints the closest name, if there is one. */
static int fail_unknown_option(const cli_command *command, const char *word) {
    char name[WORD_MAX + 1];
    const char *start = word + strspn(word, "-");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(start, "="), start);
    const char *nearest = nearest_option(command, name);
    if (nearest)
        return cli_fail(CLI_USAGE_ERROR, "%s has no option %s. Did you mean --%s?", command->name,
                        word, nearest);
    return cli_fail(CLI_USAGE_ERROR, "%s has no option %s. \"voile help %s\" lists them.",
                    command->name, word, command->name);
}

/* A whole number without sign; *end is where it stops. -1 if there is none or it is too large. */
static int read_number(const char *text, const char **end) {
    long value = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++)
        value = value > CLI_MAX_FRAME ? value : value * 10 + (*p - '0');
    *end = p;
    return p == text || value > CLI_MAX_FRAME ? -1 : (int)value;
}

/* A whole number up to a bound. */
static int set_count(const cli_option *option, const char *text, int most, int *out) {
    const char *end;
    int value = read_number(text, &end);
    if (*end != 0 || value < 1 || value > most)
        return cli_fail(CLI_USAGE_ERROR, "--%s needs a whole number from 1 to %d, not \"%s\".",
                        option->name, most, text);
    *out = value;
    return CLI_DONE;
}

/* A positive number. */
static int set_amount(const cli_option *option, const char *text, double *out) {
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != 0 || !(value > 0 && value <= CLI_MAX_MANY))
        return cli_fail(CLI_USAGE_ERROR, "--%s needs a number above 0 and up to %d, not \"%s\".",
                        option->name, CLI_MAX_MANY, text);
    *out = value;
    return CLI_DONE;
}

/* The number of a frame. */
static int set_frame(const cli_option *option, const char *text, int *out) {
    const char *end;
    int value = read_number(text, &end);
    if (*end != 0 || value < 0)
        return cli_fail(CLI_USAGE_ERROR, "--%s needs the number of a frame, not \"%s\".",
                        option->name, text);
    *out = value;
    return CLI_DONE;
}

/* "A:B", "A:", ":B" or "B", which is 0:B. */
static bool read_frames(const char *text, cli_frames *out) {
    const char *p = text, *end;
    cli_frames frames = {0, -1};
    int number = -1;
    if (*p != ':') {
        number = read_number(p, &end);
        if (number < 0) return false;
        p = end;
    }
    if (*p == 0) {
        frames.last = number;
    } else {
        if (*p++ != ':') return false;
        if (number >= 0) frames.first = number;
        if (*p != 0) {
            frames.last = read_number(p, &end);
            if (frames.last < 0 || *end != 0) return false;
        } else if (number < 0) {
            return false;
        }
    }
    *out = frames;
    return true;
}

/* Checks that the range is not reversed. */
static int set_frames(const cli_option *option, const char *text, cli_frames *out) {
    if (!read_frames(text, out))
        return cli_fail(CLI_USAGE_ERROR,
                        "--%s needs frames as FIRST:LAST, for example 0:100, not \"%s\".",
                        option->name, text);
    if (out->last >= 0 && out->last < out->first)
        return cli_fail(CLI_USAGE_ERROR, "--%s %s: the last frame is before the first.",
                        option->name, text);
    return CLI_DONE;
}

/* True if `text` is one of the words of "a|b|c". */
static bool is_choice(const char *choices, const char *text) {
    size_t length = strlen(text);
    for (const char *p = choices;;) {
        size_t word = strcspn(p, "|");
        if (word == length && strncmp(p, text, length) == 0) return true;
        if (p[word] == 0) return false;
        p += word + 1;
    }
}

/* Stores one of the words of the option. */
static int set_choice(const cli_option *option, const char *text, const char **out) {
    if (!is_choice(option->value, text))
        return cli_fail(CLI_USAGE_ERROR, "--%s is one of %s, not \"%s\".", option->name,
                        option->value, text);
    *out = text;
    return CLI_DONE;
}

/* Appends key=value; the library checks the keys. */
static int add_set(const cli_option *option, const char *text, cli_args *args) {
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return cli_fail(CLI_USAGE_ERROR, "--%s needs key=value, not \"%s\".", option->name, text);
    args->overrides[args->override_count++] = text;
    return CLI_DONE;
}

/* Stores the value of an option in its field. */
static int apply(const parser *p, const cli_option *option, const char *text) {
    void *field = (char *)p->args + option->field;
    if (option->kind != CLI_FLAG && text[0] == 0)
        return cli_fail(CLI_USAGE_ERROR, "--%s: the %s is empty.", option->name, option->value);
    switch (option->kind) {
    case CLI_FLAG:
        *(bool *)field = true;
        return CLI_DONE;
    case CLI_TEXT:
        *(const char **)field = text;
        return CLI_DONE;
    case CLI_CHOICE:
        return set_choice(option, text, field);
    case CLI_COUNT:
        return set_count(option, text, CLI_MAX_COUNT, field);
    case CLI_MANY:
        return set_count(option, text, CLI_MAX_MANY, field);
    case CLI_FRAME:
        return set_frame(option, text, field);
    case CLI_AMOUNT:
        return set_amount(option, text, field);
    case CLI_RANGE:
        return set_frames(option, text, field);
    case CLI_SET:
        return add_set(option, text, p->args);
    }
    return CLI_DONE;
}

/* `attached` is the value that came in the same word; NULL: none did. */
static int parse_option(parser *p, const cli_option *option, const char *attached) {
    if (option->kind == CLI_FLAG) {
        if (attached)
            return cli_fail(CLI_USAGE_ERROR, "--%s takes no value, but \"%s\" was given.",
                            option->name, attached);
        return apply(p, option, NULL);
    }
    if (attached) return apply(p, option, attached);
    if (p->next >= p->count)
        return cli_fail(CLI_USAGE_ERROR, "--%s needs a value: --%s %s.", option->name, option->name,
                        option->value);
    return apply(p, option, p->words[p->next++]);
}

/* --name or --name=value */
static int parse_long(parser *p, const char *word) {
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    const cli_option *option = find_option(p->command, name, length, 0);
    if (!option) return fail_unknown_option(p->command, word);
    return parse_option(p, option, name[length] == '=' ? name + length + 1 : NULL);
}

/* -x, or -xvalue for options that take one */
static int parse_short(parser *p, const char *word) {
    const cli_option *option = find_option(p->command, "", 0, word[1]);
    if (!option) return fail_unknown_option(p->command, word);
    return parse_option(p, option, word[2] ? word + 2 : NULL);
}

/* Stores an operand. */
static int parse_operand(parser *p, const char *word) {
    if (!p->command->operand)
        return cli_fail(CLI_USAGE_ERROR, "%s takes no operand, but \"%s\" was given.",
                        p->command->name, word);
    if (p->args->operand && !p->command->many)
        return cli_fail(CLI_USAGE_ERROR, "%s takes one %s, but \"%s\" came after \"%s\".",
                        p->command->name, p->command->operand, word, p->args->operand);
    if (word[0] == 0)
        return cli_fail(CLI_USAGE_ERROR, "%s: the %s is empty.", p->command->name,
                        p->command->operand);
    if (!p->args->operand) p->args->operand = word;
    p->args->operands[p->args->operand_count++] = word;
    return CLI_DONE;
}

/* Parses all words. */
static int parse_words(parser *p) {
    bool options_end = false;
    while (p->next < p->count) {
        const char *word = p->words[p->next++];
        int code;
        if (!options_end && strcmp(word, "--") == 0) {
            options_end = true;
            continue;
        }
        if (options_end || word[0] != '-' || word[1] == 0)
            code = parse_operand(p, word);
        else
            code = word[1] == '-' ? parse_long(p, word) : parse_short(p, word);
        if (code != CLI_DONE) return code;
    }
    return CLI_DONE;
}

int cli_parse(const cli_command *command, int count, char **words, cli_args *args) {
    *args = (cli_args){.memory_advice = command->memory_advice,
                       .frame = -1,
                       .frames = {0, -1},
                       .sequences = {0, -1}};
    args->overrides = calloc((size_t)count + 2, sizeof *args->overrides);
    args->operands = calloc((size_t)count + 1, sizeof *args->operands);
    if (!args->overrides || !args->operands)
        return cli_fail(CLI_SYSTEM_ERROR, "out of memory for the command line");
    parser p = {command, args, count, 0, words};
    int code = parse_words(&p);
    if (code != CLI_DONE || args->help) return code;
    if (command->operand_needed && !args->operand)
        return cli_fail(CLI_USAGE_ERROR, "%s needs a %s: voile %s %s. See \"voile help %s\".",
                        command->name, command->operand, command->name, command->operand,
                        command->name);
    return CLI_DONE;
}

void cli_args_free(cli_args *args) {
    free(args->overrides);
    free(args->operands);
    args->overrides = NULL;
    args->operands = NULL;
}
