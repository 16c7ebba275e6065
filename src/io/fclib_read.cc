// Reads an FCLIB file. Structure that is missing or of the wrong shape is an IoError; numbers that contradict each other are an
// InvalidProblem (fclib.cc). What the format does not name is reported as a warning, since a round trip would lose it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

#include "cornet/error.h"
#include "io/fclib.h"
#include "io/isolated.h"
#include "io/problem_bytes.h"

namespace cornet::io {
namespace {

const std::string kLocal = "/fclib_local";
const std::string kGlobal = "/fclib_global";
const std::string kGuesses = "/guesses";
const std::string kSolution = "/solution";

class Reader {
 public:
  explicit Reader(const std::string& path) : file_(Hdf5File::open(path)), stem_(std::filesystem::path(path).stem().string()) {}

  ProblemFile read() {
    refuse_rolling();
    const bool has_local = file_.has_group(kLocal);
    const bool has_global = file_.has_group(kGlobal);
    if (!has_local && !has_global) file_.fail("/", "neither fclib_local nor fclib_global", "an FCLIB problem");
    if (has_local) out_.local = local();
    if (has_global) out_.global = global();
    if (file_.has_group(kGuesses)) guesses();
    if (file_.has_group(kSolution)) out_.solution = iterate(kSolution);
    finish("/", {"fclib_local", "fclib_global", "guesses", "solution"});
    return std::move(out_);
  }

 private:
  void refuse_rolling() const {
    for (const Link& link : file_.links("/"))
      if (link.name.starts_with("fclib_") && link.name.find("rolling") != std::string::npos)
        throw MissingFeature(place_message(file_.name(), "/" + link.name,
                                           "a problem with rolling friction, which this version cannot handle",
                                           "fclib_local or fclib_global"));
  }

  LocalProblem local() {
    LocalProblem problem;
    problem.name = stem_;
    problem.dim = number(kLocal + "/spacedim");
    problem.W = matrix(kLocal + "/W");
    if (file_.has_group(kLocal + "/V")) problem.V = matrix(kLocal + "/V");
    if (file_.has_group(kLocal + "/R")) problem.R = matrix(kLocal + "/R");
    require_group(kLocal + "/vectors");
    problem.q = vector(kLocal + "/vectors/q");
    problem.mu = vector(kLocal + "/vectors/mu");
    problem.s = optional_vector(kLocal + "/vectors/s");
    finish(kLocal + "/vectors", {"q", "mu", "s"});
    problem.info = info(kLocal + "/info");
    finish(kLocal, {"spacedim", "W", "V", "R", "vectors", "info"});
    return problem;
  }

  GlobalProblem global() {
    GlobalProblem problem;
    problem.name = stem_;
    problem.dim = number(kGlobal + "/spacedim");
    problem.M = matrix(kGlobal + "/M");
    problem.H = matrix(kGlobal + "/H");
    if (file_.has_group(kGlobal + "/G")) problem.G = matrix(kGlobal + "/G");
    require_group(kGlobal + "/vectors");
    problem.f = vector(kGlobal + "/vectors/f");
    problem.w = vector(kGlobal + "/vectors/w");
    problem.mu = vector(kGlobal + "/vectors/mu");
    problem.b = optional_vector(kGlobal + "/vectors/b");
    finish(kGlobal + "/vectors", {"f", "w", "mu", "b"});
    problem.info = info(kGlobal + "/info");
    finish(kGlobal, {"spacedim", "M", "H", "G", "vectors", "info"});
    return problem;
  }

  SparseMatrix matrix(const std::string& path) {
    require_group(path);
    SparseMatrix a;
    a.rows = size(path + "/m");
    a.cols = size(path + "/n");
    a.capacity = size(path + "/nzmax");
    const int nz = number(path + "/nz");
    if (nz < -2) file_.fail(path + "/nz", fmt::format("{}", nz), "≥ 0 (triplet), -1 (compressed columns) or -2 (compressed rows)");
    a.storage = nz >= 0 ? Storage::triplet : nz == -1 ? Storage::csc : Storage::csr;

    // nz tells the number of entries of a triplet, the last pointer that of a compressed matrix.
    int entries = nz;
    if (a.storage == Storage::triplet) {
      a.p = first_ints(path + "/p", entries, a.capacity);
    } else {
      a.p = pointers(path + "/p", a.storage == Storage::csc ? a.cols : a.rows);
      entries = a.p.back();
      if (entries < 0) file_.fail(fmt::format("{}/p[{}]", path, a.p.size() - 1), fmt::format("{}", entries), "≥ 0");
    }
    if (a.capacity < entries) file_.fail(path + "/nzmax", fmt::format("{}", a.capacity), fmt::format("at least the {} entries", entries));
    a.i = first_ints(path + "/i", entries, a.capacity);
    a.x = entries_of(NumberArray(file_, path + "/x"), path + "/x", entries, a.capacity).doubles(static_cast<std::size_t>(entries));
    a.info = matrix_info(path);
    finish(path, {"m", "n", "nz", "nzmax", "p", "i", "x", "comment", "conditioning", "determinant", "rank"});
    return a;
  }

