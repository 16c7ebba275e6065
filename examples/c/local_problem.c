/* A problem from your own arrays, in C: two contacts in space as 3×3 blocks (BSR), solved, certified and asked for its numbers.
 * cc -std=c99 local_problem.c $(pkg-config --cflags --libs cornet) */
#include <cornet/cornet_c.h>
#include <stdio.h>

/* Every call may fail: print why and stop. */
static int failed(int code) {
  if (code != CORNET_OK) fprintf(stderr, "error %d: %s\n", code, cornet_last_error());
  return code != CORNET_OK;
}

static int progress(int64_t iteration, double time, double residual, void* user) {
  (void)time;
  (void)residual;
  *(int64_t*)user = iteration;
  return 0; /* anything else stops the solve */
}

int main(void) {
  /* W = [A B; Bᵀ A], normal component first; q = W·0 + free velocities: both contacts approach, the first one slides */
  const int32_t starts[] = {0, 2, 4}, columns[] = {0, 1, 0, 1};
  const double blocks[] = {2,   0, 0, 0, 2,   0, 0, 0, 2,   /* A */ 0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5, /* B */
                           0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5, 2,           0, 0, 0, 2,   0, 0, 0, 2};
  const double q[] = {-1, 3, 0, -1, 0, 0.1}, mu[] = {0.5, 0.5};
  cornet_problem* problem = NULL;
  cornet_options* options = NULL;
  cornet_result *result = NULL, *proof = NULL;
  const double *r = NULL, *u = NULL;
  const int32_t* status = NULL;
  const char* message = NULL;
  int64_t m = 0, contacts = 0, iterations = 0;
  double error = 1;
  int k, code = 1;

  if (failed(cornet_local_new(3, 2, &problem)) || failed(cornet_problem_set_bsr(problem, "W", 6, 6, 3, 4, starts, columns, blocks)) ||
      failed(cornet_problem_set_vector(problem, "q", 6, q)) || failed(cornet_problem_set_vector(problem, "mu", 2, mu)))
    goto end;
  if (failed(cornet_options_new(&options)) || failed(cornet_options_set(options, "solver", "nsgs-ac")) ||
      failed(cornet_options_set_real(options, "tol", 1e-10)) || failed(cornet_options_set_callback(options, progress, &iterations)))
    goto end;
  if (failed(cornet_solve(problem, options, NULL, &result)) || failed(cornet_result_text(result, "message", &message)) ||
      failed(cornet_result_vector(result, "r", &r, &m)) || failed(cornet_result_vector(result, "u", &u, &m)) ||
      failed(cornet_result_integers(result, "contact_status", &status, &contacts)))
    goto end;
  printf("cornet %s: %s, %d iterations\n", cornet_version(), message, (int)iterations);
  for (k = 0; k < contacts; ++k)
    printf("contact %d: status %d, r = (%.4f, %.4f, %.4f), u = (%.4f, %.4f, %.4f)\n", k, (int)status[k], r[3 * k], r[3 * k + 1],
           r[3 * k + 2], u[3 * k], u[3 * k + 1], u[3 * k + 2]);

  if (failed(cornet_certify(problem, r, m, &proof)) || failed(cornet_result_real(proof, "error", &error))) goto end;
  printf("certified error %.1e\n", error);
  code = cornet_result_status(result) == CORNET_SOLVED && error <= 1e-10 ? 0 : 1;

end:
  cornet_result_free(proof);
  cornet_result_free(result);
  cornet_options_free(options);
  cornet_problem_free(problem);
  return code;
}
