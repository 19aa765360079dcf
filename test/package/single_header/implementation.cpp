#define WEFT_IMPLEMENTATION
#include <weft/weft.hpp>
