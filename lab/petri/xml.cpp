#include "petri/xml.hpp"

#include "petri/error.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>

namespace weft::petri {

namespace {

constexpr std::size_t most_depth = 200;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':' || c == '-' ||
           c == '.' || static_cast<unsigned char>(c) >= 0x80;
}

void append_utf8(std::string& to, std::uint32_t code) {
    const auto byte = [&](std::uint32_t value) { to += static_cast<char>(value); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xC0 | (code >> 6U));
        byte(0x80 | (code & 0x3FU));
    } else if (code < 0x10000) {
        byte(0xE0 | (code >> 12U));
        byte(0x80 | ((code >> 6U) & 0x3FU));
        byte(0x80 | (code & 0x3FU));
    } else {
        byte(0xF0 | (code >> 18U));
        byte(0x80 | ((code >> 12U) & 0x3FU));
        byte(0x80 | ((code >> 6U) & 0x3FU));
        byte(0x80 | (code & 0x3FU));
    }
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

class reader {
public:
    explicit reader(std::string_view text) : rest_{text} {
        if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
    }

    xml_element document() {
        skip_between();
        if (!rest_.starts_with('<')) fail("there is no element");
        xml_element root = element(0);
        skip_between();
        if (!rest_.empty()) fail("there is something after the end of '" + root.name + "'");
        return root;
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw error{fault::bad_file, "line " + std::to_string(line_) + ": " + what};
    }

    void advance(std::size_t count) {
        line_ += static_cast<std::size_t>(std::ranges::count(rest_.substr(0, count), '\n'));
        rest_.remove_prefix(count);
    }

    void skip_space() {
        std::size_t count = 0;
        while (count != rest_.size() && is_space(rest_[count])) ++count;
        advance(count);
    }

    void skip_past(std::string_view end, const char* what) {
        const auto at = rest_.find(end);
        if (at == std::string_view::npos) fail(std::string{what} + " has no end");
        advance(at + end.size());
    }

    /// White space, comments and instructions outside the outermost element.
    void skip_between() {
        for (;;) {
            skip_space();
            if (rest_.starts_with("<!--")) skip_past("-->", "a comment");
            else if (rest_.starts_with("<?")) skip_past("?>", "an instruction");
            else if (rest_.starts_with("<!")) fail("document types are not read");
            else return;
        }
    }

    std::string name() {
        std::size_t count = 0;
        while (count != rest_.size() && is_name(rest_[count])) ++count;
        if (count == 0) fail("a name is missing");
        const std::string_view whole = rest_.substr(0, count);
        advance(count);
        const auto colon = whole.rfind(':');
        return std::string{colon == std::string_view::npos ? whole : whole.substr(colon + 1)};
    }

    /// One of the five entities or a character by its number, without the '&'.
    void entity(std::string& to) {
        const auto end = rest_.find(';');
        if (end > 12) fail("an entity has no ';'"); // or none so near that it could be its own
        const std::string_view inside = rest_.substr(1, end - 1);
        if (inside == "lt") to += '<';
        else if (inside == "gt") to += '>';
        else if (inside == "amp") to += '&';
        else if (inside == "quot") to += '"';
        else if (inside == "apos") to += '\'';
        else append_utf8(to, character(inside));
        advance(end + 1);
    }

    std::uint32_t character(std::string_view inside) const {
        if (!inside.starts_with('#')) fail("the entity '" + std::string{inside} + "' is not known");
        const bool hexadecimal = inside.starts_with("#x");
        const std::string_view digits = inside.substr(hexadecimal ? 2 : 1);
        std::uint32_t code = 0;
        const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(),
                                                   code, hexadecimal ? 16 : 10);
        const bool is_whole = failed == std::errc{} && end == digits.data() + digits.size();
        const bool is_surrogate = code >= 0xD800 && code < 0xE000;
        if (!is_whole || code == 0 || code > 0x10FFFF || is_surrogate) fail("no such character");
        return code;
    }

    std::string attribute_value() {
        skip_space();
        if (!rest_.starts_with('=')) fail("an attribute has no value");
        advance(1);
        skip_space();
        if (!rest_.starts_with('"') && !rest_.starts_with('\''))
            fail("an attribute's value needs quotes");
        const char quote = rest_.front();
        advance(1);
        std::string value;
        while (!rest_.starts_with(quote)) {
            if (rest_.empty() || rest_.front() == '<') fail("an attribute's value has no end");
            if (rest_.front() == '&') {
                entity(value);
            } else {
                value += rest_.front();
                advance(1);
            }
        }
        advance(1);
        return value;
    }

    xml_element element(std::size_t depth) {
        if (depth == most_depth) fail("elements are nested too deeply");
        xml_element made{.name = "", .line = line_};
        advance(1);
        made.name = name();
        for (skip_space(); !rest_.starts_with('>') && !rest_.starts_with("/>"); skip_space()) {
            if (rest_.empty()) fail("'" + made.name + "' has no end");
            std::string key = name();
            if (made.attribute(key) != nullptr) fail("the attribute '" + key + "' is there twice");
            made.attributes.emplace_back(std::move(key), attribute_value());
        }
        const bool is_empty = rest_.front() == '/';
        advance(is_empty ? 2 : 1);
        if (!is_empty) content(made, depth);
        made.text = trimmed(made.text);
        return made;
    }

    void content(xml_element& of, std::size_t depth) {
        for (;;) {
            if (rest_.empty())
                fail("'" + of.name + "' from line " + std::to_string(of.line) + " has no end");
            if (rest_.starts_with("</")) {
                end_tag(of);
                return;
            }
            if (rest_.starts_with("<!--")) {
                skip_past("-->", "a comment");
            } else if (rest_.starts_with("<![CDATA[")) {
                const auto end = rest_.find("]]>");
                if (end == std::string_view::npos) fail("a CDATA section has no end");
                of.text += rest_.substr(9, end - 9);
                advance(end + 3);
            } else if (rest_.starts_with("<?")) {
                skip_past("?>", "an instruction");
            } else if (rest_.front() == '<') {
                of.children.push_back(element(depth + 1));
            } else if (rest_.front() == '&') {
                entity(of.text);
            } else {
                const auto end = std::min(rest_.find_first_of("<&"), rest_.size());
                of.text += rest_.substr(0, end);
                advance(end);
            }
        }
    }

    void end_tag(const xml_element& of) {
        advance(2);
        const std::string closed = name();
        if (closed != of.name) {
            fail("'" + closed + "' ends where '" + of.name + "' from line " +
                 std::to_string(of.line) + " should");
        }
        skip_space();
        if (!rest_.starts_with('>')) fail("an end tag has no '>'");
        advance(1);
    }

    std::string_view rest_;
    std::size_t line_ = 1;
};

} // namespace

const std::string* xml_element::attribute(std::string_view wanted) const {
    for (const auto& [key, value] : attributes) {
        if (key == wanted) return &value;
    }
    return nullptr;
}

const xml_element* xml_element::child(std::string_view wanted) const {
    for (const xml_element& each : children) {
        if (each.name == wanted) return &each;
    }
    return nullptr;
}

xml_element read_xml(std::string_view text) { return reader{text}.document(); }

std::string xml_escaped(std::string_view text) {
    std::string escaped;
    for (const char each : text) {
        if (each == '<') escaped += "&lt;";
        else if (each == '>') escaped += "&gt;";
        else if (each == '&') escaped += "&amp;";
        else if (each == '"') escaped += "&quot;";
        else escaped += each;
    }
    return escaped;
}

} // namespace weft::petri
