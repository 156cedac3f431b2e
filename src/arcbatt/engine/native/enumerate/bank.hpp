// The bank of one example: every distinct value that moves have given, and the results of moves on it. Values
// are pictures and lists of pictures; a value is known by its id.
#pragma once
#include <algorithm>

#include "features.hpp"
#include "hash_table.hpp"

namespace arc {

// In place of a result: the move was not tried yet; it gave none.
constexpr u32 UNTRIED = ~0u, REFUSED = ~0u - 1;

inline u64 hash_of_picture(const Pic& p) {
  const u64 place = (u64)(u32)p.row << 32 | (u32)p.column, size = (u64)(u32)p.n_rows << 32 | (u32)p.width;
  return hash_bytes(p.cells, (u64)p.area(), fold_product(place ^ HASH_K2, size ^ HASH_K1));
}

struct ValueLimits {
  i64 area = 900;        // of a picture
  i64 list_area = 4500;  // of all pictures of a list
  i64 list_items = 1000;
};

class Bank {
 public:
  Bank(Size input_size, const ValueLimits& limits, Workspace& workspace)
      : workspace_(&workspace), input_size_(input_size), limits_(limits), headers_(workspace),
        cells_(workspace), items_(workspace), results_(workspace), ids_(workspace) {}

  u32 n_entries() const { return (u32)headers_.size(); }
  bool is_list(u32 id) const { return headers_[id].is_list(); }
  u8 depth(u32 id) const { return headers_[id].facts.depth; }  // the fewest moves that gave it
  Pic picture(u32 id) const {
    const Header& header = headers_[id];
    Pic p;
    p.row = header.row;
    p.column = header.column;
    p.n_rows = header.facts.n_rows;
    p.width = header.facts.width;
    if (p.n_rows) p.cells = &cells_[header.at];
    return p;
  }
  void prefetch_header(u32 id) const { __builtin_prefetch(&headers_[id]); }
  void prefetch(u32 id) const {
    const Header& header = headers_[id];
    if (header.is_list()) {
      if (header.row) __builtin_prefetch(&items_[header.at]);
    } else if (header.facts.n_rows) {
      __builtin_prefetch(&cells_[header.at]);
      __builtin_prefetch(&cells_[header.at] + 64);
    }
  }
  // The ids of the pictures of a list, in order.
  const u32* items(u32 id) const { return n_items(id) ? &items_[headers_[id].at] : nullptr; }
  u32 n_items(u32 id) const { return is_list(id) ? (u32)headers_[id].row : 0; }

  void set_output_size(Size size) { output_size_ = size; }
  Size input_size() const { return input_size_; }
  Size output_size() const { return output_size_; }

  // Returns the id of a picture, which is copied if it is new.
  u32 add(const Pic& picture, u8 depth) { return add(picture, hash_of_picture(picture), depth); }
  u32 add(const Pic& picture, u64 hash, u8 depth) {
    const u32 id = ids_.find_or_add(hash, n_entries());
    if (id < n_entries()) return lower_depth(id, depth);
    Header header = header_of(picture.row, picture.column, depth);
    header.facts.n_rows = (u64)picture.n_rows & SIDE_BITS;
    header.facts.width = (u64)picture.width & SIDE_BITS;
    if (const u64 area = (u64)picture.area()) {
      u8* cells = cells_.add(area);
      header.at = (u32)(cells_.size() - area);
      std::memcpy(cells, picture.cells, area);
    }
    return add_header(header);
  }

  // Returns the id of a list of pictures, in any order; REFUSED if it exceeds the limits.
  u32 add_list(std::vector<Pic>& pictures, u8 depth) {
    workspace_->reset_scratch();
    return add_list(list_of(workspace_->scratch, pictures.data(), (i64)pictures.size()), depth);
  }

