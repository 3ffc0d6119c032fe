import type { Database } from '#db/client.ts';

/** A posting list of a shard. */
export interface PostingList {
  bucket: number;
  /** 0 if the bucket does not occur in the shard. */
  count: number;
  /** Undefined if only the count has been read. */
  ordinals: Uint8Array | undefined;
}

/** What look-ups have read of a shard. */
interface CachedShard {
  lengthMarks: Uint8Array | undefined;
  lists: Map<number, PostingList>;
}

/** Maximum number of bytes of each of the two generations. */
const maxBytes = 16 * 2 ** 20;
/** Approximate bytes that a list, and a shard, take in addition to their data. */
const overhead = { list: 160, shard: 400 };

/**
 * The posting lists that look-ups have read, so that the next look-up in the same shards need not read them again. A shard is
 * written once and only replaced as a whole, so a list never changes. The key of a shard contains the transaction that
 * wrote its row. A look-up uses only shards that it has just read under the tenant's scope, and the lists contain no text.
 * There are two generations: if the newer one is full, it becomes the older one, whose unused lists are dropped next time.
 */
export class PostingCache {
  #newer = new Map<string, CachedShard>();
  #older = new Map<string, CachedShard>();
  #bytes = 0;

  lengthMarks(key: string): Uint8Array | undefined {
    const known = this.#newer.get(key)?.lengthMarks;
    if (known) return known;
    const older = this.#older.get(key)?.lengthMarks;
    if (older) this.addLengthMarks(key, older);
    return older;
  }

  addLengthMarks(key: string, lengthMarks: Uint8Array): void {
    this.#shard(key).lengthMarks = lengthMarks;
    this.#count(lengthMarks.length);
  }

  /** Returns the lists of a shard that are known, by their buckets. */
  lists(key: string): (bucket: number) => PostingList | undefined {
    const [newer, older] = [this.#newer.get(key)?.lists, this.#older.get(key)?.lists];
    return (bucket) => {
      const known = newer?.get(bucket);
      if (known) return known;
      const aged = older?.get(bucket);
      if (aged) this.add(key, aged);
      return aged;
    };
  }

  add(key: string, list: PostingList): void {
    this.#shard(key).lists.set(list.bucket, list);
    this.#count(overhead.list + (list.ordinals?.length ?? 0));
  }

  #shard(key: string): CachedShard {
    let shard = this.#newer.get(key);
    if (!shard) {
      shard = { lengthMarks: undefined, lists: new Map() };
      this.#newer.set(key, shard);
      this.#count(overhead.shard);
    }
    return shard;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < maxBytes) return;
    this.#older = this.#newer;
    this.#newer = new Map();
    this.#bytes = 0;
  }
}

const caches = new WeakMap<Database, PostingCache>();

/** Returns the cache of the shards of a database. */
export function postingCacheOf(database: Database): PostingCache {
  let cache = caches.get(database);
  if (!cache) {
    cache = new PostingCache();
    caches.set(database, cache);
  }
  return cache;
}
