#include "resource/live_view.hpp"
#include "sync/global.hpp"

#include <weft/detail/resource/resource_task.hpp>
#include <weft/waits.hpp>

#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace weft::inline v0 {
namespace detail {
namespace {

sync::global<registry> all_names;

/// Writes text to a file through a buffer. Allocates nothing.
class file_sink {
public:
    explicit file_sink(int file) noexcept : file_{file} {}
    ~file_sink() { flush(); }
    file_sink(const file_sink&) = delete;
    file_sink& operator=(const file_sink&) = delete;

    void put(std::string_view text) noexcept {
        for (const char each : text) {
            if (used_ == buffer_.size()) flush();
            buffer_[used_++] = each;
        }
    }

private:
    void flush() noexcept {
        std::size_t done = 0;
        while (done < used_) {
            const ssize_t wrote = ::write(file_, buffer_.data() + done, used_ - done);
            if (wrote < 0 && errno == EINTR) continue;
            if (wrote <= 0) break; // an error cannot be reported here
            done += static_cast<std::size_t>(wrote);
        }
        used_ = 0;
    }

    int file_;
    std::array<char, 1024> buffer_{};
    std::size_t used_ = 0;
};

class string_sink {
public:
    void put(std::string_view text) { all.append(text); }
    std::string all;
};

std::string_view view(const short_text& text) noexcept { return text.data(); }

struct number_text {
    std::array<char, 20> text{'0', 'x'};
    explicit number_text(const void* address) noexcept {
        std::to_chars(text.data() + 2, text.data() + text.size() - 1,
                      reinterpret_cast<std::uintptr_t>(address), 16);
    }
};

/// Writes the report in one of the formats.
template <class View, class Sink>
class report_writer {
public:
    report_writer(const View& source, Sink& out, waits_format format) noexcept
        : view_{source}, out_{out}, format_{format} {}

