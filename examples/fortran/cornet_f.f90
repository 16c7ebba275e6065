! Fortran binding of cornet/cornet_c.h: interfaces, and small helpers for texts. Compile it with your code; link with -lcornet.
module cornet_f
  use iso_c_binding
  implicit none

  integer(c_int), parameter :: cornet_ok = 0, cornet_solved = 0, cornet_by_rows = 0, cornet_by_columns = 1

  interface
    function cornet_local_new(dim, contacts, problem) bind(c) result(code)
      import
      integer(c_int), value :: dim
      integer(c_int64_t), value :: contacts
      type(c_ptr), intent(out) :: problem
      integer(c_int) :: code
    end function
    function cornet_global_new(dim, contacts, dofs, problem) bind(c) result(code)
      import
      integer(c_int), value :: dim
      integer(c_int64_t), value :: contacts, dofs
      type(c_ptr), intent(out) :: problem
      integer(c_int) :: code
    end function
    subroutine cornet_problem_free(problem) bind(c)
      import
      type(c_ptr), value :: problem
    end subroutine
    function cornet_problem_index_base(problem, base) bind(c) result(code)
      import
      type(c_ptr), value :: problem
      integer(c_int), value :: base
      integer(c_int) :: code
    end function
    function cornet_problem_set_vector(problem, name, length, values) bind(c) result(code)
      import
      type(c_ptr), value :: problem
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: length
      real(c_double), intent(in) :: values(*)
      integer(c_int) :: code
    end function
    function cornet_problem_set_dense(problem, name, rows, cols, order, values) bind(c) result(code)
      import
      type(c_ptr), value :: problem
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: rows, cols
      integer(c_int), value :: order
      real(c_double), intent(in) :: values(*)
      integer(c_int) :: code
    end function
    function cornet_problem_set_csr(problem, name, rows, cols, entries, starts, columns, values) bind(c) result(code)
      import
      type(c_ptr), value :: problem
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: rows, cols, entries
      integer(c_int32_t), intent(in) :: starts(*), columns(*)
      real(c_double), intent(in) :: values(*)
      integer(c_int) :: code
    end function
    function cornet_problem_set_bsr(problem, name, rows, cols, block, blocks, starts, columns, values) bind(c) result(code)
      import
      type(c_ptr), value :: problem
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: rows, cols, block, blocks
      integer(c_int32_t), intent(in) :: starts(*), columns(*)
      real(c_double), intent(in) :: values(*)
      integer(c_int) :: code
    end function
    function cornet_read(path, form, problem) bind(c) result(code)
      import
      character(kind=c_char), intent(in) :: path(*), form(*)
      type(c_ptr), intent(out) :: problem
      integer(c_int) :: code
    end function
    function cornet_write(path, problem, answer) bind(c) result(code)
      import
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: problem, answer
      integer(c_int) :: code
    end function
    function cornet_options_new(options) bind(c) result(code)
      import
      type(c_ptr), intent(out) :: options
      integer(c_int) :: code
    end function
    subroutine cornet_options_free(options) bind(c)
      import
      type(c_ptr), value :: options
    end subroutine
    function cornet_options_set(options, name, text) bind(c) result(code)
      import
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*), text(*)
      integer(c_int) :: code
    end function
    function cornet_options_set_real(options, name, val) bind(c) result(code)
      import
      type(c_ptr), value :: options
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: val
      integer(c_int) :: code
    end function
    function cornet_options_set_callback(options, callback, user) bind(c) result(code)
      import
      type(c_ptr), value :: options, user
      type(c_funptr), value :: callback
      integer(c_int) :: code
    end function
    ! guess: c_null_ptr, or c_loc of an array of reactions
    function cornet_solve(problem, options, guess, answer) bind(c) result(code)
      import
      type(c_ptr), value :: problem, options, guess
      type(c_ptr), intent(out) :: answer
      integer(c_int) :: code
    end function
    function cornet_certify(problem, r, length, certificate) bind(c) result(code)
      import
      type(c_ptr), value :: problem
      real(c_double), intent(in) :: r(*)
      integer(c_int64_t), value :: length
      type(c_ptr), intent(out) :: certificate
      integer(c_int) :: code
    end function
    function cornet_check_existence(problem, options, existence) bind(c) result(code)
      import
      type(c_ptr), value :: problem, options
      type(c_ptr), intent(out) :: existence
      integer(c_int) :: code
    end function
    function cornet_result_status(answer) bind(c) result(status)
      import
      type(c_ptr), value :: answer
      integer(c_int) :: status
    end function
    function cornet_result_real(answer, name, val) bind(c) result(code)
      import
      type(c_ptr), value :: answer
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), intent(out) :: val
      integer(c_int) :: code
    end function
    function cornet_result_integer(answer, name, val) bind(c) result(code)
      import
      type(c_ptr), value :: answer
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), intent(out) :: val
      integer(c_int) :: code
    end function
    function cornet_result_text(answer, name, text) bind(c) result(code)
      import
      type(c_ptr), value :: answer
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: text
      integer(c_int) :: code
    end function
    function cornet_result_vector(answer, name, values, length) bind(c) result(code)
      import
      type(c_ptr), value :: answer
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(out) :: values
      integer(c_int64_t), intent(out) :: length
      integer(c_int) :: code
    end function
    subroutine cornet_result_free(answer) bind(c)
      import
      type(c_ptr), value :: answer
    end subroutine
    function cornet_last_error_c() bind(c, name="cornet_last_error") result(text)
      import
      type(c_ptr) :: text
    end function
  end interface

contains

  ! A text of C as a Fortran string.
  function cornet_string(text) result(string)
    type(c_ptr), intent(in) :: text
    character(len=:), allocatable :: string
    character(kind=c_char), pointer :: chars(:)
    integer :: length, k
    call c_f_pointer(text, chars, [huge(0)])
    length = 0
    do while (chars(length + 1) /= c_null_char)
      length = length + 1
    end do
    allocate (character(len=length) :: string)
    do k = 1, length
      string(k:k) = chars(k)
    end do
  end function

  ! Prints why a call failed and stops the program.
  subroutine cornet_check(code)
    integer(c_int), intent(in) :: code
    if (code == cornet_ok) return
    print '(2a)', "cornet: ", cornet_string(cornet_last_error_c())
    error stop 1
  end subroutine

  ! A vector of a result, without a copy: it lives as long as the result.
  function cornet_array(answer, name) result(values)
    type(c_ptr), intent(in) :: answer
    character(len=*), intent(in) :: name
    real(c_double), pointer :: values(:)
    type(c_ptr) :: first
    integer(c_int64_t) :: length
    call cornet_check(cornet_result_vector(answer, name // c_null_char, first, length))
    call c_f_pointer(first, values, [length])
  end function

end module
