# The Python that the binding is built for and tested with: PLIANT_PYTHON, or the system's, which has
# the distribution's packages, before one that comes first on the path.
set(PLIANT_BUILD_PYTHON AUTO CACHE STRING
    "The Python package: AUTO (where Python 3.11 or later and its headers are), ON or OFF")
set(PLIANT_PYTHON_DIR "" CACHE STRING
    "Where to install the Python package, under the prefix; empty: it is not installed")
option(PLIANT_PYTHON_BUNDLES "The Python package finds libraries in a folder lib/ beside itself" OFF)
if(NOT PLIANT_PYTHON)
    find_program(PLIANT_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
    find_program(PLIANT_PYTHON python3)
endif()
set(reason)
if(NOT PLIANT_PYTHON)
    set(reason "python3 was not found")
elseif(NOT PLIANT_BUILD_TOOL OR WIN32 OR CMAKE_CROSSCOMPILING)
    set(reason "it needs the tool's libraries and a POSIX system")
else()
    execute_process(COMMAND ${PLIANT_PYTHON} -c
        "import sys, sysconfig; print(sys.version_info >= (3, 11), sysconfig.get_path('include'))"
        OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    string(REGEX REPLACE "^[A-Za-z]* " "" PLIANT_PYTHON_INCLUDE "${answer}")
    if(NOT answer MATCHES "^True ")
        set(reason "${PLIANT_PYTHON} is older than 3.11")
    elseif(NOT EXISTS ${PLIANT_PYTHON_INCLUDE}/Python.h)
        set(reason "there is no ${PLIANT_PYTHON_INCLUDE}/Python.h: python3-dev is not installed")
    endif()
endif()
set(PLIANT_HAVE_PYTHON OFF)
if(PLIANT_BUILD_PYTHON AND NOT reason)
    set(PLIANT_HAVE_PYTHON ON)
elseif(PLIANT_BUILD_PYTHON AND NOT PLIANT_BUILD_PYTHON STREQUAL AUTO)
    message(FATAL_ERROR "PLIANT_BUILD_PYTHON is ${PLIANT_BUILD_PYTHON}, and ${reason}")
endif()
