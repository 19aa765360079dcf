// The symbols that a shared library of weft exports.
#pragma once

// The libraries are compiled with hidden symbols. WEFT_API marks what a user's code may refer to:
// what the public headers declare, and of weft::detail what their templates and inline functions
// call or share with the library.
#define WEFT_API __attribute__((visibility("default")))
