// What this program is made of. What is compiled in or linked stands in cmake/dependencies.cmake, with the version found there; what comes
// along with the shared libraries when the program starts is asked for its version here. A library that is not there is not listed.
#include "cli/version.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <stdlib.h>

#include <cctype>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/json.h"
#include "cli/render.h"
#include "cornet/result.h"
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

namespace cornet::cli {
namespace {

struct Dependency {
  std::string name;
  std::string version;
  std::string licence;  // SPDX expression
  std::string part;     // how it gets into the program
};

// The first number with dots in a text: "OpenSSL 3.0.15 3 Sep 2024" and "libcurl/7.88.1 zlib/1.2.13" start with a name.
std::string first_version(const std::string& text) {
  const std::size_t start = text.find_first_of("0123456789");
  if (start == std::string::npos) return "";
  return text.substr(start, text.find_first_not_of("0123456789.", start) - start);
}

template <class Function>
Function loaded(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

// The version in the name of a loaded file: libsz.so.2 is a link to libsz.so.2.0.1.
std::string version_of_file(const std::string& library) {
  struct Search {
    std::string part;
    std::string path;
  } search{"/" + library + ".so", ""};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        const std::string path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
        if (path.find(wanted.part) == std::string::npos) return 0;
        wanted.path = path;
        return 1;
      },
      &search);
  if (search.path.empty()) return "";
  char* real = realpath(search.path.c_str(), nullptr);
  if (real == nullptr) return "";
  const std::string path = real;
  free(real);
  const std::size_t end = path.rfind(".so.");
  return end == std::string::npos ? "" : path.substr(end + 4);
}

std::vector<Dependency> dependencies() {
  std::vector<Dependency> all = {
#include "cli/dependencies.inc"
  };
  const auto add = [&all](const char* name, const std::string& version, const char* licence, const char* part) {
    if (!version.empty()) all.push_back({name, version, licence, part});
  };
  const char* const with_hdf5 = "with HDF5";
  if (const auto zlib = loaded<const char* (*)()>("zlibVersion")) add("zlib", first_version(zlib()), "Zlib", with_hdf5);
  add("libaec (libsz)", version_of_file("libsz"), "BSD-2-Clause", with_hdf5);
  if (const auto curl = loaded<const char* (*)()>("curl_version")) add("curl", first_version(curl()), "curl", with_hdf5);
  if (const auto openssl = loaded<const char* (*)(int)>("OpenSSL_version")) {
    const std::string version = first_version(openssl(0));
    add("OpenSSL", version, version.starts_with("1.") ? "OpenSSL" : "Apache-2.0", with_hdf5);
  }
#ifdef __GLIBCXX__
  add("libstdc++", version_of_file("libstdc++"), "GPL-3.0-or-later WITH GCC-exception-3.1", "of the system");
#endif
#ifdef __GLIBC__
  add("glibc", gnu_get_libc_version(), "LGPL-2.1-or-later", "of the system");
#endif
  return all;
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

void print_version(bool verbose, bool json) {
  const char* const licence = "Apache-2.0";
  if (!json) print(fmt::format("cornet {}\n", version()));
  if (!json && !verbose) return;
  const std::vector<Dependency> all = dependencies();
  if (json) {
    Json out{{"name", "cornet"}, {"version", version()}, {"licence", licence}, {"compiler", compiler()}};
    for (const Dependency& d : all)
      for (const char* key : {"hdf5", "fmt", "nlohmann_json", "cli11"})
        if (lower_case(d.name) == key) out[key] = d.version;
    out["dependencies"] = Json::array();
    for (const Dependency& d : all)
      out["dependencies"].push_back(Json{{"name", d.name}, {"version", d.version}, {"licence", d.licence}, {"part", d.part}});
    print_json(out);
    return;
  }
  Fields fields;
  fields.add("licence", licence);
  fields.add("compiler", compiler());
  print(fields.text() + "\n");
  Table table({"library", "version", "part", "licence"});
  for (const Dependency& d : all) table.add({d.name, d.version, d.part, d.licence});
  print(table.text());
}

}  // namespace cornet::cli