  // Arrays of entries may be as long as nzmax; what lies beyond the entries has no meaning.
  NumberArray entries_of(NumberArray array, const std::string& path, int entries, int capacity) {
    const auto count = static_cast<std::size_t>(entries);
    if (array.size() < count || array.size() > std::max(count, static_cast<std::size_t>(capacity)))
      file_.fail(path, fmt::format("{} numbers", array.size()), fmt::format("{}, one per entry", entries));
    if (array.size() > count)
      out_.warnings.push_back(
          fmt::format("{}: {}: {} numbers beyond the {} entries are not kept", file_.name(), path, array.size() - count, entries));
    return array;
  }

  std::vector<int> first_ints(const std::string& path, int entries, int capacity) {
    return entries_of(NumberArray(file_, path), path, entries, capacity).ints(static_cast<std::size_t>(entries));
  }

  std::vector<int> pointers(const std::string& path, int count) const {
    const NumberArray array(file_, path);
    const std::size_t expected = static_cast<std::size_t>(count) + 1;
    if (array.size() != expected) file_.fail(path, fmt::format("{} pointers", array.size()), fmt::format("{}", expected));
    return array.ints(expected);
  }

  // libfclib writes these beside the entries, not in a group of their own. The comment may be absent.
  std::optional<SparseMatrix::Info> matrix_info(const std::string& path) {
    SparseMatrix::Info info;
    bool any = false;
    const auto present = [&](const char* name) {
      const bool found = file_.has_dataset(path + "/" + name);
      any = any || found;
      return found;
    };
    if (present("comment")) info.comment = read_text(file_, path + "/comment", out_.text_layouts);
    if (present("conditioning")) info.conditioning = NumberArray(file_, path + "/conditioning").single_double();
    if (present("determinant")) info.determinant = NumberArray(file_, path + "/determinant").single_double();
    if (present("rank")) info.rank = number(path + "/rank");
    return any ? std::optional(info) : std::nullopt;
  }

  std::optional<ProblemInfo> info(const std::string& path) {
    if (!file_.has_group(path)) return std::nullopt;
    const auto text = [&](const char* name) {
      const std::string place = path + "/" + name;
      return file_.has_dataset(place) ? read_text(file_, place, out_.text_layouts) : std::string();
    };
    ProblemInfo info{text("title"), text("description"), text("math_info")};
    finish(path, {"title", "description", "math_info"});
    return info;
  }

  void guesses() {
    const std::string counter = kGuesses + "/number_of_guesses";
    const int count = size(counter);
    std::set<std::string> known = {"number_of_guesses"};
    for (int k = 1; k <= count; ++k) {
      const std::string path = fmt::format("{}/{}", kGuesses, k);
      if (!file_.has_group(path)) file_.fail(path, "nothing", fmt::format("a group ({} is {})", counter, count));
      out_.guesses.push_back(iterate(path));
      known.insert(std::to_string(k));
    }
    const std::string next = std::to_string(count + 1L);
    if (file_.has_group(kGuesses + "/" + next)) file_.fail(counter, fmt::format("{}", count), fmt::format("at least {}", next));
    finish(kGuesses, known);
  }

  Iterate iterate(const std::string& path) {
    Iterate x;
    x.r = optional_vector(path + "/r");
    x.u = optional_vector(path + "/u");
    x.v = optional_vector(path + "/v");
    x.lambda = optional_vector(path + "/l");
    finish(path, {"r", "u", "v", "l"});
    return x;
  }

  // Keeps the attributes of a group and of its datasets, and reports what this format does not know.
  void finish(const std::string& group, const std::set<std::string>& known) {
    const std::string prefix = group == "/" ? group : group + "/";
    read_attributes(file_, file_.open_object(group).id(), group, out_);
    for (const Link& link : file_.links(group)) {
      const std::string path = prefix + link.name;
      if (!known.contains(link.name)) {
        out_.warnings.push_back(fmt::format("{}: {}: not part of the FCLIB format, not kept", file_.name(), path));
      } else if (file_.kind(path) == ObjectKind::dataset) {
        read_attributes(file_, file_.open_object(path).id(), path, out_);
      }
    }
  }

  void require_group(const std::string& path) const {
    if (!file_.has_group(path)) file_.fail(path, "nothing", "a group");
  }

  int number(const std::string& path) const { return NumberArray(file_, path).single_int(); }

  int size(const std::string& path) const {
    const int value = number(path);
    if (value < 0) file_.fail(path, fmt::format("{}", value), "≥ 0");
    return value;
  }

  std::vector<double> vector(const std::string& path) const {
    const NumberArray array(file_, path);
    return array.doubles(array.size());
  }

  std::vector<double> optional_vector(const std::string& path) const {
    return file_.has_dataset(path) ? vector(path) : std::vector<double>();
  }

  Hdf5File file_;
  std::string stem_;
  ProblemFile out_;
};

}  // namespace

ProblemFile read_fclib_here(const std::string& path) {
  const SilentErrors silent;
  ProblemFile file = Reader(path).read();
  check_content(path, content_of(file));
  return file;
}

ProblemFile read_fclib(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  const std::string bytes = run_isolated(path, error ? 0 : size, [&] {
    const SilentErrors silent;
    return to_bytes(Reader(path).read());
  });
  ProblemFile file;
  try {
    file = from_bytes(bytes);
  } catch (const IoError& broken) {
    throw IoError(fmt::format("{}: {}", path, broken.what()));
  }
  check_content(path, content_of(file));
  return file;
}

}  // namespace cornet::io
