// SPDX-License-Identifier: MIT OR Apache-2.0
// Scorers and clocks of the caller's own: what they may be, and where what they throw ends up.

#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>

#include "support.hpp"

TEST_SUITE("callback") {
    using namespace std::chrono_literals;
    using cupel::batch_view;
    using cupel::clock;
    using cupel::scorer;
    using cupel::span;
    using tests::at;
    using scores = std::vector<double>;

    /// An exception that tells whether it is the same object.
    struct custom_exception : std::exception {
        static const custom_exception*& last() {
            static thread_local const custom_exception* thrown = nullptr;
            return thrown;
        }
    };

    [[noreturn]] static void throw_custom() {
        try {
            throw custom_exception();
        } catch (const custom_exception& thrown) {
            custom_exception::last() = &thrown;
            throw;
        }
    }

    static void check_same_object(const std::function<void()>& call) {
        try {
            call();
            FAIL_CHECK("nothing was thrown");
        } catch (const custom_exception& caught) {
            CHECK(&caught == custom_exception::last());
        }
    }

    static void fill_with_one(batch_view, span<double> out) { std::fill(out.begin(), out.end(), 1.0); }

    struct by_tokens {
        double factor;
        void operator()(batch_view rows, span<double> out) const {
            for (std::size_t row = 0; row < rows.size(); ++row) {
                out[row] = factor * static_cast<double>(rows.item(row).tokens());
            }
        }
    };

    TEST_CASE("may be any callable") {
        const auto batch = tests::batch_at({1, 2});
        CHECK(scorer::custom(fill_with_one).score(batch) == scores{1, 1});
        CHECK(scorer::custom(&fill_with_one).score(batch) == scores{1, 1});
        CHECK(scorer::custom(by_tokens{3}).score(batch) == scores{3, 3});
        const std::function<void(batch_view, span<double>)> function = by_tokens{2};
        CHECK(scorer::custom(function).score(batch) == scores{2, 2});
        const auto move_only =
            scorer::custom([value = std::make_unique<double>(4)](batch_view, span<double> out) { out[0] = *value; });
        CHECK(move_only.score_row(batch, 0) == 4);
        auto counting = scorer::custom([calls = 0](batch_view, span<double> out) mutable { out[0] = ++calls; });
        counting.score(batch);
        CHECK(counting.score(batch)[0] == 2);
        const auto not_finite = scorer::custom([](batch_view, span<double> out) {
            out[0] = -HUGE_VAL;
            out[1] = std::nan("");
        });
        CHECK(not_finite.score(batch)[0] == -HUGE_VAL);
        CHECK(std::isnan(not_finite.score(batch)[1]));
        CHECK(scorer::decay_window(clock::custom([] { return std::chrono::system_clock::time_point(2ns); }), 1ns)
                  .score(batch) == scores{0, 1});
        CHECK(scorer::decay_window(clock::custom([] {
                                       return std::chrono::time_point<std::chrono::system_clock, std::chrono::hours>(
                                           1h);
                                   }),
                                   1h)
                  .score(batch) == scores{1, 1});
    }

    TEST_CASE("may score the rows it was given") {
        const auto batch = tests::batch_at({3, 1, 2});
        const auto inverse = scorer::custom([recency = scorer::recency()](batch_view rows, span<double> out) {
            recency.score_into(rows, out);
            for (auto& score : out) {
                score = 1 - score;
            }
        });
        CHECK(inverse.score(batch) == scores{0, 1, 0.5});
    }

    TEST_CASE("gives the caller of score what it threw, the same object") {
        const auto batch = tests::batch_at({1, 2});
        const auto throwing = scorer::custom([](batch_view, span<double>) { throw_custom(); });
        const auto nested = scorer::scaled(scorer::composite({{scorer::recency(), 1}, {throwing, 1}}));
        scores into(2);
        check_same_object([&] { throwing.score(batch); });
        check_same_object([&] { nested.score(batch); });
        check_same_object([&] { nested.score_into(batch, into); });
        check_same_object([&] { nested.score_row(batch, 0); });
        const auto clock = clock::custom([]() -> cupel::time_point { throw_custom(); });
        check_same_object([&] { scorer::decay_window(clock, 1h).score(batch); });

        // Through a scorer that scores with it.
        const auto outer = scorer::custom([&](batch_view rows, span<double> out) { nested.score_into(rows, out); });
        check_same_object([&] { outer.score(batch); });

        // Of any type.
        const auto number = scorer::custom([](batch_view, span<double>) { throw 42; });
        try {
            number.score(batch);
            FAIL_CHECK("nothing was thrown");
        } catch (int caught) {
            CHECK(caught == 42);
        }
        const auto memory = scorer::custom([](batch_view, span<double>) { throw std::bad_alloc(); });
        CHECK_THROWS_AS(memory.score(batch), std::bad_alloc);
        const auto own = scorer::custom([](batch_view rows, span<double>) { static_cast<void>(rows.item(99)); });
        CHECK_THROWS_AS(own.score(batch), cupel::error);
    }

    TEST_CASE("leaves its exception in the result of the style that does not throw") {
        const auto batch = tests::batch_at({1, 2});
        const auto throwing = scorer::custom([](batch_view, span<double>) { throw std::domain_error("no"); });
        const auto failed = throwing.try_score(batch);
        REQUIRE_FALSE(failed);
        CHECK(failed.error().status() == cupel::status::callback_failed);
        REQUIRE(failed.error().cause());
        CHECK_THROWS_WITH_AS(std::rethrow_exception(failed.error().cause()), "no", std::domain_error);
        CHECK_THROWS_AS(failed.value(), std::domain_error);
        CHECK_THROWS_AS(throwing.try_score_row(batch, 0).value(), std::domain_error);

        double score = 0;
        const auto in_c = tests::reported_by(
            [&](cupel_error** e) { return cupel_scorer_score_row(throwing.get(), batch.get(), 0, &score, e); });
        REQUIRE(in_c);
        CHECK(in_c->second == failed.error().what());
    }

    TEST_CASE("may fail without an exception") {
        const auto batch = tests::batch_at({1, 2});
        const auto fails = scorer::custom([](batch_view, span<double>) { return cupel::status::out_of_range; });
        double into[2];
        CHECK_FAILS_AS_C(callback_failed, cupel_scorer_score_batch(fails.get(), batch.get(), into, 2, out_error),
                         fails., score, batch);
        CHECK_FALSE(fails.try_score(batch).error().cause());
        const auto fine = scorer::custom([](batch_view, span<double> out) {
            out[0] = out[1] = 7;
            return cupel::status::ok;
        });
        CHECK(fine.score(batch) == scores{7, 7});

        const auto passes_on = scorer::custom([recency = scorer::recency()](batch_view rows, span<double>) {
            double too_short[1];
            return recency.try_score_into(rows, too_short);
        });
        try {
            passes_on.score(batch);
            FAIL_CHECK("nothing was thrown");
        } catch (const cupel::error& error) {
            CHECK(error.status() == cupel::status::length_mismatch);
        }
        const auto does = scorer::custom(
            [](batch_view rows, span<double> out) { return scorer::recency().try_score_into(rows, out); });
        CHECK(does.score(batch) == scores{0, 1});
    }

    TEST_CASE("fails when it throws or returns an error with status ok") {
        const auto batch = tests::batch_at({1, 2});
        const auto throws = scorer::custom([](batch_view, span<double>) { throw cupel::error(cupel::status::ok, "odd"); });
        const auto returns = scorer::custom(
            [](batch_view, span<double>) { return cupel::result<void>(cupel::error(cupel::status::ok, "odd")); });
        const auto clock = clock::custom([]() -> cupel::time_point { throw cupel::error(cupel::status::ok, "odd"); });
        const auto decay = scorer::decay_window(clock, 1h);
        for (const auto* failing : {&throws, &returns, &decay}) {
            CHECK_THROWS_WITH_AS(failing->score(batch), "odd", cupel::error);
            const auto failed = failing->try_score(batch);
            REQUIRE_FALSE(failed);
            CHECK(failed.error().status() == cupel::status::callback_failed);
            double score = 7;
            CHECK(cupel_scorer_score_row(failing->get(), batch.get(), 0, &score, nullptr) ==
                  CUPEL_STATUS_CALLBACK_FAILED);
            CHECK(score == 7);
        }
    }

    TEST_CASE("says why it failed, through C as well") {
        const auto batch = tests::batch_at({1, 2});
        const auto message = [&](const scorer& failing) {
            const std::string said = failing.try_score(batch).error().what();
            double into[2];
            const auto in_c = tests::reported_by([&](cupel_error** out_error) {
                return cupel_scorer_score_batch(failing.get(), batch.get(), into, 2, out_error);
            });
            REQUIRE(in_c);
            CHECK(in_c->second == said);
            return said;
        };
        const auto inner = scorer::custom([](batch_view, span<double>) { throw std::domain_error("no model"); });
        const std::string why = "the score callback failed with status 9: no model";
        CHECK(message(inner) == why);
        CHECK(message(scorer::custom([](batch_view, span<double>) {
            return cupel::result<void>(cupel::error(cupel::status::busy, "later"));
        })) == "the score callback failed with status 13: later");
        CHECK(message(scorer::custom([](batch_view, span<double>) { return cupel::status::busy; })) ==
              "the score callback failed with status 13");
        CHECK(message(scorer::custom([](batch_view, span<double>) { throw 1; })) ==
              "the score callback failed with status 9: an exception that is no std::exception");
        CHECK(message(scorer::scaled(scorer::custom([&](batch_view rows, span<double> out) {
            return inner.try_score_into(rows, out);
        }))) == "the score callback failed with status 9: " + why);
        const auto clock = clock::custom([]() -> cupel::time_point { throw std::runtime_error("no network"); });
        CHECK(message(scorer::decay_window(clock, 1h)) == "the now callback failed with status 9: no network");
    }

    TEST_CASE("is not blamed for what it coped with") {
        const auto batch = tests::batch_at({1, 2});
        const auto throwing = scorer::custom([](batch_view, span<double>) { throw_custom(); });
        const auto coping = scorer::custom([&](batch_view rows, span<double> out) {
            CHECK_FALSE(throwing.try_score_into(rows, out));
            // By the C interface there is no scoring call of the binding's that it could belong to but the outer one.
            CHECK(cupel_scorer_score_batch(throwing.get(), rows.get(), out.data(), out.size(), nullptr) ==
                  CUPEL_STATUS_CALLBACK_FAILED);
            std::fill(out.begin(), out.end(), 0.5);
        });
        CHECK(coping.score(batch) == scores{0.5, 0.5});
        const auto fails = scorer::custom([](batch_view, span<double>) { return cupel::status::busy; });
        const auto failed = scorer::composite({{coping, 1}, {fails, 1}}).try_score(batch);
        REQUIRE_FALSE(failed);
        CHECK_FALSE(failed.error().cause());
    }

    TEST_CASE("throws on its own thread only") {
        const auto batch = tests::batch_at({1, 2});
        const auto throwing = scorer::custom([](batch_view, span<double>) { throw std::this_thread::get_id(); });
        std::vector<std::thread> threads;
        std::vector<int> own(4);
        for (auto& count : own) {
            threads.emplace_back([&] {
                for (int round = 0; round < 50; ++round) {
                    try {
                        throwing.score(batch);
                    } catch (std::thread::id thrower) {
                        count += thrower == std::this_thread::get_id();
                    }
                }
            });
        }
        for (auto& thread : threads) {
            thread.join();
        }
        CHECK(own == std::vector<int>{50, 50, 50, 50});
    }

    TEST_CASE("cannot change the batch that is being scored") {
        auto batch = tests::batch_at({1, 2});
        const auto meddling = scorer::custom([&batch](batch_view, span<double>) { batch.clear(); });
        try {
            meddling.score(batch);
            FAIL_CHECK("nothing was thrown");
        } catch (const cupel::error& error) {
            CHECK(error.status() == cupel::status::busy);
        }
        CHECK(batch.size() == 2);
        batch.clear();
        CHECK(batch.empty());
    }

    /// Counts how many of it there are.
    struct counted {
        explicit counted(int& alive) : alive_(&alive) { ++*alive_; }
        counted(const counted& other) : alive_(other.alive_) { ++*alive_; }
        ~counted() { --*alive_; }
        counted& operator=(const counted&) = delete;
        void operator()(batch_view, span<double>) const {}
        cupel::time_point operator()() const { return at(0); }

    private:
        int* alive_;
    };

    TEST_CASE("is destroyed once, with the last scorer that it is part of") {
        int alive = 0;
        {
            std::optional<scorer> custom = scorer::custom(counted(alive));
            std::optional<scorer> decay = scorer::decay_window(clock::custom(counted(alive)), 1h);
            CHECK(alive == 2);
            const auto tree = scorer::composite({{*custom, 1}, {*decay, 1}});
            custom.reset();
            decay.reset();
            CHECK(alive == 2);
        }
        CHECK(alive == 0);
    }

    TEST_CASE("must not be NULL") {
        void (*nothing)(batch_view, span<double>) = nullptr;
        CHECK_FAILS(null_argument, scorer::, custom, nothing);
        cupel::time_point (*never)() = nullptr;
        CHECK_FAILS(null_argument, clock::, custom, never);
        const auto empty = scorer::custom(std::function<void(batch_view, span<double>)>());
        CHECK_THROWS_AS(empty.score(tests::batch_at({1})), std::bad_function_call);
    }
}
