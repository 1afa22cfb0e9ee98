/* All kernels, by number. X(name, warps) in PLI_CUDA_KERNELS: a kernel that is one warp's work has
   warps 1, others as many as the device runs at once. */
#ifndef PLI_CUDA_KERNELS_H
#define PLI_CUDA_KERNELS_H

#define PLI_CUDA_KERNELS(X)                                                                        \
    X(reset, 0)                                                                                    \
    X(refit, 0)                                                                                    \
    X(fans, 0)                                                                                     \
    X(bound, 0)                                                                                    \
    X(bodies, 0)                                                                                   \
    X(broad, 0)                                                                                    \
    X(order_keys, 0)                                                                               \
    X(order, 0)                                                                                    \
    X(sweep, 0)                                                                                    \
    X(tiles, 0)                                                                                    \
    X(octets, 0)                                                                                   \
    X(evaluate, 0)                                                                                 \
    X(boxes, 0)                                                                                    \
    X(filter, 0)                                                                                   \
    X(neighbours, 0)                                                                               \
    X(exact, 0)                                                                                    \
    X(merge_first, 0)                                                                              \
    X(list_first, 0)                                                                               \
    X(clear_buckets, 0)                                                                            \
    X(count, 0)                                                                                    \
    X(begin_buckets, 0)                                                                            \
    X(scatter, 0)                                                                                  \
    X(rank, 0)                                                                                     \
    X(digit_count, 0)                                                                              \
    X(digit_begin, 1)                                                                              \
    X(digit_scatter, 0)                                                                            \
    X(list, 0)

#define PLI_CUDA_KERNEL_NUMBER(name, warps) PLI_CUDA_KERNEL_##name,
typedef enum pli_cuda_kernel {
    PLI_CUDA_KERNELS(PLI_CUDA_KERNEL_NUMBER) PLI_CUDA_KERNEL_COUNT
} pli_cuda_kernel;
#undef PLI_CUDA_KERNEL_NUMBER

#endif