  // Returns the id of the result of a move, or REFUSED.
  u32 apply(u32 id, u32 move, u8 depth) {
    const u32 known = result(id, move);
    if (known != UNTRIED) {
      if (known != REFUSED) lower_depth(known, depth);
      return known;
    }
    const u32 given = run(id, move, depth);
    result(id, move) = given;
    return given;
  }

  // Returns the picture that a move gives, without adding it to the bank; it is valid until the workspace's
  // transient lane is reset. It has failed if the move is refused.
  Pic compute(u32 id, u32 number) {
    const Move& move = ALL_MOVES[number];
    if (is_list(id) != (move.shape == Shape::L_TO_P)) return failed_picture<u8>(EMPTY);
    workspace_->n_applications++;
    if (move.shape == Shape::L_TO_P) return checked(move.pick(workspace_->transient, pictures_of(id), move.args));
    if (move.takes == Takes::OUTPUT_SIZE && !output_size_.n_rows) return failed_picture<u8>(EMPTY);
    return to_picture(workspace_->transient, id, number);
  }
  // Returns whether a picture is the value itself, not an equal one elsewhere in memory.
  bool is_itself(u32 id, const Pic& p) const {
    const Header& header = headers_[id];
    return is_at(id, p) && p.row == header.row && p.column == header.column && p.n_rows == header.facts.n_rows &&
           p.width == header.facts.width;
  }

  // Computes the list that a move gives on a list, as sorted distinct ids of its pictures; returns false if
  // the move is refused.
  bool compute_list(u32 id, u32 number, u8 depth, std::vector<u32>& given) {
    const Move& move = ALL_MOVES[number];
    if (!is_list(id)) return false;
    if (move.shape == Shape::P_TO_P && move.takes == Takes::NOTHING) return apply_to_items(id, number, depth, given);
    if (move.shape != Shape::L_TO_L) return false;
    workspace_->n_applications++;
    workspace_->reset_scratch();
    const PicList list = move.sift(workspace_->scratch, pictures_of(id), move.args);
    if (is_refused(list)) return false;
    given.clear();
    // A sift returns some of the pictures it took, mostly in order.
    const u32 *item = items(id), *end = item + n_items(id);
    for (i32 k = 0; k < list.n; k++) {
      while (item != end && !is_at(*item, list.items[k])) item++;
      given.push_back(item != end ? *item++ : add(list.items[k], depth));
    }
    return true;
  }
  // Applies a move from a list to a picture to pictures given by their ids.
  Pic compute_from_items(const std::vector<u32>& of, const Move& move) {
    workspace_->n_applications++;
    return checked(move.pick(workspace_->transient, pictures_of(of.data(), (u32)of.size()), move.args));
  }

  // Returns the fewest moves that gave a picture; 255 if it is not in the bank.
  u8 depth_of(const Pic& picture) {
    const HashTable::Entry* known = ids_.find(hash_of_picture(picture));
    return known ? depth(known->number) : 255;
  }

  // Forgets the results of moves that take the output's size.
  void forget_output_moves() {
    for (u64 row = 0; row < results_.size(); row++)
      for (u32 s = 0; s < N_MOVES; s++)
        if (ALL_MOVES[s].takes == Takes::OUTPUT_SIZE) results_[row].of[s] = UNTRIED;
  }

 private:
  // A picture or a list. For a list, n_rows is LIST and `row` the number of pictures.
  struct Header {
    Facts facts;
    u32 at;  // its first cell or item
    i32 row, column;
    u32 results;  // its row in results_; UNTRIED if no move was tried

    bool is_list() const { return facts.n_rows == LIST; }
  };
  static_assert(sizeof(Header) == 32);
  static constexpr u64 SIDE_BITS = 2047, LIST = SIDE_BITS;
  static_assert(MAX_AREA < LIST);
  static constexpr u64 LIST_HASH = 0x8ebc6af09c88c6e3ULL;
  // The results of all moves on one value.
  struct Results {
    u32 of[N_MOVES];
  };

