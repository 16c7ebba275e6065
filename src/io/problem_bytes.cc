#include "io/problem_bytes.h"

#include <cstring>
#include <type_traits>

#include "cornet/error.h"

namespace cornet::io {
namespace {

template <class T>
concept Plain = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

// One list of fields serves both directions.
template <class Archive>
void fields(Archive& a, SparseMatrix::Info& x) {
  a(x.comment, x.conditioning, x.determinant, x.rank);
}
template <class Archive>
void fields(Archive& a, SparseMatrix& x) {
  a(x.rows, x.cols, x.storage, x.p, x.i, x.x, x.capacity, x.info);
}
template <class Archive>
void fields(Archive& a, ProblemInfo& x) {
  a(x.title, x.description, x.math_info);
}
template <class Archive>
void fields(Archive& a, LocalProblem& x) {
  a(x.dim, x.W, x.q, x.mu, x.V, x.R, x.s, x.name, x.info);
}
template <class Archive>
void fields(Archive& a, GlobalProblem& x) {
  a(x.dim, x.M, x.H, x.f, x.w, x.mu, x.G, x.b, x.name, x.info);
}
template <class Archive>
void fields(Archive& a, Iterate& x) {
  a(x.r, x.u, x.v, x.lambda);
}
template <class Archive>
void fields(Archive& a, TextLayout& x) {
  a(x.length, x.padding, x.utf8);
}
template <class Archive>
void fields(Archive& a, ProblemFile& x) {
  a(x.local, x.global, x.guesses, x.solution, x.attributes, x.text_layouts, x.warnings);
}

class Writer {
 public:
  std::string bytes;

  template <class... Values>
  void operator()(Values&... values) {
    (put(values), ...);
  }

 private:
  void raw(const void* data, std::size_t size) { bytes.append(static_cast<const char*>(data), size); }
  void count(std::size_t n) { raw(&n, sizeof n); }

  template <Plain T>
  void put(T& x) {
    raw(&x, sizeof x);
  }
  void put(bool& x) { bytes += x ? '\1' : '\0'; }
  void put(Storage& x) { enumerated(x); }
  void put(TextLayout::Padding& x) { enumerated(x); }
  template <class T>
  void enumerated(T x) {
    auto number = static_cast<int>(x);
    put(number);
  }
  void put(std::string& x) { text(x); }
  void text(const std::string& x) {
    count(x.size());
    bytes += x;
  }
  template <class T>
  void put(std::vector<T>& x) {
    count(x.size());
    if constexpr (Plain<T>) raw(x.data(), x.size() * sizeof(T));
    else
      for (T& value : x) put(value);
  }
  template <class T>
  void put(std::optional<T>& x) {
    bytes += x ? '\1' : '\0';
    if (x) put(*x);
  }
  template <class T>
  void put(std::map<std::string, T>& x) {
    count(x.size());
    for (auto& [key, value] : x) {
      text(key);
      put(value);
    }
  }
  void put(AttributeValue& x) {
    auto index = static_cast<int>(x.index());
    put(index);
    std::visit([this](auto& value) { put(value); }, x);
  }
  template <class T>
  void put(T& x) {
    fields(*this, x);
  }
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}

  template <class... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }
  void finish() const {
    if (!left_.empty()) broken();
  }

 private:
  [[noreturn]] static void broken() { throw IoError("found content that is not whole"); }

  void raw(void* data, std::size_t size) {
    if (size > left_.size()) broken();
    if (size > 0) std::memcpy(data, left_.data(), size);
    left_.remove_prefix(size);
  }
  // Of things that take at least so many bytes each.
  std::size_t count(std::size_t bytes) {
    std::size_t n = 0;
    raw(&n, sizeof n);
    if (n > left_.size() / bytes) broken();
    return n;
  }

  template <Plain T>
  void get(T& x) {
    raw(&x, sizeof x);
  }
  void get(bool& x) {
    char byte = 0;
    raw(&byte, 1);
    x = byte != 0;
  }
  void get(Storage& x) { enumerated(x, 2); }
  void get(TextLayout::Padding& x) { enumerated(x, 2); }
  template <class T>
  void enumerated(T& x, int last) {
    int number = 0;
    get(number);
    if (number < 0 || number > last) broken();
    x = static_cast<T>(number);
  }
  void get(std::string& x) {
    x.resize(count(1));
    raw(x.data(), x.size());
  }
  template <class T>
  void get(std::vector<T>& x) {
    if constexpr (Plain<T>) {
      x.resize(count(sizeof(T)));
      raw(x.data(), x.size() * sizeof(T));
    } else {
      x.resize(count(sizeof(std::size_t)));  // every one starts with a count or holds one
      for (T& value : x) get(value);
    }
  }
  template <class T>
  void get(std::optional<T>& x) {
    bool present = false;
    get(present);
    if (!present) return;
    T value{};
    get(value);
    x = std::move(value);
  }
  template <class T>
  void get(std::map<std::string, T>& x) {
    for (std::size_t n = count(1); n > 0; --n) {
      std::string key;
      get(key);
      get(x[key]);
    }
  }
  void get(AttributeValue& x) {
    int index = 0;
    get(index);
    alternative<0>(x, index);
  }
  template <std::size_t k>
  void alternative(AttributeValue& x, int index) {
    if constexpr (k == std::variant_size_v<AttributeValue>) {
      broken();
    } else {
      if (index == static_cast<int>(k)) get(x.template emplace<k>());
      else alternative<k + 1>(x, index);
    }
  }
  template <class T>
  void get(T& x) {
    fields(*this, x);
  }

  std::string_view left_;
};

}  // namespace

std::string to_bytes(const ProblemFile& file) {
  Writer writer;
  writer(const_cast<ProblemFile&>(file));  // a writer only reads
  return std::move(writer.bytes);
}

ProblemFile from_bytes(std::string_view bytes) {
  ProblemFile file;
  Reader reader(bytes);
  reader(file);
  reader.finish();
  return file;
}

}  // namespace cornet::io
