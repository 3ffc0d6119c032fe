import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { useBrowser, withoutBrowser } from './browser.ts';

/** Two other sites: the service allows requests from the first, and not from the second. */
const sites = await Promise.all([site(), site()]);
const [allowed, stranger] = sites.map(({ origin }) => origin) as [string, string];
const app = useTestApp({ env: { CORS_ORIGINS: allowed } });
const { person } = useBrowser(app, { others: [allowed, stranger], mayBlock: true });

afterAll(() => {
  for (const { server } of sites) server.close();
});

describe.skipIf(withoutBrowser)('a page of another origin, in a browser', () => {
  test('gets no access with cookies, and none at all from an origin that is not in the list', async () => {
    const outcome = async (origin: string, credentials: 'include' | 'omit') => {
      const { page } = await person(origin);
      return page.evaluate(
        ({ address, credentials }) =>
          fetch(`${address}/healthz`, { credentials }).then(
            ({ status }) => status,
            (error: Error) => error.name,
          ),
        { address: app.address, credentials },
      );
    };
    expect(await outcome(allowed, 'omit')).toBe(200);
    expect(await outcome(allowed, 'include')).toBe('TypeError');
    expect(await outcome(stranger, 'omit')).toBe('TypeError');
  });
});

async function site() {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end('<!doctype html><link rel="icon" href="data:,"><title>Another site</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
