#include "base/sha256.h"

#include "testing.h"

namespace spml {
namespace {

std::string hash(const std::string& text) { return sha256(std::as_bytes(std::span(text))); }

// The examples of FIPS 180-4 and its companion test vectors.
TEST(Sha256, PublishedVectors) {
  EXPECT_EQ(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hash(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesGiveTheSameDigestAsTheWhole) {
  const std::string text(1000, 'x');
  for (const size_t piece : {1, 63, 64, 65, 200}) {
    Sha256 pieces;
    for (size_t i = 0; i < text.size(); i += piece) {
      pieces.update(std::as_bytes(std::span(text)).subspan(i, std::min(piece, text.size() - i)));
    }
    EXPECT_EQ(pieces.hex(), hash(text));
  }
}

}  // namespace
}  // namespace spml
