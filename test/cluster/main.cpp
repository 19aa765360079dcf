// Tests that a number of ranks run together, each the whole program: mpirun -n 4 cluster_tests.
#include "ranks.hpp"

#include <gtest/gtest.h>

#include <mpi.h>

int main(int count, char** words) {
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&count, &words, MPI_THREAD_SERIALIZED, &level);
    testing::InitGoogleTest(&count, words);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0) {
        // Failures are printed by every rank, the rest by one.
        GTEST_FLAG_SET(brief, true);
    }
    const int result = RUN_ALL_TESTS();
    weft::test::clusters::end();
    MPI_Finalize();
    return result;
}
