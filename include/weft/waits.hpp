// Which task waits for what: reports on the resource tasks of this process.
#pragma once

#include <weft/api.hpp>
#include <weft/detail/lockfree/registry.hpp>
#include <weft/detail/resource/access.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace weft::inline v0 {

namespace detail {
class name_reader;
} // namespace detail

/// The format of a report.
enum class waits_format : std::uint8_t {
    text, ///< a line for each resource that a task waits for
    json, ///< {"tasks": [{"id", "name", "waits": [{"resource", "name", "mode", "holders"}],
          ///< "holds"}]}
    dot,  ///< for Graphviz: an arrow from each waiting task to the resource, and from there to each
          ///< task that has it
};

/// Reports the tasks that wait, the resources they wait for, and the tasks that have those
/// resources. While tasks run the report is approximate, since each task is inspected at a
/// different moment; while no task starts, ends or is submitted, it is exact. A task that has ended
/// is never reported as having a resource that the next task has already.
[[nodiscard]] WEFT_API std::string waits(waits_format format = waits_format::text);

/// The same, written to a file descriptor. Allocates nothing, takes no lock, and may be called from
/// a debugger or in a signal handler. At most 1,000 waiting tasks are reported.
WEFT_API void waits(int file, waits_format format = waits_format::text) noexcept;

/// A resource that a task has named.
struct waiting_claim {
    const void* resource; ///< as `id_of` returns it
    std::string name;     ///< of a `resource_name`, or empty
    std::string mode;     ///< "write", "read" or "take 2"
    bool granted;         ///< otherwise the task waits for it
};
/// A task that waits for resources or has some.
struct waiting_task {
    /// Identifies the task while it has not ended.
    const void* id;
    std::string name; ///< `when_options::name`, or empty
    /// The resources that it has named.
    std::vector<waiting_claim> claims;
};
/// The same as data: the tasks that wait for resources, and those that have them and have not
/// ended. A claim that a cancelled task has passed on is left out.
[[nodiscard]] WEFT_API std::vector<waiting_task> tasks_on_resources();

/// Gives a resource or limit a name in reports, as long as this object lives. Resources without a
/// name need no room for one.
class WEFT_API resource_name {
public:
    /// `name` is a literal, or text that outlives this object.
    template <class Named>
    resource_name(const Named& named, const char* name)
        : resource_name{detail::access_factory::word(named), name} {}
    /// Removes the name.
    ~resource_name();
    resource_name(const resource_name&) = delete;
    resource_name& operator=(const resource_name&) = delete;

private:
    friend class detail::name_reader;
    resource_name(const void* word, const char* name);

    const void* word_;
    const char* name_;
    detail::registry_cell* cell_;
};

/// Identifies a resource or limit in `waiting_claim`.
template <class Named>
[[nodiscard]] const void* id_of(const Named& named) noexcept {
    return detail::access_factory::word(named);
}

} // namespace weft::inline v0
