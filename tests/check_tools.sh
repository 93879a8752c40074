#!/bin/sh
# Tests of the checkers in tools/: each rejects what it must find and accepts the rest.
#
#   tests/check_tools.sh BUILD_FOLDER
set -eu

cd "$(dirname "$0")/.."
tools=$(pwd -P)/tools
voile=$(cd "$1" && pwd -P)/voile
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "check_tools: $*" >&2
    exit 1
}

# rejected NAME WORDS COMMAND...: the command fails and its output contains the words.
rejected() {
    name=$1 words=$2
    shift 2
    if "$@" >log 2>&1; then fail "$name was not found"; fi
    grep -qF -- "$words" log || fail "$name: expected \"$words\", found: $(cat log)"
}

# accepted NAME COMMAND...
accepted() {
    name=$1
    shift
    "$@" >log 2>&1 || fail "$name: $(cat log)"
}

# put FILE LINE...: writes a file with these lines.
put() {
    mkdir -p "$(dirname "$1")"
    file=$1
    shift
    printf '%s\n' "$@" >"$file"
}

# ---- layers

tree() {
    rm -rf tree
    put tree/src/core/context.h '#include <voile/base.h>' '#include <stdio.h>'
    put tree/src/mesh/mesh.h '#include "core/context.h"' '#include <voile/mesh.h>'
    put tree/src/mesh/mesh.c '#include "mesh/mesh.h"'
    put tree/src/codec/obj.c '#include "mesh/mesh.h"' '#include <json-c/json.h>'
    put tree/src/sim/sim.c '#include "scene/scene.h"' '#include "mesh/mesh.h"'
    put tree/include/voile/mesh.h '#include <voile/base.h>'
    put tree/apps/cli/main.c '#include <voile/voile.h>' '#include "cli.h"' '#include <stdio.h>'
    put tree/apps/cli/cli.h '#include <stddef.h>'
    put tree/examples/hello.c '#include <voile/voile.h>'
}

# layers NAME WORDS FILE LINE: the tree with this file is rejected.
layers() {
    tree
    put "tree/$3" '/* a file */' "$4"
    rejected "$1" "$2" "$tools/check_layers" --root tree
    grep -qF "$3:2:" log || fail "$1: file and line are missing in: $(cat log)"
}

tree
accepted 'a valid tree' "$tools/check_layers" --root tree
grep -qF 'only includes were checked' log || fail 'the missing check of calls is not reported'
layers 'a larger layer' 'mesh (layer 3) must not include material (layer 4)' \
    src/mesh/bad.c '#include "material/fabric.h"'
layers 'an equal layer' 'must not include linalg' src/mesh/bad.c '  #  include "linalg/solver.h"'
layers 'codec in mesh' 'must not include codec' src/mesh/bad.h '#include "codec/obj.h"'
layers 'spatial in codec' 'must not include spatial' src/codec/bad.c '#include "spatial/bvh.h"'
layers 'a relative path' 'name the folder' src/sim/bad.c '#include "../core/context.h"'
layers 'a missing folder name' 'name the folder' src/sim/bad.c '#include "context.h"'
layers 'a folder without a layer' 'has no layer' src/magic/bad.c '#include "core/context.h"'
layers 'angle brackets' 'must not include sim' src/core/bad.c '#include <sim/sim.h>'
layers 'a private header in a public one' 'a public header' \
    include/voile/bad.h '#include "mesh/mesh.h"'
layers 'a private header in the command' 'only <voile/...>' \
    apps/cli/bad.c '#include "core/context.h"'
layers 'a private header in an example' 'only <voile/...>' \
    examples/bad.c '#include <mesh/mesh.h>'
layers 'a library in two folders' 'already included by src/codec' src/sim/bad.c '#include <json-c/json.h>'

# objects NAME CALLED...: a build whose file a1.c defines a1 and calls the first name, a2.c the
# second, and so on.
objects() {
    rm -rf objects
    folder=src/CMakeFiles/voile_mesh.dir/mesh
    mkdir -p "objects/$folder"
    number=0
    for called in "$@"; do
        number=$((number + 1))
        echo "int a$number(void); int $called(void); int a$number(void) { return $called() + 1; }" >a.c
        "${CC:-cc}" -c -o "objects/$folder/a$number.c.o" a.c
        echo "\"command\": \"cc -o $folder/a$number.c.o -c a$number.c\"" >>objects/compile_commands.json
    done
}

