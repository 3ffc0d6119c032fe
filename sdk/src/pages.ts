/** One page of a list. */
export interface Page<T> {
  items: T[];
  /** Where the next page begins, for the query's `cursor`; null on the last one. */
  nextCursor: string | null;
}

/** The items of all pages from `cursor` on. A page is fetched when its first item is asked for. */
export async function* itemsOf<T>(
  fetchPage: (cursor: string | undefined) => Promise<Page<T>>,
  cursor: string | undefined,
): AsyncGenerator<T, void, undefined> {
  for (let next: string | null | undefined = cursor; next !== null; ) {
    const page: Page<T> = await fetchPage(next);
    yield* page.items;
    next = page.nextCursor;
  }
}
