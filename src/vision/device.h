// What --device means.
#pragma once

#include <functional>
#include <string>

namespace spml {

// Whether a network is to be trained on the processor: `device` is "auto", "cpu", "cuda" or
// "cuda:N", a usage error otherwise. "auto" is a card where there is one and LibTorch can use it;
// each is asked only when it matters, because to ask LibTorch is to load it.
bool means_processor(const std::string& device, const std::function<bool()>& has_card,
                     const std::function<bool()>& torch_can_use_it);

// Whether the system shows a card of a kind that LibTorch may know.
bool has_card();

}  // namespace spml
