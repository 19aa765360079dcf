// The interleaving explorer: checks code for threads along all interleavings within bounds, on a
// weak memory model, and shows the interleaving that breaks it. docs/explorer.md is its guide.
#pragma once

#include <weft/explorer/atomic.hpp>
#include <weft/explorer/blocking.hpp>
#include <weft/explorer/explore.hpp>
#include <weft/explorer/global.hpp>
#include <weft/explorer/memory.hpp>
#include <weft/explorer/mutants.hpp>
#include <weft/explorer/plain.hpp>
#include <weft/explorer/thread.hpp>
