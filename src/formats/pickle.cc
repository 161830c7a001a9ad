#include "formats/pickle.h"

#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/fail.h"

namespace spml {
namespace {

// Nodes live in one arena and point at one another by address: a pickle that contains itself is
// neither a leak nor a loop, because nothing here follows it down.
struct Node {
  enum class Kind { kMark, kOther, kInt, kText, kTuple, kDict, kGlobal, kStorage, kTensor };
  Kind kind = Kind::kOther;
  int64_t number = 0;
  std::string text;                       // of kText; "module name" of kGlobal
  std::vector<Node*> items;               // of kTuple; key, value, key, value... of kDict
  std::unique_ptr<PickledTensor> tensor;  // of kTensor, and its storage fields of kStorage
};
using Kind = Node::Kind;

// A ResNet-101 has some 15,000 values. Each takes a byte of the file and a hundred of memory.
constexpr size_t kMostValues = 1'000'000;
// What a file says once can be used by every tensor: it must be small.
constexpr size_t kMaxDimensions = 8, kMaxStorageName = 256;

const char* name_of(Kind kind) {
  static constexpr std::array kNames{"a mark", "another value", "a number",  "text",    "a tuple",
                                     "a dict", "a function",    "a storage", "a tensor"};
  return kNames[static_cast<size_t>(kind)];
}

std::optional<std::string> storage_type(std::string_view global) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kTypes{{
      {"torch FloatStorage", "F32"},
      {"torch HalfStorage", "F16"},
      {"torch BFloat16Storage", "BF16"},
      {"torch DoubleStorage", "F64"},
      {"torch LongStorage", "I64"},
      {"torch IntStorage", "I32"},
      {"torch ShortStorage", "I16"},
      {"torch CharStorage", "I8"},
      {"torch ByteStorage", "U8"},
      {"torch BoolStorage", "BOOL"},
  }};
  for (const auto& [name, dtype] : kTypes) {
    if (name == global) return std::string(dtype);
  }
  return std::nullopt;
}

constexpr std::string_view kOrderedDict = "collections OrderedDict";
constexpr std::string_view kRebuildTensor = "torch._utils _rebuild_tensor_v2";

class Machine {
 public:
  Machine(std::string_view pickle, std::string_view where) : pickle_(pickle), where_(where) {}

  // Runs to the end of the pickle; its result.
  const Node& run() {
    while (true) {
      const auto op = number<uint8_t>();
      if (op == '.') return *pop();
      step(op);
    }
  }

 private:
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    fail("{}: not a plain dictionary of tensors: {} (pickle byte {})", where_,
         fmt::format(format, std::forward<Args>(args)...), at_);
  }

  std::string_view take(size_t size) {
    if (size > pickle_.size() - at_) refuse("the pickle ends early");
    at_ += size;
    return pickle_.substr(at_ - size, size);
  }

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  std::string_view line() {
    const size_t end = pickle_.find('\n', at_);
    if (end == std::string_view::npos) refuse("the pickle ends early");
    const std::string_view text = take(end - at_);
    take(1);
    return text;
  }

  Node* push(Kind kind) {
    if (arena_.size() == kMostValues) refuse("more than {} values", kMostValues);
    Node& node = arena_.emplace_back();
    node.kind = kind;
    push(&node);
    return &node;
  }
  void push(Node* node) {
    if (stack_.size() == kMostValues) refuse("more than {} values at once", kMostValues);
    stack_.push_back(node);
  }
  void push_int(int64_t value) { push(Kind::kInt)->number = value; }
  void push_text(std::string_view value) { push(Kind::kText)->text = value; }

  Node* pop() {
    if (stack_.empty() || stack_.back()->kind == Kind::kMark) refuse("a value is missing");
    Node* node = stack_.back();
    stack_.pop_back();
    return node;
  }
  Node* pop(Kind kind) {
    Node* node = pop();
    if (node->kind != kind) refuse("expected {}, found {}", name_of(kind), name_of(node->kind));
    return node;
  }