  Workspace* workspace_;
  Size input_size_, output_size_ = {0, 0};
  ValueLimits limits_;
  Chunked<Header> headers_;
  Chunked<u8> cells_;
  Chunked<u32> items_;
  Chunked<Results> results_;
  HashTable ids_;
  std::vector<Pic> pictures_;
  std::vector<u32> given_, rows_;
  // A new result of a move on a picture of a list, before it is looked up.
  struct Fresh {
    u32 at;  // the picture's index in the list
    u64 hash;
    Pic picture;
  };
  std::vector<Fresh> fresh_;

  static Header header_of(i32 row, i32 column, u8 depth) {
    Header header = {{}, 0, row, column, UNTRIED};
    header.facts.depth = depth & 63u;
    return header;
  }
  u32 add_header(const Header& header) {
    headers_.push_back(header);
    return n_entries() - 1;
  }
  u32 row_of(u32 id) {
    u32& row = headers_[id].results;
    if (row == UNTRIED) {
      row = (u32)results_.size();
      std::memset(results_.add(1), 0xff, sizeof(Results));
    }
    return row;
  }
  u32& result(u32 id, u32 move) { return results_[row_of(id)].of[move]; }
  u32 lower_depth(u32 id, u8 depth) {
    Facts& facts = headers_[id].facts;
    if (depth < facts.depth) facts.depth = depth & 63u;
    return id;
  }
  Size size_for(const Move& move) const { return move.takes == Takes::OUTPUT_SIZE ? output_size_ : input_size_; }

  // Applies a move from picture to picture; the result has failed if it is refused.
  Pic to_picture(Lane& lane, u32 id, u32 number) {
    const Move& move = ALL_MOVES[number];
    const Prediction& by = PREDICTIONS[number];
    const Pic p = picture(id);
    if (by.groups) {
      Facts& facts = headers_[id].facts;
      if (!facts.has(by.groups)) FeatureFinder::find(p, limits_.area, by.groups, facts);
      Pic given;
      if (predict(move, by, p, facts, size_for(move), given)) {
        workspace_->n_predicted++;
        return checked(given);
      }
    }
    return checked(move.to_picture(lane, p, move.args, size_for(move)));
  }

