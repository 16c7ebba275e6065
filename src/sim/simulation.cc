// One step: contacts → problem → solver → velocities → positions → projection, with what each of them found.
#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "cornet/error.h"
#include "cornet/existence.h"
#include "cornet/io.h"
#include "cornet/quality.h"
#include "cornet/sim.h"
#include "sim/checkpoint.h"
#include "sim/step_solver.h"
#include "sim/world.h"

namespace cornet::sim {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr int kSeparations = 50;
constexpr double kLong = 1000;  // steps

}  // namespace

struct [[gnu::visibility("hidden")]] Simulation::Impl {
  explicit Impl(const Scene& scene) : world(scene), solver(scene), problem(GlobalProblem{}) { separate(); }

  World world;
  StepSolver solver;
  Problem problem;
  Iterate guess, answer;
  std::vector<Contact> contacts;
  std::string failures;  // folder

  GlobalProblem& global() { return std::get<GlobalProblem>(problem); }

  void separate();
  void separate_solids();
  void account(const Iterate& x, const Certificate& certificate, double h);
  void free_velocities();
  void keep(StepReport& report) const;
  StepReport step();
};

// Overlaps of the start: refused, or projected out.
void Simulation::Impl::separate() {
  double deepest = 0;
  const Scene& scene = world.scene;
  project(world, std::numeric_limits<double>::infinity(), deepest);
  if (deepest <= scene.overlap) return separate_solids();
  if (!scene.separate_start) {
    std::vector<Touch> touches;
    world.find_touches(0, 0, touches);
    const Touch* worst = &touches.front();
    for (const Touch& t : touches)
      if (t.gap < worst->gap) worst = &t;
    const int a = world.colliders[worst->a].body, b = world.colliders[worst->b].body;
    throw InvalidProblem(
        fmt::format("/bodies/{}: found '{}' {:.3g} m deep in '{}' (body {}) at the start, expected at most overlap = {:.3g} m; "
                    "\"separate_start\": true pushes bodies apart",
                    a, scene.bodies[a].name, deepest, scene.bodies[b].name, b, scene.overlap));
  }
  for (int k = 0; k < kSeparations && deepest > scene.overlap; ++k) project(world, scene.overlap / 2, deepest);
  if (deepest > scene.overlap)
    throw InvalidProblem(fmt::format("/bodies: found an overlap of {:.3g} m that cannot be pushed apart, expected room for all", deepest));
  separate_solids();
}

// The same for solids. To push them apart a step that is long for their vibrations: they move as a whole, which costs no elastic energy.
void Simulation::Impl::separate_solids() {
  const Scene& scene = world.scene;
  SolidOverlap worst = world.deepest_solid_overlap();
  for (int k = 0; scene.separate_start && k < kSeparations && worst.depth > scene.overlap; ++k) {
    double deepest = 0;
    project_solids(world, kLong * scene.dt, scene.overlap / 2, deepest);
    worst = world.deepest_solid_overlap();
  }
  world.energy.potential = world.potential();
  if (worst.depth <= scene.overlap) return;
  const int bodies = static_cast<int>(world.bodies.size());
  const bool solid = worst.other >= bodies;
  const int other = solid ? worst.other - bodies : worst.other;
  throw InvalidProblem(fmt::format(
      "/solids/{}: found '{}' {:.3g} m deep in '{}' ({} {}) at the start, expected at most overlap = {:.3g} m; {}", worst.solid,
      scene.solids[worst.solid].name, worst.depth, solid ? scene.solids[other].name : scene.bodies[other].name, solid ? "solid" : "body",
      other, scene.overlap, scene.separate_start ? "they cannot be pushed apart" : "\"separate_start\": true pushes them apart"));
}

