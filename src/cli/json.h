// Values of the library as JSON. The schema is docs/json.md; keys keep their names for ever.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "cornet/certificate.h"
#include "cornet/existence.h"
#include "cornet/io.h"
#include "cornet/result.h"
#include "cornet/solver.h"

namespace cornet::cli {

/// Keys stay in the order in which they are written.
using Json = nlohmann::ordered_json;

/// A number, or null when it is not finite: JSON knows neither infinity nor NaN.
Json json_number(double value);

Json contacts_json(const Certificate& certificate);
Json certificate_json(const Certificate& certificate, bool with_statuses);

/// `form`, `dimension`, `number_of_contacts`: the start of every report on a problem.
Json problem_json(const std::string& file, const Problem& problem);

/// The keys of a result, added to `out`.
void add_result(Json& out, const Result& result, bool with_statuses, bool with_history);

/// Quality of an answer.
Json quality_json(const Quality& quality);

/// Verdict, margin, reason, notes; the certificate with its vectors when asked.
Json existence_json(const Existence& existence, bool with_vectors);

Json mu_json(const Problem& problem);
Json solver_json(const SolverInfo& solver);
Json attribute_json(const AttributeValue& value);

/// One JSON value and a line break on standard output. Text that is not UTF-8 (a title in Latin 1) is mended, never an error.
void print_json(const Json& value);

}  // namespace cornet::cli
