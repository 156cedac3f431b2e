// Images: batts and samples as bytes that are valid at another address.
#pragma once
#include <cstring>
#include <unordered_map>

#include "fused_batt.hpp"
#include "samples.hpp"

namespace arc {

struct Image {
  char* to;  // where the bytes are written; null to only count them
  u64 base;  // their later address
  u64 n_bytes = 0;
  // Cells that were placed as a whole; values that point into them are not placed again.
  const i32* cells = nullptr;
  u64 n_cells = 0, cells_at = 0;

  template <class T>
  T* place(const T* items, u64 n) {
    const u64 into = (u64)((const char*)items - (const char*)cells);
    if (cells && into < n_cells * sizeof(i32)) return (T*)(base + cells_at + into);
    const u64 at = (n_bytes + 15) & ~15ULL;
    n_bytes = at + n * sizeof(T);
    if (to && n) std::memcpy(to + at, (const void*)items, n * sizeof(T));
    return (T*)(base + at);
  }
  Value place(Value v) {
    switch (v.kind) {
      case INTS:
      case INTSET: v.ints = place(v.ints, v.n); break;
      case GRID: v.ints = place(v.ints, (u64)v.n * v.aux); break;
      case INDICES:
      case OBJECT: v.keys = place(v.keys, v.n); break;
      case TUPLE:
      case SET:
      case FUNCTION:
        if (v.n) {
          std::vector<Value> members(v.members(), v.members() + v.n);
          for (Value& m : members) m = place(m);
          Block* block = place(v.block, 1);
          place(members.data(), members.size());
          v.block = block;
        }
        break;
      default: break;
    }
    return v;
  }
};

// The image of a batt starts with the Batt itself.
inline void place_all(Image& image, const FusedBatt& batt) {
  Batt view = batt.view();
  image.place(&view, 1);
  view.code = image.place(view.code, view.n_nodes);
  view.args = image.place(view.args, batt.args.size());
  std::vector<Value> constants;
  for (const Value& v : batt.constants) constants.push_back(image.place(v));
  view.constants = image.place(constants.data(), constants.size());
  view.results = image.place(view.results, view.n_programs);
  view.starts = image.place(view.starts, view.n_programs + 1);
  view.program_nodes = image.place(view.program_nodes, batt.program_nodes.size());
  if (image.to) std::memcpy(image.to, &view, sizeof(view));
}

// The image of samples starts with the array of Sample.
inline void place_all(Image& image, const Samples& samples) {
  image.place(samples.samples.data(), samples.samples.size());
  image.cells_at = (u64)image.place(samples.cells, samples.n_cells) - image.base;
  image.cells = samples.cells;
  image.n_cells = samples.n_cells;
  std::unordered_map<const Block*, Value> placed;  // demos that several samples share are placed once
  char* to = image.to;
  for (Sample moved : samples.samples) {
    moved.input = image.place(moved.input);
    moved.target = image.place(moved.target);
    if (moved.demos.n) {
      auto known = placed.find(moved.demos.block);
      if (known == placed.end()) known = placed.emplace(moved.demos.block, image.place(moved.demos)).first;
      moved.demos = known->second;
    }
    if (!to) continue;
    std::memcpy(to, (const void*)&moved, sizeof(moved));
    to += sizeof(moved);
  }
}

template <class T>
u64 image_bytes(const T& packed) {
  Image image{nullptr, 0};
  place_all(image, packed);
  return image.n_bytes;
}
inline u64 image_bytes(const Samples& samples) {
  if (!samples.n_image_bytes) samples.n_image_bytes = image_bytes<Samples>(samples);
  return samples.n_image_bytes;
}
template <class T>
void write_image(const T& packed, OutArray<u8> to, u64 base) {
  if (to.size() != image_bytes(packed)) throw std::invalid_argument("the image has another size");
  nb::gil_scoped_release release;
  Image image{(char*)to.data(), base};
  place_all(image, packed);
}

}  // namespace arc
