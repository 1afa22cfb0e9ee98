# Runs PROGRAM, by EMULATOR and with ARGUMENT if there are such, and compares what it prints with the
# file EXPECTED, lines that begin with "#" apart. Windows ends lines in its own way.
# An emulator may leave programs of its own behind, which would keep a pipe open: a file ends by itself.
execute_process(COMMAND ${EMULATOR} ${PROGRAM} ${ARGUMENT} OUTPUT_FILE ${PROGRAM}.printed RESULT_VARIABLE status)
file(READ ${PROGRAM}.printed printed)
file(REMOVE ${PROGRAM}.printed)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} ended with ${status}:\n${printed}")
endif()
file(READ ${EXPECTED} expected)
string(REPLACE "\r\n" "\n" printed "${printed}")
string(REGEX REPLACE "(^|\n)#[^\n]*" "\\1" printed "${printed}")
string(REGEX REPLACE "\n+" "\n" printed "${printed}")
if(NOT printed STREQUAL expected)
    message("It printed\n${printed}instead of\n${expected}")
    message(FATAL_ERROR "${PROGRAM} does not print ${EXPECTED}")
endif()
