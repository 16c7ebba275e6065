! Two contacts in space from Fortran arrays: W in compressed rows with indices from 1, solved, certified and printed.
! gfortran cornet_f.f90 local_problem.f90 $(pkg-config --libs cornet)
program local_problem
  use iso_c_binding
  use cornet_f
  implicit none

  ! Each contact by itself has 2 on the diagonal; equal components of the two are coupled by 0.5. Normal component first.
  integer(c_int32_t) :: starts(7), columns(12)
  real(c_double) :: w(12)
  real(c_double) :: q(6) = [-1d0, 3d0, 0d0, -1d0, 0d0, 0.1d0], mu(2) = [0.5d0, 0.5d0]
  real(c_double), pointer :: r(:), u(:)
  real(c_double) :: error
  integer(c_int64_t) :: iterations
  integer(c_int), target :: calls = 0
  type(c_ptr) :: problem, options, answer, proof, text
  integer :: k

  do k = 1, 6
    starts(k) = 2 * k - 1
    columns(2 * k - 1) = min(k, mod(k + 2, 6) + 1)
    columns(2 * k) = max(k, mod(k + 2, 6) + 1)
    w(2 * k - 1) = merge(2d0, 0.5d0, columns(2 * k - 1) == k)
    w(2 * k) = merge(2d0, 0.5d0, columns(2 * k) == k)
  end do
  starts(7) = 13

  call cornet_check(cornet_local_new(3_c_int, 2_c_int64_t, problem))
  call cornet_check(cornet_problem_index_base(problem, 1_c_int))
  call cornet_check(cornet_problem_set_csr(problem, "W" // c_null_char, 6_c_int64_t, 6_c_int64_t, 12_c_int64_t, starts, columns, w))
  call cornet_check(cornet_problem_set_vector(problem, "q" // c_null_char, 6_c_int64_t, q))
  call cornet_check(cornet_problem_set_vector(problem, "mu" // c_null_char, 2_c_int64_t, mu))

  call cornet_check(cornet_options_new(options))
  call cornet_check(cornet_options_set(options, "solver" // c_null_char, "nsgs-ac" // c_null_char))
  call cornet_check(cornet_options_set_real(options, "tol" // c_null_char, 1d-10))
  call cornet_check(cornet_options_set_callback(options, c_funloc(progress), c_loc(calls)))

  call cornet_check(cornet_solve(problem, options, c_null_ptr, answer))
  call cornet_check(cornet_result_text(answer, "message" // c_null_char, text))
  call cornet_check(cornet_result_integer(answer, "iterations" // c_null_char, iterations))
  print '(a)', cornet_string(text)
  print '(i0, a, i0, a)', iterations, " iterations, ", calls, " calls of the callback"
  r => cornet_array(answer, "r")
  u => cornet_array(answer, "u")
  do k = 1, 2
    print '(a, i0, 2(a, 3f9.4))', "contact ", k, ": r =", r(3*k-2:3*k), "  u =", u(3*k-2:3*k)
  end do

  call cornet_check(cornet_certify(problem, r, size(r, kind=c_int64_t), proof))
  call cornet_check(cornet_result_real(proof, "error" // c_null_char, error))
  print '(a, es8.1)', "certified error ", error
  if (cornet_result_status(answer) /= cornet_solved .or. error > 1d-10) error stop 2

  call cornet_result_free(proof)
  call cornet_result_free(answer)
  call cornet_options_free(options)
  call cornet_problem_free(problem)

contains

  function progress(iteration, time, residual, user) bind(c) result(stop_now)
    integer(c_int64_t), value :: iteration
    real(c_double), value :: time, residual
    type(c_ptr), value :: user
    integer(c_int) :: stop_now
    integer(c_int), pointer :: count
    call c_f_pointer(user, count)
    if (iteration > 0 .and. time >= 0 .and. residual >= 0) count = count + 1
    stop_now = 0  ! anything else stops the solve
  end function

end program
