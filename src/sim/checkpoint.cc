#include "sim/checkpoint.h"

#include <cmath>

#include "sim/bytes.h"

namespace cornet::sim {
namespace {

// One list of fields serves every direction.
struct Saver {
  ByteWriter out;
  void number(double& x) { out.put(x); }
  void number(long& x) { out.put(x); }
  void number(int& x) { out.put(x); }
  void participant(int& x, int) { out.put(x); }
  void doubles(double* x, std::size_t n) { out.put_doubles(x, n); }
};

struct Loader {
  ByteReader in;
  void number(double& x) { in.get(x); }
  void number(long& x) { in.get(x); }
  void number(int& x) { in.get(x); }
  void participant(int& x, int) { in.get(x); }
  void doubles(double* x, std::size_t n) { in.get_doubles(x, n); }
};

// Reads like Loader and keeps nothing: whatever is wrong is found before the state changes.
struct Checker {
  ByteReader in;
  void number(double&) { finite(in.get<double>()); }
  void number(long&) {
    if (const long x = in.get<long>(); x < 0) throw IoError(fmt::format("checkpoint: found step {}, expected a number ≥ 0", x));
  }
  void number(int&) { in.get<int>(); }
  void participant(int&, int count) {
    if (const int x = in.get<int>(); x < 0 || x >= count)
      throw IoError(fmt::format("checkpoint: found a contact of body {}, expected 0 to {}", x, count - 1));
  }
  void doubles(double*, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) finite(in.get<double>());
  }
  static void finite(double x) {
    if (!std::isfinite(x)) throw IoError(fmt::format("checkpoint: found {}, expected a finite number", x));
  }
};

constexpr std::size_t kContactBytes = 4 * sizeof(int) + 6 * 3 * sizeof(double);

template <class Archive>
void visit(Archive& a, World& world, std::vector<ActiveContact>& contacts) {
  a.number(world.step);
  a.number(world.time);
  Energy& e = world.energy;
  for (double* x : {&e.kinetic, &e.potential, &e.friction, &e.impact, &e.driven, &e.viscous}) a.number(*x);
  for (Rigid& b : world.bodies) {
    a.doubles(b.x.data(), 3);
    a.doubles(b.q.coeffs().data(), 4);
    a.doubles(b.R.data(), 9);
    a.doubles(b.v.data(), 3);
    a.doubles(b.omega.data(), 3);
  }
  for (SolidState& s : world.solids) {
    a.doubles(s.q.data(), s.q.size());
    a.doubles(s.v.data(), s.v.size());
  }
  const int participants = static_cast<int>(world.bodies.size() + world.solids.size());
  for (ActiveContact& c : contacts) {
    a.participant(c.a, participants);
    a.participant(c.b, participants);
    a.number(c.key_a);
    a.number(c.key_b);
    for (Vector* x : {&c.point, &c.n, &c.t, &c.s, &c.local, &c.reaction}) a.doubles(x->data(), 3);
  }
}

// How many contacts there are; the other counts must be those of the scene.
std::size_t read_counts(ByteReader& in, const World& world) {
  const int bodies = in.get<int>(), solids = in.get<int>();
  if (bodies != static_cast<int>(world.bodies.size()) || solids != static_cast<int>(world.solids.size()))
    throw IoError(fmt::format("checkpoint: found {} bodies and {} solids, expected the {} and {} of the scene", bodies, solids,
                              world.bodies.size(), world.solids.size()));
  return in.get_count(kContactBytes);
}

}  // namespace

std::string save(const World& world) {
  Saver saver;
  auto& readable = const_cast<World&>(world);  // a saver only reads
  for (const std::size_t count : {world.bodies.size(), world.solids.size(), world.contacts.size()}) saver.out.put(static_cast<int>(count));
  visit(saver, readable, readable.contacts);
  return saver.out.take();
}

void load(const std::string& bytes, World& world) {
  Checker checker{ByteReader(bytes)};
  std::vector<ActiveContact> contacts(read_counts(checker.in, world));
  visit(checker, world, contacts);
  checker.in.finish();
  Loader loader{ByteReader(bytes)};
  read_counts(loader.in, world);
  visit(loader, world, contacts);
  world.contacts = std::move(contacts);
}

}  // namespace cornet::sim
