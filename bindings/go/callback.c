#include "shim.h"

#include "_cgo_export.h"

/* The user data of a callback identifies its Go function, but not the scoring
   call, and many goroutines may score with one scorer. A callback runs on the
   thread of its call, so the call's handle is kept in a thread-local variable.
   A call made within a callback saves and restores the outer handle. */
static _Thread_local uintptr_t current_call;

static cupel_status on_score(void *user_data, const cupel_batch *batch, double *out_scores, size_t out_scores_len, cupel_error **out_error) {
  (void)batch;
  return cupelGoScore(current_call, (uintptr_t)user_data, out_scores, out_scores_len, out_error);
}

static cupel_status on_now(void *user_data, int64_t *out_unix_nanoseconds, cupel_error **out_error) {
  return cupelGoNow(current_call, (uintptr_t)user_data, out_unix_nanoseconds, out_error);
}

static void on_destroy(void *user_data) { cupelGoDestroy((uintptr_t)user_data); }

cupel_status cupel_go_scorer_custom_new(uintptr_t function, cupel_scorer **out_scorer, cupel_error **out_error) {
  return cupel_scorer_custom_fallible_new(on_score, (void *)function, on_destroy, out_scorer, out_error);
}

cupel_status cupel_go_clock_custom_new(uintptr_t function, cupel_clock **out_clock, cupel_error **out_error) {
  return cupel_clock_custom_fallible_new(on_now, (void *)function, on_destroy, out_clock, out_error);
}

cupel_status cupel_go_scorer_score_batch(uintptr_t call, const cupel_scorer *scorer, const cupel_batch *batch, double *out_scores, size_t out_scores_len, cupel_error **out_error) {
  const uintptr_t outer = current_call;
  current_call = call;
  const cupel_status status = cupel_scorer_score_batch(scorer, batch, out_scores, out_scores_len, out_error);
  current_call = outer;
  return status;
}

cupel_status cupel_go_scorer_score_row(uintptr_t call, const cupel_scorer *scorer, const cupel_batch *batch, size_t row, double *out_score, cupel_error **out_error) {
  const uintptr_t outer = current_call;
  current_call = call;
  const cupel_status status = cupel_scorer_score_row(scorer, batch, row, out_score, out_error);
  current_call = outer;
  return status;
}

cupel_status cupel_go_scorer_score_groups(uintptr_t call, const cupel_scorer *scorer, const cupel_batch *batch, const int64_t *groups, size_t groups_len, double *out_scores, size_t out_scores_len, cupel_error **out_error) {
  const uintptr_t outer = current_call;
  current_call = call;
  const cupel_status status = cupel_scorer_score_groups(scorer, batch, groups, groups_len, out_scores, out_scores_len, out_error);
  current_call = outer;
  return status;
}

cupel_status cupel_go_scorer_score_arrow(uintptr_t call, const cupel_scorer *scorer, const struct ArrowSchema *schema, const struct ArrowArray *array, uint64_t flags, const char *group, size_t group_len, double *out_scores, size_t out_scores_len, cupel_error **out_error) {
  const cupel_arrow_options options = cupel_go_arrow_options(flags, group, group_len);
  const uintptr_t outer = current_call;
  current_call = call;
  const cupel_status status = cupel_scorer_score_arrow(scorer, schema, array, &options, out_scores, out_scores_len, out_error);
  current_call = outer;
  return status;
}

cupel_status cupel_go_selector_select(uintptr_t call, const cupel_selector *selector, const cupel_batch *batch, const cupel_request *request, cupel_selection *selection, cupel_error **out_error) {
  const uintptr_t outer = current_call;
  current_call = call;
  const cupel_status status = cupel_selector_select(selector, batch, request, selection, out_error);
  current_call = outer;
  return status;
}

cupel_status cupel_go_selector_select_groups(uintptr_t call, const cupel_selector *selector, const cupel_batch *batch, const int64_t *groups, size_t groups_len, const cupel_request *request, cupel_selection *selection, cupel_error **out_error) {
  const uintptr_t outer = current_call;
  current_call = call;
  const cupel_status status = cupel_selector_select_groups(selector, batch, groups, groups_len, request, selection, out_error);
  current_call = outer;
  return status;
}
