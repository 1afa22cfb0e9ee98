/* Pliant for C++17: arrays of the caller's whose elements are several numbers each. */
#ifndef PLIANT_CPP_ARRAYS_HPP
#define PLIANT_CPP_ARRAYS_HPP

#include "base.hpp"

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

/* The first number of an element that begins with N numbers of type T. */
template <class T, std::size_t N, class E> const T *first_number(const E *element) noexcept
{
    using number = typename number_of<E>::type;
    static_assert(std::is_void_v<number> || std::is_same_v<number, T>,
                  "the elements have numbers of another type");
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

  private:
    struct by_element {
    };

    tuples(const T *data, std::size_t size, by_element) noexcept
        : data_(data), count_(size / N), stride_(N * sizeof(T))
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
};

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
