#include "base/sha256.h"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "base/fail.h"

namespace spml {
namespace {

// Fails where the system's policy or its configuration of OpenSSL does not allow SHA-256.
void require(bool done) {
  if (!done) fail("SHA-256: expected libcrypto to compute it, but it refused; check openssl.cnf");
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  require(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
}

void Sha256::update(std::span<const std::byte> bytes) {
  require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

std::string Sha256::hex() {
  std::array<unsigned char, 32> digest;
  require(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) == 1);
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

std::string sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

std::string sha256_of_file(const Path& path) { return sha256(MappedFile(path).bytes()); }

}  // namespace spml
