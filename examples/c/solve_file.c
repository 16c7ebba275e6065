/* Reads a problem file, asks whether a solution must exist, solves it and writes it back with its answer.
 * Usage: solve_file IN.hdf5 OUT.hdf5 */
#include <cornet/cornet_c.h>
#include <stdio.h>

static int failed(int code) {
  if (code != CORNET_OK) fprintf(stderr, "%s\n", cornet_last_error());
  return code != CORNET_OK;
}

int main(int argc, char** argv) {
  cornet_problem* problem = NULL;
  cornet_result *existence = NULL, *result = NULL;
  const char *verdict = NULL, *message = NULL;
  int64_t contacts = 0;
  double error = 1;
  int code = 3;
  if (argc != 3) {
    fprintf(stderr, "usage: solve_file IN.hdf5 OUT.hdf5\n");
    return 2;
  }
  if (failed(cornet_read(argv[1], NULL, &problem)) || failed(cornet_problem_integer(problem, "contacts", &contacts))) goto end;
  if (failed(cornet_check_existence(problem, NULL, &existence)) || failed(cornet_result_text(existence, "verdict", &verdict))) goto end;
  printf("%d contacts; existence: %s\n", (int)contacts, verdict);
  if (failed(cornet_solve(problem, NULL, NULL, &result)) || failed(cornet_result_text(result, "message", &message)) ||
      failed(cornet_result_real(result, "error", &error)))
    goto end;
  printf("%s: %s\n", cornet_status_name(cornet_result_status(result)), message);
  if (failed(cornet_write(argv[2], problem, result))) goto end;
  code = cornet_result_status(result) == CORNET_SOLVED ? 0 : 1;
end:
  cornet_result_free(result);
  cornet_result_free(existence);
  cornet_problem_free(problem);
  return code;
}
