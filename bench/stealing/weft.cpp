#include "stealing/config.hpp"

namespace bench::stealing {
namespace {

const registration random_one{{"stealing", "random", contestants<weft::random_stealing>}};
const registration half{{"stealing", "half", contestants<weft::half_stealing>}};
const registration multi{{"stealing", "multi", contestants<weft::multi_stealing>}};

} // namespace
} // namespace bench::stealing
