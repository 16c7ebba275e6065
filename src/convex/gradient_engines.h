// The gradient methods as engines.
#pragma once

#include <memory>

#include "convex/accelerated_gradient.h"
#include "convex/engine.h"
#include "convex/projected_gradient.h"

namespace cornet {

template <int D>
std::unique_ptr<ConvexEngine<D>> make_projected_gradient(const ProjectedGradientOptions& options);

template <int D>
std::unique_ptr<ConvexEngine<D>> make_accelerated_gradient(const AcceleratedGradientOptions& options);

}  // namespace cornet
