/* Pliant for C++17: arrays of the caller's whose elements are several numbers each. */
#ifndef PLIANT_CPP_ARRAYS_HPP
#define PLIANT_CPP_ARRAYS_HPP

#include "base.hpp"

#include <algorithm>

PLIANT_CPP_BEGIN

namespace detail
{

/* What a vector of a mathematics library is made of, where that can be told. */
template <class E, class = void> struct number_of {
    using type = void;
};
template <class E> struct number_of<E, std::void_t<typename E::value_type>> {
    using type = std::remove_cv_t<typename E::value_type>;
};
template <class E, std::size_t N> struct number_of<E[N], void> {
    using type = std::remove_cv_t<E>;
};

/* A container that ends with the call that it is passed to: its elements do not last. */
template <class T, class = void> struct has_fixed_size : std::false_type {
};
template <class T>
struct has_fixed_size<T, std::void_t<decltype(std::tuple_size<T>::value)>> : std::true_type {
};
template <class T>
constexpr bool is_temporary = std::is_class_v<T> &&
                              (!std::is_trivially_copyable_v<T> || has_fixed_size<T>::value);
template <class... Ranges> using if_temporary = std::enable_if_t<(is_temporary<Ranges> || ...)>;

/* Converts to T only, so that E{only<T>()} compiles if a plain struct E begins with a T. */
template <class T> struct only {
    template <class U, class = std::enable_if_t<std::is_same_v<U, T>>> operator U() const noexcept;
};
template <class E, class T, class = void> struct begins_with : std::false_type {
};
template <class E, class T>
struct begins_with<E, T, std::void_t<decltype(E{std::declval<only<T>>()})>> : std::is_aggregate<E> {
};
template <class E, class T, class... Numbers>
constexpr bool begins_with_other_than =
    ((!std::is_same_v<T, Numbers> && begins_with<E, Numbers>::value) || ...);
template <class E, class T>
constexpr bool has_other_numbers =
    begins_with_other_than<E, T, float, double, long double, bool, char, signed char, unsigned char,
                           short, unsigned short, int, unsigned int, long, unsigned long, long long,
                           unsigned long long>;

/* The first number of an element that begins with N numbers of type T. */
template <class T, std::size_t N, class E> const T *first_number(const E *element) noexcept
{
    using number = typename number_of<E>::type;
    static_assert(std::is_void_v<number> || std::is_same_v<number, T>,
                  "the elements have numbers of another type");
    static_assert(!std::is_void_v<number> || !has_other_numbers<E, T>,
                  "the elements begin with a number of another type");
    static_assert(std::is_trivially_copyable_v<E> && std::is_standard_layout_v<E>,
                  "the elements must be plain structs of numbers");
    static_assert(sizeof(E) >= N * sizeof(T) && alignof(E) % alignof(T) == 0,
                  "the elements have too few numbers");
    return reinterpret_cast<const T *>(element);
}

} // namespace detail

/*
 * A view of elements of N numbers each: a vector or an array of numbers, N after N; or one of
 * arrays or plain structs that begin with N numbers, such as vectors of a mathematics library.
 */
template <class T, std::size_t N> class tuples
{
  public:
    constexpr tuples() noexcept = default;

    /* `stride` is in bytes, as in C; 0: tightly packed. */
    constexpr tuples(const T *data, std::uint64_t count, std::size_t stride = 0) noexcept
        : data_(data), count_(count), stride_(stride)
    {
    }

    template <class Range, class = decltype(std::data(std::declval<const Range &>()))>
    tuples(const Range &range) noexcept : tuples(std::data(range), std::size(range), by_element())
    {
    }

    const T *data() const noexcept { return data_; }
    std::uint64_t count() const noexcept { return count_; }
    std::size_t stride() const noexcept { return stride_; }
    /* Numbers after the last whole element. */
    std::size_t remainder() const noexcept { return remainder_; }

  private:
    struct by_element {
    };

    tuples(const T *data, std::size_t size, by_element) noexcept
        : data_(data), count_(size / N), stride_(N * sizeof(T)), remainder_(size % N)
    {
    }

    template <class E>
    tuples(const E *data, std::size_t size, by_element) noexcept
        : data_(detail::first_number<T, N>(data)), count_(size), stride_(sizeof(E))
    {
    }

    const T *data_ = nullptr;
    std::uint64_t count_ = 0;
    std::size_t stride_ = 0;
    std::size_t remainder_ = 0;
};

