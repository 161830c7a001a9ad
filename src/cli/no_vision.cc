// The image verbs of a build without SPML_VISION: they say what is missing.
#include "cli/images.h"
#include "imaging/no_images.h"

namespace spml::cli {

void extract(const ExtractFlags&) { fail_no_images("`spml extract`"); }

void fetch_weights(const WeightsFlags&) { fail_no_images("`spml weights fetch`"); }

void import_weights(const WeightsFlags&) { fail_no_images("`spml weights import`"); }

}  // namespace spml::cli