// Without contacts and joints every body is alone.
void Simulation::Impl::free_velocities() {
  const GlobalProblem& p = global();
  answer.v.assign(p.f.begin(), p.f.end());
  for (const Rigid& b : world.bodies) {
    if (b.dof < 0) continue;
    const int d = world.scene.dim;
    for (int k = 0; k < d; ++k) answer.v[b.dof + k] = p.f[b.dof + k] / b.mass;
    if (!b.rotates) continue;
    if (d == 2) {
      answer.v[b.dof + 2] = p.f[b.dof + 2] / b.inertia(2, 2);
      continue;
    }
    Matrix J = Matrix::Zero();
    for (int col = 0; col < 3; ++col)
      for (int k = p.M.p[b.dof + 3 + col]; k < p.M.p[b.dof + 4 + col]; ++k) J(p.M.i[k] - b.dof - 3, col) = p.M.x[k];
    const Vector f(p.f[b.dof + 3], p.f[b.dof + 4], p.f[b.dof + 5]);
    const Vector omega = J.isApprox(b.inertia) ? Vector(b.inverse_inertia * f) : Vector(J.inverse() * f);
    for (int k = 0; k < 3; ++k) answer.v[b.dof + 3 + k] = omega[k];
  }
  answer.r.clear();
  answer.u.clear();
  answer.lambda.clear();
}

// Energies, before the velocities change. Work of a reaction over the step: r · (u⁺ + u⁻)/2.
void Simulation::Impl::account(const Iterate& x, const Certificate& certificate, double h) {
  const int d = world.scene.dim;
  const GlobalProblem& p = global();
  contacts.resize(world.contacts.size());
  for (std::size_t k = 0; k < world.contacts.size(); ++k) {
    ActiveContact& c = world.contacts[k];
    const Vector frame[3] = {c.n, c.t, c.s};
    c.reaction.setZero();
    for (int m = 0; m < d; ++m) {
      const double r = x.r[d * k + m];
      c.reaction += r * frame[m];
      const double e = m == 0 ? c.restitution * std::min(0.0, c.u_before[0]) + c.bias : 0;
      const double driven = p.w[d * k + m] - e;
      const double u = x.u[d * k + m] - e;  // relative velocity, restitution and gap taken out
      (m == 0 ? world.energy.impact : world.energy.friction) -= r * (u + c.u_before[m]) / 2;
      world.energy.driven -= r * driven;
    }
    Contact& out = contacts[k];
    out.a = c.a;
    out.b = c.b;
    out.point = array(c.point);
    out.normal = array(c.n);
    out.tangent = array(c.t);
    out.gap = c.gap;
    out.mu = c.mu;
    out.reaction = array(c.reaction);
    out.status = certificate.status.empty() ? ContactStatus::take_off : certificate.status[k];
  }
  for (const SolidState& s : world.solids) {
    const Eigen::Map<const Eigen::VectorXd> next(x.v.data() + s.dof, s.size);
    const Eigen::VectorXd mean = s.quasi_static ? Eigen::VectorXd(next) : Eigen::VectorXd((s.v + next) / 2);
    world.energy.viscous += h * mean.dot(s.C * mean);
  }
}

// A problem that nothing solved is what somebody will want to look at.
void Simulation::Impl::keep(StepReport& report) const {
  const std::string path =
      fmt::format("{}/{}-{:06}-{}.hdf5", failures, file_name(world.scene), report.step, cornet::to_string(report.status));
  ProblemFile file;
  file.global = std::get<GlobalProblem>(problem);
  file.guesses = {guess};
  file.guesses[0].v.assign(answer.v.size(), 0);
  file.guesses[0].u.assign(answer.u.size(), 0);
  file.guesses[0].lambda.assign(answer.lambda.size(), 0);
  file.solution = answer;
  try {
    write_file(path, file);
    report.kept = path;
  } catch (const IoError& error) {
    report.message += fmt::format("; its problem could not be kept: {}", error.what());
  }
}

