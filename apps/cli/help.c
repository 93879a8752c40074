/* voile: help and manual pages, both written from the table of commands. */
#include "cli.h"

#include "message.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { WIDTH = 80, INDENT = 24 };

static const cli_note exit_notes[] = {
#define X(name, number, when) {#number, when},
    CLI_EXITS(X)
#undef X
        {NULL},
};

/* ---- plain text ----------------------------------------------------------------------------- */

/* Prints words from column `at`, breaking lines at WIDTH and starting them at `indent`. */
static void print_wrapped(const char *text, int at, int indent) {
    bool first = true;
    while (*text) {
        int length = (int)strcspn(text, " \n");
        bool breaks = !first && at + 1 + length > WIDTH;
        if (breaks) printf("\n%*s", indent, ""), at = indent;
        if (!first && !breaks) putchar(' '), at++;
        printf("%.*s", length, text);
        at += length;
        first = false;
        text += length;
        if (text[0] == '\n' && text[1] == '\n') {
            printf("\n\n%*s", indent, "");
            at = indent, first = true;
        }
        text += strspn(text, " \n");
    }
    putchar('\n');
}

/* Prints a name and, in a second column, its meaning. */
static void print_entry(const char *name, const char *text) {
    int width = printf("  %s", name);
    if (width > INDENT - 2) printf("\n%*s", INDENT, "");
    if (width <= INDENT - 2) printf("%*s", INDENT - width, "");
    print_wrapped(text, INDENT, INDENT);
}

/* "-o, --output DIR" */
static void option_label(const cli_option *o, char *out, size_t size) {
    char letter[8] = "";
    if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(out, size, "%s--%s%s%s", letter, o->name, o->value ? " " : "",
             o->value ? o->value : "");
}

/* Prints a titled list of names and meanings. */
static void print_notes(const char *title, const cli_note *notes) {
    if (!notes || !notes->name) return;
    printf("\n%s:\n", title);
    for (const cli_note *n = notes; n->name; n++) print_entry(n->name, n->text);
}

/* Prints the options of a command. */
static void print_options(const cli_command *command) {
    if (!command->options->name) return;
    printf("\noptions:\n");
    for (const cli_option *o = command->options; o->name; o++) {
        char label[128];
        option_label(o, label, sizeof label);
        print_entry(label, o->help);
    }
}

/* Prints the usage line. */
static void print_usage(const cli_command *command) {
    printf("usage: voile %s", command->name);
    if (command->operand) printf(command->operand_needed ? " %s" : " [%s]", command->operand);
    printf("%s\n\n", command->options->name ? " [options]" : "");
}

/* Prints command lines, each followed by its description. */
static void print_examples(const cli_command *command) {
    if (!command->examples->name) return;
    printf("\nexamples:\n");
    for (const cli_note *e = command->examples; e->name; e++)
        printf("  %s\n      %s\n", e->name, e->text);
}

/* Prints the help of a command. */
static void print_command_help(const cli_command *command) {
    print_usage(command);
    print_wrapped(command->text, 0, 0);
    print_options(command);
    print_notes(command->notes_title, command->notes);
    print_examples(command);
    print_notes("exit codes", exit_notes);
}

/* Prints all commands, one per line. */
static void print_overview(void) {
    printf("Voile %s: adaptive cloth simulation\n\nusage: voile COMMAND ...\n\ncommands:\n",
           vo_version());
    for (const cli_command *c = cli_commands; c->name; c++) print_entry(c->name, c->summary);
    printf("\n\"voile help COMMAND\" describes each command.\n");
    print_notes("exit codes", exit_notes);
}

/* ---- manual pages --------------------------------------------------------------------------- */

/* Prints text as roff: dashes that stay dashes, no line that begins with a request, paragraphs. */
static void roff_text(FILE *out, const char *text) {
    bool line_start = true;
    for (const char *p = text; *p; p++) {
        if (p[0] == '\n' && p[1] == '\n') {
            fputs("\n.PP\n", out);
            line_start = true;
            p++;
            continue;
        }
        if (line_start && (*p == '.' || *p == '\'')) fputs("\\&", out);
        line_start = *p == '\n';
        if (*p == '-')
            fputs("\\-", out);
        else if (*p == '\\')
            fputs("\\e", out);
        else
            fputc(*p, out);
    }
}

/* Prints a tagged paragraph: bold label, then its meaning. */
static void roff_entry(FILE *out, const char *label, const char *text) {
    fputs(".TP\n\\fB", out);
    roff_text(out, label);
    fputs("\\fR\n", out);
    roff_text(out, text);
    fputs(".\n", out);
}

/* Prints a section of tagged paragraphs. */
static void roff_notes(FILE *out, const char *title, const cli_note *notes) {
    if (!notes || !notes->name) return;
    fputs(".SH ", out);
    for (const char *p = title; *p; p++) fputc(toupper((unsigned char)*p), out);
    fputc('\n', out);
    for (const cli_note *n = notes; n->name; n++) roff_entry(out, n->name, n->text);
}