    void write(std::size_t most) {
        if (format_ == waits_format::json) out_.put("{\"tasks\": [");
        if (format_ == waits_format::dot) out_.put("digraph waits {\n");
        std::size_t waiting = 0;
        view_.each_ticket([&](const seen_ticket& each) {
            bool waits = false;
            view_.each_entry(each, [&](const seen_entry& claim) {
                waits = waits || claim.use == entry_use::waits;
            });
            if (waits && waiting++ < most) write_task(each);
        });
        if (format_ == waits_format::json) out_.put("]}\n");
        if (format_ == waits_format::dot) out_.put("}\n");
        if (format_ != waits_format::text) return;
        if (waiting == 0) out_.put("no task waits for a resource\n");
        if (waiting > most) out_.put("and others\n");
    }

private:
    void write_task(const seen_ticket& each) {
        if (format_ == waits_format::json) {
            out_.put(std::exchange(first_, false) ? "\n" : ",\n");
            out_.put(R"( {"id": ")");
            out_.put(number_text{each.id}.text.data());
            out_.put(R"(", "name": ")");
            put_escaped(view(view_.name_of(each)));
            out_.put(R"(", "waits": [)");
        }
        bool first_claim = true;
        view_.each_entry(each, [&](const seen_entry& claim) {
            if (claim.use == entry_use::waits)
                write_claim(each, claim, std::exchange(first_claim, false));
        });
        if (format_ != waits_format::json) return;
        out_.put(R"(], "holds": [)");
        first_claim = true;
        view_.each_entry(each, [&](const seen_entry& claim) {
            if (claim.use != entry_use::has) return;
            out_.put(std::exchange(first_claim, false) ? "\"" : ", \"");
            out_.put(number_text{claim.word}.text.data());
            out_.put("\"");
        });
        out_.put("]}");
    }

    void write_claim(const seen_ticket& each, const seen_entry& claim, bool first) {
        const short_text mode = mode_of(claim);
        switch (format_) {
        case waits_format::text:
            put_task(each);
            out_.put(" waits for ");
            put_resource(claim.word);
            out_.put(" to ");
            out_.put(view(mode));
            break;
        case waits_format::json:
            out_.put(first ? R"({"resource": ")" : R"(, {"resource": ")");
            out_.put(number_text{claim.word}.text.data());
            out_.put(R"(", "name": ")");
            put_escaped(view(name_of_word(claim.word)));
            out_.put(R"(", "mode": ")");
            out_.put(view(mode));
            out_.put(R"(", "holders": [)");
            break;
        case waits_format::dot:
            put_node(each);
            out_.put("  \"r");
            out_.put(number_text{claim.word}.text.data());
            out_.put("\" [shape=box, label=\"");
            put_resource(claim.word);
            out_.put("\"];\n");
            put_arrow('t', each.id, 'r', claim.word, view(mode));
            break;
        }
        bool first_holder = true;
        view_.each_holder(claim.word, [&](const seen_ticket& holder) {
            write_holder(claim, holder, std::exchange(first_holder, false));
        });
        if (format_ == waits_format::text) out_.put("\n");
        if (format_ == waits_format::json) out_.put("]}");
    }

    void write_holder(const seen_entry& claim, const seen_ticket& holder, bool first) {
        switch (format_) {
        case waits_format::text:
            out_.put(first ? ", which " : " and ");
            put_task(holder);
            out_.put(" has");
            break;
        case waits_format::json:
            out_.put(first ? "\"" : ", \"");
            out_.put(number_text{holder.id}.text.data());
            out_.put("\"");
            break;
        case waits_format::dot:
            put_node(holder);
            put_arrow('r', claim.word, 't', holder.id, "has");
            break;
        }
    }

    void put_task(const seen_ticket& each) {
        const short_text name = view_.name_of(each);
        if (name[0] == 0) out_.put("task ");
        put_escaped(name[0] != 0 ? view(name) : std::string_view{number_text{each.id}.text.data()});
    }
    void put_resource(const void* word) {
        const short_text name = name_of_word(word);
        if (name[0] == 0) out_.put("resource ");
        put_escaped(name[0] != 0 ? view(name) : std::string_view{number_text{word}.text.data()});
    }
    void put_node(const seen_ticket& each) {
        out_.put("  \"t");
        out_.put(number_text{each.id}.text.data());
        out_.put("\" [label=\"");
        put_task(each);
        out_.put("\"];\n");
    }
    void put_arrow(char source_kind, const void* source, char target_kind, const void* target,
                   std::string_view label) {
        out_.put("  \"");
        out_.put({&source_kind, 1});
        out_.put(number_text{source}.text.data());
        out_.put("\" -> \"");
        out_.put({&target_kind, 1});
        out_.put(number_text{target}.text.data());
        out_.put("\" [label=\"");
        out_.put(label);
        out_.put("\"];\n");
    }
    void put_escaped(std::string_view text) {
        for (const char& each : text) {
            if (format_ != waits_format::text && (each == '"' || each == '\\')) out_.put("\\");
            out_.put({&each, 1});
        }
    }

    const View& view_;
    Sink& out_;
    waits_format format_;
    bool first_ = true;
};

/// A copy of a live_view, in which holders are found quickly.
class kept_view {
public:
    explicit kept_view(const live_view& source) {
        source.each_ticket([&](const seen_ticket& each) {
            entry& made = all_.emplace_back(entry{each, live_view::name_of(each), {}});
            source.each_entry(each, [&](const seen_entry& claim) { made.claims.push_back(claim); });
        });
        for (std::size_t i = 0; i < all_.size(); ++i) {
            indices_.emplace(all_[i].seen.id, i);
            for (const seen_entry& claim : all_[i].claims) {
                if (claim.use == entry_use::has) holders_.emplace(claim.word, i);
            }
        }
    }
    template <class Use>
    void each_ticket(Use use) const {
        for (const entry& each : all_) use(each.seen);
    }
    template <class Use>
    void each_entry(const seen_ticket& owner, Use use) const {
        for (const seen_entry& each : all_[indices_.at(owner.id)].claims) use(each);
    }
    [[nodiscard]] const short_text& name_of(const seen_ticket& each) const {
        return all_[indices_.at(each.id)].name;
    }
    template <class Use>
    void each_holder(const void* word, Use use) const {
        const auto [first, last] = holders_.equal_range(word);
        for (auto each = first; each != last; ++each) use(all_[each->second].seen);
    }

private:
    struct entry {
        seen_ticket seen;
        short_text name;
        std::vector<seen_entry> claims;
    };
    std::vector<entry> all_;
    std::unordered_map<const void*, std::size_t> indices_;
    std::unordered_multimap<const void*, std::size_t> holders_;
};

} // namespace

/// Looks up the name of a resource word.
class name_reader {
public:
    static short_text read(const void* word) noexcept {
        short_text found{};
        all_names.get().visit([&](const void* address) {
            std::array<const void*, 2> fields{};
            if (found[0] != 0 ||
                !sync::peek(address, static_cast<void*>(fields.data()), sizeof fields))
                return;
            if (fields[0] == word) found = peek_text(static_cast<const char*>(fields[1]));
        });
        return found;
    }
    static_assert(offsetof(resource_name, word_) == 0 &&
                  offsetof(resource_name, name_) == sizeof(void*));
};

short_text name_of_word(const void* word) noexcept { return name_reader::read(word); }

} // namespace detail

std::string waits(waits_format format) {
    const detail::kept_view now{detail::live_view{detail::live_tickets()}};
    detail::string_sink text;
    detail::report_writer{now, text, format}.write(static_cast<std::size_t>(-1));
    return std::move(text.all);
}

void waits(int file, waits_format format) noexcept {
    constexpr std::size_t most = 1'000;
    const int kept = errno;
    {
        const detail::live_view now{detail::live_tickets()};
        detail::file_sink out{file};
        detail::report_writer{now, out, format}.write(most);
    }
    errno = kept;
}

std::vector<waiting_task> tasks_on_resources() {
    std::vector<waiting_task> all;
    const detail::live_view now{detail::live_tickets()};
    now.each_ticket([&](const detail::seen_ticket& each) {
        waiting_task& made =
            all.emplace_back(waiting_task{each.id, detail::live_view::name_of(each).data(), {}});
        now.each_entry(each, [&](const detail::seen_entry& claim) {
            if (claim.use == detail::entry_use::skipped) return;
            made.claims.push_back({claim.word, detail::name_of_word(claim.word).data(),
                                   detail::mode_of(claim).data(),
                                   claim.use == detail::entry_use::has});
        });
    });
    return all;
}

resource_name::resource_name(const void* word, const char* name) : word_{word}, name_{name} {
    detail::registry_cache unused;
    cell_ = &detail::all_names.get().reserve(unused);
    detail::all_names.get().give_all(unused);
    cell_->object.store(this, sync::relaxed);
}
resource_name::~resource_name() { detail::all_names.get().remove(*cell_, nullptr); }

} // namespace weft::inline v0
