#include "cluster/checkpoint.hpp"

#include <weft/cluster_problem.hpp>
#include <weft/detail/cluster/bytes.hpp>
#include <weft/error.hpp>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace weft::inline v0::detail {

namespace {

using file_handle = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

struct header {
    std::array<char, 8> magic{'w', 'e', 'f', 't', 'c', 'p', '0', '1'};
    std::uint64_t identity = 0; // of the problem
    std::uint64_t parts = 0;
};
/// Before each part, which is a task count, the bytes of a result and the tasks.
struct part_header {
    std::uint64_t size = 0;
    std::uint64_t checksum = 0;
};

std::uint64_t checksum_of(std::span<const std::byte> bytes) {
    identity_hash hash;
    hash.add(std::string_view{reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return hash.value();
}

[[noreturn]] void fail(const char* action, const std::filesystem::path& file) {
    throw std::system_error{errno, std::generic_category(),
                            std::string{action} + " " + file.string()};
}

void read_exactly(std::FILE* file, void* target, std::size_t size) {
    if (size != 0 && std::fread(target, size, 1, file) != 1) {
        throw std::runtime_error{"the file is damaged: it ends too early"};
    }
}

} // namespace

/// A file that appears under its name when it is complete.
class checkpoint::output {
public:
    explicit output(const std::filesystem::path& file)
        : file_{file}, partial_{file.string() + ".part"},
          handle_{std::fopen(partial_.c_str(), "wb"), &std::fclose} {
        if (!handle_) fail("cannot write", partial_);
    }
    ~output() {
        if (!handle_) return;
        handle_.reset();
        std::error_code ignored;
        std::filesystem::remove(partial_, ignored);
    }
    output(const output&) = delete;
    output& operator=(const output&) = delete;

    void write(const void* data, std::size_t size) {
        if (size != 0 && std::fwrite(data, size, 1, handle_.get()) != 1) {
            fail("cannot write", partial_);
        }
    }
    void write_part(std::span<const std::byte> bytes) {
        const part_header next{bytes.size(), checksum_of(bytes)};
        write(&next, sizeof next);
        write(bytes.data(), bytes.size());
    }
    void complete() {
        if (std::fflush(handle_.get()) != 0 || ::fsync(::fileno(handle_.get())) != 0) {
            fail("cannot write", partial_);
        }
        std::filesystem::rename(partial_, file_);
        handle_.reset();
    }

private:
    std::filesystem::path file_;
    std::filesystem::path partial_;
    file_handle handle_;
};

checkpoint::checkpoint(mpi_network& messages, task_store& tasks, std::filesystem::path file)
    : messages_{&messages}, tasks_{&tasks}, file_{std::move(file)} {}

void checkpoint::agree(const std::string& failure) {
    std::vector<std::byte> bytes;
    if (messages_->rank() == 0) byte_writer{bytes}(failure);
    messages_->broadcast(bytes, 0);
    std::string text;
    byte_reader{bytes}(text);
    if (!text.empty()) throw error{errc::checkpoint_failed, "weft::cluster::run: " + text};
}

std::vector<std::byte> checkpoint::part_of_this_rank() const {
    std::vector<std::byte> result;
    tasks_->copy_result(result);
    std::vector<std::byte> tasks;
    const std::uint64_t count = tasks_->copy_tasks(tasks);
    std::vector<std::byte> bytes;
    byte_writer{bytes}(count, result);
    bytes.insert(bytes.end(), tasks.begin(), tasks.end());
    return bytes;
}

void checkpoint::write() {
    std::string failure;
    if (messages_->rank() == 0) {
        try {
            write_as_root();
        } catch (const std::exception& wrong) {
            failure = wrong.what();
        }
    } else {
        std::vector<std::byte> part;
        try {
            part = part_of_this_rank();
        } catch (...) {
            part.clear(); // rank 0 waits for it, and takes an empty one for a failure
        }
        messages_->send_apart(0, part);
    }
    agree(failure);
}

/// It takes the parts of all ranks also when the disk is full: they have been sent.
void checkpoint::write_as_root() {
    std::exception_ptr failure;
    std::unique_ptr<output> file;
    for (int rank = 0; rank != messages_->size(); ++rank) {
        try {
            const auto part = rank == 0 ? part_of_this_rank() : messages_->receive_apart(rank);
            if (failure) continue;
            if (part.empty()) {
                throw std::runtime_error{"rank " + std::to_string(rank) +
                                         " cannot make bytes of its tasks"};
            }
            if (!file) {
                file = std::make_unique<output>(file_);
                const header first{.identity = tasks_->identity(),
                                   .parts = static_cast<std::uint64_t>(messages_->size())};
                file->write(&first, sizeof first);
            }
            file->write_part(part);
        } catch (...) {
            failure = std::current_exception();
        }
    }
    if (failure) std::rethrow_exception(failure);
    file->complete();
}

void checkpoint::restore() {
    std::string failure;
    if (messages_->rank() == 0) {
        try {
            if (std::filesystem::exists(file_)) restore_as_root();
        } catch (const std::exception& wrong) {
            failure = wrong.what();
        }
    }
    agree(failure);
}

void checkpoint::restore_as_root() {
    const file_handle file{std::fopen(file_.c_str(), "rb"), &std::fclose};
    if (!file) fail("cannot read", file_);
    header first;
    read_exactly(file.get(), &first, sizeof first);
    if (first.magic != header{}.magic) throw std::runtime_error{"the file is no checkpoint"};
    if (first.identity != tasks_->identity()) {
        throw std::runtime_error{"the checkpoint is of another problem"};
    }
    const std::uintmax_t file_size = std::filesystem::file_size(file_);
    tasks_->drop_tasks();
    for (std::uint64_t each = 0; each != first.parts; ++each) {
        part_header next;
        read_exactly(file.get(), &next, sizeof next);
        if (next.size > file_size) throw std::runtime_error{"the file is damaged"};
        std::vector<std::byte> bytes(static_cast<std::size_t>(next.size));
        read_exactly(file.get(), bytes.data(), bytes.size());
        if (checksum_of(bytes) != next.checksum) throw std::runtime_error{"the file is damaged"};
        std::uint64_t count = 0;
        std::vector<std::byte> result;
        byte_reader reader{bytes};
        reader(count, result);
        tasks_->add_result(result);
        tasks_->put(reader.left(), static_cast<std::size_t>(count));
    }
}

void checkpoint::remove() {
    if (messages_->rank() != 0) return;
    std::error_code ignored; // the run has succeeded
    std::filesystem::remove(file_, ignored);
}

} // namespace weft::inline v0::detail
