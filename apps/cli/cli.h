/* voile: what the parts of the command share: exit codes, the table of commands, parsed arguments.
 *
 * One table (commands.c) holds every command with its operands, options and words. The parser
 * (options.c), `voile help` and the manual pages (help.c) all read it, so nothing about a command
 * is said twice. An option names the field of cli_args that it fills by offset:
 *
 *     "--threads 2"  ->  cli_option{"threads", CLI_COUNT, offsetof(cli_args, threads)}
 *                    ->  args.threads = 2
 */
#ifndef VOILE_CLI_H
#define VOILE_CLI_H

#include <voile/voile.h>

#include <stdio.h>

/* Exit codes: X(name, number, when). */
#define CLI_EXITS(X)                                                                             \
    X(CLI_DONE, 0, "done")                                                                       \
    X(CLI_BAD_DATA, 1, "the data is bad: a file given as input is wrong, missing or unreadable") \
    X(CLI_BAD_CALL, 2, "the call is wrong: unknown command or option, value out of range")       \
    X(CLI_MACHINE, 3, "the machine failed: output cannot be written, or memory ran out")         \
    X(CLI_STOPPED, 130,                                                                          \
      "stopped by Ctrl-C or a signal, before the first frame or after a finished one")

typedef enum cli_exit {
#define X(name, number, when) name = (number),
    CLI_EXITS(X)
#undef X
} cli_exit;

/* Frames first..last. */
typedef struct cli_frames {
    int first; /* 0 where it was left out */
    int last;  /* -1: to the end */
} cli_frames;

/* What a command line came to. Texts point into argv. */
typedef struct cli_args {
    const char *less;    /* of the command */
    const char *operand; /* NULL: none was given */
    int operand_count;
    const char **operands; /* [operand_count] all of them, for commands that take many */
    const char *output, *format, *topology, *adapt, *queries, *ply;
    const char *size, *camera, *colours, *ground, *wavelength, *slow;
    const char *body, *body_output, *units, *up, *height, *build, *figure, *edge, *fabric, *svg;
    const char *merge, *threshold;
    int threads, repeat, samples, every, faces; /* 0: not given */
    int frame;                                  /* -1: not given */
    double memory;                              /* GiB; 0: not given, -1: any */
    cli_frames frames;
    int set_count;
    const char **sets; /* [set_count] key=value, in order */
    bool force, quiet, json, obstacle, obstacles, flat, wire, pictures, alone, no_fit, man, help,
        verbose;
} cli_args;

typedef enum cli_kind {
    CLI_FLAG,   /* bool, takes no value */
    CLI_TEXT,   /* const char *, not empty */
    CLI_CHOICE, /* const char *, one of those in `value`, separated by | */
    CLI_COUNT,  /* int, 1 to CLI_MAX_COUNT */
    CLI_MANY,   /* int, 1 to CLI_MAX_MANY */
    CLI_FRAME,  /* int, 0 to CLI_MAX_FRAME */
    CLI_AMOUNT, /* double, more than 0 to CLI_MAX_MANY */
    CLI_RANGE,  /* cli_frames */
    CLI_SET,    /* key=value, appended to sets; may be repeated */
} cli_kind;

enum { CLI_MAX_COUNT = 1024, CLI_MAX_MANY = 1000000, CLI_MAX_FRAME = 99999999 };

typedef struct cli_option {
    const char *name; /* without the dashes */
    char letter;      /* 0: none */
    cli_kind kind;
    size_t field;      /* offset in cli_args */
    const char *value; /* how help calls the value; NULL for flags */
    const char *help;
} cli_option;

/* A word and what it means, as in the list of benchmarks. */
typedef struct cli_note {
    const char *name, *text;
} cli_note;

typedef struct cli_command {
    const char *name;
    int (*run)(const cli_args *args); /* returns the exit code */
    const char *operand;              /* how help calls it; NULL: takes none */
    bool operand_needed;
    const char *summary;       /* a line, no full stop */
    const char *text;          /* paragraphs, separated by an empty line */
    const cli_option *options; /* ends with a NULL name */
    const char *notes_title;
    const cli_note *notes;    /* ends with a NULL name; NULL: none */
    const cli_note *examples; /* command line and what it does; ends with a NULL name */
    bool many;                /* any number of operands; the first is needed */
    const char *less;         /* what makes it need less memory, as "make ..."; NULL: nothing */
} cli_command;

extern const cli_command cli_commands[]; /* ends with a NULL name */

/* NULL if there is none. */
const cli_command *cli_find_command(const char *name);

/* The command whose name is nearest to a misspelt one; NULL if none is near. */
const char *cli_nearest_command(const char *name);

/* Says that there is no such command, with the nearest name; returns CLI_BAD_CALL. */
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
int cmd_bench(const cli_args *args);
int cmd_help(const cli_args *args);
int cmd_version(const cli_args *args);

#endif
