"""Which programs were met before: digests in, yes or no out, in bounded memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from itertools import islice
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from arcbatt.pool import Pool

# A filter takes a megabyte for each 2**23 bits, and is renewed after so many digests: until then it
# says of one new program in 70 at most that it was met, and with the one before it, in 36.
N_BITS = 2**26
MAX_ADDED = 2**22
_WORDS = Struct("<II")
# Of a pool, so many digests are read at once.
_AT_ONCE = 2**16


class MetFilter:
    """Digests in so many bits: what was added is known, and hardly anything else is taken for it.

    Those that were added in the same order in several processes make the same filter in each.
    """

    def __init__(self) -> None:
        # The present one, and the one before it if there is any.
        self._bits = [_new_bits()]
        self._n_added = 0
        self.has_forgotten = False

    def add_all(self, digests: bytes) -> None:
        """Add digests, which come one after the other."""
        words = np.frombuffer(digests, np.uint32).reshape(-1, 4)[:, :2] & (N_BITS - 1)
        if self._n_added and self._n_added + len(words) > MAX_ADDED:
            self.has_forgotten = len(self._bits) == 2
            self._bits = [_new_bits(), self._bits[0]]
            self._n_added = 0
        self._n_added += len(words)
        bits = np.frombuffer(self._bits[0], np.uint8)
        places, within = words >> 3, words & 7
        for bit in range(8):
            bits[places[within == bit]] |= 1 << bit

    def find(self, digests: bytes) -> NDArray[np.bool_]:
        """Return of digests, which come one after the other, whether each is in it."""
        words = np.frombuffer(digests, np.uint32).reshape(-1, 4)[:, :2] & (N_BITS - 1)
        found = np.zeros(len(words), np.bool_)
        for each in self._bits:
            bits = np.frombuffer(each, np.uint8)
            found |= (bits[words >> 3] >> (words & 7).astype(np.uint8) & 1).all(axis=1)
        return found

    def __contains__(self, digest: bytes) -> bool:
        one, other = _WORDS.unpack_from(digest)
        one, other = one % N_BITS, other % N_BITS
        for bits in self._bits:
            if bits[one >> 3] >> (one & 7) & 1 and bits[other >> 3] >> (other & 7) & 1:
                return True
        return False

    def to_parts(self) -> tuple[int, list[bytes]]:
        """Return it as plain data, compressed: at first nearly all bits are the same."""
        return self._n_added, [zlib.compress(bits, 1) for bits in self._bits]

    @classmethod
    def from_parts(cls, n_added: int, parts: Sequence[bytes]) -> MetFilter:
        """Return the filter that such data is."""
        made = cls()
        made._n_added = n_added
        made._bits = [memoryview(bytearray(zlib.decompress(part))) for part in parts]
        return made


def _new_bits() -> memoryview:
    return np.zeros(N_BITS // 8, np.uint8).data


class MetPrograms:
    """The programs that a run has met, this time or earlier: its pool knows them all.

    Whoever deals looks at `filter`, which knows what was met when `take_news` was called last.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self.filter = MetFilter()
        self._news: dict[bytes, None] = {}
        dropped = iter(pool.dropped())
        while some := list(islice(dropped, _AT_ONCE)):
            self.add_all(some)
            self.take_news()

    def add_all(self, digests: Iterable[bytes]) -> None:
        """Take it that programs were met."""
        self._news.update(dict.fromkeys(digests))

    def take_news(self) -> bytes:
        """Have the filter know all; return what it did not, one digest after the other."""
        news = b"".join(self._news)
        self._news.clear()
        self.filter.add_all(news)
        return news

    def find_new(self, digests: Sequence[bytes]) -> list[int]:
        """Return the places of those that were never met, nor stand further to the front."""
        found: dict[bytes, int] = {}
        are_known = self.filter.find(b"".join(digests)).tolist()
        for place, (digest, is_known) in enumerate(zip(digests, are_known, strict=True)):
            if not is_known and digest not in self._news:
                found.setdefault(digest, place)
        if self.filter.has_forgotten:
            for digest in self._pool.seen(found):
                del found[digest]
        return list(found.values())

    def __contains__(self, digest: bytes) -> bool:
        return not self.find_new([digest])
