// Looking at and changing folders, with Errors that name the path instead of the standard library's
// exceptions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"

namespace spml {

// Whether there is something of that name. Error when that cannot be told: a name too long, a loop
// of links, a folder that may not be searched.
bool path_exists(const Path& path);
bool is_folder(const Path& path);
bool is_empty_folder(const Path& path);
bool is_link(const Path& path);  // itself, whatever it points to

// Creates the folder and its parents; Error with the reason when that fails.
void make_folder(const Path& path);

// make_folder() for a folder inside one that the program writes to; Error when it is a symbolic
// link, which would lead the files elsewhere.
void make_folder_inside(const Path& path);

// The entries of a folder, sorted by name.
std::vector<Path> list_folder(const Path& path);
// The files in it and below it, sorted. Links to folders are not followed, so that there is an end.
std::vector<Path> list_files_below(const Path& path);

// The same path from the root on, without "." and "..", whether there is something of that name or
// not.
Path absolute_path(const Path& path);

void remove_file(const Path& path);  // a file or link; nothing when there is none
void rename_path(const Path& from, const Path& to);
void sync_folder(const Path& path);  // makes renames in it durable

// Whether a name that a file gives for another leads nowhere else: relative, no "..", no zero byte.
bool stays_inside(std::string_view name);
// The named file; Error, which begins with `where`, unless it stays inside the folder.
Path path_inside(const Path& folder, std::string_view name, std::string_view where);

// 16 hexadecimal digits that nobody can foresee, for temporary names.
std::string unpredictable_name();

}  // namespace spml
