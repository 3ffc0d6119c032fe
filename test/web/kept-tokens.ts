import type { BrowserContext, Page } from 'playwright-core';

/** Collects the tokens in a browser: those that its pages send, and those in its cookies. */
export function watchTokens(context: BrowserContext) {
  const seen = new Set<string>();
  context.on('request', (request) => {
    const { authorization } = request.headers();
    if (authorization) seen.add(authorization.replace(/^Bearer /, ''));
  });
  return {
    /** Returns the places in which a script, or a person who looks at the screen, could read a token. */
    async readableOn(page: Page): Promise<string[]> {
      for (const { name, value, httpOnly } of await context.cookies(
        ['/', '/signin'].map((path) => new URL(path, page.url()).href),
      ))
        if (httpOnly || /token|refresh|session/.test(name)) seen.add(value);
      if (seen.size < 2) throw new Error('an access token and a refresh token should have been seen');
      const places = await page.evaluate(readPlaces);
      return Object.entries(places)
        .filter(([, content]) => [...seen].some((token) => content.includes(token)))
        .map(([place]) => `a token can be read in ${place}`);
    },
  };
}

/** Returns everything that a script in the page can read. Runs in the page. */
async function readPlaces(): Promise<Record<string, string>> {
  const result = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const stored: unknown[] = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await result(indexedDB.open(name as string));
    for (const store of database.objectStoreNames) {
      const rows = database.transaction(store).objectStore(store);
      stored.push(await result(rows.getAllKeys()), await result(rows.getAll()));
    }
    database.close();
  }
  return {
    localStorage: JSON.stringify({ ...localStorage }),
    sessionStorage: JSON.stringify({ ...sessionStorage }),
    IndexedDB: JSON.stringify(stored),
    'the address': location.href,
    'the history': JSON.stringify(history.state),
    'the cookies of scripts': document.cookie,
    'the page': document.documentElement.outerHTML,
    'a field': [...document.querySelectorAll<HTMLInputElement>('input, textarea')]
      .map((one) => one.value)
      .join('\n'),
  };
}
