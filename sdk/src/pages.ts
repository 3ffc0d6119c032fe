import { type ApiPromise, mapResult } from './api-promise.ts';
import type { CallOptions } from './options.ts';

/** One page of a list. */
export class Page<T> {
  /** The items of the page, in the order of the list. */
  readonly items: T[];
  /** The start of the next page, as a value for `cursor` in the query. Null on the last page. */
  readonly nextCursor: string | null;
  readonly #next: (cursor: string) => Promise<Page<T>>;

  constructor(items: T[], nextCursor: string | null, next: (cursor: string) => Promise<Page<T>>) {
    this.items = items;
    this.nextCursor = nextCursor;
    this.#next = next;
  }

  /** Requests the next page. Resolves to null if this is the last page. */
  async nextPage(): Promise<Page<T> | null> {
    return this.nextCursor === null ? null : this.#next(this.nextCursor);
  }
}

/** The number of items to read. */
export interface ToArrayOptions {
  /** The maximum number of items to read. Default: all. */
  limit?: number | undefined;
}

/** A list that requests each page when its items are read. */
export interface List<T> extends AsyncIterable<T> {
  /** Reads all items over all pages, or `limit` of them. */
  toArray(options?: ToArrayOptions): Promise<T[]>;
}

/** The two ways to read a list: all items over all pages, or one page. */
export interface Listing<Query, T, Options> {
  list(query?: Query, options?: Options): List<T>;
  listPage(query?: Query, options?: Options): ApiPromise<Page<T>>;
}

/**
 * @param read requests one page
 * @param cursorOf returns the cursor of the next page from a response
 */
export function createListing<
  Query extends { cursor?: string | undefined },
  Answer,
  T,
  Options extends CallOptions,
>(
  read: (query: Query, options: Options | undefined) => ApiPromise<Answer>,
  itemsOf: (answer: Answer) => T[],
  cursorOf?: (answer: Answer) => string | null,
): Listing<Query, T, Options> {
  const listPage = (query?: Query, options?: Options): ApiPromise<Page<T>> =>
    // If the query can be omitted, all its members can be omitted.
    mapResult(read(query ?? ({} as Query), options), (answer, { headers }) => {
      const cursor = cursorOf ? cursorOf(answer) : headers.get('x-next-cursor');
      return new Page(itemsOf(answer), cursor, (next) =>
        listPage({ ...(query as Query), cursor: next }, options),
      );
    });
  return { list: (query, options) => listOf(() => listPage(query, options)), listPage };
}

/** @param first requests the first page */
export function listOf<T>(first: () => Promise<Page<T>>): List<T> {
  /** Each page is requested when its first item is read. */
  async function* items(): AsyncGenerator<T, void> {
    for (let page: Page<T> | null = await first(); page; page = await page.nextPage()) yield* page.items;
  }
  return {
    [Symbol.asyncIterator]: items,
    async toArray({ limit = Number.POSITIVE_INFINITY } = {}) {
      const found: T[] = [];
      if (limit <= 0) return found;
      for await (const item of items()) if (found.push(item) >= limit) break;
      return found;
    },
  };
}
