/* voile: options of several commands, as elements of cli_option. */
#ifndef VOILE_CLI_COMMON_OPTIONS_H
#define VOILE_CLI_COMMON_OPTIONS_H

#include "cli.h"

#define FIELD(name) offsetof(cli_args, name)

#define THREADS                                   \
    "threads", 0, CLI_COUNT, FIELD(threads), "N", \
        "threads to use; default: one per processor. The result does not depend on it"
#define MEMORY                                                                                    \
    "memory", 0, CLI_AMOUNT, FIELD(memory), "GIB",                                                \
        "memory limit in GiB; default: 80 % of the memory available at the start. Beyond it the " \
        "command ends with exit code 3; finished frames are kept"
#define NO_CACHE                                                                                \
    "no-cache", 0, CLI_FLAG, FIELD(no_cache), NULL,                                             \
        "computes sewn garments and mesh harmonics again and does not keep them. By default "   \
        "they are kept in $XDG_CACHE_HOME/voile or ~/.cache/voile and reused where everything " \
        "that they depend on is the same"
#define SETS                                                                             \
    "set", 0, CLI_SET, FIELD(overrides), "KEY=VALUE",                                    \
        "overrides a key of the scene, for example --set 'gravity=[0,0,-1.6]' or --set " \
        "'cloths[0].materials[0].damping=0.01'; may be repeated"
#define QUIET \
    "quiet", 'q', CLI_FLAG, FIELD(quiet), NULL, "prints no progress; warnings are still printed"
#define VERBOSE                                                                                \
    "verbose", 'v', CLI_FLAG, FIELD(verbose), NULL,                                            \
        "prints notes on standard error: units and axes that were converted or assumed, cuts " \
        "that were detected, how a motion was retargeted"
#define JSON_LINES                          \
    "json", 0, CLI_FLAG, FIELD(json), NULL, \
        "prints one JSON object per frame and one at the end instead of the progress"

#endif
