import { parse } from 'parse5';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp();
const below = useTestApp({ env: { BASE_URL: 'https://lingua.example.org/it&s/' } });

interface Element {
  tagName?: string;
  attrs?: { name: string; value: string }[];
  childNodes?: Element[];
  value?: string;
}

describe('GET /docs', () => {
  test('a page, with and without the slash, and not versioned', async () => {
    for (const path of ['/docs', '/docs/', '/docs?api-version=nonsense']) {
      const response = await app.request(path, { redirect: 'error' });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
      expect(response.headers.get('x-api-version')).toBeNull();
    }
  });

  test('all of its resources come from this server', async () => {
    const elements = await pageElements('/docs');
    const named = elements.flatMap(({ tagName, attrs = [] }) =>
      // A link is not loaded with the page.
      tagName === 'a' ? [] : attrs.filter(({ name }) => /^(src|srcset|href|action|data|poster)$/.test(name)),
    );
    expect(named.map(({ value }) => value).sort()).toEqual([
      '/docs/favicon-32x32.png',
      '/docs/page.css',
      '/docs/start.js',
      '/docs/swagger-ui-bundle.js',
      '/docs/swagger-ui.css',
    ]);
    for (const { value } of named) {
      const response = await app.request(value);
      expect(response.status, value).toBe(200);
      expect(response.headers.get('content-type'), value).toMatch(/^(text\/(css|javascript)|image\/png)/);
      expect(response.headers.get('x-content-type-options'), value).toBe('nosniff');
      expect((await response.arrayBuffer()).byteLength, value).toBeGreaterThan(100);
    }
  });

  test('nothing is inline, and the policy names no other host', async () => {
    const policy = (await app.request('/docs')).headers.get('content-security-policy');
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    // The policy is that of the application, with the two Trusted Types policies of Swagger UI instead of the
    // application's policy.
    const application = (await app.request('/')).headers.get('content-security-policy');
    expect(policy).toBe(application?.replace('trusted-types lingualoop', 'trusted-types default dompurify'));
    for (const { tagName, attrs = [], childNodes = [] } of await pageElements('/docs')) {
      if (tagName === 'script') expect(childNodes.map(({ value }) => value).join('')).toBe('');
      expect(tagName).not.toBe('style');
      expect(attrs.filter(({ name }) => name === 'style' || name.startsWith('on'))).toEqual([]);
    }
  });

  test('everything is under the path of the public address, the calls of the page included', async () => {
    const named = (await pageElements('/docs', below)).flatMap(({ attrs = [] }) =>
      attrs.filter(({ name }) => /^(src|href)$/.test(name)).map(({ value }) => value),
    );
    expect(named.filter((address) => !/^\/it&s\/(docs\/|$)/.test(address))).toEqual([]);
    expect(named.length).toBeGreaterThan(5);
    expect(await openedBy(below)).toEqual([expect.objectContaining({ url: '/it&s/openapi.clients.json' })]);
    const document = (await (await below.request('/openapi.json')).json()) as { servers: unknown };
    expect(document.servers).toEqual([{ url: '/it&s' }]);
  });

  test('files that are not part of the page are not served', async () => {
    for (const name of [
      'index.html',
      'package.json',
      '../package.json',
      '%2e%2e/package.json',
      'swagger-ui.js',
    ])
      expect((await app.request(`/docs/${name}`)).status, name).toBe(404);
  });
});

/** The options with which the script starts Swagger UI. */
async function openedBy(from: Pick<typeof app, 'request'>): Promise<Record<string, unknown>[]> {
  const script = await (await from.request('/docs/start.js')).text();
  const opened: Record<string, unknown>[] = [];
  const scheme = { matches: false, addEventListener: () => {} };
  const page = { documentElement: { classList: { toggle: () => {} } } };
  new Function('SwaggerUIBundle', 'matchMedia', 'document', script)(
    (options: Record<string, unknown>) => opened.push(options),
    () => scheme,
    page,
  );
  return opened;
}

async function pageElements(path: string, from: Pick<typeof app, 'request'> = app): Promise<Element[]> {
  const page = parse(await (await from.request(path)).text()) as Element;
  const all = (element: Element): Element[] => [element, ...(element.childNodes ?? []).flatMap(all)];
  return all(page).filter(({ tagName }) => tagName !== undefined);
}
