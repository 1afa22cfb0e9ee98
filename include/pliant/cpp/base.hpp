/*
 * Pliant for C++17: what the other headers of this folder share. Include pliant/pliant.hpp.
 */
#ifndef PLIANT_CPP_BASE_HPP
#define PLIANT_CPP_BASE_HPP

#include "../base.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iterator>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#if defined(_MSVC_LANG)
#define PLIANT_CPP_VERSION _MSVC_LANG
#else
#define PLIANT_CPP_VERSION __cplusplus
#endif

#if PLIANT_CPP_VERSION >= 202002L
#include <span>
#endif

/* Without exceptions calls can only return their failures. */
#if !defined(PLIANT_RETURN_FAILURES) && !defined(__cpp_exceptions) && !defined(_CPPUNWIND)
#define PLIANT_RETURN_FAILURES
#endif

/* Sources of one program may differ in how they are told of failures and in their language: each
   kind has functions of its own, so that the linker never takes one for another. */
#if defined(PLIANT_RETURN_FAILURES) && PLIANT_CPP_VERSION >= 202002L
#define PLIANT_CPP_BEGIN                                                                           \
    namespace pliant                                                                               \
    {                                                                                              \
    inline namespace returning_20                                                                  \
    {
#elif defined(PLIANT_RETURN_FAILURES)
#define PLIANT_CPP_BEGIN                                                                           \
    namespace pliant                                                                               \
    {                                                                                              \
    inline namespace returning_17                                                                  \
    {
#elif PLIANT_CPP_VERSION >= 202002L
#define PLIANT_CPP_BEGIN                                                                           \
    namespace pliant                                                                               \
    {                                                                                              \
    inline namespace throwing_20                                                                   \
    {
#else
#define PLIANT_CPP_BEGIN                                                                           \
    namespace pliant                                                                               \
    {                                                                                              \
    inline namespace throwing_17                                                                   \
    {
#endif
#define PLIANT_CPP_END                                                                             \
    }                                                                                              \
    }

/* Stands in a struct that is a definition or options of C: one that is made has the defaults in it,
   and may be given to C. */
#define PLIANT_CPP_DEFAULTS(name)                                                                  \
    name() noexcept : pliant_##name(pliant_##name##_default()) {}                                  \
    name(const pliant_##name &other) noexcept : pliant_##name(other) {}

PLIANT_CPP_BEGIN

#if PLIANT_CPP_VERSION >= 202002L
template <class T> using span = std::span<T>;
#else
/* As much of std::span as is needed: elements side by side that belong to somebody else. */
template <class T> class span
{
  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;

    constexpr span() noexcept = default;
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}

    /* Arrays, and all that has data() and size(); of something that may be written, if T may. */
    template <
        class Range,
        class = std::enable_if_t<std::is_convertible_v<
            std::remove_pointer_t<decltype(std::data(std::declval<Range &>()))> (*)[], T (*)[]>>>
    constexpr span(Range &&range) : data_(std::data(range)), size_(std::size(range))
    {
    }

    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }
    constexpr T &operator[](std::size_t i) const { return data_[i]; }
    constexpr T &front() const { return data_[0]; }
    constexpr T &back() const { return data_[size_ - 1]; }
    constexpr span subspan(std::size_t first, std::size_t count) const
    {
        return span(data_ + first, count);
    }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};
#endif

/*
 * A failure of a call: what pliant_result says, and the library's sentence. It is thrown, or, with
 * PLIANT_RETURN_FAILURES, found in what the call returns.
 */
class error
#ifndef PLIANT_RETURN_FAILURES
    : public std::exception
#endif
{
  public:
    explicit error(pliant_result code, const char *sentence = pliant_last_error()) noexcept
        : code_(code)
    {
        const std::size_t length = std::strlen(sentence);
        std::memcpy(sentence_, sentence, length < sizeof sentence_ ? length : sizeof sentence_ - 1);
    }

    pliant_result code() const noexcept { return code_; }

#ifdef PLIANT_RETURN_FAILURES
    const char *what() const noexcept
    {
        return sentence_;
    }
#else
    const char *what() const noexcept override
    {
        return sentence_;
    }
#endif

  private:
    pliant_result code_;
    char sentence_[256] = {};
};

#ifdef PLIANT_RETURN_FAILURES
/*
 * What a call returns that can fail: the value if it is true, else the reason. Its sentence is the
 * thread's: it stays until the thread's next failed call, and get_error() copies it.
 */
template <class T> class [[nodiscard]] expected
{
  public:
    expected(T value) : value_(std::move(value)) {}
    expected(pliant_result code, const char *sentence) : code_(code), sentence_(sentence) {}

    explicit operator bool() const noexcept { return code_ == PLIANT_OK; }
    bool has_value() const noexcept { return code_ == PLIANT_OK; }
    pliant_result code() const noexcept { return code_; }
    const char *what() const noexcept { return sentence_; }
    error get_error() const noexcept { return error(code_, sentence_); }

    /* The value, or, of a call that failed, an empty one: all zero, or a handle of nothing. */
    T &operator*() &noexcept { return value_; }
    const T &operator*() const &noexcept { return value_; }
    T &&operator*() &&noexcept { return std::move(value_); }
    T *operator->() noexcept { return &value_; }
    const T *operator->() const noexcept { return &value_; }

  private:
    T value_{};
    pliant_result code_ = PLIANT_OK;
    const char *sentence_ = "";
};

template <> class [[nodiscard]] expected<void>
{
  public:
    expected() noexcept = default;
    expected(pliant_result code, const char *sentence) noexcept : code_(code), sentence_(sentence)
    {
    }

    explicit operator bool() const noexcept { return code_ == PLIANT_OK; }
    bool has_value() const noexcept { return code_ == PLIANT_OK; }
    pliant_result code() const noexcept { return code_; }
    const char *what() const noexcept { return sentence_; }
    error get_error() const noexcept { return error(code_, sentence_); }

  private:
    pliant_result code_ = PLIANT_OK;
    const char *sentence_ = "";
};

/* What calls return that can fail. */
template <class T> using answer = expected<T>;
#else
template <class T> using answer = T;
#endif

namespace detail
{

/* The two ways in which calls end, for both kinds of sources. */
template <class T>
answer<T> end(pliant_result code, T &&value, const char *(*sentence)() = pliant_last_error)
{
#ifdef PLIANT_RETURN_FAILURES
    return code == PLIANT_OK ? answer<T>(std::move(value)) : answer<T>(code, sentence());
#else
    if (code != PLIANT_OK) {
        throw error(code, sentence());
    }
    return std::move(value);
#endif
}

inline answer<void> done(pliant_result code, const char *(*sentence)() = pliant_last_error)
{
#ifdef PLIANT_RETURN_FAILURES
    return code == PLIANT_OK ? answer<void>() : answer<void>(code, sentence());
#else
    if (code != PLIANT_OK) {
        throw error(code, sentence());
    }
#endif
}

/* Holds the sentence about this thread's latest array of a wrong size. */
struct size_sentence {
    char text[128];
};
inline size_sentence &get_size_sentence() noexcept
{
    static thread_local size_sentence sentence = {};
    return sentence;
}
inline const char *wrong_size() noexcept
{
    return get_size_sentence().text;
}

/* Returns true if an array has the size that a call needs, which C cannot see. */
inline bool has_size(const char *name, std::uint64_t size, std::uint64_t needed) noexcept
{
    if (size != needed) {
        std::snprintf(get_size_sentence().text, sizeof get_size_sentence().text,
                      "%s has %llu elements where %llu are needed", name,
                      static_cast<unsigned long long>(size),
                      static_cast<unsigned long long>(needed));
    }
    return size == needed;
}

template <class Function, class... Arguments>
answer<void> call(Function *function, Arguments... arguments)
{
    return done(function(arguments...));
}

/* The same if sizes of spans agree. */
template <class Function, class... Arguments>
answer<void> call_if(bool agree, Function *function, Arguments... arguments)
{
    return agree ? done(function(arguments...)) : done(PLIANT_ERROR_ARGUMENT, wrong_size);
}

/* Calls a function whose last parameter is the answer. */
template <class Answer, class Function, class... Arguments>
answer<Answer> ask(Function *function, Arguments... arguments)
{
    Answer value{};
    const pliant_result code = function(arguments..., &value);
    return end<Answer>(code, std::move(value));
}

/* The same if sizes of spans agree. */
template <class Answer, class Function, class... Arguments>
answer<Answer> ask_if(bool agree, Function *function, Arguments... arguments)
{
    return agree ? ask<Answer>(function, arguments...)
                 : end<Answer>(PLIANT_ERROR_ARGUMENT, Answer{}, wrong_size);
}

/* Calls a function that creates, and owns what it made. */
template <class Owner, class Function, class... Arguments>
answer<Owner> make(Function *function, Arguments... arguments)
{
    typename Owner::created *object = nullptr;
    const pliant_result code = function(arguments..., &object);
    return end<Owner>(code, Owner(object));
}

template <class T> constexpr span<const T> list(const T *data, std::uint64_t count) noexcept
{
    return data == nullptr ? span<const T>() : span<const T>(data, static_cast<std::size_t>(count));
}

/* Calls a function whose last parameters are an array of the object and its count. */
template <class T, class Count, class Function, class... Arguments>
answer<span<const T>> ask_list(Function *function, Arguments... arguments)
{
    const T *data = nullptr;
    Count count = 0;
    const pliant_result code = function(arguments..., &data, &count);
    return end<span<const T>>(code, list(data, count));
}

/* The same of a function that cannot fail. */
template <class T, class Object, class Count>
span<const T> list(const T *(*function)(const Object *, Count *), const Object *object)
{
    Count count = 0;
    const T *data = function(object, &count);
    return list(data, count);
}

/* Returns a struct of an object, or one of zeros for NULL. */
template <class T> T value(const T *found) noexcept
{
    return found == nullptr ? T() : *found;
}

/* The struct of a result in C with room for spans; begins all zero. */
template <class T> struct wrapped : T {
    wrapped() noexcept : T() {}
    wrapped(const T &other) noexcept : T(other) {}
};

/* Where an empty span asks for a number, C is given NULL. */
template <class T> constexpr T *room(span<T> elements) noexcept
{
    return elements.empty() ? nullptr : elements.data();
}

/* Too many for 32 bits stay too many: the library refuses them. */
constexpr std::uint32_t count32(std::uint64_t count) noexcept
{
    return count > UINT32_MAX ? UINT32_MAX : static_cast<std::uint32_t>(count);
}

} // namespace detail

/*
 * Names an object that somebody else owns, as a pointer does: copied freely, and valid as long as
 * the object. Calls through an empty one fail, and its getters give 0, as in C with NULL. `const`
 * says that the name stays, not that the object does.
 */
template <class T> class reference
{
  public:
    constexpr reference(T *object = nullptr) noexcept : object_(object) {}
    constexpr T *get() const noexcept { return object_; }
    constexpr explicit operator bool() const noexcept { return object_ != nullptr; }
    friend constexpr bool operator==(reference a, reference b) noexcept
    {
        return a.object_ == b.object_;
    }
    friend constexpr bool operator!=(reference a, reference b) noexcept
    {
        return a.object_ != b.object_;
    }

  protected:
    T *object_;
};

/* Owns an object and destroys it. What was moved from is empty. */
template <class Reference, class Created, void (*destroy)(Created *)> class owner : public Reference
{
  public:
    using created = Created;

    constexpr owner() noexcept = default;
    explicit owner(Created *object) noexcept : Reference(object) {}
    owner(owner &&other) noexcept : Reference(other.release()) {}
    owner &operator=(owner &&other) noexcept
    {
        reset(other.release());
        return *this;
    }
    ~owner() { destroy(const_cast<Created *>(this->object_)); }

    /* Gives the object away: it is the caller's to destroy. */
    [[nodiscard]] Created *release() noexcept
    {
        return const_cast<Created *>(std::exchange(this->object_, nullptr));
    }

    /* Destroys the object, and owns another one if it is given. */
    void reset(Created *object = nullptr) noexcept
    {
        Created *old = release();
        this->object_ = object;
        destroy(old);
    }
};

PLIANT_CPP_END

#endif
