// Processes that work on one thing together, each with a rank from 0 to size - 1. Every function
// but next() is called by all of them in the same order. Implementations: threads of one process
// (thread_cluster.h), MPI (src/mpi, a module that is loaded on demand). MPI waits no longer than
// --timeout for a rank that has stopped, in everything but wait_for_all().
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spml {

using Bytes = std::vector<std::byte>;

class Cluster {
 public:
  virtual ~Cluster() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  bool is_first() const { return rank() == 0; }

  // values += those of all other ranks, in rank order, so that the same number of ranks gives the
  // same bytes again. Of as many values everywhere.
  virtual void sum(std::span<double> values) = 0;
  // The same for many values: each rank adds up a part of them and hands it to all.
  virtual void sum(std::span<float> values) = 0;
  // What every rank has, in rank order; lengths may differ.
  virtual std::vector<Bytes> all_gather(std::span<const std::byte> mine) = 0;
  // The same at rank 0; nothing elsewhere.
  virtual std::vector<Bytes> gather(std::span<const std::byte> mine) = 0;
  // What rank 0 has.
  virtual void broadcast(Bytes& bytes) = 0;
  virtual void barrier() = 0;
  // A barrier to which ranks may come hours apart, as after work that was dealt out.
  virtual void wait_for_all() = 0;

  // Work is dealt out by number: 0, 1, 2, ... in the order in which ranks ask, each to one of them.
  // All call begin_dealing() first.
  virtual void begin_dealing() = 0;
  virtual uint64_t next() = 0;

 protected:
  Cluster() = default;
  Cluster(const Cluster&) = default;
  Cluster& operator=(const Cluster&) = default;
};

// Numbers from bytes of another rank; Error unless they are whole numbers of T.
void check_whole(size_t bytes, size_t each, int from);
template <class T>
std::vector<T> values_of(const Bytes& bytes, int from) {
  check_whole(bytes.size(), sizeof(T), from);
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// All ranks' values one after the other, in rank order, at every rank or at rank 0. Error unless
// there are `expected` of them.
template <class T>
std::vector<T> joined(const std::vector<Bytes>& parts, size_t expected);
template <class T>
std::vector<T> all_gather(Cluster& cluster, std::span<const T> mine, size_t expected) {
  return joined<T>(cluster.all_gather(std::as_bytes(mine)), expected);
}
template <class T>
std::vector<T> gather(Cluster& cluster, std::span<const T> mine, size_t expected) {
  const auto parts = cluster.gather(std::as_bytes(mine));
  return cluster.is_first() ? joined<T>(parts, expected) : std::vector<T>();
}

void check_joined(size_t found, size_t expected);
template <class T>
std::vector<T> joined(const std::vector<Bytes>& parts, size_t expected) {
  std::vector<T> all;
  int from = 0;
  for (const Bytes& part : parts) {
    const std::vector<T> values = values_of<T>(part, from++);
    all.insert(all.end(), values.begin(), values.end());
  }
  check_joined(all.size(), expected);
  return all;
}

// Whether this process writes what is everybody's: rank 0, or the only one.
inline bool is_first_of(const Cluster* cluster) {
  return cluster == nullptr || cluster->is_first();
}

// What rank 0 says, at every rank.
std::string said_by_first(Cluster& cluster, std::string_view text);

// Error that names the first rank whose text is another than rank 0's. `what` is the name of what
// the text says: "version".
void expect_same(Cluster& cluster, std::string_view what, std::string_view text);

}  // namespace spml
