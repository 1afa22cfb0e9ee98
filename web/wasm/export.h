/* How a function of the module gets its name outside. */
#ifndef WEB_WASM_EXPORT_H
#define WEB_WASM_EXPORT_H

#define EXPORT(name) __attribute__((export_name(#name))) name

#endif
