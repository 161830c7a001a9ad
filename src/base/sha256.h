// SHA-256 by libcrypto, to name files by their contents.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/files.h"

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace spml {

class Sha256 {
 public:
  Sha256();
  void update(std::span<const std::byte> bytes);
  std::string hex();  // the digest; ends the computation

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

std::string sha256(std::span<const std::byte> bytes);
std::string sha256_of_file(const Path& path);

}  // namespace spml
