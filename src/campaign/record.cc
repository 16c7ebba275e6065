// Records as lines of JSON.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <unordered_set>

#include "campaign/json_scan.h"
#include "campaign/record_file.h"
#include "cornet/campaign.h"
#include "cornet/error.h"

namespace cornet::campaign {
namespace {

using Json = nlohmann::ordered_json;

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// μ may be infinite, which JSON does not know; the text keeps it.
Json friction(double mu) { return std::isinf(mu) ? Json("inf") : finite(mu); }

void read_provenance(JsonScan& in, RecordProvenance& p, Detail detail) {
  in.object([&](std::string_view key) {
    if (key == "version") p.version = in.string();
    else if (key == "compiler") p.compiler = in.string();
    else if (key == "binary") p.binary = in.string();
    else if (key == "cpu") p.cpu = in.string();
    else if (key == "date") p.date = in.string();
    else if (key == "peer") p.peer = in.string();
    else if (key == "threads") p.threads = in.small_integer();
    else if (key == "time_limit") p.time_limit = in.number();
    else if (key == "memory_limit") p.memory_limit = in.number();
    else if (key == "max_iterations") p.max_iterations = in.integer();
    else if (key == "repeats") p.repeats = in.small_integer();
    else if (key == "pinned") p.pinned = in.boolean();
    else if (key == "options" && detail == Detail::everything)
      in.object([&](std::string_view name) { p.options[std::string(name)] = in.string(); });
    else in.skip();
  });
}

void read_contacts(JsonScan& in, Record& r) {
  in.object([&](std::string_view key) {
    if (key == "take_off") r.take_off = in.small_integer();
    else if (key == "stick") r.stick = in.small_integer();
    else if (key == "slide") r.slide = in.small_integer();
    else in.skip();
  });
}

void read_analysis(JsonScan& in, Record& r) {
  in.object([&](std::string_view key) {
    if (key == "rank_ratio") r.rank_ratio = in.number();
    else if (key == "density") r.density = in.number();
    else if (key == "condition") r.condition = in.number();
    else if (key == "asymmetry") r.asymmetry = in.number();
    else if (key == "blocks_per_row") r.blocks_per_row = in.number();
    else in.skip();
  });
}

double read_friction(JsonScan& in) {
  JsonScan ahead = in;
  try {
    return in.number();
  } catch (const IoError&) {
    in = ahead;
    if (in.string() != "inf") throw;
    return std::numeric_limits<double>::infinity();
  }
}

}  // namespace

std::string to_line(const Record& r) {
  Json out;
  out["record"] = Record::kFormat;
  out["key"] = r.key;
  out["problem"] = r.problem;
  out["file"] = r.file;
  out["problem_hash"] = r.problem_hash;
  out["set"] = r.set;
  out["form"] = r.form;
  out["dimension"] = r.dimension;
  out["number_of_contacts"] = r.number_of_contacts;
  out["dofs"] = r.dofs >= 0 ? Json(r.dofs) : Json(nullptr);
  out["solver"] = r.solver;
  out["label"] = r.label;
  out["family"] = r.family;
  out["tolerance"] = r.tolerance;
  out["status"] = r.status;
  out["claimed"] = r.claimed;
  out["termination"] = r.termination;
  if (!r.message.empty()) out["message"] = r.message;
  out["error"] = finite(r.error);
  out["time"] = finite(r.time);
  out["reduce_time"] = finite(r.reduce_time);
  out["wall"] = finite(r.wall);
  out["overhead"] = finite(r.overhead);
  out["iterations"] = r.iterations >= 0 ? Json(r.iterations) : Json(nullptr);
  out["products"] = finite(r.products);
  out["contacts"] = Json{{"take_off", r.take_off}, {"stick", r.stick}, {"slide", r.slide}};
  out["mu"] = Json{{"min", friction(r.mu_min)}, {"max", friction(r.mu_max)}};
  out["analysis"] = Json{{"rank_ratio", finite(r.rank_ratio)},
                         {"density", finite(r.density)},
                         {"condition", finite(r.condition)},
                         {"asymmetry", finite(r.asymmetry)},
                         {"blocks_per_row", finite(r.blocks_per_row)}};
  out["statistics"] = Json::object();
  for (const auto& [name, value] : r.statistics) out["statistics"][name] = finite(value);
  if (!r.history.empty()) {
    Json rows = Json::array();
    for (const HistoryPoint& h : r.history) rows.push_back(Json::array({h.iteration, finite(h.time), finite(h.residual)}));
    out["history"] = rows;
  }
  const RecordProvenance& p = r.provenance;
  Json options = Json::object();
  for (const auto& [name, value] : p.options) options[name] = value;
  out["provenance"] = Json{{"version", p.version},
                           {"compiler", p.compiler},
                           {"binary", p.binary},
                           {"cpu", p.cpu},
                           {"date", p.date},
                           {"peer", p.peer.empty() ? Json(nullptr) : Json(p.peer)},
                           {"threads", p.threads},
                           {"time_limit", p.time_limit},
                           {"memory_limit", p.memory_limit},
                           {"max_iterations", p.max_iterations},
                           {"repeats", p.repeats},
                           {"pinned", p.pinned},
                           {"options", options}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Record parse_line(std::string_view line, Detail detail) {
  Record r;
  JsonScan in(line);
  bool versioned = false;
  in.object([&](std::string_view key) {
    if (key == "record") {
      const long format = in.integer();
      if (format > Record::kFormat)
        throw NewerRecord(
            fmt::format("found record format {}, expected at most {}: written by a newer version of cornet", format, Record::kFormat));
      versioned = true;
    } else if (key == "key") r.key = in.string();
    else if (key == "problem") r.problem = in.string();
    else if (key == "file") r.file = in.string();
    else if (key == "problem_hash") r.problem_hash = in.string();
    else if (key == "set") r.set = in.string();
    else if (key == "form") r.form = in.string();
    else if (key == "dimension") r.dimension = in.small_integer();
    else if (key == "number_of_contacts") r.number_of_contacts = in.small_integer();
    else if (key == "dofs") {
      const long dofs = in.whole_number(-1);
      if (dofs > std::numeric_limits<int>::max()) throw IoError(fmt::format("found dofs {}, expected a number that fits 32 bits", dofs));
      r.dofs = static_cast<int>(std::max(dofs, -1L));
    } else if (key == "solver") r.solver = in.string();
    else if (key == "label") r.label = in.string();
    else if (key == "family") r.family = in.string();
    else if (key == "tolerance") r.tolerance = in.number();
    else if (key == "status") r.status = in.string();
    else if (key == "claimed") r.claimed = in.boolean();
    else if (key == "termination") r.termination = in.string();
    else if (key == "message") r.message = in.string();
    else if (key == "error") r.error = in.number();
    else if (key == "time") r.time = in.number();
    else if (key == "reduce_time") r.reduce_time = in.number();
    else if (key == "wall") r.wall = in.number();
    else if (key == "overhead") r.overhead = in.number();
    else if (key == "iterations") {
      r.iterations = std::max(in.whole_number(-1), -1L);
    } else if (key == "products") r.products = in.number();
    else if (key == "contacts") read_contacts(in, r);
    else if (key == "mu") {
      in.object([&](std::string_view name) {
        if (name == "min") r.mu_min = read_friction(in);
        else if (name == "max") r.mu_max = read_friction(in);
        else in.skip();
      });
    } else if (key == "analysis") read_analysis(in, r);
    else if (key == "statistics" && detail == Detail::everything) {
      in.object([&](std::string_view name) { r.statistics[std::string(name)] = in.number(); });
    } else if (key == "history" && detail == Detail::everything) {
      in.array([&] {
        HistoryPoint point;
        int column = 0;
        in.array([&] {
          if (column == 0) point.iteration = in.whole_number(0);
          else if (column == 1) point.time = in.number();
          else if (column == 2) point.residual = in.number();
          else in.skip();
          ++column;
        });
        r.history.push_back(point);
      });
    } else if (key == "provenance") read_provenance(in, r.provenance, detail);
    else in.skip();
  });
  in.finish();
  if (!versioned) throw IoError("found no field record, expected a line of cornet bench run");
  if (r.key.empty()) throw IoError("found no field key, expected one");
  if (r.label.empty()) r.label = r.solver;
  return r;
}

long for_each_line(const std::string& path, const std::function<void(std::string_view)>& visit, std::vector<std::string>& warnings) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw IoError(fmt::format("{}: cannot be read ({})", path, std::generic_category().message(errno)));
  struct stat info = {};
  ::fstat(file, &info);
  if (!S_ISREG(info.st_mode)) {
    ::close(file);
    throw IoError(fmt::format("{}: found no regular file, expected records of cornet bench run", path));
  }
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) {
    ::close(file);
    return 0;
  }
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  ::close(file);
  if (memory == MAP_FAILED) throw IoError(fmt::format("{}: cannot be read ({})", path, std::generic_category().message(errno)));
  struct Unmap {
    void* memory;
    std::size_t size;
    ~Unmap() { ::munmap(memory, size); }
  } unmap{memory, size};
  ::madvise(memory, size, MADV_SEQUENTIAL);
  std::string_view rest(static_cast<const char*>(memory), size);
  long complete = 0;
  for (long number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    if (end == std::string_view::npos) {
      warnings.push_back(fmt::format("{}: the last line is torn ({} bytes without a line break) and left out", path, line.size()));
      break;
    }
    rest.remove_prefix(end + 1);
    complete += static_cast<long>(end) + 1;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    try {
      visit(line);
    } catch (const NewerRecord& error) {
      throw IoError(fmt::format("{}: line {}: {}", path, number, error.what()));
    } catch (const IoError& error) {
      // A power cut can leave a last line whose blocks never reached the disk.
      if (!rest.empty()) throw IoError(fmt::format("{}: line {}: {}", path, number, error.what()));
      warnings.push_back(fmt::format("{}: the last line is broken ({}) and left out", path, error.what()));
      return complete - static_cast<long>(end) - 1;
    }
  }
  return complete;
}

RecordSet read_records(const std::vector<std::string>& paths, Detail detail) {
  RecordSet out;
  for (const std::string& path : paths)
    for_each_line(
        path, [&](std::string_view line) { out.records.push_back(parse_line(line, detail)); }, out.warnings);
  return out;
}

MergeResult merge_records(const std::vector<std::string>& paths, const std::string& output) {
  MergeResult out;
  std::unordered_set<std::string> known;
  std::string text;
  for (const std::string& path : paths)
    for_each_line(
        path,
        [&](std::string_view line) {
          if (!known.insert(parse_line(line, Detail::measures).key).second) {
            ++out.duplicates;
            return;
          }
          text.append(line).push_back('\n');
          ++out.records;
        },
        out.warnings);
  // Complete or not at all: the output may be one of the inputs.
  const std::string temporary = output + ".partial";
  std::ofstream file(temporary, std::ios::binary);
  file << text;
  file.close();
  if (!file || std::rename(temporary.c_str(), output.c_str()) != 0) {
    const int reason = errno;
    (void)std::remove(temporary.c_str());  // there may be none
    throw IoError(fmt::format("{}: cannot be written ({})", output, std::generic_category().message(reason)));
  }
  return out;
}

}  // namespace cornet::campaign
