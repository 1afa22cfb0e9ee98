# Writes what a results file says about the build into a source file, if it is not there as it should be.
#   cmake -DROOT=... -DOUTPUT=... -DFLAGS=... -P build_info.cmake
set(commit "")
execute_process(COMMAND git -C ${ROOT} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
# Documentation and results do not change what is measured.
execute_process(COMMAND git -C ${ROOT} status --porcelain -- CMakeLists.txt cmake src include libs
        gallery tool lab ":!lab/results" ":!lab/figures" ":!*.md"
    OUTPUT_VARIABLE changes OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(commit AND changes)
    string(APPEND commit "-dirty")
endif()
if(NOT commit)
    set(commit "unknown")
endif()
string(STRIP "${FLAGS}" FLAGS)
string(REPLACE "\\" "\\\\" FLAGS "${FLAGS}")
string(REPLACE "\"" "\\\"" FLAGS "${FLAGS}")
set(text "#include \"lab/harness/build_info.h\"\n
const char build_info_commit[] = \"${commit}\";
const char build_info_flags[] = \"${FLAGS}\";\n")
set(there "")
if(EXISTS ${OUTPUT})
    file(READ ${OUTPUT} there)
endif()
if(NOT there STREQUAL text)
    file(WRITE ${OUTPUT} "${text}")
endif()