StepReport Simulation::Impl::step() {
  const auto start = Clock::now();
  const Scene& scene = world.scene;
  const double h = scene.dt;
  // The solver starts afresh where a checkpoint may be taken: a resumed run then does the same operations.
  if (world.step % scene.checkpoint_every == 0 && world.step > 0) solver.restart();
  StepReport report;
  report.step = world.step + 1;
  report.time = static_cast<double>(world.step + 1) * h;

  std::vector<ActiveContact> before;
  std::vector<ActiveContact> found;
  world.find_contacts(h, found);
  before.swap(world.contacts);
  world.contacts.swap(found);
  report.collide_time = since(start);
  GlobalProblem& p = global();
  assemble(world, h, p, guess);
  p.name = fmt::format("{}-{}", scene.name, report.step);
  report.contacts = p.contacts();

  const bool look = scene.existence_every > 0 && (report.step - 1) % scene.existence_every == 0 && report.contacts > 0;
  if (look) {
    try {
      report.verdict = cornet::to_string(check_existence(problem).verdict);
    } catch (const Error& error) {
      report.verdict = "undecided";
    }
  }

  Certificate certificate;
  if (report.contacts == 0 && world.joints.empty() && world.solids.empty()) {
    free_velocities();
  } else {
    const auto before_solve = Clock::now();
    Result result = solver.solve(problem, guess, report.message);
    report.solve_time = since(before_solve);
    report.status = result.status;
    report.solver = result.solver;
    report.error = result.certificate.error;
    report.iterations = result.iterations;
    report.take_off = result.certificate.take_off;
    report.stick = result.certificate.stick;
    report.slide = result.certificate.slide;
    certificate = std::move(result.certificate);
    answer = std::move(result.x);
    if (look && report.ok()) {
      const Quality quality = assess(problem, answer);
      if (quality.rank >= 0) report.redundant = quality.unknowns - quality.rank;
    }
    if (!report.ok() && report.status != Status::interrupted && !failures.empty()) keep(report);
    const bool stop = scene.on_failure == FailurePolicy::stop || result.status == Status::interrupted;
    if (!report.ok() && stop) {
      world.contacts.swap(before);
      report.step_time = since(start);
      return report;
    }
  }
  account(answer, certificate, h);
  advance(world, h, answer.v);
  report.projected =
      world.solids.empty() ? project(world, scene.slop, report.penetration) : project_solids(world, h, scene.slop, report.penetration);
  world.energy.kinetic = world.kinetic();
  world.energy.potential = world.potential();
  report.energy = world.energy;
  report.step_time = since(start);
  return report;
}

Simulation::Simulation(const Scene& scene) : impl_(std::make_unique<Impl>(scene)) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

StepReport Simulation::step() { return impl_->step(); }
const Scene& Simulation::scene() const { return impl_->world.scene; }
long Simulation::steps() const { return impl_->world.step; }
double Simulation::time() const { return impl_->world.time; }
Energy Simulation::energy() const { return impl_->world.energy; }
double Simulation::mass(int number) const { return impl_->world.bodies.at(number).mass; }

BodyState Simulation::body(int number) const {
  const Rigid& b = impl_->world.bodies.at(number);
  BodyState out;
  out.pose.position = array(Vector(b.x + b.R * b.origin));
  out.pose.orientation = array(b.q);
  out.centre = array(b.x);
  out.velocity = array(b.v);
  out.spin = array(Vector(b.R * b.omega));
  return out;
}

std::vector<Vec3> Simulation::nodes(int solid) const {
  const SolidState& s = impl_->world.solids.at(solid);
  std::vector<Vec3> out;
  for (std::size_t k = 0; k < s.rest.size(); ++k) out.push_back(array(s.position(static_cast<int>(k))));
  return out;
}

std::vector<Vec3> Simulation::node_velocities(int solid) const {
  const SolidState& s = impl_->world.solids.at(solid);
  std::vector<Vec3> out;
  for (std::size_t k = 0; k < s.rest.size(); ++k) out.push_back(array(s.velocity(static_cast<int>(k))));
  return out;
}

std::vector<std::array<int, 4>> Simulation::faces(int solid) const { return impl_->world.solids.at(solid).faces; }
const std::vector<Contact>& Simulation::contacts() const { return impl_->contacts; }
const GlobalProblem& Simulation::problem() const { return impl_->global(); }
const Iterate& Simulation::answer() const { return impl_->answer; }

std::string Simulation::checkpoint() const { return save(impl_->world); }
void Simulation::restore(const std::string& bytes) {
  load(bytes, impl_->world);
  impl_->solver.restart();
}

void Simulation::keep_failures(const std::string& folder) { impl_->failures = folder; }

void Simulation::set_interrupt(const std::atomic<bool>* flag) { impl_->solver.set_interrupt(flag); }
void Simulation::set_memory_limit(double bytes) { impl_->solver.set_memory_limit(bytes); }

}  // namespace cornet::sim
