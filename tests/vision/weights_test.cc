#include <fmt/core.h>

#include <fstream>

#include "formats/torch_bytes.h"
#include "small_resnet.h"
#include "testing.h"
#include "vision/folded_conv.h"
#include "vision/weights/imagenet_package.h"
#include "vision/weights/tar.h"

namespace spml {
namespace {

using testing::HasSubstr;

TEST(ResNetLayout, HasTorchvisionsParameterCounts) {
  // Published sizes of the four networks, without the classifier of 1000 x D + 1000.
  const std::map<int, size_t> published{{18, 11689512 - 513000},
                                        {34, 21797672 - 513000},
                                        {50, 25557032 - 2049000},
                                        {101, 44549160 - 2049000}};
  for (const auto& [depth, expected] : published) {
    size_t parameters = 0;
    for (const ConvLayout& c : resnet_layout(depth, ResNetVariant::kV1_5).convolutions()) {
      parameters += c.out * c.in * c.kernel * c.kernel + 2 * c.out;
    }
    EXPECT_EQ(parameters, expected) << depth;
  }
}

TEST(ResNetLayout, VariantsDifferInWhereTheyStride) {
  const auto strides = [](ResNetVariant variant) {
    const ResNetLayout net = resnet_layout(50, variant);
    return std::pair(net.blocks[3].path[0].stride, net.blocks[3].path[1].stride);
  };
  EXPECT_EQ(strides(ResNetVariant::kV1), std::pair(size_t{2}, size_t{1}));
  EXPECT_EQ(strides(ResNetVariant::kV1_5), std::pair(size_t{1}, size_t{2}));
}

TEST(ResNetWeights, SurviveASafetensorsFile) {
  TemporaryFolder folder;
  ResNetWeights weights = random_resnet(18, ResNetVariant::kV1);
  weights.bn_epsilon = 1e-3;
  weights.origin = {{"source", "here"}, {"sha256", "00"}};
  save_resnet(weights, folder / "w.safetensors");
  const ResNetWeights read = load_resnet(folder / "w.safetensors");
  EXPECT_EQ(read.layout.depth, 18);
  EXPECT_EQ(read.layout.variant, ResNetVariant::kV1);
  EXPECT_EQ(read.bn_epsilon, 1e-3);
  EXPECT_EQ(read.origin, weights.origin);
  EXPECT_EQ(read.values("layer4.1.conv2.weight"), weights.values("layer4.1.conv2.weight"));
}

TEST(ResNetWeights, AreCheckedStrictly) {
  const ResNetLayout layout = resnet_layout(18, ResNetVariant::kV1_5);
  const NamedTensors good = random_resnet_tensors(layout);
  const auto complaint = [](NamedTensors tensors) -> std::string {
    try {
      check_resnet(std::move(tensors), ResNetVariant::kV1_5, "w");
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(complaint(good), "accepted");
  NamedTensors bad = good;
  bad.erase("layer2.0.bn1.running_var");
  EXPECT_THAT(complaint(bad), HasSubstr("resnet18, 'layer2.0.bn1.running_var' is missing"));
  bad = good;
  bad["extra"] = {{1}, {0.0f}};
  EXPECT_THAT(complaint(bad), HasSubstr("found 'extra' as well"));
  bad = good;
  bad["bn1.weight"] = {{63}, std::vector<float>(63)};
  EXPECT_THAT(complaint(bad), HasSubstr("'bn1.weight': expected shape [64], found [63]"));
  bad = good;
  bad["conv1.weight"].values[5] = INFINITY;
  EXPECT_THAT(complaint(bad), HasSubstr("'conv1.weight': element 5 is not a finite number"));
  bad = good;
  bad["bn1.running_var"].values[0] = -1;
  EXPECT_THAT(complaint(bad), HasSubstr("a negative variance"));
  bad = good;
  bad["bn1.num_batches_tracked"] = {{}, {3}};
  bad["fc.weight"] = {{10, 512}, std::vector<float>(5120)};
  EXPECT_THAT(complaint(bad), HasSubstr("'fc.bias' is missing"));
  bad["fc.bias"] = {{10}, std::vector<float>(10)};
  EXPECT_EQ(complaint(bad), "accepted");
  EXPECT_THAT(complaint({}), HasSubstr("ResNet-18, 34, 50 or 101"));
}

TEST(ResNetWeights, MayHaveAQuarterOrHalfOfTheChannels) {
  for (const size_t width : {16, 32}) {
    EXPECT_EQ(random_resnet(18, ResNetVariant::kV1_5, width).layout.features, 8 * width);
  }
  EXPECT_SPML_ERROR(random_resnet(18, ResNetVariant::kV1_5, 48), HasSubstr("expected shape ["));
}

TEST(ImportResNet, ReadsPyTorchStateDicts) {
  TemporaryFolder folder;
  const NamedTensors tensors = random_resnet_tensors(resnet_layout(18, ResNetVariant::kV1_5));
  std::string dict = kEmptyOrderedDict + "(";
  ZipFiles files;
  for (const auto& [name, tensor] : tensors) {
    std::vector<int32_t> shape(tensor.shape.begin(), tensor.shape.end()), strides(shape.size(), 1);
    for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
    const std::string key = std::to_string(files.size());
    dict += p_text(name) +
            p_tensor(p_storage("FloatStorage", key, static_cast<int32_t>(tensor.values.size())), 0,
                     shape, strides);
    const auto* bytes = reinterpret_cast<const char*>(tensor.values.data());
    files.emplace_back("r/data/" + key, std::string(bytes, 4 * tensor.values.size()));
  }
  files.emplace_back("r/data.pkl", p_program(dict + "u"));
  std::ofstream(folder / "r.pth", std::ios::binary) << stored_zip(files);
  const ResNetWeights imported = import_resnet(folder / "r.pth");
  EXPECT_EQ(imported.layout.name(), "resnet18");
  EXPECT_EQ(imported.layout.variant, ResNetVariant::kV1_5);
  EXPECT_EQ(imported.values("conv1.weight"), tensors.at("conv1.weight").values);
}

TEST(Fold, GivesTheNormalisedConvolution) {
  ResNetWeights weights = random_resnet(18, ResNetVariant::kV1);
  const ConvLayout& c = weights.layout.stem;
  weights.tensors["bn1.weight"].values[2] = 3;
  weights.tensors["bn1.bias"].values[2] = 0.5;
  weights.tensors["bn1.running_mean"].values[2] = 2;
  weights.tensors["bn1.running_var"].values[2] = 4 - 1e-5f;
  const FoldedConv folded = fold(weights, c);
  EXPECT_FLOAT_EQ(folded.bias[2], 0.5f - 1.5f * 2);
  const size_t first = 2 * 3 * 49;  // of output channel 2
  EXPECT_FLOAT_EQ(folded.weights[first], 1.5f * weights.values("conv1.weight")[first]);
}

TEST(CacheFolder, FollowsTheEnvironment) {
  EXPECT_EQ(cache_folder("/x", "/home/a"), "/x/spml");
  EXPECT_EQ(cache_folder(nullptr, "/home/a"), "/home/a/.cache/spml");
  EXPECT_EQ(cache_folder("relative", "/home/a"), "/home/a/.cache/spml");
  EXPECT_SPML_ERROR(cache_folder(nullptr, nullptr), HasSubstr("HOME"));
}

TEST(TarGz, RefusesOtherFiles) {
  TemporaryFolder folder;
  write_file(folder / "a.tgz", std::string(2000, 'x'));  // gzread passes plain bytes through
  EXPECT_SPML_ERROR(read_tar_gz(folder / "a.tgz", "", 1 << 20), HasSubstr("not a tar archive"));
  write_file(folder / "b.tgz", "short");
  EXPECT_SPML_ERROR(read_tar_gz(folder / "b.tgz", "", 1 << 20), HasSubstr("cut short"));
}

TEST(TarGz, ReadsFilesBelowAPrefixAndKeepsToItsLimit) {
  const auto entry = [](std::string name, const std::string& contents) {
    std::string header(512, '\0');
    header.replace(0, name.size(), name);
    header.replace(124, 12, fmt::format("{:011o}", contents.size()) + '\0');
    header[156] = '0';
    return header + contents + std::string((512 - contents.size() % 512) % 512, '\0');
  };
  TemporaryFolder folder;
  write_file(folder / "a.tar",
             entry("p/a", "hello") + entry("q/b", "no") + std::string(1024, '\0'));
  const auto files = read_tar_gz(folder / "a.tar", "p/", 1 << 20);
  EXPECT_EQ(files, (std::map<std::string, std::string>{{"p/a", "hello"}}));
  EXPECT_SPML_ERROR(read_tar_gz(folder / "a.tar", "p/", 1500), HasSubstr("more than expected"));
}

}  // namespace
}  // namespace spml
