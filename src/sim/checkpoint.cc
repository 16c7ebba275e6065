#include "sim/checkpoint.h"

#include "sim/bytes.h"

namespace cornet::sim {
namespace {

// One list of fields serves both directions.
struct Saver {
  ByteWriter out;
  void number(double& x) { out.put(x); }
  void number(long& x) { out.put(x); }
  void number(int& x) { out.put(x); }
  void doubles(double* x, std::size_t n) { out.put_doubles(x, n); }
};

struct Loader {
  ByteReader in;
  void number(double& x) { in.get(x); }
  void number(long& x) { in.get(x); }
  void number(int& x) { in.get(x); }
  void doubles(double* x, std::size_t n) { in.get_doubles(x, n); }
};

template <class Archive>
void visit(Archive& a, World& world) {
  int bodies = static_cast<int>(world.bodies.size()), solids = static_cast<int>(world.solids.size());
  int contacts = static_cast<int>(world.contacts.size());
  a.number(bodies);
  a.number(solids);
  a.number(contacts);
  if (bodies != static_cast<int>(world.bodies.size()) || solids != static_cast<int>(world.solids.size()))
    throw IoError("checkpoint: found another number of bodies than the scene has");
  world.contacts.resize(contacts);
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
  for (ActiveContact& c : world.contacts) {
    for (int* x : {&c.a, &c.b, &c.key_a, &c.key_b}) a.number(*x);
    for (Vector* x : {&c.point, &c.n, &c.t, &c.s, &c.local, &c.reaction}) a.doubles(x->data(), 3);
  }
}

}  // namespace

std::string save(const World& world) {
  Saver saver;
  visit(saver, const_cast<World&>(world));  // a saver only reads
  return saver.out.take();
}

void load(const std::string& bytes, World& world) {
  Loader loader{ByteReader(bytes)};
  visit(loader, world);
}

}  // namespace cornet::sim
