/* All kernels, by number. A launch has as many warps as the device runs at once. X(name, blocks) in
   PLI_CUDA_KERNELS: how many blocks a multiprocessor of a GPU should have room for, which limits
   registers. */
#ifndef PLI_CUDA_KERNELS_H
#define PLI_CUDA_KERNELS_H

#define PLI_CUDA_KERNELS(X)                                                                        \
    X(reset, 8)                                                                                    \
    X(refit, 8)                                                                                    \
    X(fans, 8)                                                                                     \
    X(bound, 8)                                                                                    \
    X(bodies, 8)                                                                                   \
    X(broad, 8)                                                                                    \
    X(order_keys, 8)                                                                               \
    X(order, 8)                                                                                    \
    X(sweep, 8)                                                                                    \
    X(tiles, 8)                                                                                    \
    X(octets, 8)                                                                                   \
    X(evaluate, 8)                                                                                 \
    X(boxes, 7)                                                                                    \
    X(filter, 7)                                                                                   \
    X(neighbours, 5)                                                                               \
    X(exact, 7)                                                                                    \
    X(merge_first, 8)                                                                              \
    X(list_first, 8)                                                                               \
    X(clear_buckets, 8)                                                                            \
    X(count, 8)                                                                                    \
    X(begin_buckets, 8)                                                                            \
    X(scatter, 8)                                                                                  \
    X(rank, 8)                                                                                     \
    X(rank_few, 8)                                                                                 \
    X(digit_count, 8)                                                                              \
    X(digit_begin, 8)                                                                              \
    X(digit_scatter, 8)                                                                            \
    X(list, 8)

#define PLI_CUDA_KERNEL_NUMBER(name, blocks) PLI_CUDA_KERNEL_##name,
typedef enum pli_cuda_kernel {
    PLI_CUDA_KERNELS(PLI_CUDA_KERNEL_NUMBER) PLI_CUDA_KERNEL_COUNT
} pli_cuda_kernel;
#undef PLI_CUDA_KERNEL_NUMBER

#endif
