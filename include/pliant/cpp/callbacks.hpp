/*
 * Pliant for C++17: lambdas and objects where C takes a function and a pointer. Nothing is
 * allocated: C is given the address of what the caller has.
 *
 * A function that is given to one call may throw, unless failures are returned: the call ends as
 * soon as it can, and the exception comes out of it. What is bound for longer, by bind() and the
 * make functions, must not throw (the program ends), and must live as long as it may be called.
 */
#ifndef PLIANT_CPP_CALLBACKS_HPP
#define PLIANT_CPP_CALLBACKS_HPP

#include "base.hpp"

PLIANT_CPP_BEGIN

namespace detail
{

/* Calls a function that may return nothing, which means to go on. */
template <class Function, class... Arguments>
bool goes_on(Function &function, const Arguments &...arguments)
{
    if constexpr (std::is_void_v<decltype(function(arguments...))>) {
        function(arguments...);
        return true;
    } else {
        return static_cast<bool>(function(arguments...));
    }
}

/* A function of the caller's for the time of one call, and what it has thrown. */
template <class Function> class guarded
{
  public:
    explicit guarded(Function &function) noexcept : function_(function) {}

    /* Runs work(function): false if it said so, or has thrown. */
    template <class Work> bool run(Work work) noexcept
    {
#ifdef PLIANT_RETURN_FAILURES
        return work(function_);
#else
        if (thrown_) {
            return false;
        }
        try {
            return work(function_);
        } catch (...) {
            thrown_ = std::current_exception();
            return false;
        }
#endif
    }

    void rethrow() const
    {
#ifndef PLIANT_RETURN_FAILURES
        if (thrown_) {
            std::rethrow_exception(thrown_);
        }
#endif
    }

  private:
    Function &function_;
#ifndef PLIANT_RETURN_FAILURES
    std::exception_ptr thrown_;
#endif
};

/* Returns a struct of C as `T`, if that wraps it. */
template <class T, class C>
std::conditional_t<std::is_base_of_v<C, T>, T, const C &> as(const C &found) noexcept
{
    return found;
}

/* Calls a function of C with a function of the caller's as the callback of the options. Returns an
   `Answer`; the caller's function receives a `Found`. */
template <class Answer, class Found, class Options, class Callback, class Function, class Ask,
          class... Arguments>
answer<Answer> ask_with(Options options, Callback Options::*callback, Function &function, Ask *ask,
                        Arguments... arguments)
{
    guarded<Function> guard(function);
    options.*callback = [](void *user, const auto *...found) {
        return static_cast<guarded<Function> *>(user)->run(
            [&](Function &f) { return goes_on(f, as<Found>(*found)...); });
    };
    options.callback_user = &guard;
    Answer value;
    const pliant_result code = ask(arguments..., &options, &value);
    guard.rethrow();
    return end<Answer>(code, std::move(value));
}

template <class Function> void *address_of(Function &function) noexcept
{
    static_assert(std::is_class_v<Function>, "give a lambda or an object, not a plain function");
    return const_cast<void *>(static_cast<const void *>(std::addressof(function)));
}

} // namespace detail

/*
 * Sets any function of the interface and its user pointer: bind(options.filter,
 * options.filter_user, filter). `filter` is called with the parameters of the C function but for
 * the first.
 */
template <class Result, class... Parameters, class Function>
void bind(Result (*&pointer)(void *, Parameters...), void *&user, Function &function) noexcept
{
    pointer = [](void *self, Parameters... parameters) noexcept -> Result {
        return static_cast<Result>((*static_cast<Function *>(self))(parameters...));
    };
    user = detail::address_of(function);
}

/* An allocator of an object with allocate(size, alignment) and release(memory, size, alignment). */
template <class Object> pliant_allocator make_allocator(Object &object) noexcept
{
    pliant_allocator allocator = {};
    allocator.allocate = [](void *self, std::size_t size, std::size_t alignment) noexcept {
        return static_cast<void *>(static_cast<Object *>(self)->allocate(size, alignment));
    };
    allocator.release = [](void *self, void *memory, std::size_t size,
                           std::size_t alignment) noexcept {
        static_cast<Object *>(self)->release(memory, size, alignment);
    };
    allocator.user = detail::address_of(object);
    return allocator;
}

/*
 * A scheduler of a function run(count, piece), which calls piece(index, worker) as
 * pliant_scheduler.run must call its task.
 */
template <class Function>
pliant_scheduler make_scheduler(Function &function, std::uint32_t worker_count) noexcept
{
    pliant_scheduler scheduler = {};
    scheduler.run = [](void *self, pliant_task task, void *argument, std::uint32_t count) noexcept {
        (*static_cast<Function *>(self))(count, [=](std::uint32_t index, std::uint32_t worker) {
            task(argument, index, worker);
        });
    };
    scheduler.user = detail::address_of(function);
    scheduler.worker_count = worker_count;
    return scheduler;
}

/* A logger of a function log(level, sentence). */
template <class Function> pliant_logger make_logger(Function &function) noexcept
{
    pliant_logger logger = {};
    bind(logger.log, logger.user, function);
    return logger;
}

/* Hooks of an object with begin(stage, worker) and end(stage, worker). */
template <class Object> pliant_stage_hooks make_stage_hooks(Object &object) noexcept
{
    pliant_stage_hooks hooks = {};
    hooks.begin = [](void *self, pliant_stage stage, std::uint32_t worker) noexcept {
        static_cast<Object *>(self)->begin(stage, worker);
    };
    hooks.end = [](void *self, pliant_stage stage, std::uint32_t worker) noexcept {
        static_cast<Object *>(self)->end(stage, worker);
    };
    hooks.user = detail::address_of(object);
    return hooks;
}

PLIANT_CPP_END

#endif
