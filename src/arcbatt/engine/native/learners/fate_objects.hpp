// The objects of a grid and the predicates that relate them, as language/learners/object_predicates.py lists them.
#pragma once
#include "parts.hpp"

namespace arc {
namespace fates {

#include "fate_codes.inc"

constexpr i32 MAX_OBJECTS = 64;   // of a grid: a bit each
constexpr i32 ABSENT = -1000000;  // the value of a feature that an object lacks
constexpr i32 N_CUTS = (i32)(sizeof(CUTS) / sizeof(CUTS[0]));
constexpr i32 FIRST_KINSHIP = 3 * N_MEASURES, FIRST_FLAG = FIRST_KINSHIP + 3 * N_KINSHIPS,
              FIRST_TOUCHED = FIRST_FLAG + N_FLAGS, FIRST_COLOR = FIRST_TOUCHED + 10, FIRST_CATEGORY = FIRST_COLOR + 10,
              FIRST_RELATION = FIRST_CATEGORY + N_CATEGORIES;
static_assert(FIRST_RELATION + N_REFERENCES * N_RELATIONS == N_FEATURES, "the features are those of the language");

struct FateObject : Part {
  i32 main = 0, minor = -1, n_colors = 0, n_minor = 0, n_holes = 0;  // main: its most common color; minor: the second
  u32 symmetries = 0;            // bits: left to right, top to bottom, about a diagonal
  u64 touching = 0, within = 0;  // bits of other objects
  i32 around = -1;               // the smallest object that encloses it
  i32 shape = 0, turned_shape = 0, picture = 0;
  std::vector<u8> holes;  // of the places of its box; empty without any
  u32 colors_around = 0;  // other than 0, beside it or at its corners

  explicit FateObject(const Part& part) : Part(part) {}
  bool is_hole(i32 i, i32 j) const { return !holes.empty() && holes[(size_t)((i - top) * width() + j - left)]; }
};

inline i32 hash_of(const std::vector<i32>& numbers) {
  u64 hash = numbers.size();
  for (const i32 each : numbers) hash = mix_bits(hash ^ (u64)(u32)each);
  return (i32)(hash & 0xfffff);
}

// A grid, one way to cut it into objects, and what is known about them.
class ObjectGrid {
 public:
  Scene scene;
  std::vector<FateObject> objects;

  ObjectGrid(const Scene& scene, const Parts& parts) : scene(scene), objects(parts.begin(), parts.end()) {
    for (FateObject& own : objects) inspect(own);
    for (i32 k = 0; k < n(); k++) relate(k);
  }

  i32 n() const { return (i32)objects.size(); }
  u64 everyone() const { return n() == 64 ? ~0ULL : (1ULL << n()) - 1; }
  // Returns the cost of finding the objects: places of boxes and pairs.
  u64 cost() const {
    u64 sum = (u64)n() * (u64)n();
    for (const FateObject& own : objects) sum += (u64)own.area();
    return sum;
  }
  u64 feature_cost() const { return (u64)n() * (N_FEATURES / 8) + 2 * (u64)n() * (u64)n(); }

  i32 feature(i32 number, i32 object) const { return features_[(size_t)number * objects.size() + (size_t)object]; }
  void describe();

  // The first row (axis 0) or column (axis 1) of an object at a new place; ABSENT if there is none.
  i32 place(i32 object, i32 axis, i32 which) const {
    return places_[((size_t)object * 2 + (size_t)axis) * N_PLACES + (size_t)which];
  }
  void find_places();

  // The color that an object's ink stands for; -1 if there is none, or several.
  i32 color_like(i32 number, i32 like) const;

 private:
  void inspect(FateObject& own);
  void relate(i32 number);
  i32 nearest(i32 number, bool only_in_line) const;
  i32 nearest_place(i32 number) const;
  template <class Value>
  void set(i32 number, Value value) {
    for (i32 k = 0; k < n(); k++) features_[(size_t)number * objects.size() + (size_t)k] = (i32)value(objects[k], k);
  }
  void rank(i32 number, i32 by, bool from_most);
  // The only object with the greatest number, or -1.
  template <class Measure>
  i32 only_greatest(Measure measure) const {
    i32 best = -1;
    bool is_only = false;
    for (i32 k = 0; k < n(); k++) {
      if (best < 0 || measure(objects[k]) > measure(objects[best])) {
        best = k;
        is_only = true;
      } else if (measure(objects[k]) == measure(objects[best])) {
        is_only = false;
      }
    }
    return is_only ? best : -1;
  }
  // The only object that no other equals in a number, or -1.
  template <class Measure>
  i32 only_odd(Measure measure) const {
    i32 odd = -1;
    for (i32 k = 0; k < n(); k++) {
      bool is_odd = n() > 2;
      for (i32 m = 0; m < n() && is_odd; m++) is_odd = m == k || measure(objects[m]) != measure(objects[k]);
      if (!is_odd) continue;
      if (odd >= 0) return -1;
      odd = k;
    }
    return odd;
  }
  i32 find_reference(i32 reference) const;
  i32 slide(i32 number, i32 down, i32 along) const;