namespace detail
{

/* Returns true if an array consists of whole elements. */
template <class T, std::size_t N> bool is_whole(const char *name, const tuples<T, N> &list) noexcept
{
    return list.remainder() == 0 ||
           has_size(name, N * list.count() + list.remainder(), N * list.count());
}

/* The same, and if there are as many as a call needs. */
template <class T, std::size_t N>
bool has_size(const char *name, const tuples<T, N> &list, std::uint64_t needed) noexcept
{
    return is_whole(name, list) && has_size(name, list.count(), needed);
}

/* Returns true if an array of answers has one for each of the points. */
template <std::size_t N>
bool has_sizes(const char *name, std::uint64_t size, const tuples<float, N> &list) noexcept
{
    return is_whole("points", list) && has_size(name, size, list.count());
}

/* Returns how many bytes `count` elements take; the largest number if they are more than that. */
constexpr std::uint64_t reach(std::uint64_t count, std::uint64_t stride,
                              std::uint64_t width) noexcept
{
    const bool fits = count <= 1 || stride <= (UINT64_MAX - width) / (count - 1);
    return count == 0 ? 0 : fits ? (count - 1) * stride + width : UINT64_MAX;
}

/* The size of an array that a setter of a definition was given. It is unknown for a field that the
   caller has set without a setter. */
class extent
{
  public:
    extent() noexcept = default;
    template <class T>
    extent(span<T> list) noexcept : data_(list.data()), bytes_(list.size() * sizeof(T))
    {
    }
    template <class T, std::size_t N>
    extent(const tuples<T, N> &list) noexcept
        : data_(list.data()),
          bytes_(reach(list.count(), list.stride() == 0 ? N * sizeof(T) : list.stride(),
                       N * sizeof(T))),
          remainder_(list.remainder() * sizeof(T))
    {
    }

    /* Returns true if this is the array of a field. */
    bool is_of(const void *field) const noexcept { return data_ != nullptr && field == data_; }

    /* Returns true if the array of a field has rows of `width` numbers, as many as needed. It may
       be longer if rows are `stride` bytes apart, or if it sets their number. */
    template <class T>
    bool has_rows(const char *name, const T *field, std::uint64_t rows, std::uint64_t width,
                  std::size_t stride, bool sets_rows = false) const noexcept
    {
        const std::uint64_t row = width * sizeof(T);
        return rows == unknown_rows ||
               has_bytes(name, field, reach(rows, stride == 0 ? row : stride, row),
                         sets_rows || stride != 0);
    }

    /* The same of an array of blocks that have as many rows each. */
    template <class T>
    bool has_blocks(const char *name, const T *field, std::uint64_t blocks, std::uint64_t rows,
                    std::uint64_t width, std::size_t stride,
                    std::size_t block_stride) const noexcept
    {
        const std::uint64_t row = width * sizeof(T), apart = stride == 0 ? row : stride;
        const std::uint64_t block = block_stride == 0 ? reach(rows + 1, apart, 0) : block_stride;
        return has_bytes(name, field, reach(blocks, block, reach(rows, apart, row)),
                         stride != 0 || block_stride != 0);
    }

    /* Returns how many entries some lists have, if their offsets were given to a setter. The
       largest offset counts: the library rejects descending offsets only while it reads the
       entries. */
    std::uint64_t count_entries(const std::uint32_t *offsets, std::uint64_t lists) const noexcept
    {
        return is_of(offsets) ? *std::max_element(offsets, offsets + lists + 1) : unknown_rows;
    }

  private:
    static constexpr std::uint64_t unknown_rows = UINT64_MAX;

    template <class T>
    bool has_bytes(const char *name, const T *field, std::uint64_t needed,
                   bool may_be_longer) const noexcept
    {
        const std::uint64_t has = bytes_ + remainder_;
        return !is_of(field) || (may_be_longer && remainder_ == 0 && has >= needed) ||
               has_size(name, has / sizeof(T), needed / sizeof(T) + (needed % sizeof(T) != 0));
    }

    const void *data_ = nullptr;
    std::uint64_t bytes_ = 0;
    std::size_t remainder_ = 0;
};

} // namespace detail

using points = tuples<float, 3>;
using transforms = tuples<float, 12>; /* the rows of (A | t) */
using matrices = tuples<float, 16>;   /* by columns */
using corners = tuples<std::uint32_t, 3>;
using corners16 = tuples<std::uint16_t, 3>;

/* One point: three numbers, or a plain struct that begins with them. */
class xyz
{
  public:
    constexpr xyz(const float *numbers) noexcept : numbers_(numbers) {}
    template <class E, class = std::enable_if_t<std::is_class_v<E>>>
    xyz(const E &element) noexcept : numbers_(detail::first_number<float, 3>(&element))
    {
    }
    constexpr const float *data() const noexcept { return numbers_; }

  private:
    const float *numbers_;
};

PLIANT_CPP_END

#endif
