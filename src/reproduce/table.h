// The table of experiments: each is one function that fills in rows, tables and figures of its report.
#pragma once

#include "cornet/reproduce.h"

namespace cornet::reproduction {

void incline(Report& report);
void sliding_block(Report& report);
void bouncing_ball(Report& report);
void rolling_sphere(Report& report);
void one_contact_3d(Report& report);
void frictionless_pile(Report& report);
void energy(Report& report);
void painleve(Report& report);
void square(Report& report);
void rectangle(Report& report);
void crushed_ball(Report& report);
void deformable(Report& report);
void rigid_motion(Report& report);
void double_pendulum(Report& report);
void random_2d(Report& report);
void random_3d(Report& report);
void bead(Report& report);
void bad_boy(Report& report);
void beads(Report& report);
void funnel(Report& report);
void plate(Report& report);
void drum(Report& report);
void two_objects(Report& report);
void fem(Report& report);

}  // namespace cornet::reproduction