  std::vector<i32> features_, places_;
};

inline void ObjectGrid::inspect(FateObject& own) {
  const Part& part = own;
  const std::array<i32, 10> counts = count_colors(part);
  own.main = main_color(counts);
  for (i32 c = 0; c < 10; c++) {
    if (!counts[(size_t)c]) continue;
    own.n_colors++;
    if (c == own.main) continue;
    own.n_minor += counts[(size_t)c];
    if (own.minor < 0 || counts[(size_t)c] > counts[(size_t)own.minor]) own.minor = c;
  }
  own.colors_around = colors_touching(part);
  own.symmetries = mirrors_of(part);
  if (part.height() == part.width()) {
    bool falls = true, rises = true;
    for (const Place& at : part) {
      const i32 i = at.row - part.top, j = at.column - part.left, last = own.width() - 1;
      const auto is_same = [&](i32 row, i32 column) {
        return part.has(part.top + row, part.left + column) &&
               scene.cell(part.top + row, part.left + column) == part.color(at);
      };
      falls = falls && is_same(j, i);
      rises = rises && is_same(last - j, last - i);
    }
    if (falls || rises) own.symmetries |= 4;
  }
  std::vector<i32> shape = turned_shape(part, 0), picture = shape;
  own.shape = hash_of(shape);
  for (int turn = 1; turn < 8; turn++) shape = std::min(shape, turned_shape(part, turn));
  own.turned_shape = hash_of(shape);
  for (size_t k = 1; k < picture.size(); k++) {
    const i32 place = picture[k];
    picture[k] = 10 * place + scene.cell(part.top + place / own.width(), part.left + place % own.width());
  }
  own.picture = hash_of(picture);
  own.n_holes = count_holes(part);
  if (own.n_holes) own.holes = mark_holes(part);
}

inline void ObjectGrid::relate(i32 number) {
  FateObject& own = objects[(size_t)number];
  for (const Place& at : own)
    for (int d = 0; d < 8; d++) {
      const i64 i = at.row + row_step(d), j = at.column + column_step(d);
      if (!scene.has(i, j)) continue;
      const i32 other = own.labels[i * scene.width + j];
      if (other >= 0 && other != number) own.touching |= 1ULL << other;
    }
  if (own.holes.empty()) return;
  for (i32 k = 0; k < n(); k++) {
    FateObject& other = objects[(size_t)k];
    if (k == number || !own.boxes(other) || !own.is_hole(other.begin()->row, other.begin()->column)) continue;
    own.within |= 1ULL << k;
    if (other.around < 0 || objects[(size_t)other.around].area() > own.area()) other.around = number;
  }
}

inline i32 ObjectGrid::nearest(i32 number, bool only_in_line) const {
  const FateObject& own = objects[(size_t)number];
  i32 best = -1, least = 0;
  bool is_clear = false;  // whether all of the nearest have one color
  for (i32 k = 0; k < n(); k++) {
    const FateObject& other = objects[(size_t)k];
    if (k == number || (only_in_line && !own.shares_rows(other) && !own.shares_columns(other))) continue;
    const i32 distance = own.distance(other);
    if (best < 0 || distance < least) {
      best = k;
      least = distance;
      is_clear = true;
    } else if (distance == least && other.main != objects[(size_t)best].main) {
      is_clear = false;
    }
  }
  return is_clear ? best : -1;
}

inline i32 ObjectGrid::color_like(i32 number, i32 like) const {
  const FateObject& own = objects[(size_t)number];
  const auto color_of = [&](i32 other) { return other < 0 ? -1 : objects[(size_t)other].main; };
  switch (like) {
    case OWN: return own.main;
    case MINOR: return own.minor;
    case NEAREST: return color_of(nearest(number, false));
    case LARGEST: return color_of(only_greatest([](const FateObject& each) { return each.size; }));
    case SMALLEST: return color_of(only_greatest([](const FateObject& each) { return -each.size; }));
    case AROUND: return color_of(own.around);
    case WITHIN: {
      i32 best = -1;
      for (u64 bits = own.within; bits; bits &= bits - 1) {
        const i32 k = lowest_bit64(bits);
        if (best < 0 || objects[(size_t)k].size > objects[(size_t)best].size) best = k;
      }
      return color_of(best);
    }
    case TOUCHED:
      return (own.colors_around & (own.colors_around - 1)) || !own.colors_around ? -1 : lowest_bit(own.colors_around);
    case TWIN: {
      i32 color = -1;
      for (i32 k = 0; k < n(); k++) {
        const FateObject& other = objects[(size_t)k];
        if (k == number || other.turned_shape != own.turned_shape || other.main == own.main) continue;
        if (color >= 0 && color != other.main) return -1;
        color = other.main;
      }
      return color;
    }
    default: return color_of(nearest(number, true));
  }
}

inline void ObjectGrid::rank(i32 number, i32 by, bool from_most) {
  std::vector<i32> values;
  for (i32 k = 0; k < n(); k++) values.push_back(feature(by, k));
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  set(number, [&](const FateObject&, i32 k) {
    const i32 n_less = (i32)(std::lower_bound(values.begin(), values.end(), feature(by, k)) - values.begin());
    return from_most ? (i32)values.size() - 1 - n_less : n_less;
  });
}

inline i32 ObjectGrid::find_reference(i32 reference) const {
  switch (reference) {
    case THE_LARGEST: return only_greatest([](const FateObject& each) { return each.size; });
    case THE_SMALLEST: return only_greatest([](const FateObject& each) { return -each.size; });
    case THE_LONGEST:
      return only_greatest([](const FateObject& each) { return std::max(each.height(), each.width()); });
    case THE_ODD_COLOR: return only_odd([](const FateObject& each) { return each.main; });
    case THE_ODD_SHAPE: return only_odd([](const FateObject& each) { return each.turned_shape; });
    default: {
      const i32 color = reference - THE_ODD_SHAPE;
      return only_greatest([&](const FateObject& each) { return each.main == color; });
    }
  }
}

// The number of steps that an object moves in a direction until something blocks it.
inline i32 ObjectGrid::slide(i32 number, i32 down, i32 along) const {
  const Part& part = objects[(size_t)number];
  for (i32 step = 1;; step++)
    for (const Place& at : part) {
      const i32 i = at.row + down * step, j = at.column + along * step;
      if (!scene.has(i, j) || (scene.cell(i, j) != 0 && !part.has(i, j))) return step - 1;
    }
}

// The first of the nearest others, or -1.
inline i32 ObjectGrid::nearest_place(i32 number) const {
  i32 best = -1;
  for (i32 k = 0; k < n(); k++)
    if (k != number && (best < 0 || objects[(size_t)number].distance(objects[(size_t)k]) <
                                        objects[(size_t)number].distance(objects[(size_t)best])))
      best = k;
  return best;
}

inline void ObjectGrid::find_places() {
  if (!places_.empty()) return;
  places_.assign((size_t)n() * 2 * N_PLACES, ABSENT);
  i32 references[N_REFERENCES];
  for (i32 r = 0; r < N_REFERENCES; r++) references[r] = find_reference(r);
  for (i32 k = 0; k < n(); k++)
    for (i32 axis = 0; axis < 2; axis++) {
      const auto start_of = [&](i32 object) {
        const Part& part = objects[(size_t)object];
        return axis ? part.left : part.top;
      };
      const auto end_of = [&](i32 object) {
        const Part& part = objects[(size_t)object];
        return axis ? part.right : part.bottom;
      };
      const i32 start = start_of(k), end = end_of(k), length = end - start + 1;
      const i32 space = axis ? scene.width : scene.n_rows;
      i32* to = places_.data() + ((size_t)k * 2 + (size_t)axis) * N_PLACES;
      to[HERE] = start;
      to[AT_START] = 0;
      to[AT_END] = space - length;
      if ((space - length) % 2 == 0) to[IN_MIDDLE] = (space - length) / 2;
      to[MIRRORED] = space - 1 - end;
      to[SLIDE_BACK] = start - slide(k, axis ? 0 : -1, axis ? -1 : 0);
      to[SLIDE_ON] = start + slide(k, axis ? 0 : 1, axis ? 1 : 0);
      to[LENGTH_BACK] = start - length;
      to[LENGTH_ON] = start + length;
      for (i32 step = 1; step <= MAX_STEP; step++) {
        to[BACK + step - 1] = start - step;
        to[ON + step - 1] = start + step;
      }
      for (i32 r = 0; r <= N_REFERENCES; r++) {
        const i32 that = r < N_REFERENCES ? references[r] : nearest_place(k);
        if (that < 0 || that == k) continue;
        i32* by = to + BY_REFERENCE + r * N_SIDES;
        by[SAME_START] = start_of(that);
        by[SAME_END] = end_of(that) - length + 1;
        by[BEFORE] = start_of(that) - length;
        by[AFTER] = end_of(that) + 1;
        const i32 twice = start_of(that) + end_of(that) - length + 1;
        if (twice % 2 == 0) by[SAME_MIDDLE] = twice / 2;
        by[MIRRORED_OVER] = start_of(that) + end_of(that) - end;
      }
    }
}

inline void ObjectGrid::describe() {
  if (!features_.empty() || objects.empty()) return;
  features_.assign((size_t)N_FEATURES * objects.size(), ABSENT);
  const i32 all = n();
  auto measure = [&](i32 which, auto value) {
    set(3 * which, value);
    rank(3 * which + 1, 3 * which, true);
    rank(3 * which + 2, 3 * which, false);
  };
  measure(SIZE_OF, [](const FateObject& own, i32) { return own.size; });
  measure(HEIGHT_OF, [](const FateObject& own, i32) { return own.height(); });
  measure(WIDTH_OF, [](const FateObject& own, i32) { return own.width(); });
  measure(AREA_OF, [](const FateObject& own, i32) { return own.area(); });
  measure(LONG_SIDE_OF, [](const FateObject& own, i32) { return std::max(own.height(), own.width()); });
  measure(HOLES_OF, [](const FateObject& own, i32) { return own.n_holes; });
  measure(N_COLORS_OF, [](const FateObject& own, i32) { return own.n_colors; });
  measure(MINOR_CELLS_OF, [](const FateObject& own, i32) { return own.n_minor; });
  measure(GAPS_OF, [](const FateObject& own, i32) { return own.area() - own.size; });
  measure(TOP_OF, [](const FateObject& own, i32) { return own.top; });
  measure(LEFT_OF, [](const FateObject& own, i32) { return own.left; });
  measure(BOTTOM_OF, [](const FateObject& own, i32) { return own.bottom; });
  measure(RIGHT_OF, [](const FateObject& own, i32) { return own.right; });
  measure(N_WITHIN_OF,
          [](const FateObject& own, i32) { return count_bits((u32)own.within) + count_bits((u32)(own.within >> 32)); });
  measure(OFF_CENTER_OF, [&](const FateObject& own, i32) {
    return std::abs(own.top + own.bottom - scene.n_rows + 1) +
           std::abs(own.left + own.right - scene.width + 1);
  });

  auto kinship = [&](i32 which, auto code) {
    const i32 first = FIRST_KINSHIP + 3 * which;
    set(first, [&](const FateObject& own, i32) {
      return std::count_if(objects.begin(), objects.end(),
                           [&](const FateObject& other) { return code(other) == code(own); });
    });
    rank(first + 1, first, true);
    i32 n_alone = 0;
    for (i32 k = 0; k < all; k++) n_alone += feature(first, k) == 1;
    set(first + 2, [&](const FateObject&, i32 k) { return all > 2 && n_alone == 1 && feature(first, k) == 1; });
  };
  kinship(SAME_SHAPE, [](const FateObject& own) { return own.shape; });
  kinship(SAME_TURNED_SHAPE, [](const FateObject& own) { return own.turned_shape; });
  kinship(SAME_COLOR, [](const FateObject& own) { return own.main; });
  kinship(SAME_SIZE, [](const FateObject& own) { return own.size; });
  kinship(SAME_PICTURE, [](const FateObject& own) { return own.picture; });

  auto flag = [&](i32 which, auto value) { set(FIRST_FLAG + which, value); };
  auto any_other = [&](i32 k, auto holds) {
    for (i32 m = 0; m < all; m++)
      if (m != k && holds(objects[(size_t)m])) return true;
    return false;
  };
  flag(FILLS_BOX, [](const FateObject& own, i32) { return own.size == own.area(); });
  flag(IS_SQUARE, [](const FateObject& own, i32) { return own.height() == own.width(); });
  flag(FILLS_SQUARE, [](const FateObject& own, i32) { return own.size == own.height() * own.height() && own.height() == own.width(); });
  flag(IS_LINE,
       [](const FateObject& own, i32) { return own.size > 1 && (own.height() == 1 || own.width() == 1); });
  flag(IS_TALL, [](const FateObject& own, i32) { return own.height() > own.width(); });
  flag(IS_WIDE, [](const FateObject& own, i32) { return own.height() < own.width(); });
  flag(IS_ONE_CELL, [](const FateObject& own, i32) { return own.size == 1; });
  flag(IS_ODD, [](const FateObject& own, i32) { return own.size % 2; });
  flag(MIRRORS_SIDEWAYS, [](const FateObject& own, i32) { return (own.symmetries & 2) != 0; });
  flag(MIRRORS_UPRIGHT, [](const FateObject& own, i32) { return (own.symmetries & 1) != 0; });
  flag(MIRRORS_DIAGONALLY, [](const FateObject& own, i32) { return (own.symmetries & 4) != 0; });
  flag(IS_SYMMETRIC, [](const FateObject& own, i32) { return own.symmetries != 0; });
  flag(ON_EDGE, [](const FateObject& own, i32) { return own.on_edge(); });
  flag(AT_TOP, [](const FateObject& own, i32) { return own.top == 0; });
  flag(AT_BOTTOM, [&](const FateObject& own, i32) { return own.bottom == scene.n_rows - 1; });
  flag(AT_LEFT, [](const FateObject& own, i32) { return own.left == 0; });
  flag(AT_RIGHT, [&](const FateObject& own, i32) { return own.right == scene.width - 1; });
  flag(IN_CORNER, [&](const FateObject& own, i32) {
    return (own.top == 0 || own.bottom == scene.n_rows - 1) &&
           (own.left == 0 || own.right == scene.width - 1);
  });
  flag(ENCLOSES, [](const FateObject& own, i32) { return own.within != 0; });
  flag(IS_ENCLOSED, [](const FateObject& own, i32) { return own.around >= 0; });
  flag(IN_BOX, [&](const FateObject& own, i32 k) {
    return any_other(k, [&](const FateObject& other) { return other.boxes(own); });
  });
  flag(TOUCHES_ANOTHER, [](const FateObject& own, i32) { return own.touching != 0; });
  auto is_above = [&](const FateObject& own, i32 k) {
    return any_other(
        k, [&](const FateObject& other) { return own.shares_columns(other) && other.bottom < own.top; });
  };
  auto is_below = [&](const FateObject& own, i32 k) {
    return any_other(
        k, [&](const FateObject& other) { return own.shares_columns(other) && other.top > own.bottom; });
  };
  auto is_left = [&](const FateObject& own, i32 k) {
    return any_other(
        k, [&](const FateObject& other) { return own.shares_rows(other) && other.right < own.left; });
  };
  auto is_right = [&](const FateObject& own, i32 k) {
    return any_other(
        k, [&](const FateObject& other) { return own.shares_rows(other) && other.left > own.right; });
  };
  flag(HAS_ABOVE, is_above);
  flag(HAS_BELOW, is_below);
  flag(HAS_LEFT, is_left);
  flag(HAS_RIGHT, is_right);
  auto holds = [&](i32 which, i32 k) { return feature(FIRST_FLAG + which, k) != 0; };
  flag(BETWEEN_SIDEWAYS, [&](const FateObject&, i32 k) { return holds(HAS_LEFT, k) && holds(HAS_RIGHT, k); });
  flag(BETWEEN_UPRIGHT, [&](const FateObject&, i32 k) { return holds(HAS_ABOVE, k) && holds(HAS_BELOW, k); });
  flag(IS_BETWEEN, [&](const FateObject&, i32 k) { return holds(BETWEEN_SIDEWAYS, k) || holds(BETWEEN_UPRIGHT, k); });
  // Whether an object lies between two others that both satisfy a condition.
  auto is_between = [&](const FateObject& own, i32 k, auto wanted) {
    for (i32 a = 0; a < all; a++)
      for (i32 b = 0; b < all; b++) {
        if (a == k || b == k) continue;
        const FateObject &one = objects[(size_t)a], &other = objects[(size_t)b];
        const bool sideways = own.shares_rows(one) && own.shares_rows(other) && one.right < own.left &&
                              other.left > own.right;
        const bool upright = own.shares_columns(one) && own.shares_columns(other) && one.bottom < own.top &&
                             other.top > own.bottom;
        if ((sideways || upright) && wanted(one, other)) return true;
      }
    return false;
  };
  flag(BETWEEN_LARGER, [&](const FateObject& own, i32 k) {
    return holds(IS_BETWEEN, k) && is_between(own, k, [&](const FateObject& one, const FateObject& other) {
             return std::min(one.size, other.size) > own.size;
           });
  });
  flag(BETWEEN_TWINS, [&](const FateObject& own, i32 k) {
    return holds(IS_BETWEEN, k) && is_between(own, k, [&](const FateObject& one, const FateObject& other) {
             return one.main == other.main && one.main != own.main;
           });
  });
  auto in_line = [](const FateObject& own, const FateObject& other) {
    return own.shares_rows(other) || own.shares_columns(other);
  };
  flag(IN_LINE, [&](const FateObject& own, i32 k) {
    return any_other(k, [&](const FateObject& other) { return in_line(own, other); });
  });
  flag(IN_LINE_WITH_TWIN, [&](const FateObject& own, i32 k) {
    return any_other(
        k, [&](const FateObject& other) { return in_line(own, other) && own.turned_shape == other.turned_shape; });
  });
  flag(IN_LINE_WITH_COLOR, [&](const FateObject& own, i32 k) {
    return any_other(k, [&](const FateObject& other) { return in_line(own, other) && own.main == other.main; });
  });
  flag(TOUCHES_TWIN_COLOR, [&](const FateObject& own, i32 k) {
    return any_other(k, [&](const FateObject& other) {
      return own.main == other.main && own.touching >> (&other - objects.data()) & 1;
    });
  });
  for (i32 c = 0; c < 10; c++) {
    set(FIRST_TOUCHED + c, [&](const FateObject& own, i32) { return own.colors_around >> c & 1; });
    set(FIRST_COLOR + c, [&](const FateObject& own, i32) { return own.colors >> c & 1; });
  }
  auto category = [&](i32 which, auto value) { set(FIRST_CATEGORY + which, value); };
  category(MAIN_COLOR, [](const FateObject& own, i32) { return own.main; });
  category(COLOR_SET, [](const FateObject& own, i32) { return own.colors; });
  category(SHAPE_CODE, [](const FateObject& own, i32) { return own.shape; });
  category(TURNED_SHAPE_CODE, [](const FateObject& own, i32) { return own.turned_shape; });
  category(BOX_SIZE, [](const FateObject& own, i32) { return 100 * own.height() + own.width(); });
  category(COLOR_AROUND, [&](const FateObject&, i32 k) { return color_like(k, AROUND); });
  category(COLOR_WITHIN, [&](const FateObject&, i32 k) { return color_like(k, WITHIN); });
  category(COLOR_TOUCHED, [&](const FateObject&, i32 k) { return color_like(k, TOUCHED); });
  category(COLOR_OF_NEAREST, [&](const FateObject&, i32 k) { return color_like(k, NEAREST); });

  for (i32 r = 0; r < N_REFERENCES; r++) {
    const i32 number = find_reference(r);
    if (number < 0) continue;
    const FateObject& that = objects[(size_t)number];
    auto relation = [&](i32 which, auto holds_for) {
      set(FIRST_RELATION + r * N_RELATIONS + which,
          [&](const FateObject& own, i32 k) { return k == number ? -1 : (i32)holds_for(own); });
    };
    relation(IS_ABOVE, [&](const FateObject& own) { return own.bottom < that.top; });
    relation(IS_BELOW, [&](const FateObject& own) { return own.top > that.bottom; });
    relation(IS_LEFT, [&](const FateObject& own) { return own.right < that.left; });
    relation(IS_RIGHT, [&](const FateObject& own) { return own.left > that.right; });
    relation(IS_INSIDE, [&](const FateObject& own) { return that.boxes(own); });
    relation(TOUCHES, [&](const FateObject& own) { return (own.touching >> number & 1) != 0; });
    relation(HAS_COLOR, [&](const FateObject& own) { return own.main == that.main; });
    relation(HAS_SHAPE, [&](const FateObject& own) { return own.turned_shape == that.turned_shape; });
    relation(HAS_SIZE, [&](const FateObject& own) { return own.size == that.size; });
    relation(SHARES_ROWS, [&](const FateObject& own) { return own.shares_rows(that); });
    relation(SHARES_COLUMNS, [&](const FateObject& own) { return own.shares_columns(that); });
  }
}

}  // namespace fates
}  // namespace arc
