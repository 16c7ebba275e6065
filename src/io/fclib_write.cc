// Writes an FCLIB file as libfclib 3.1 does: 32-bit integers, scalars as arrays of one element, contiguous arrays without compression,
// texts as scalar strings.
#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "cornet/error.h"
#include "io/fclib.h"
#include "io/hdf5_sink.h"

namespace cornet::io {
namespace {

class Writer {
 public:
  Writer(const Hdf5File& file, const FclibContent& content) : file_(file), content_(content) {
    if (content.text_layouts) layouts_ = content.text_layouts;
  }

  void write() const {
    if (content_.local) local(*content_.local);
    if (content_.global) global(*content_.global);
    if (content_.guesses && !content_.guesses->empty()) guesses(*content_.guesses);
    if (content_.solution) iterate("/solution", *content_.solution);
    if (content_.attributes) write_attributes(file_, *content_.attributes, *layouts_);
  }

 private:
  void local(const LocalProblem& problem) const {
    const std::string group = "/fclib_local";
    file_.create_group(group);
    number(group + "/spacedim", problem.dim);
    matrix(group + "/W", problem.W);
    if (problem.V) matrix(group + "/V", *problem.V);
    if (problem.R) matrix(group + "/R", *problem.R);
    file_.create_group(group + "/vectors");
    vector(group + "/vectors/q", problem.q);
    vector(group + "/vectors/mu", problem.mu);
    if (problem.R) vector(group + "/vectors/s", problem.s);
    if (problem.info) info(group + "/info", *problem.info);
  }

  void global(const GlobalProblem& problem) const {
    const std::string group = "/fclib_global";
    file_.create_group(group);
    number(group + "/spacedim", problem.dim);
    matrix(group + "/M", problem.M);
    matrix(group + "/H", problem.H);
    if (problem.G) matrix(group + "/G", *problem.G);
    file_.create_group(group + "/vectors");
    vector(group + "/vectors/f", problem.f);
    vector(group + "/vectors/w", problem.w);
    vector(group + "/vectors/mu", problem.mu);
    if (problem.G) vector(group + "/vectors/b", problem.b);
    if (problem.info) info(group + "/info", *problem.info);
  }

  void matrix(const std::string& path, const SparseMatrix& a) const {
    file_.create_group(path);
    number(path + "/nzmax", std::max(a.capacity, a.entries()));
    number(path + "/m", a.rows);
    number(path + "/n", a.cols);
    number(path + "/nz", a.storage == Storage::triplet ? a.entries() : a.storage == Storage::csc ? -1 : -2);
    write_ints(file_, path + "/p", a.p.data(), a.p.size());
    write_ints(file_, path + "/i", a.i.data(), a.i.size());
    vector(path + "/x", a.x);
    if (!a.info) return;
    text(path + "/comment", a.info->comment);
    write_doubles(file_, path + "/conditioning", &a.info->conditioning, 1);
    write_doubles(file_, path + "/determinant", &a.info->determinant, 1);
    number(path + "/rank", a.info->rank);
  }

  void info(const std::string& path, const ProblemInfo& info) const {
    file_.create_group(path);
    text(path + "/title", info.title);
    text(path + "/description", info.description);
    text(path + "/math_info", info.math_info);
  }

  void guesses(const std::vector<Iterate>& all) const {
    file_.create_group("/guesses");
    number("/guesses/number_of_guesses", static_cast<int>(all.size()));
    for (std::size_t k = 0; k < all.size(); ++k) iterate(fmt::format("/guesses/{}", k + 1), all[k]);
  }

  void iterate(const std::string& path, const Iterate& x) const {
    file_.create_group(path);
    // Without contacts, r and u are known: they are empty.
    // check_content() has refused a file without any problem.
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): local is there when global is not
    const bool no_contact = (content_.global ? content_.global->contacts() : content_.local->contacts()) == 0;
    if (!x.r.empty() || no_contact) vector(path + "/r", x.r);
    if (!x.u.empty() || no_contact) vector(path + "/u", x.u);
    if (!x.v.empty()) vector(path + "/v", x.v);
    if (!x.lambda.empty()) vector(path + "/l", x.lambda);
  }

  void number(const std::string& path, int value) const { write_ints(file_, path, &value, 1); }
  void vector(const std::string& path, const std::vector<double>& a) const { write_doubles(file_, path, a.data(), a.size()); }

  // An empty text is written only where the file that was read had one: libfclib leaves out what is not given.
  void text(const std::string& path, const std::string& value) const {
    if (!value.empty() || layouts_->contains(path)) write_text(file_, path, value, *layouts_);
  }

  inline static const TextLayouts kNoLayouts;
  const Hdf5File& file_;
  const FclibContent& content_;
  const TextLayouts* layouts_ = &kNoLayouts;
};

}  // namespace

void write_fclib(int descriptor, const std::string& shown, const FclibContent& content) {
  const SilentErrors silent;
  const SinkDriver driver;
  Sink sink{descriptor};
  const auto check_system = [&] {
    if (sink.error != 0) throw IoError(fmt::format("{}: cannot write the file: {}", shown, std::generic_category().message(sink.error)));
  };
  try {
    Hdf5File file = Hdf5File::create(driver.access(sink), shown);
    Writer(file, content).write();
    file.close();
  } catch (const IoError&) {
    check_system();  // the reason of the system is better than that of HDF5
    throw;
  }
  check_system();
}

}  // namespace cornet::io
