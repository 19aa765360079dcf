// The lab: coloured Petri nets that can be run, drawn and searched. docs/lab.md is its guide. A
// library of its own, weft::lab, which uses nothing of the runtime.
#pragma once

#include <weft/lab/analysis.hpp>
#include <weft/lab/colour.hpp>
#include <weft/lab/error.hpp>
#include <weft/lab/firing.hpp>
#include <weft/lab/invariants.hpp>
#include <weft/lab/net.hpp>
#include <weft/lab/pnml.hpp>
#include <weft/lab/runs.hpp>
#include <weft/lab/simulation.hpp>
#include <weft/lab/state_space.hpp>
#include <weft/lab/step.hpp>
#include <weft/lab/trace.hpp>
#include <weft/lab/web_page.hpp>
