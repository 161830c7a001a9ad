#include "review/export/labelled.h"

#include <algorithm>

namespace spml::review {

std::string Labelled::name(size_t row) const {
  const NpyArray& images = data.train_file.images;
  return images.empty() ? std::to_string(row) : images.text(row);
}

std::span<const Entry> Labelled::unsure_of(size_t row) const {
  const auto index = static_cast<int32_t>(row);
  const auto first = std::lower_bound(unsure.begin(), unsure.end(), Entry{index, 0});
  const auto last = std::lower_bound(first, unsure.end(), Entry{index + 1, 0});
  return {first, last};
}

void TextFile::write(std::string_view text) {
  text_ += text;
  if (text_.size() < kBlock) return;
  file_.write(text_);
  text_.clear();
}

void TextFile::commit() {
  file_.write(text_);
  file_.commit();
}

}  // namespace spml::review
