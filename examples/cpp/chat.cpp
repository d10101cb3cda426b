// chat: a chat that outgrows its window, and two ways to choose what of it goes into each prompt.
//
//     c++ -std=c++17 -Iinclude -Ibindings/cpp/include examples/cpp/chat.cpp -Ltarget/release -lcupel -o chat
//     ./chat
//
// Every turn adds a question, now and then a tool call with its results, and an answer. One loop refits the prompt to the
// target in every turn. The other gives its selection of the turn before to the request: the prompt keeps its front and only
// grows, until the window is full and it is refitted. What both prompts of two turns begin with alike, a prompt cache has
// already: the table counts those tokens.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <cupel.hpp>

namespace {

using namespace std::chrono_literals;

constexpr int turns = 24;
constexpr std::int64_t window = 2000, target = 1200, output_reserve = 200;

/// One message of the chat. What has the same group is kept or dropped together.
void say(cupel::batch& chat, const std::string& text, std::int64_t tokens, std::chrono::seconds when,
         const std::string& kind = "Message", const std::string& group = "") {
    const std::chrono::time_point<std::chrono::system_clock, std::chrono::seconds> start(1767258000s);
    auto message = cupel::item_builder(text, tokens).kind(kind).timestamp(start + when);
    if (!group.empty()) {
        message.metadata("cupel:group", group);
    }
    chat.push(message.build());
}

void take_turn(cupel::batch& chat, int turn) {
    const auto number = std::to_string(turn);
    const auto when = turn * 60s;
    say(chat, "question " + number, 40, when);
    if (turn % 3 == 0) {
        const auto group = "call-" + number;
        say(chat, "call " + number + ": search and list", 20, when + 1s, "Message", group);
        say(chat, "result " + number + " of search", 160, when + 2s, "ToolOutput", group);
        say(chat, "result " + number + " of list", 80, when + 3s, "ToolOutput", group);
    }
    say(chat, "answer " + number, 60, when + 4s);
}

using prompt = std::vector<std::uint32_t>;

prompt rows_of(const cupel::selection& selection) { return {selection.rows().begin(), selection.rows().end()}; }

/// The tokens of the rows with which both prompts begin.
std::int64_t same_front(const cupel::batch& chat, const prompt& before, const prompt& now) {
    const auto last = std::mismatch(now.begin(), now.end(), before.begin(), before.end()).first;
    const auto tokens = chat.read_tokens();
    std::int64_t sum = 0;
    for (auto row = now.begin(); row != last; ++row) {
        sum += tokens[*row];
    }
    return sum;
}

/// Whether every tool call is in the prompt with its results, or not at all.
bool keeps_groups_whole(const cupel::batch& chat, const cupel::selection& selection) {
    std::vector<std::string_view> kept, dropped;
    const auto groups = chat.read_metadata_key("cupel:group");
    for (std::size_t row = 0; row < groups.size(); ++row) {
        if (const auto group = groups[row]) {
            (selection.kept(row) ? kept : dropped).push_back(group->text);
        }
    }
    return std::find_first_of(kept.begin(), kept.end(), dropped.begin(), dropped.end()) == kept.end();
}

std::string bar(std::int64_t part, std::int64_t whole) {
    std::string cells(static_cast<std::size_t>(part * 30 / whole), '#');
    cells.resize(30, '.');
    return "[" + cells + "]";
}

bool run() {
    const cupel::selector selector(cupel::policy(cupel::scorer::recency())
                                       .slicer(cupel::slicer::prefix)  // the unbroken end of the chat
                                       .placer(cupel::placer::batch_order)
                                       .pinned_first()              // the instructions
                                       .group_key("cupel:group")    // a tool call and its results
                                       .keep_duplicates());         // "yes" twice is no duplicate
    const auto request = cupel::request(window).target(target).output_reserve(output_reserve);

    cupel::batch chat;
    chat.push(cupel::item_builder("You are a patient engineer.", 100).kind("SystemPrompt").pinned().build());

    cupel::selection steady, refitted;
    prompt steady_before, refitted_before;
    std::int64_t sent = 0, steady_total = 0, refitted_total = 0;
    bool whole = true;
    std::printf("turn  rows  tokens  of the window                     same front  refitted: tokens  same front\n");
    for (int turn = 1; turn <= turns; ++turn) {
        take_turn(chat, turn);
        selector.select(chat, cupel::request(request).previous(steady), steady);
        selector.select(chat, request, refitted);

        const auto steady_front = same_front(chat, steady_before, rows_of(steady));
        const auto refitted_front = same_front(chat, refitted_before, rows_of(refitted));
        steady_before = rows_of(steady);
        refitted_before = rows_of(refitted);
        sent += steady.kept_tokens();
        steady_total += steady_front;
        refitted_total += refitted_front;
        whole = whole && keeps_groups_whole(chat, steady) && keeps_groups_whole(chat, refitted);
        std::printf("%4d  %4zu  %6lld  %s  %10lld  %16lld  %10lld%s\n", turn, steady.rows().size(),
                    static_cast<long long>(steady.kept_tokens()),
                    bar(steady.kept_tokens(), window - output_reserve).c_str(), static_cast<long long>(steady_front),
                    static_cast<long long>(refitted.kept_tokens()), static_cast<long long>(refitted_front),
                    steady.stable() || turn == 1 ? "" : "  <- the window was full");
    }
    std::printf("\nOf %lld tokens sent in %d turns, %lld were a front that a prompt cache had; refitted, %lld.\n",
                static_cast<long long>(sent), turns, static_cast<long long>(steady_total),
                static_cast<long long>(refitted_total));
    std::printf("Tool calls were kept with their results in every turn: %s.\n", whole ? "yes" : "no");
    return whole && steady_total > refitted_total;
}

}  // namespace

int main() {
    try {
        return run() ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "chat: %s\n", error.what());
        return 1;
    }
}
