import type { Page } from 'playwright-core';

interface StoredText {
  text: string;
  former?: StoredText;
}

/** The texts of the browser's drafts, by item: a job, or a segment. The latest text of an item is first. */
export async function readDrafts(page: Page): Promise<Map<string, string[]>> {
  const all = await page.evaluate(async () => {
    const answer = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    // Opening a database that does not exist would create it.
    if (!(await indexedDB.databases()).some(({ name }) => name === 'lingualoop-drafts')) return [];
    const database = await answer(indexedDB.open('lingualoop-drafts'));
    const store = database.transaction('drafts').objectStore('drafts');
    const [keys, drafts] = await Promise.all([
      answer(store.getAllKeys()),
      answer<StoredText[]>(store.getAll()),
    ]);
    database.close();
    return keys.map((key, at) => [String(key), drafts[at] as StoredText] as const);
  });
  const textsOf = ({ text, former }: StoredText): string[] => [text, ...(former ? textsOf(former) : [])];
  return new Map(all.map(([key, draft]) => [key.split(':')[3] ?? '', textsOf(draft)]));
}
