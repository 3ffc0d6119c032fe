import type { Database } from '#db/client.ts';

/** A posting list of a shard. */
export interface PostingList {
  bucket: number;
  /** 0 if the bucket does not occur in the shard. */
  count: number;
  /** Undefined if only the count has been read. */
  ordinals: Uint8Array | undefined;
}

/** Maximum number of bytes of each of the two generations. */
const maxBytes = 16 * 2 ** 20;
const blockBytes = 2 ** 18;
/** Approximate bytes of a list, and of a shard, in addition to its ordinals. */
const overhead = { list: 60, shard: 800 };

/**
 * What look-ups have read since the cache was last full. All ordinals are in a few buffers: if each of these thousands of
 * lists were an object, the garbage collector would stop the process for tens of milliseconds.
 */
class Generation {
  readonly shards = new Map<string, CachedShard>();
  readonly blocks: Uint8Array[] = [];
  #end = blockBytes;
  bytes = 0;

  shard(key: string): CachedShard {
    let shard = this.shards.get(key);
    if (!shard) {
      shard = new CachedShard(this);
      this.shards.set(key, shard);
      this.bytes += overhead.shard;
    }
    return shard;
  }

  /** Stores ordinals in the last block, and returns their offset in it. */
  store(ordinals: Uint8Array): number {
    if (this.#end + ordinals.length > blockBytes) {
      const block = new Uint8Array(Math.max(blockBytes, ordinals.length));
      this.blocks.push(block);
      this.bytes += block.length;
      this.#end = 0;
    }
    this.blocks.at(-1)!.set(ordinals, this.#end);
    this.#end += ordinals.length;
    return this.#end - ordinals.length;
  }
}

class CachedShard {
  lengthMarks: Uint8Array | undefined;
  readonly #of: Generation;
  /** The index of each bucket in `places`. */
  readonly #slots = new Map<number, number>();
  /** Four numbers of each list: its count, and the block, offset and length of its ordinals. */
  #places = new Uint32Array(4 * 16);

  constructor(of: Generation) {
    this.#of = of;
  }

  get(bucket: number): PostingList | undefined {
    const slot = this.#slots.get(bucket);
    if (slot === undefined) return undefined;
    const at = 4 * slot;
    const [begin, length] = [this.#places[at + 2]!, this.#places[at + 3]!];
    const ordinals = this.#of.blocks[this.#places[at + 1]!]?.subarray(begin, begin + length);
    return { bucket, count: this.#places[at]!, ordinals: length === 0 ? undefined : ordinals };
  }

  add({ bucket, count, ordinals }: PostingList): void {
    let slot = this.#slots.get(bucket);
    if (slot === undefined) {
      slot = this.#slots.size;
      this.#slots.set(bucket, slot);
      this.#of.bytes += overhead.list;
      if (4 * slot === this.#places.length) {
        const places = new Uint32Array(2 * this.#places.length);
        places.set(this.#places);
        this.#places = places;
      }
    }
    const begin = ordinals ? this.#of.store(ordinals) : 0;
    this.#places.set([count, this.#of.blocks.length - 1, begin, ordinals?.length ?? 0], 4 * slot);
  }
}

/**
 * The posting lists that look-ups have read, so that the next look-up in the same shards need not read them again. A shard is
 * written once and only replaced as a whole, so a list never changes. The key of a shard contains the transaction that
 * wrote its row. A look-up uses only shards that it has just read under the tenant's scope, and the lists contain no text.
 * There are two generations: if the newer one is full, it becomes the older one, whose unused lists are dropped next time.
 */
export class PostingCache {
  #newer = new Generation();
  #older = new Generation();

  lengthMarks(key: string): Uint8Array | undefined {
    const known = this.#newer.shards.get(key)?.lengthMarks;
    if (known) return known;
    const aged = this.#older.shards.get(key)?.lengthMarks;
    if (aged) this.addLengthMarks(key, aged);
    return aged;
  }

  addLengthMarks(key: string, lengthMarks: Uint8Array): void {
    const newer = this.#current();
    newer.shard(key).lengthMarks = lengthMarks;
    newer.bytes += lengthMarks.length;
  }

  /** Returns the lists of a shard that are known, by their buckets. */
  lists(key: string): (bucket: number) => PostingList | undefined {
    const [known, aged] = [this.#newer.shards.get(key), this.#older.shards.get(key)];
    return (bucket) => {
      const list = known?.get(bucket);
      if (list) return list;
      const old = aged?.get(bucket);
      if (old) this.add(key, old);
      return old;
    };
  }

  add(key: string, list: PostingList): void {
    this.#current().shard(key).add(list);
  }

  #current(): Generation {
    if (this.#newer.bytes >= maxBytes) {
      this.#older = this.#newer;
      this.#newer = new Generation();
    }
    return this.#newer;
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
