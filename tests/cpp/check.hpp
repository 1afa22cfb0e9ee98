// What the tests in C++ share: the same source runs with exceptions and with returned failures.
#ifndef TESTS_CPP_CHECK_HPP
#define TESTS_CPP_CHECK_HPP

#include <pliant/cpp/base.hpp>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);           \
            std::abort();                                                                          \
        }                                                                                          \
    } while (false)

// The value of a call that must not fail.
#ifdef PLIANT_RETURN_FAILURES
template <class T> T must(pliant::expected<T> returned)
{
    if (!returned) {
        std::fprintf(stderr, "%s\n", returned.what());
        std::abort();
    }
    return std::move(*returned);
}

inline void must(pliant::expected<void> returned)
{
    if (!returned) {
        std::fprintf(stderr, "%s\n", returned.what());
        std::abort();
    }
}

#define MUST(call) must(call)
#else
#define MUST(call) (call)
#endif

// Whether a call fails in this way, with a sentence.
template <class Call> bool fails_with(pliant_result code, Call call)
{
#ifdef PLIANT_RETURN_FAILURES
    auto returned = call();
    return !returned && returned.code() == code && returned.what()[0] != '\0' &&
           returned.get_error().code() == code;
#else
    try {
        (void)call();
    } catch (const pliant::error &failure) {
        return failure.code() == code && failure.what()[0] != '\0';
    }
    return false;
#endif
}

#endif