tree
objects a2 a3 far_away a1
accepted 'calls without a cycle' "$tools/check_layers" --root tree objects
objects a2 a3 a1 a1
accepted 'a cycle of three files' "$tools/check_layers" --root tree objects
objects a2 a3 a4 a1 a1
rejected 'a cycle of four files' 'call cycle of 4 files' "$tools/check_layers" --root tree objects
grep -qF 'src/mesh/a4.c calls src/mesh/a1.c: a1' log || fail "a call is missing in: $(cat log)"
! grep -qF a5 log || fail "a file outside the cycle is named in: $(cat log)"
put objects/compile_commands.json '[]'
rejected 'a build without objects' 'build first' "$tools/check_layers" --root tree objects

# ---- linking

# Without the objects of mesh, which it may use, codec does not link.
lib=$(dirname "$voile")/src
put link.c 'int main(void) { return 0; }'
rejected 'a missing folder' "undefined reference to \`vo_mesh" \
    "${CC:-cc}" -o link link.c -Wl,--whole-archive "$lib/libvoile_codec.a" \
    -Wl,--no-whole-archive "$lib/libvoile_core.a" "$lib/libvoile_math.a"

# ---- public headers

# headers NAME WORDS LINE: a header with this line is rejected.
headers() {
    put headers/voile/a.h '#ifndef A_H' '#define A_H' "$3" '#endif'
    rejected "$1" "$2" "$tools/check_headers" headers
}

put headers/voile/a.h '#ifndef A_H' '#define A_H' 'typedef struct vo_a { double z_near; } vo_a;' '#endif'
accepted 'a valid header' "$tools/check_headers" headers
headers 'a missing include' 'does not compile alone as c17' 'extern size_t vo_a;'
headers 'a macro of windows.h' 'does not compile alone as c17' 'typedef struct vo_a { int near; } vo_a;'
headers 'a keyword of C++' 'does not compile alone as c++17' 'typedef struct vo_a { int new; } vo_a;'
headers 'an implicit conversion' 'does not compile alone as c17' \
    'static inline float vo_a(double x) { return x; }'
put headers/voile/a.h 'typedef struct vo_a { int x; } vo_a;'
rejected 'a header without include guard' 'does not compile alone as c17' "$tools/check_headers" headers

# ---- documentation

docs() {
    rm -rf site
    put site/README.md '# Top' 'See [a](docs/a.md#second-part), [web](https://example.org/x).' \
        'Files: `docs/a.md`, `src/NAME.c`.'
    put site/docs/a.md '# First' '[up](../README.md#top) ![p](p.png) [here](#second-part)' \
        '## Second part' '' '<!-- file: examples/hello.c -->' '```c' 'int x;' '```' 'end'
    put site/docs/p.png png
    put site/examples/hello.c 'int x;'
    put site/include/voile/a.h '/* docs/a.md */'
}

# page NAME WORDS FILE LINE: a site with this line is rejected.
page() {
    docs
    put "site/$3" "$4"
    rejected "$1" "$2" "$tools/check_docs" site
}

docs
accepted 'a valid site' "$tools/check_docs" site
page 'a dead link' 'nothing.md leads nowhere' docs/b.md '[x](nothing.md)'
page 'a dead image link' 'images/no.png leads nowhere' docs/b.md '![x](images/no.png)'
page 'a dead anchor' 'a.md#third leads nowhere' docs/b.md '[x](a.md#third)'
page 'a missing file' 'src/gone.c does not exist' docs/b.md 'See `src/gone.c`.'
page 'a header that names a missing page' 'docs/gone.md does not exist' include/voile/b.h '/* docs/gone.md */'
page 'a changed example' 'is not that file' examples/hello.c 'int y;'

# ---- packages

rejected 'an unknown set' 'no such set' "$tools/packages" nonsense
rejected 'a system without apt' 'json-c' env PATH=/nonexistent /bin/sh "$tools/packages" build

# ---- the table of bench_table1

put sheet.json '{"frame_time": 0.04, "frame_steps": 2, "end_frame": 3, "gravity": [0, 0, -9.8],' \
    '"view": {"occlusion": true}, "cloths": [{"grid": {"width": 1, "height": 1, "columns": 4, "rows": 4},' \
    '"materials": [{"thickness": 3e-4, "density": 500, "elastic_modulus": 1e6, "poisson_ratio": 0.3}],' \
    '"remeshing": {"size": [0.2, 0.5]}}], "handles": [{"nodes": [0, 4]}]}'
