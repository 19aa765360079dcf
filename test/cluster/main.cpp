// Tests that a number of ranks run together, each the whole program: mpirun -n 4 cluster_tests.
#include "ranks.hpp"
#include "support/sanitizers.h"

#include <gtest/gtest.h>

#include <mpi.h>

#if WEFT_ADDRESS_SANITIZED
#include <sanitizer/lsan_interface.h>
#endif

namespace {

/// What MPI allocates here, in part by plug-ins that it unloads again, is not ours to free.
void initialise_mpi(int& count, char**& words) {
#if WEFT_ADDRESS_SANITIZED
    const __lsan::ScopedDisabler not_ours;
#endif
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&count, &words, MPI_THREAD_SERIALIZED, &level);
}

/// Before MPI is finalised: then what it has allocated and not freed is still in use, or its place
/// is known. At the end of the process the plug-ins that have allocated it are gone.
bool has_leaks() {
#if WEFT_ADDRESS_SANITIZED
    return __lsan_do_recoverable_leak_check() != 0;
#else
    return false;
#endif
}

} // namespace

int main(int count, char** words) {
    initialise_mpi(count, words);
    testing::InitGoogleTest(&count, words);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0) {
        // Failures are printed by every rank, the rest by one.
        GTEST_FLAG_SET(brief, true);
    }
    const int result = RUN_ALL_TESTS();
    weft::test::clusters::end();
    const bool leaks = has_leaks();
    MPI_Finalize();
    return leaks ? 1 : result;
}
