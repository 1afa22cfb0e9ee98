/* All kernels, by number. A launch has as many warps as the device runs at once. */
#ifndef PLI_CUDA_KERNELS_H
#define PLI_CUDA_KERNELS_H

#define PLI_CUDA_KERNELS(X)                                                                        \
    X(reset)                                                                                       \
    X(refit)                                                                                       \
    X(fans)                                                                                        \
    X(bound)                                                                                       \
    X(bodies)                                                                                      \
    X(broad)                                                                                       \
    X(order_keys)                                                                                  \
    X(order)                                                                                       \
    X(sweep)                                                                                       \
    X(tiles)                                                                                       \
    X(octets)                                                                                      \
    X(evaluate)                                                                                    \
    X(boxes)                                                                                       \
    X(filter)                                                                                      \
    X(neighbours)                                                                                  \
    X(exact)                                                                                       \
    X(merge_first)                                                                                 \
    X(list_first)                                                                                  \
    X(clear_buckets)                                                                               \
    X(count)                                                                                       \
    X(begin_buckets)                                                                            \
    X(scatter)                                                                                     \
    X(rank)                                                                                        \
    X(digit_count)                                                                                 \
    X(digit_begin)                                                                                 \
    X(digit_scatter)                                                                               \
    X(list)

#define PLI_CUDA_KERNEL_NUMBER(name) PLI_CUDA_KERNEL_##name,
typedef enum pli_cuda_kernel {
    PLI_CUDA_KERNELS(PLI_CUDA_KERNEL_NUMBER) PLI_CUDA_KERNEL_COUNT
} pli_cuda_kernel;
#undef PLI_CUDA_KERNEL_NUMBER

#endif