table() {
    env VOILE="$voile" OUT="$work/runs" RESULTS="$work/results" FRAMES="$frames" EVERY=1 \
        WAYS="$ways" REPEATS="$repeats" NO_OCCLUSION="$unhidden" "$tools/bench_table1" "$@"
}

# line PATTERN MESSAGE: fails unless the table has a matching line.
line() { grep -q -e "$1" results/table1.md || fail "$2: $(cat results/table1.md)"; }

table_of_all() {
    accepted 'a table' table "$work/no such scene.json" "$work/sheet.json"
    grep -q 'no such scene.json: does not exist' log || fail 'a missing scene is not reported'
    line '^| sheet | adaptive | .* | 1.00x | [^|]* | 1.00x | [^|]* | 3 of 3 |$' 'the reference has no row'
    line '^| sheet | none | 3 | ' 'a row of similarity is missing'
    [ -e results/sheet-time.svg ] || fail 'no plot'
    touch -d '2001-01-01' runs/sheet/full/frames/0001.vof
    accepted 'the same table' table "$work/sheet.json"
    [ -z "$(find runs/sheet/full/frames/0001.vof -newermt 2002-01-01)" ] || fail 'a finished run was made again'
    rm runs/sheet/full/frames/*.vof
    accepted 'a run cancelled in its preroll' table "$work/sheet.json"
    line '^| sheet | adaptive | 2 | .* | 3 of 3 |$' 'a run without frames was not made again'
}

# Frame 0 includes the preroll; the setup time is recorded next to the run: 0.5 + 9 + 9 + 9.
table_of_seconds() {
    repeats=2
    accepted 'a table of two runs each' table "$work/sheet.json"
    sed -i 's/"wall_s": [^,]*/"wall_s": 9/' runs/sheet/full/stats.jsonl
    sed -i 's/"wall_s": [^,]*/"wall_s": 7/' runs/sheet/full-2/stats.jsonl
    sed -i 's/"wall_s": [^,]*/"wall_s": 1/' runs/sheet/none/stats.jsonl runs/sheet/none-2/stats.jsonl
    grep -q '^[0-9.]*$' runs/sheet/full.start || fail 'the setup time is not recorded'
    for way in none full view; do echo 0.5 >"runs/sheet/$way.start"; done
    accepted 'the shortest times' table "$work/sheet.json"
    line '^| sheet | adaptive | 2 | .* | 7.000 | 7.000 | 7.000 | .* | 1.00x | 21.5 | 1.00x |' \
        'the shortest time of a frame is not used'
    repeats=1
    accepted 'one run alone' table "$work/sheet.json"
    line '^| sheet | adaptive | 2 | .* | 9.000 | 9.000 | 9.000 | 0.11x | 1.00x | 27.5 | 1.00x |' \
        'a repeat that was not requested is used'
    line '^| sheet | non-adaptive | 2 | .* | 1.00x | 9.00x | 3.5 | 7.86x |' 'the time of the whole run is wrong'
    repeats=some
    rejected 'repeats that are not a number' 'whole number' table "$work/sheet.json"
    repeats=1
}

table_of_others() {
    cp sheet.json other.json
    cp results/table1.md first.md
    accepted 'another scene' table "$work/other.json"
    [ "$(grep -c '^| other | ' results/table1.md)" -gt 3 ] || fail 'the other scene has no rows'
    grep '^| sheet | \|frames of sheet\|!\[.* of sheet\]' first.md >kept.txt
    while read -r line; do
        grep -qxF "$line" results/table1.md || fail "a row of the first scene is missing: $line"
    done <kept.txt
    sed -i 's/ | whole run, s//' results/table1.md
    accepted 'a table with other columns' table "$work/other.json"
    ! grep -q '^| sheet | ' results/table1.md || fail 'rows with other columns are kept'
}

# The table names the version that made a run, not the current one, and all versions of a resumed run.
table_of_versions() {
    line '^| other | made by | [0-9.]* (.*), commit [0-9a-z, ]* |$' 'the version is missing'
    for way in none full view; do echo 'Voile of old' >"runs/other/$way.made"; done
    accepted 'old runs' table "$work/other.json"
    line '^| other | made by | Voile of old |$' 'old runs have the current version'
    echo 'another one' >runs/other/view.made
    accepted 'runs of two versions' table "$work/other.json"
    line '^| other | made by | .*different versions.*: none, full: Voile of old; view: another one |$' \
        'runs of two versions are not distinguished'
    frames=3
    accepted 'a resumed run' table "$work/other.json"
    [ "$(wc -l <runs/other/none.made)" -eq 2 ] || fail 'the version of a resumed run is not recorded'
    frames=2
}

