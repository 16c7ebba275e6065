/* The C interface: the problem of problem.h in, certified answers out. User guide: docs/c.md.
 *
 *   global:  M v = H r + G λ + f,  Gᵀ v + b = 0,  u = Hᵀ v + w       M: n×n   H: n×m   G: n×p   f: n   w: m   b: p
 *   local:   u = W r + V λ + q,    Vᵀ r + R λ + s = 0                W: m×m   V: m×p   R: p×p   q: m   s: p
 *   law:     K* ∋ u + g(u) ⊥ r ∈ K                                   mu: one per contact, in [0, ∞];  m = dim · contacts
 *
 * Vectors over contacts hold the contacts one after the other, the normal component first. Matrices and vectors are named by these letters.
 *
 * Every function that can fail returns CORNET_OK or another cornet_error; cornet_last_error() then has one line: what was looked at, what
 * was found, what was expected. No call prints, aborts or throws. Numerical outcomes are no errors: see cornet_status. Arrays that go in
 * are copied; pointers that come out belong to their handle and live as long as it. Each `new`, `read` or `solve` has its `free`, and NULL
 * may be freed.
 *
 * Threads: different handles are independent; one handle may be read (solved, certified, asked) by many threads at once while none writes
 * to it. A session serves one thread. The last error is kept for each thread by itself. */
#ifndef CORNET_CORNET_C_H
#define CORNET_CORNET_C_H

#include <stdint.h>

#include "cornet/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How a call ended. */
enum cornet_error {
  CORNET_OK = 0,
  CORNET_INVALID_ARGUMENT = 1, /**< NULL where something is due, a size or an index out of range, an unknown name */
  CORNET_INVALID_PROBLEM = 2,  /**< the data contradict each other or the definition above */
  CORNET_INVALID_OPTION = 3,   /**< an unknown solver or option, or a value out of its range */
  CORNET_IO_ERROR = 4,         /**< a file cannot be read, is not what its name says, or cannot be written */
  CORNET_MISSING_FEATURE = 5,  /**< legal data that this version cannot handle */
  CORNET_OUT_OF_MEMORY = 6,
  CORNET_UNDECIDED = 7,     /**< cornet_check_existence could not decide within its limits */
  CORNET_INTERNAL_ERROR = 8 /**< a defect of the library; please report it */
};

/** How a solve ended. Only CORNET_SOLVED has a certified error within the tolerance. */
enum cornet_status {
  CORNET_SOLVED = 0,
  CORNET_INACCURATE = 1,
  CORNET_ITERATION_LIMIT = 2,
  CORNET_TIME_LIMIT = 3,
  CORNET_STALLED = 4,
  CORNET_DIVERGED = 5,
  CORNET_NUMERICAL_ERROR = 6,
  CORNET_NO_SOLUTION = 7, /**< proved: there is none */
  CORNET_UNSUPPORTED = 8,
  CORNET_INTERRUPTED = 9
};

/** The entries of the integer array "contact_status". */
enum cornet_contact_status { CORNET_TAKE_OFF = 0, CORNET_STICK = 1, CORNET_SLIDE = 2 };

/** How a dense matrix lies in memory: C arrays go by rows, Fortran arrays by columns. */
enum cornet_order { CORNET_BY_ROWS = 0, CORNET_BY_COLUMNS = 1 };

typedef struct cornet_problem cornet_problem;
typedef struct cornet_options cornet_options;
typedef struct cornet_session cornet_session;
typedef struct cornet_result cornet_result;

/** The text of the last call of this thread that failed; empty before. Valid until the next call of this thread fails. */
CORNET_API const char* cornet_last_error(void);

/** "0.1.0" */
CORNET_API const char* cornet_version(void);

/** The ids of the solvers: 0 ≤ k < cornet_solver_count(); NULL elsewhere. */
CORNET_API int cornet_solver_count(void);
CORNET_API const char* cornet_solver_id(int k);

/* Problems. */

