// Who waits for what: a look at all tasks on resources of this process.
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

/// How waits are told.
enum class waits_format : std::uint8_t {
    text, ///< a line for each thing that is waited for
    json, ///< {"tasks": [{"id", "name", "waits": [{"resource", "name", "mode", "holders"}], "holds"}]}
    dot, ///< for Graphviz: an arrow from who waits to the resource, and from there to who has it
};

/// The tasks that wait, what they have not been granted, and who has that. While tasks run it is what each
/// looked like when it was its turn to be looked at; when nothing moves, it is exact.
[[nodiscard]] WEFT_API std::string waits(waits_format how = waits_format::text);

/// The same written to a file. Allocates nothing, takes no lock, and may be called from a debugger or in a
/// signal handler. Of many tasks that wait it tells the first 1,000.
WEFT_API void waits(int file, waits_format how = waits_format::text) noexcept;

/// The same as data.
struct waiting_claim {
    const void* resource; ///< what a `resource_name` was made for has its name
    std::string name;     ///< or empty
    std::string mode;     ///< "write", "read" or "take 2"
    bool granted;         ///< otherwise the task waits for it
};
/// A task that waits for resources or has some.
struct waiting_task {
    /// The same for the same task.
    const void* id;
    std::string name; ///< or empty
    /// What it has named.
    std::vector<waiting_claim> claims;
};
/// Tasks that wait for resources, and those that have what they need and have not ended. What a task that was
/// cancelled has given on is not told.
[[nodiscard]] WEFT_API std::vector<waiting_task> tasks_on_resources();

/// While it lives, the resource or limit has this name where waits are told. Resources without a name pay
/// nothing for those with one.
class WEFT_API resource_name {
public:
    /// `name` is a literal, or something else that outlives this.
    template <class Named>
    resource_name(const Named& what, const char* name)
        : resource_name{detail::access_factory::word(what), name} {}
    /// The resource has no name any more.
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

/// What identifies a resource in `waiting_claim`.
template <class Named>
[[nodiscard]] const void* id_of(const Named& what) noexcept {
    return detail::access_factory::word(what);
}

} // namespace weft::inline v0
