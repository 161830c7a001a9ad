// The tables of review.db, and whether a file has them.
#pragma once

#include "review/store/sqlite.h"

namespace spml::review {

inline constexpr int kSchemaVersion = 1;

// Makes the tables in an empty file.
void create_schema(Database& database);

// Error in one line for a file that is not a review, of a newer version, altered or damaged.
void check_schema(Database& database);

// How the connection of a writer behaves: an answer is on the disk when its transaction is done.
void make_durable(Database& database);

}  // namespace spml::review