  u32 run(u32 id, u32 number, u8 depth) {
    const Move& move = ALL_MOVES[number];
    const bool is_of_list = is_list(id);
    const bool takes_list = move.shape == Shape::L_TO_P || move.shape == Shape::L_TO_L;
    if (is_of_list && move.shape == Shape::P_TO_P && move.takes == Takes::NOTHING) {
      std::vector<u32> given;
      return apply_to_items(id, number, depth, given) ? add_items(given, depth) : REFUSED;
    }
    if (is_of_list != takes_list) return REFUSED;
    workspace_->n_applications++;
    workspace_->reset_scratch();
    Lane& lane = workspace_->scratch;
    switch (move.shape) {
      case Shape::P_TO_P: {
        if (move.takes == Takes::OUTPUT_SIZE && !output_size_.n_rows) return REFUSED;
        const Pic given = to_picture(lane, id, number);
        return given.failed() ? REFUSED : is_itself(id, given) ? lower_depth(id, depth) : add(given, depth);
      }
      case Shape::P_TO_L: return add_list(move.to_list(lane, picture(id), move.args), depth);
      case Shape::L_TO_P: {
        const Pic given = checked(move.pick(lane, pictures_of(id), move.args));
        return given.failed() ? REFUSED : add(given, depth);
      }
      default: return add_list(move.sift(lane, pictures_of(id), move.args), depth);
    }
  }
  PicList pictures_of(u32 id) { return pictures_of(items(id), n_items(id)); }
  PicList pictures_of(const u32* items, u32 n) {
    pictures_.resize(n);
    for (u32 k = 0; k < n; k++) pictures_[k] = picture(items[k]);
    PicList list;
    list.items = pictures_.data();
    list.n = (i32)n;
    return list;
  }
  // Returns whether a picture has the cells of a value in memory. All empty pictures are the same.
  bool is_at(u32 id, const Pic& p) const {
    const Header& header = headers_[id];
    return header.facts.n_rows ? p.n_rows && p.cells == &cells_[header.at] : !p.n_rows;
  }
  Pic checked(const Pic& picture) const {
    return picture.area() > limits_.area ? failed_picture<u8>(OVER_BUDGET) : picture;
  }
  bool is_refused(const PicList& list) const {
    if (list.failed() || list.n > limits_.list_items) return true;
    i64 area = 0;
    for (i32 k = 0; k < list.n; k++) area += list.items[k].area();
    return area > limits_.list_area;
  }
  u32 add_list(const PicList& list, u8 depth) {
    if (is_refused(list)) return REFUSED;
    given_.clear();
    for (i32 k = 0; k < list.n; k++) given_.push_back(add(list.items[k], depth));
    return add_items(given_, depth);
  }
  // Adds a list of sorted distinct pictures.
  u32 add_items(const std::vector<u32>& given, u8 depth) {
    // LIST_HASH keeps hashes of lists apart from those of pictures of a few cells.
    const u64 hash = hash_bytes(given.data(), given.size() * sizeof(u32), LIST_HASH + given.size());
    const u32 id = ids_.find_or_add(hash, n_entries());
    if (id < n_entries()) return lower_depth(id, depth);
    Header header = header_of((i32)given.size(), 0, depth);
    header.facts.n_rows = LIST;
    if (!given.empty()) {
      u32* to = items_.add(given.size());
      header.at = (u32)(items_.size() - given.size());
      std::copy(given.begin(), given.end(), to);
    }
    return add_header(header);
  }
  // Applies a move to every picture of a list; returns false if one is refused.
  bool apply_to_items(u32 id, u32 move, u8 depth, std::vector<u32>& given) {
    const u32 n = n_items(id), *of = items(id);
    // Prefetch the known results of all items before the first is needed.
    rows_.resize(n);
    for (u32 k = 0; k < n; k++) {
      rows_[k] = row_of(of[k]);
      __builtin_prefetch(&results_[rows_[k]].of[move]);
    }
    given.resize(n);
    fresh_.clear();
    workspace_->reset_scratch();
    bool is_refused = false, is_same = true;
    for (u32 k = 0; k < n && !is_refused; k++) {
      u32& known = results_[rows_[k]].of[move];
      if (known == UNTRIED) {
        workspace_->n_applications++;
        const Pic picture = to_picture(workspace_->scratch, of[k], move);
        if (picture.failed()) {
          known = REFUSED;
        } else if (is_itself(of[k], picture)) {
          known = of[k];
        } else {
          fresh_.push_back({k, hash_of_picture(picture), picture});
          ids_.prefetch(fresh_.back().hash);
        }
      }
      given[k] = known;
      is_refused = known == REFUSED;
      is_same &= known == of[k];
      if (known < REFUSED) __builtin_prefetch(&headers_[known]);
    }
    for (const Fresh& each : fresh_)
      given[each.at] = results_[rows_[each.at]].of[move] = add(each.picture, each.hash, depth);
    i64 area = 0;
    for (u32 k = 0; k < n && given[k] != REFUSED; k++) {
      lower_depth(given[k], depth);
      const Facts& facts = headers_[given[k]].facts;
      area += (i64)facts.n_rows * (i64)facts.width;
    }
    if (is_refused || area > limits_.list_area) return false;
    if (is_same) return true;
    const auto before = [&](u32 a, u32 b) { return compare_pictures(picture(a), picture(b)) < 0; };
    if (!std::is_sorted(given.begin(), given.end(), before))
      std::stable_sort(given.begin(), given.end(), before);
    given.erase(std::unique(given.begin(), given.end()), given.end());
    return true;
  }
};

}  // namespace arc
