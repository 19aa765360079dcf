#include "runner/serial_stage.hpp"
#include "strict/config.hpp"

namespace bench::strict {
namespace {

struct stage : serial_stage {
    using serial_stage::serial_stage;
    template <class Forked, class Here>
    auto both(const Forked& forked, const Here& here) {
        return forked() + here();
    }
    template <class Body>
    std::int64_t sum(int count, const Body& body) {
        std::int64_t total = 0;
        for (int each = 0; each != count; ++each) total += body(each);
        return total;
    }
};

const registration registered{{"strict", "serial", contestants<stage>}};

} // namespace
} // namespace bench::strict