# Without `full` there is no comparison, and without a comparison no plot.
table_of_one_way() {
    cp sheet.json alone.json
    for ways in view 'none view' full; do
        rm -rf results
        accepted "$ways alone" table "$work/alone.json"
        line '^| alone | [a-z-]* | 2 | .* | 3 of 3 |$' "no row of $ways"
        ! grep -q '^| alone | \(none\|view\) |\|!\[' results/table1.md || fail "$ways alone has a comparison"
        [ ! -e results/alone-time.svg ] || fail "$ways alone has plots"
    done
    ways='full view' unhidden=2
    accepted 'two modes' table "$work/alone.json"
    line '^| alone | view | 3 | ' 'a row of similarity is missing'
    line '^Without occlusion it takes [0-9.]* % of the first 2 frames of alone\.$' 'the fraction without occlusion is missing'
    grep -q '"occlusion": false' runs/alone/view-unhidden/scene.json || fail 'occlusion is enabled'
    ways='' unhidden=0
}

# Rows of a hand-written comparison: two of four ratios are within 0.9 to 1.1, one is unknown.
table_of_similarity() {
    put hand/compared/runs.csv 'run,measure,frames,min,p1,mean,p99,max' \
        '"view",silhouette_iou,5,0.8,0.8,0.9,1,1' '"view",slow_silhouette_iou,3,0.95,0.95,0.97,0.99,0.99' \
        '"view",wrinkle_ratio,4,0.8,0.8,1,1.2,1.2' '"view",popping,5,0,0,0.1,0.7,0.8'
    put hand/compared/frames.csv 'run,frame,faces,wrinkle_ratio,popping' '"view",0,10,0.9,' \
        '"view",1,10,1.1,0' '"view",2,10,,0' '"view",3,10,1.2,0' '"view",4,10,0.8,0' '"full",0,10,1,0'
    accepted 'similarity' "$tools/table1_rows" fidelity hand hand
    grep -qxF '| hand | view | 5 | 0.9000 | 0.8000 | 3: 0.9700 | 0.9500 | 1.000 | 0.800 to 1.200 | 50 % |  | 0.70 |' log ||
        fail "similarity: $(cat log)"
    rejected 'an unknown table' 'unknown table' "$tools/table1_rows" nonsense
}

# ---- table of learned upsampling

# surface NAME RMS INSIDE: JSON of a surface.
surface() {
    printf '{"name": "%s", "position_rms": %s, "position_max": 0.05, "normal_angle": 20, ' "$1" "$2"
    printf '"wrinkle_ratio": 0.5, "wrinkle_error": 0.5, "wrinkle_difference": 1, "inside_vertices": %s}' "$3"
}

# Hand-written comparisons: numbers are found by surface and key; what is missing is named.
table_of_upsampling() {
    mkdir -p ups/flag
    for file in flag-pole flag-pole-rank; do
        echo "{\"frames\": 3, \"surfaces\": [$(surface barycentric 0.012 null), $(surface loop 0.016 null), $(
            surface run 0.008 2)]}" >ups/flag/$file.json
    done
    put ups/flag/train.json '{"coarse_vertices": 150, "fine_vertices": 6336, "base_error_rms_m": 0.01}'
    put ups/flag/fit-none.json '{"validated_rms_m": 0.0125}'
    accepted 'a page' "$tools/upsampling_rows" page ups 'version 1'
    for row in '| flag pole | yes | yes | 0.50 | **no** | **no** | 1.00 | **no** | **no** | 1.00 | 2 |' \
        '| flag pole | ours, dense | 8.00 | 0.50 | 50.0 | 20.00 | 0.500 | 0.500 | 1.000 | 2 |' \
        '| flag wind | not measured |  |  |  |  |  |  |  |  |  |' \
        '| none | not measured | 12.50 (1.250) | not measured | not measured |'; do
        grep -qxF -- "$row" log || fail "learned upsampling: \"$row\" is missing in $(cat log)"
    done
    rejected 'an unknown action' 'unknown action' "$tools/upsampling_rows" nonsense
    rejected 'an unknown garment' 'hat: unknown garment' env VOILE=false OUT="$work/none" "$tools/bench_upsampling" hat
}

frames=2 repeats=1 unhidden=0 ways=''
table_of_similarity
table_of_upsampling
if "$voile" version | grep -q embree; then
    table_of_all
    table_of_seconds
    table_of_others
    table_of_versions
    table_of_one_way
fi
