import type { CallOptions } from './options.ts';
import type { Attempt, Call, Send } from './send.ts';

/** One page of a list. */
export interface Page<T> {
  items: T[];
  /** Where the next page begins, for the query's `cursor`; null on the last one. */
  nextCursor: string | null;
}

/** The two ways to read a list: item by item over all pages, and one page. */
export interface Listing<Query, T, Options> {
  list(query?: Query, options?: Options): AsyncIterable<T>;
  listPage(query?: Query, options?: Options): Promise<Page<T>>;
}

/** @param read requests one page and returns its items; the response's headers say where the next page begins */
export function createListing<Query extends { cursor?: string | undefined }, T, Options extends CallOptions>(
  send: Send,
  call: Call,
  read: (query: Query | undefined, attempt: Attempt, options: Options | undefined) => Promise<T[]>,
): Listing<Query, T, Options> {
  const listPage = async (query?: Query, options?: Options): Promise<Page<T>> => {
    let nextCursor: string | null = null;
    const onHeaders: Call['onHeaders'] = (headers) => {
      nextCursor = headers.get('x-next-cursor');
    };
    const items = await send({ ...call, onHeaders }, (attempt) => read(query, attempt, options), options);
    return { items, nextCursor };
  };

  /** A page is fetched when its first item is asked for. */
  async function* items(query: Query | undefined, options: Options | undefined): AsyncGenerator<T, void> {
    let page = await listPage(query, options);
    yield* page.items;
    while (page.nextCursor !== null) {
      page = await listPage({ ...(query as Query), cursor: page.nextCursor }, options);
      yield* page.items;
    }
  }

  return {
    list: (query, options) => ({ [Symbol.asyncIterator]: () => items(query, options) }),
    listPage,
  };
}
