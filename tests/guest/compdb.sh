#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# In the guest: compile_commands.json of a traced build is the one that CMake writes of the same project: with sources in a folder of
# another name, a definition with quotes and spaces, and two languages. CMake's own file leaves out the options by which
# the compiler lists what a source depends on, so this build is one without.
set -u
# shellcheck source=tests/guest/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
project=$work/project
mkdir -p "$project/lib with spaces"
cat >"$project/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.13)
project(used C CXX)
add_library(used STATIC "lib with spaces/one.c" "lib with spaces/two.cc")
target_compile_definitions(used PRIVATE "TEXT=\"a 'b' c\"")
add_executable(program main.c)
target_include_directories(program PRIVATE "lib with spaces")
target_link_libraries(program used)
EOF
echo 'const char *one(void) { return TEXT; }' >"$project/lib with spaces/one.c"
echo 'int two() { return sizeof(TEXT); }' >"$project/lib with spaces/two.cc"
echo 'int main(void) { return 0; }' >"$project/main.c"

# Each entry: its directory, its file, its output and its words; CMake's has them as a line for a shell.
# shellcheck disable=SC2016 # of Python
entries='import json, os, shlex, sys
for entry in json.load(open(sys.argv[1])):
    words = entry.get("arguments") or shlex.split(entry["command"])
    where = entry["directory"]
    output = entry.get("output") or words[words.index("-o") + 1]
    print(os.path.realpath(where), os.path.join(where, entry["file"]), os.path.join(where, output), words)'

modprobe proclife paths=1 args_bytes=8192
cmake -S "$project" -B "$work/build" -G 'Unix Makefiles' -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
	-DCMAKE_DEPENDS_USE_COMPILER=OFF >"$work/cmake" 2>&1 ||
	cat "$work/cmake"
expect 'recorded' 0 '' proclife-read --record "$work/recording" -- cmake --build "$work/build"
expect 'exported' 0 '' proclife-read -i "$work/recording" --export compdb --output "$work/commands.json"
python3 -c "$entries" "$work/build/compile_commands.json" | sort >"$work/cmakes"
python3 -c "$entries" "$work/commands.json" | sort >"$work/traced"
expect 'CMake has written some' 0 '^3$' sh -c "wc -l <'$work/cmakes'"
expect 'the same as CMake has' 0 '' diff "$work/cmakes" "$work/traced"

# A command that is cut is not written as if it were whole.
rmmod proclife
modprobe proclife paths=1 args_bytes=64
expect 'cut: recorded' 0 '' proclife-read --record "$work/cut" -- cmake --build "$work/build" --clean-first
expect 'cut: it is said' 0 'commands of compilers left out: .*args_bytes=8192' proclife-read -i "$work/cut" --export compdb
expect 'cut: none is written' 0 '^\[\]$' proclife-read -i "$work/cut" --export compdb
rmmod proclife || failed=$((failed + 1))

expect_done