/** A problem whose matrices and vectors are to be set. dim: 2 or 3. Bilateral constraints (V, R, s or G, b) may stay unset. */
CORNET_API int cornet_local_new(int dim, int64_t contacts, cornet_problem** problem);
CORNET_API int cornet_global_new(int dim, int64_t contacts, int64_t dofs, cornet_problem** problem);
CORNET_API void cornet_problem_free(cornet_problem* problem);

/** Where the indices of matrices that are set from now on start: 0 (default) or 1. Row starts too: 1 is what Fortran codes store. */
CORNET_API int cornet_problem_index_base(cornet_problem* problem, int base);

/** A vector by its letter: q mu s (local), f w mu b (global). */
CORNET_API int cornet_problem_set_vector(cornet_problem* problem, const char* name, int64_t length, const double* values);

/** A matrix by its letter: W V R (local), M H G (global). Zeros of a dense matrix are not stored. */
CORNET_API int cornet_problem_set_dense(cornet_problem* problem, const char* name, int64_t rows, int64_t cols, int order,
                                        const double* values);

/** Compressed rows: starts has rows + 1 entries and never falls; columns and values have `entries`. Duplicates add. */
CORNET_API int cornet_problem_set_csr(cornet_problem* problem, const char* name, int64_t rows, int64_t cols, int64_t entries,
                                      const int32_t* starts, const int32_t* columns, const double* values);
CORNET_API int cornet_problem_set_csr64(cornet_problem* problem, const char* name, int64_t rows, int64_t cols, int64_t entries,
                                        const int64_t* starts, const int64_t* columns, const double* values);

/** Compressed columns: starts has cols + 1 entries. */
CORNET_API int cornet_problem_set_csc(cornet_problem* problem, const char* name, int64_t rows, int64_t cols, int64_t entries,
                                      const int32_t* starts, const int32_t* row_indices, const double* values);
CORNET_API int cornet_problem_set_csc64(cornet_problem* problem, const char* name, int64_t rows, int64_t cols, int64_t entries,
                                        const int64_t* starts, const int64_t* row_indices, const double* values);

/** Triplets: row, column and value of each entry. Duplicates add. */
CORNET_API int cornet_problem_set_coo(cornet_problem* problem, const char* name, int64_t rows, int64_t cols, int64_t entries,
                                      const int32_t* row_indices, const int32_t* columns, const double* values);
CORNET_API int cornet_problem_set_coo64(cornet_problem* problem, const char* name, int64_t rows, int64_t cols, int64_t entries,
                                        const int64_t* row_indices, const int64_t* columns, const double* values);

/** Compressed rows of block×block blocks: rows and cols count numbers, not blocks; starts has rows / block + 1 entries, columns has
 *  `blocks` block columns, values has blocks · block² numbers, each block by rows. */
CORNET_API int cornet_problem_set_bsr(cornet_problem* problem, const char* name, int64_t rows, int64_t cols, int64_t block, int64_t blocks,
                                      const int32_t* starts, const int32_t* columns, const double* values);
CORNET_API int cornet_problem_set_bsr64(cornet_problem* problem, const char* name, int64_t rows, int64_t cols, int64_t block,
                                        int64_t blocks, const int64_t* starts, const int64_t* columns, const double* values);

/** Checks that everything is set and fits together, as every use of the problem does. Definiteness is not checked. */
CORNET_API int cornet_problem_validate(const cornet_problem* problem);

/** "dim" "contacts" "size" (m) "dofs" (n, 0 in local form) "constraints" (p) "global" (0 or 1) "entries_W" … of a matrix that is set */
CORNET_API int cornet_problem_integer(const cornet_problem* problem, const char* name, int64_t* value);
CORNET_API int cornet_problem_vector(const cornet_problem* problem, const char* name, const double** values, int64_t* length);

/** Copies a matrix into compressed rows with base 0, duplicates added, columns ascending: starts has room for rows + 1, columns and values
 *  for `room` entries. `entries` gets their number; with room = 0, starts, columns and values may be NULL: this asks for the number alone. */
CORNET_API int cornet_problem_get_csr(const cornet_problem* problem, const char* name, int64_t room, int64_t* entries, int32_t* starts,
                                      int32_t* columns, double* values);