/* Prints header, name section and the beginning of the synopsis; `name` is empty for voile(1). */
static void roff_title(FILE *out, const char *name, const char *summary) {
    fputs(".TH VOILE", out);
    if (name[0]) fputs("\\-", out);
    for (const char *p = name; *p; p++) fputc(toupper((unsigned char)*p), out);
    fprintf(out, " 1 \"\" \"Voile %s\" \"Voile manual\"\n.SH NAME\nvoile%s%s \\- ", vo_version(),
            name[0] ? "\\-" : "", name);
    roff_text(out, summary);
    fputs("\n.SH SYNOPSIS\n", out);
}

/* Prints the synopsis of a command. */
static void roff_synopsis(FILE *out, const cli_command *command) {
    fprintf(out, "\\fBvoile %s\\fR", command->name);
    if (command->operand)
        fprintf(out, command->operand_needed ? " \\fI%s\\fR" : " [\\fI%s\\fR]", command->operand);
    fputs(command->options->name ? " [\\fIoptions\\fR]\n" : "\n", out);
}

/* Prints the options of a command. */
static void roff_options(FILE *out, const cli_command *command) {
    if (!command->options->name) return;
    fputs(".SH OPTIONS\n", out);
    for (const cli_option *o = command->options; o->name; o++) {
        char label[128];
        option_label(o, label, sizeof label);
        roff_entry(out, label, o->help);
    }
}

/* Prints the names of the other pages. */
static void roff_see_also(FILE *out, const char *self) {
    fputs(".SH SEE ALSO\n", out);
    const char *separator = "";
    if (self[0]) fputs("\\fBvoile\\fR(1)", out), separator = ", ";
    for (const cli_command *c = cli_commands; c->name; c++) {
        if (strcmp(c->name, self) == 0) continue;
        fprintf(out, "%s\\fBvoile\\-%s\\fR(1)", separator, c->name);
        separator = ", ";
    }
    fputc('\n', out);
}

/* Prints the page of a command. */
static void roff_command(FILE *out, const cli_command *command) {
    roff_title(out, command->name, command->summary);
    roff_synopsis(out, command);
    fputs(".SH DESCRIPTION\n", out);
    roff_text(out, command->text);
    fputc('\n', out);
    roff_options(out, command);
    roff_notes(out, command->notes_title, command->notes);
    roff_notes(out, "examples", command->examples);
    roff_notes(out, "exit status", exit_notes);
    roff_see_also(out, command->name);
}

/* Prints the page of all commands, voile(1). */
static void roff_overview(FILE *out) {
    roff_title(out, "", "adaptive cloth simulation");
    fputs("\\fBvoile\\fR \\fICOMMAND\\fR ...\n.SH DESCRIPTION\n"
          "Voile simulates cloth. A scene goes in, a folder with every frame comes out.\n"
          ".SH COMMANDS\n",
          out);
    for (const cli_command *c = cli_commands; c->name; c++) roff_entry(out, c->name, c->summary);
    roff_notes(out, "exit status", exit_notes);
    roff_see_also(out, "");
}

/* ---- the command ---------------------------------------------------------------------------- */

/* Writes one page; `command` is NULL for voile(1). */
static int write_page(const char *folder, const cli_command *command) {
    char name[64], path[CLI_PATH];
    snprintf(name, sizeof name, "voile%s%s.1", command ? "-" : "", command ? command->name : "");
    int code = cli_join(folder, name, path);
    if (code != CLI_DONE) return code;
    FILE *out = fopen(path, "w");
    if (!out) return cli_fail(CLI_SYSTEM_ERROR, "%s: cannot write: %s", path, strerror(errno));
    if (command)
        roff_command(out, command);
    else
        roff_overview(out);
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed)
        return cli_fail(CLI_SYSTEM_ERROR, "%s: cannot write: %s", path, strerror(errno));
    return CLI_DONE;
}

/* Writes all pages to a folder, which is created if it does not exist. */
static int write_pages(const char *folder) {
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cli_fail(CLI_SYSTEM_ERROR, "%s: cannot make the folder: %s", folder,
                        strerror(errno));
    int code = write_page(folder, NULL);
    for (const cli_command *c = cli_commands; c->name && code == CLI_DONE; c++)
        code = write_page(folder, c);
    return code;
}

int cmd_help(const cli_args *args) {
    const cli_command *command = args->operand ? cli_find_command(args->operand) : NULL;
    if (args->operand && !command) return cli_fail_command(args->operand);
    if (args->output && !args->man)
        return cli_fail(CLI_USAGE_ERROR, "help writes into a folder only with --man.");
    if (args->output) return write_pages(args->output);
    if (args->man && command)
        roff_command(stdout, command);
    else if (args->man)
        roff_overview(stdout);
    else if (command)
        print_command_help(command);
    else
        print_overview();
    return CLI_DONE;
}
