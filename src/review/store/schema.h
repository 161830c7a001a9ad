// The tables of review.db, and the check that a file has them.
#pragma once

#include "review/store/sqlite.h"

namespace spml::review {

inline constexpr int kSchemaVersion = 1;

// Creates the tables in an empty file.
void create_schema(Database& database);

// Error in one line for a file that is not a review, is of a newer version, altered or damaged.
void check_schema(Database& database);

// Configures a writer's connection: a committed answer is on disk.
void make_durable(Database& database);

}  // namespace spml::review
