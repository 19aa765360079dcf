import unittest

from planted import PlantedTree

NAMES = (
    "std::atomic<int>", "std::atomic_ref", "std :: atomic_flag", "std::memory_order_acquire",
    "std::memory_order", "std::thread", "std::jthread", "std::this_thread", "std::mutex",
    "std::timed_mutex", "std::recursive_mutex", "std::recursive_timed_mutex", "std::shared_mutex",
    "std::lock_guard", "std::unique_lock", "std::scoped_lock", "std::shared_lock", "std::call_once",
    "std::condition_variable", "std::condition_variable_any", "std::counting_semaphore",
    "std::binary_semaphore", "std::latch", "std::barrier", "thread_local", "__thread",
    "atomic_thread_fence", "atomic_signal_fence", "__atomic_load_n", "__sync_synchronize", "futex",
    "SYS_futex", "FUTEX_WAIT", "pthread_create", "std::chrono::steady_clock", "chrono::system_clock",
    "clock_gettime",
)

HEADERS = ("atomic", "thread", "mutex", "shared_mutex", "condition_variable", "semaphore", "latch",
           "barrier", "pthread.h", "linux/futex.h")


class SeamTest(PlantedTree):
    check = "seam"

    def test_the_seam_itself_may_name_everything(self):
        self.plant("src/sync/all.cpp", "".join(f"#include <{h}>\n" for h in HEADERS) + "\n".join(NAMES))
        self.passes("seam: 1 files, no violation")

    def test_tests_benches_and_examples_may_too(self):
        for folder in ("test/unit", "bench/fib", "examples"):
            self.plant(f"{folder}/a.cpp", "#include <thread>\nstd::thread t;\n#define WEFT_X\n")
        self.passes("seam: 3 files, no violation")

    def test_each_name_elsewhere(self):
        for folder in ("include/weft", "lab/sim", "src/pool", "tools/weft"):
            with self.subTest(folder=folder):
                self.plant(f"{folder}/a.hpp", "".join(f"{name} x;\n" for name in NAMES))
                names = [name.replace(" ", "").removesuffix("<int>") for name in NAMES]
                self.fails(*(f"{folder}/a.hpp:{line}: {name} is named outside src/sync/"
                             for line, name in enumerate(names, 1)))
                (self.root / folder / "a.hpp").unlink()

    def test_each_header_elsewhere(self):
        self.plant("src/pool/a.cpp", "".join(f"#include <{header}>\n" for header in HEADERS))
        self.fails(*(f"src/pool/a.cpp:{line}: <{header}> is named outside src/sync/"
                     for line, header in enumerate(HEADERS, 1)))

    def test_words_that_only_look_alike(self):
        self.plant("src/pool/a.cpp", '#include <weft/detail/sync/thread.hpp>\n#include "sync/futex.hpp"\n'
                   "// std::atomic, pthread_self and futex\n"
                   'auto text = "std::mutex"; sync::atomic<int> a; sync::thread t; std::threadlike b;\n')
        self.passes("seam: 1 files, no violation")

    def test_what_the_explorer_may_name(self):
        text = ("#include <atomic>\nthread_local int x; std::memory_order o = std::memory_order_relaxed;\n"
                "std::chrono::steady_clock c; void atomic_thread_fence();\n")
        self.plant("src/explorer/a.cpp", text)
        self.plant("include/weft/explorer.hpp", text)
        self.plant("include/weft/explorer/b.hpp", text)
        self.passes("seam: 3 files, no violation")

    def test_what_the_explorer_may_not_name(self):
        self.plant("src/explorer/a.cpp", "std::atomic<int> a;\nstd::mutex m;\n#include <mutex>\n"
                   "std::chrono::system_clock c;\nstd::atomic_thread_fence(o);\n")
        self.fails("src/explorer/a.cpp:1: std::atomic is …", "src/explorer/a.cpp:2: std::mutex is …",
                   "src/explorer/a.cpp:3: <mutex> is …",
                   "src/explorer/a.cpp:4: std::chrono::system_clock is …",
                   "src/explorer/a.cpp:5: std::atomic_thread_fence is …")

    def test_a_macro_without_the_prefix_anywhere(self):
        for path in ("src/sync/a.hpp", "test/a.cpp", "examples/a.c"):
            self.plant(path, "\n#  define LIKELY(x) x\n")
        self.fails(*(f"{path}:2: the macro LIKELY does not start with WEFT_"
                     for path in ("examples/a.c", "src/sync/a.hpp", "test/a.cpp")))

    def test_a_macro_outside_its_home(self):
        for path in ("src/sync/a.hpp", "src/explorer/a.hpp", "include/weft/version.hpp"):
            self.plant(path, "#define WEFT_X 1\n")
        self.plant("src/pool/a.hpp", "#define WEFT_X 1\n")
        self.fails("src/pool/a.hpp:1: the macro WEFT_X is defined outside src/sync/")


if __name__ == "__main__":
    unittest.main()
