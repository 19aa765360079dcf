// What the tests of ranks share: one cluster for each number of workers, made once.
#pragma once

#include <weft/cluster.hpp>

#include <array>
#include <cstddef>
#include <memory>

namespace weft::test {

/// Every rank runs the same tests in the same order; so every rank makes the same clusters.
class clusters {
public:
    static cluster& with_workers(std::size_t workers) {
        auto& place = instance()->made_.at(workers);
        if (!place) place = std::make_unique<cluster>(cluster_options{.workers = workers});
        return *place;
    }
    /// Before MPI is finalised, with those of more workers first.
    static void end() { instance().reset(); }

private:
    static std::unique_ptr<clusters>& instance() {
        static auto all = std::make_unique<clusters>();
        return all;
    }
    std::array<std::unique_ptr<cluster>, 3> made_;
};

} // namespace weft::test
