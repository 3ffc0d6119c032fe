import { type ApiPromise, mapResult } from './api-promise.ts';
import type { CallOptions } from './options.ts';

/** One page of a list. */
export class Page<T> {
  /** In the order of the list. */
  readonly items: T[];
  /** The start of the next page, for the query's `cursor`; null on the last one. */
  readonly nextCursor: string | null;
  readonly #next: (cursor: string) => Promise<Page<T>>;

  constructor(items: T[], nextCursor: string | null, next: (cursor: string) => Promise<Page<T>>) {
    this.items = items;
    this.nextCursor = nextCursor;
    this.#next = next;
  }

  /** Reads the next page; null if this is the last one. */
  async nextPage(): Promise<Page<T> | null> {
    return this.nextCursor === null ? null : this.#next(this.nextCursor);
  }
}

/** The number of items to read. */
export interface ToArrayOptions {
  /** The maximum number of items. */
  limit: number;
}

/** A list whose pages are read on demand. */
export interface List<T> extends AsyncIterable<T> {
  /** Reads items until there are `limit` of them, or no more. */
  toArray(options: ToArrayOptions): Promise<T[]>;
}

/** The two ways to read a list: item by item over all pages, and one page. */
export interface Listing<Query, T, Options> {
  list(query?: Query, options?: Options): List<T>;
  listPage(query?: Query, options?: Options): ApiPromise<Page<T>>;
}

/**
 * @param read requests one page
 * @param cursorOf reads the start of the next page from a response
 */
export function createListing<
  Query extends { cursor?: string | undefined },
  Answer,
  T,
  Options extends CallOptions,
>(
  read: (query: Query | undefined, options: Options | undefined) => ApiPromise<Answer>,
  itemsOf: (answer: Answer) => T[],
  cursorOf?: (answer: Answer) => string | null,
): Listing<Query, T, Options> {
  const listPage = (query?: Query, options?: Options): ApiPromise<Page<T>> =>
    mapResult(read(query, options), (answer, { headers }) => {
      const cursor = cursorOf ? cursorOf(answer) : headers.get('x-next-cursor');
      return new Page(itemsOf(answer), cursor, (next) =>
        listPage({ ...(query as Query), cursor: next }, options),
      );
    });
  return { list: (query, options) => listOf(() => listPage(query, options)), listPage };
}

/** @param first requests the first page */
export function listOf<T>(first: () => Promise<Page<T>>): List<T> {
  /** A page is fetched when its first item is read. */
  async function* items(): AsyncGenerator<T, void> {
    for (let page: Page<T> | null = await first(); page; page = await page.nextPage()) yield* page.items;
  }
  return {
    [Symbol.asyncIterator]: items,
    async toArray({ limit }) {
      const found: T[] = [];
      if (limit <= 0) return found;
      for await (const item of items()) if (found.push(item) >= limit) break;
      return found;
    },
  };
}
