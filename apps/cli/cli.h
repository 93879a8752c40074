/* voile: declarations shared by all parts of the command: exit codes, the table of commands, parsed
 * arguments.
 *
 * One table (commands.c) lists every command with its operands, options and texts. The parser
 * (options.c), `voile help` and the manual pages (help.c) are all driven by it. An option names the
 * field of cli_args that it fills by offset:
 *
 *     "--threads 2"  ->  cli_option{"threads", CLI_COUNT, offsetof(cli_args, threads)}
 *                    ->  args.threads = 2
 */
#ifndef VOILE_CLI_H
#define VOILE_CLI_H

#include <voile/voile.h>

#include <stdio.h>

/* Exit codes: X(name, number, when). */
#define CLI_EXITS(X)                                                                      \
    X(CLI_DONE, 0, "done")                                                                \
    X(CLI_BAD_DATA, 1, "invalid data: an input file is wrong, missing or unreadable")     \
    X(CLI_USAGE_ERROR, 2, "invalid usage: unknown command or option, value out of range") \
    X(CLI_SYSTEM_ERROR, 3, "system error: output cannot be written, or memory ran out")   \
    X(CLI_CANCELLED, 130,                                                                 \
      "cancelled by Ctrl-C or a signal, before the first frame or after a finished one")

typedef enum cli_exit {
#define X(name, number, when) name = (number),
    CLI_EXITS(X)
#undef X
} cli_exit;

/* Frames first..last. */
typedef struct cli_frames {
    int first; /* 0 if omitted */
    int last;  /* -1: to the end */
} cli_frames;

/* Parsed command line. Strings point into argv. */
typedef struct cli_args {
    const char *memory_advice; /* of the command */
    const char *operand;       /* NULL: none was given */
    int operand_count;
    const char **operands; /* [operand_count] for commands with several operands */
    const char *output, *format, *topology, *adapt, *engine, *queries, *only, *plots, *ply;
    const char *size, *camera, *colours, *ground, *wavelength, *slow;
    const char *body, *body_output, *units, *up, *height, *build, *figure, *edge, *fabric, *svg;
    const char *merge, *threshold;
    const char *attach, *maps, *links, *render, *levels, *uv_scale, *friction, *base_output;
    const char *tolerance, *base_level;
    const char *name, *asset, *tracking, *regularisation, *gamma, *rank, *exponent, *alpha, *beta,
        *base;
    const char *columns, *harmonics, *history, *modes, *test_functions, *surfaces;
    int threads, repeat, samples, every, faces, max_frames; /* 0: not given */
    int cutoff;                                             /* 0: not given */
    int frame;                                              /* -1: not given */
    double memory;                                          /* GiB; 0: not given, -1: any */
    cli_frames frames, sequences;
    int override_count;
    const char **overrides; /* [override_count] key=value, in order */
    bool force, quiet, json, obstacle, obstacles, flat, wire, pictures, no_body, no_fit, no_cache, noise_floor, man, help,
        verbose, mannequin, no_skin, no_tethers, residual, validate;
} cli_args;

typedef enum cli_kind {
    CLI_FLAG,   /* bool, takes no value */
    CLI_TEXT,   /* const char *, not empty */
    CLI_CHOICE, /* const char *, one of the words of `value`, separated by | */
    CLI_COUNT,  /* int, 1 to CLI_MAX_COUNT */
    CLI_MANY,   /* int, 1 to CLI_MAX_MANY */
    CLI_FRAME,  /* int, 0 to CLI_MAX_FRAME */
    CLI_AMOUNT, /* double, more than 0 to CLI_MAX_MANY */
    CLI_RANGE,  /* cli_frames */
    CLI_SET,    /* key=value, appended to overrides; may be repeated */
} cli_kind;

enum { CLI_MAX_COUNT = 1024, CLI_MAX_MANY = 1000000, CLI_MAX_FRAME = 99999999 };

typedef struct cli_option {
    const char *name; /* without the dashes */
    char letter;      /* 0: none */
    cli_kind kind;
    size_t field;      /* offset in cli_args */
    const char *value; /* name of the value in help texts; NULL for flags */
    const char *help;
} cli_option;

/* A name with its description, as in the list of benchmarks. */
typedef struct cli_note {
    const char *name, *text;
} cli_note;

typedef struct cli_command {
    const char *name;
    int (*run)(const cli_args *args); /* returns the exit code */
    const char *operand;              /* its name in help texts; NULL: none */
    bool operand_needed;
    const char *summary;       /* a line, no full stop */
    const char *text;          /* paragraphs, separated by an empty line */
    const cli_option *options; /* ends with a NULL name */
    const char *notes_title;
    const cli_note *notes;     /* ends with a NULL name; NULL: none */
    const cli_note *examples;  /* command line and description; ends with a NULL name */
    bool many;                 /* any number of operands; the first is needed */
    const char *memory_advice; /* how to reduce its memory, as "make ..."; NULL: none */
} cli_command;

extern const cli_command cli_commands[]; /* ends with a NULL name */

/* Returns the command with this name, or NULL. */
const cli_command *cli_find_command(const char *name);

/* Returns the command name closest to a misspelt one, or NULL. */
const char *cli_nearest_command(const char *name);

/* Prints that the command does not exist, with the closest name; returns CLI_USAGE_ERROR. */
int cli_fail_command(const char *name);

/* The commands. */
int cmd_simulate(const cli_args *args);
int cmd_resume(const cli_args *args);
int cmd_info(const cli_args *args);
int cmd_check(const cli_args *args);
int cmd_export(const cli_args *args);
int cmd_render(const cli_args *args);
int cmd_compare(const cli_args *args);
int cmd_sew(const cli_args *args);
int cmd_cook(const cli_args *args);
int cmd_upsample(const cli_args *args);
int cmd_bench(const cli_args *args);
int cmd_help(const cli_args *args);
int cmd_version(const cli_args *args);

#endif