  // Everything above the last mark.
  std::vector<Node*> pop_to_mark() {
    size_t begin = stack_.size();
    while (begin > 0 && stack_[begin - 1]->kind != Kind::kMark) --begin;
    if (begin == 0) refuse("a mark is missing");
    std::vector<Node*> items(stack_.begin() + static_cast<ptrdiff_t>(begin), stack_.end());
    stack_.resize(begin - 1);
    return items;
  }

  void push_tuple(std::vector<Node*> items) { push(Kind::kTuple)->items = std::move(items); }

  void push_last(size_t count) {
    std::vector<Node*> items(count);
    for (size_t i = count; i-- > 0;) items[i] = pop();
    push_tuple(std::move(items));
  }

  void remember(size_t key) {
    if (stack_.empty()) refuse("a value is missing");
    if (memo_.size() == kMostValues) refuse("more than {} values to remember", kMostValues);
    memo_[key] = stack_.back();
  }
  void recall(size_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) refuse("value {} is used before it is defined", key);
    push(found->second);
  }

  void push_global(std::string_view module, std::string_view name) {
    std::string global = fmt::format("{} {}", module, name);
    if (global != kOrderedDict && global != kRebuildTensor && !storage_type(global)) {
      refuse("it wants to call {}.{}, and spml runs no code from files", module, name);
    }
    push(Kind::kGlobal)->text = std::move(global);
  }

  // ('storage', type, key, device, elements): where a tensor's numbers are.
  void push_storage() {
    const Node& id = *pop(Kind::kTuple);
    const auto is = [&](size_t i, Kind kind) { return id.items[i]->kind == kind; };
    if (id.items.size() != 5 || !is(0, Kind::kText) || id.items[0]->text != "storage" ||
        !is(1, Kind::kGlobal) || !is(2, Kind::kText) || !is(4, Kind::kInt)) {
      refuse("a reference to something other than a tensor's storage");
    }
    const auto dtype = storage_type(id.items[1]->text);
    const std::string& name = id.items[2]->text;
    if (!dtype || id.items[4]->number < 0 || name.size() > kMaxStorageName) {
      refuse("a malformed storage");
    }
    auto tensor = std::make_unique<PickledTensor>();
    tensor->dtype = *dtype;
    tensor->storage = name;
    tensor->storage_elements = static_cast<size_t>(id.items[4]->number);
    push(Kind::kStorage)->tensor = std::move(tensor);
  }

  std::vector<size_t> sizes(const Node& tuple) {
    if (tuple.kind != Kind::kTuple || tuple.items.size() > kMaxDimensions) {
      refuse("expected a tuple of at most {} sizes", kMaxDimensions);
    }
    std::vector<size_t> values;
    for (const Node* item : tuple.items) {
      if (item->kind != Kind::kInt || item->number < 0) refuse("a size that is not a whole number");
      values.push_back(static_cast<size_t>(item->number));
    }
    return values;
  }

  // _rebuild_tensor_v2(storage, offset, shape, strides, requires_grad, hooks[, metadata])
  void push_tensor(const Node& arguments) {
    const auto& items = arguments.items;
    if (items.size() < 4 || items[0]->kind != Kind::kStorage || items[1]->kind != Kind::kInt ||
        items[1]->number < 0) {
      refuse("a malformed tensor");
    }
    auto tensor = std::make_unique<PickledTensor>(*items[0]->tensor);
    tensor->offset = static_cast<size_t>(items[1]->number);
    tensor->shape = sizes(*items[2]);
    tensor->strides = sizes(*items[3]);
    push(Kind::kTensor)->tensor = std::move(tensor);
  }

  void call() {
    const Node& arguments = *pop(Kind::kTuple);
    const Node& function = *pop(Kind::kGlobal);
    if (function.text == kRebuildTensor) return push_tensor(arguments);
    if (function.text != kOrderedDict || !arguments.items.empty()) {
      refuse("a call that is not a tensor's");
    }
    push(Kind::kDict);
  }

  Node* dict_on_top() {
    Node* dict = pop(Kind::kDict);
    stack_.push_back(dict);
    return dict;
  }

  void set_items(std::vector<Node*> items) {
    if (items.size() % 2 != 0) refuse("a key without a value");
    Node* dict = dict_on_top();
    if (items.size() > kMostValues - dict->items.size())
      refuse("more than {} entries", kMostValues);
    dict->items.insert(dict->items.end(), items.begin(), items.end());
  }

  void push_long(size_t size) {
    const std::string_view bytes = take(size);
    if (size > sizeof(int64_t)) refuse("a number of more than 64 bits");
    uint64_t value = size > 0 && (bytes.back() & 0x80) != 0 ? ~uint64_t{0} : 0;
    for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[i]);
    push_int(static_cast<int64_t>(value));
  }

  void step(uint8_t op) {
    switch (op) {
      case 0x80:  // PROTO
        take(1);
        return;
      case 0x95:  // FRAME
        take(8);
        return;
      case '(':
        push(Kind::kMark);
        return;
      case 'N':  // None, True, False: present, never looked at
      case 0x88:
      case 0x89:
        push(Kind::kOther);
        return;
      case 'G':  // BINFLOAT
        take(8);
        push(Kind::kOther);
        return;
      case 'K':
        return push_int(number<uint8_t>());
      case 'M':
        return push_int(number<uint16_t>());
      case 'J':
        return push_int(number<int32_t>());
      case 0x8a:  // LONG1
        return push_long(number<uint8_t>());
      case 'X':  // BINUNICODE
        return push_text(take(number<uint32_t>()));
      case 0x8c:  // SHORT_BINUNICODE
        return push_text(take(number<uint8_t>()));
      case 'q':
        return remember(number<uint8_t>());
      case 'r':
        return remember(number<uint32_t>());
      case 0x94:  // MEMOIZE
        return remember(memo_.size());
      case 'h':
        return recall(number<uint8_t>());
      case 'j':
        return recall(number<uint32_t>());
      case ')':
        return push_tuple({});
      case 0x85:
        return push_last(1);
      case 0x86:
        return push_last(2);
      case 0x87:
        return push_last(3);
      case 't':
        return push_tuple(pop_to_mark());
      case '}':
        push(Kind::kDict);
        return;
      case 's': {
        Node* value = pop();
        Node* key = pop();
        return set_items({key, value});
      }
      case 'u':
        return set_items(pop_to_mark());
      case 'c': {
        const std::string_view module = line(), name = line();
        return push_global(module, name);
      }
      case 0x93: {  // STACK_GLOBAL
        const Node* name = pop(Kind::kText);
        const Node* module = pop(Kind::kText);
        return push_global(module->text, name->text);
      }
      case 'Q':
        return push_storage();
      case 'R':
        return call();
      case 'b':  // attributes of a dict, such as torch's _metadata: dropped
        pop();
        dict_on_top();
        return;
      default:
        refuse("unsupported pickle instruction 0x{:02x}", op);
    }
  }

  std::string_view pickle_, where_;
  size_t at_ = 0;
  std::deque<Node> arena_;
  std::vector<Node*> stack_;
  std::unordered_map<size_t, Node*> memo_;
};

}  // namespace

std::map<std::string, PickledTensor> parse_tensor_pickle(std::string_view pickle,
                                                         std::string_view where) {
  Machine machine(pickle, where);
  const Node& root = machine.run();
  if (root.kind != Kind::kDict) {
    fail("{}: expected a dictionary of tensors, found {}", where, name_of(root.kind));
  }
  std::map<std::string, PickledTensor> tensors;
  for (size_t i = 0; i < root.items.size(); i += 2) {
    const Node &key = *root.items[i], &value = *root.items[i + 1];
    if (key.kind != Kind::kText || value.kind != Kind::kTensor) {
      fail(
          "{}: expected a dictionary from names to tensors, found {} under {}; save the model's "
          "state_dict() alone",
          where, name_of(value.kind),
          key.kind == Kind::kText ? "'" + key.text.substr(0, 60) + "'" : name_of(key.kind));
    }
    tensors[key.text] = *value.tensor;
  }
  return tensors;
}

}  // namespace spml
