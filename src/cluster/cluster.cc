#include "cluster/cluster.h"

#include "base/fail.h"

namespace spml {
namespace {

std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

void check_whole(size_t bytes, size_t each, int from) {
  if (bytes % each == 0) return;
  fail("rank {} sent {} bytes, expected a multiple of {}; do all ranks run the same spml?", from,
       bytes, each);
}

void check_joined(size_t found, size_t expected) {
  if (found == expected) return;
  fail("the ranks sent {} numbers in all, expected {}; do all of them run the same spml?", found,
       expected);
}

std::string said_by_first(Cluster& cluster, std::string_view text) {
  const auto bytes = bytes_of(text);
  Bytes said(bytes.begin(), bytes.end());
  cluster.broadcast(said);
  return text_of(said);
}

void expect_same(Cluster& cluster, std::string_view what, std::string_view text) {
  const std::vector<Bytes> all = cluster.all_gather(bytes_of(text));
  for (size_t r = 1; r < all.size(); ++r) {
    if (all[r] == all[0]) continue;
    fail("rank {} has the {} '{}', rank 0 has '{}'; all ranks must be started alike", r, what,
         text_of(all[r]), text_of(all[0]));
  }
}

}  // namespace spml
