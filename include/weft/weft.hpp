// All public headers of the runtime. The explorer is apart: <weft/explorer.hpp>.
#pragma once

#include <weft/algorithm.hpp>
#include <weft/blocking.hpp>
#include <weft/completion.hpp>
#include <weft/contract.hpp>
#include <weft/coroutine.hpp>
#include <weft/countdown.hpp>
#include <weft/error.hpp>
#include <weft/fork_join.hpp>
#include <weft/future.hpp>
#include <weft/generator.hpp>
#include <weft/graph.hpp>
#include <weft/pipeline.hpp>
#include <weft/pool.hpp>
#include <weft/priority.hpp>
#include <weft/resource.hpp>
#include <weft/selection_bias.hpp>
#include <weft/shared_future.hpp>
#include <weft/signal_tree.hpp>
#include <weft/task_group.hpp>
#include <weft/timer.hpp>
#include <weft/version.hpp>
#include <weft/waits.hpp>
#include <weft/when_all.hpp>
