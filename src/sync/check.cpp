#include <weft/detail/sync/check.hpp>

#include <cstdio>
#include <cstdlib>

namespace weft::inline v0::sync {

void check_failed(const char* message, const char* file, int line) noexcept {
    std::fprintf(stderr, "weft: %s (%s:%d)\n", message, file, line);
    std::abort();
}

} // namespace weft::inline v0::sync