/** The local problem W = Hᵀ A H, q of a global one (or of a local one with constraints), without constraints. */
CORNET_API int cornet_problem_reduce(const cornet_problem* problem, cornet_problem** local);

/* Files (FCLIB; Siconos text for reading). */

/** form: "any" or NULL (global when the file has both), "local", "global". */
CORNET_API int cornet_read(const char* path, const char* form, cornet_problem** problem);

/** The stored solution: vectors "r" "u" "v" "lambda" as far as they are there. CORNET_IO_ERROR when none is stored. */
CORNET_API int cornet_read_solution(const char* path, cornet_result** solution);

/** Writes the problem, and the r, u, v, lambda of `answer` unless it is NULL, under a temporary name that is then renamed. */
CORNET_API int cornet_write(const char* path, const cornet_problem* problem, const cornet_result* answer);

/* Solving. */

CORNET_API int cornet_options_new(cornet_options** options);
CORNET_API void cornet_options_free(cornet_options* options);

/** "solver" (an id), "tol", "time_limit" (s), "memory_limit" (bytes beyond the problem, 0: none; a solve that is estimated to need more is
 *  CORNET_OUT_OF_MEMORY before it starts), "max_iterations" (0: the solver's own), "existence" (never, on_failure, always), "quality" and
 *  "history" (true, false); any other name is an option of the solver, checked when it is used. */
CORNET_API int cornet_options_set(cornet_options* options, const char* name, const char* text);
CORNET_API int cornet_options_set_real(cornet_options* options, const char* name, double value);

/** Called once per iteration, in the thread of the solve; a result other than 0 stops the solve with CORNET_INTERRUPTED. */
typedef int (*cornet_callback)(int64_t iteration, double time, double residual, void* user);
CORNET_API int cornet_options_set_callback(cornet_options* options, cornet_callback callback, void* user);

/** stop = 1: every solve with these options ends soon, and so do later ones, until stop = 0. From any thread or signal handler. */
CORNET_API int cornet_options_interrupt(cornet_options* options, int stop);

/** Solves and certifies. options: NULL for the defaults. guess: NULL, or m reactions to start from. */
CORNET_API int cornet_solve(const cornet_problem* problem, const cornet_options* options, const double* guess, cornet_result** result);

/** The same for a sequence of problems: the solver keeps its workspace. The options are copied; callback and interruption stay linked. */
CORNET_API int cornet_session_new(const cornet_options* options, cornet_session** session);
CORNET_API int cornet_session_solve(cornet_session* session, const cornet_problem* problem, const double* guess, cornet_result** result);
CORNET_API void cornet_session_free(cornet_session* session);

/** The error of m reactions r, recomputed by code that no solver uses. */
CORNET_API int cornet_certify(const cornet_problem* problem, const double* r, int64_t length, cornet_result** certificate);

/** Must a solution exist? options: "time_limit" and the interruption are used; NULL for the defaults. */
CORNET_API int cornet_check_existence(const cornet_problem* problem, const cornet_options* options, cornet_result** existence);

/* Results: values by name, as in the JSON of the program (docs/json.md; the table is in docs/c.md). */

/** A cornet_status; −1 for NULL and for results that are not of a solve. */
CORNET_API int cornet_result_status(const cornet_result* result);
CORNET_API const char* cornet_status_name(int status);

CORNET_API int cornet_result_real(const cornet_result* result, const char* name, double* value);
CORNET_API int cornet_result_integer(const cornet_result* result, const char* name, int64_t* value);
CORNET_API int cornet_result_text(const cornet_result* result, const char* name, const char** text);
CORNET_API int cornet_result_vector(const cornet_result* result, const char* name, const double** values, int64_t* length);
CORNET_API int cornet_result_integers(const cornet_result* result, const char* name, const int32_t** values, int64_t* length);

/** The names that this result has, k = 0, 1, … in alphabetical order; NULL after the last. */
CORNET_API const char* cornet_result_name(const cornet_result* result, int k);
CORNET_API void cornet_result_free(cornet_result* result);

#ifdef __cplusplus
}
#endif

#endif
