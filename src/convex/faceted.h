// The convex problem with polyhedral instead of round sets (seed 000 §6 (iv)).
#pragma once

#include <memory>

#include "convex/engine.h"

namespace cornet {

enum class FacetSide { inscribed, circumscribed };

struct FacetedOptions {
  long facets = 4;
  FacetSide side = FacetSide::inscribed;
  bool column_generation = true;
  long rounds = 100;
  double asymmetry = 1e-2;

  void visit(OptionVisitor& v) {
    v.integer("facets", facets, {3, 1000}, "facets of each cone, disk or cylinder at the start; in the plane always the exact two");
    v.choice("side", side, {"inscribed", "circumscribed"},
             "the polygon has its corners on the circle (r stays inside the exact set), or touches it");
    v.flag("column_generation", column_generation, "add facets where they are missing until the exact problem is solved");
    v.integer("rounds", rounds, {1, 100000}, "quadratic programs that column generation may solve");
    v.real("asymmetry", asymmetry, {0, 2}, "largest ‖W − Wᵀ‖/‖W‖ accepted as symmetric; beyond it the engine ends as unsupported");
  }
};

template <int D>
std::unique_ptr<ConvexEngine<D>> make_faceted(const FacetedOptions& options);

}  // namespace cornet
