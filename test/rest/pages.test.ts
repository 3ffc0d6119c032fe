import { createHash } from 'node:crypto';
import { parse } from 'parse5';
import { afterAll, describe, expect, test } from 'vitest';
import { signIn } from '#test/auth/sign-in.ts';
import { found } from '#test/factories.ts';
import { startFakeOpenAi } from '#test/fakes/openai.ts';
import { useTestApp } from '#test/setup/app.ts';
import { startLoggedService } from '#test/setup/logged-service.ts';
import { liveEngine } from '#test/translations/live.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const fake = await startFakeOpenAi();
afterAll(() => fake.close());
const app = useTestApp({ env: { ...env, BASE_URL: 'https://lingua.example.org/it&s' } });
const live = useTestApp({ env, engine: liveEngine(fake) });

interface Element {
  tagName?: string;
  attrs?: { name: string; value: string }[];
  childNodes?: Element[];
  value?: string;
}

function elementsOf(html: string): Element[] {
  const all: Element[] = [];
  const walk = (element: Element): void => {
    all.push(element);
    element.childNodes?.forEach(walk);
  };
  walk(parse(html) as Element);
  return all;
}

const textOf = (element: Element | undefined): string =>
  element?.value ?? element?.childNodes?.map(textOf).join('') ?? '';

/** A reset link of a member of a fresh workspace. */
async function resetLink() {
  const person = await found(app);
  const { userId, accessToken } = person;
  const { status, body } = await app.json('POST', `/api/auth/users/${userId}/password-reset-link`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  expect(status).toBe(200);
  return { person, url: new URL(body.reset_url), token: body.reset_token as string };
}

describe.each(['/', '/signin'])('GET %s', (path) => {
  test('is a page of plain HTML, without a version, whatever the query says', async () => {
    for (const query of ['', '?api-version=nonsense', '?reset_token=anything']) {
      const response = await app.request(`${path}${query}`, { redirect: 'error' });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
      expect(response.headers.get('x-api-version')).toBeNull();
      expect(response.headers.getSetCookie()).toEqual([]);
    }
    expect((await app.request(path, { method: 'HEAD' })).status).toBe(200);
    expect((await app.request(path, { method: 'POST' })).status).toBe(405);
  });

  test('runs no script, sends no form, loads nothing, and cannot be framed', async () => {
    const response = await app.request(path);
    const elements = elementsOf(await response.text());
    const names = new Set(elements.map(({ tagName }) => tagName));
    for (const forbidden of ['script', 'form', 'img', 'iframe', 'link', 'base'])
      expect(names).not.toContain(forbidden);
    for (const { attrs = [] } of elements)
      for (const { name, value } of attrs) {
        expect(name).not.toMatch(/^on|^style$|^src/);
        // Of this service.
        if (name === 'href') expect(value).toMatch(/^\/[a-z]/);
      }
    const style = textOf(elements.find(({ tagName }) => tagName === 'style'));
    const hash = createHash('sha256').update(style).digest('base64');
    expect(response.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    });
  });
});

describe('GET /', () => {
  test('says what the service is, and where its API is described; the links work', async () => {
    const elements = elementsOf(await (await app.request('/')).text());
    const text = elements.map(({ value }) => value ?? '').join(' ');
    expect(text).toContain('LinguaLoop, a translation service with an HTTP API');
    const links = elements.flatMap(({ attrs = [] }) => attrs.filter(({ name }) => name === 'href'));
    expect(links.map(({ value }) => value)).toEqual(['/docs', '/openapi.json', '/healthz']);
    for (const { value } of links) expect((await app.request(value)).status, value).toBe(200);
  });

  test('says when no model is connected, and only then', async () => {
    expect(await (await app.request('/')).text()).toContain('No model is connected');
    expect(await (await live.request('/')).text()).not.toContain('No model');
  });
});

describe('a link that sets a new password', () => {
  test('leads to a page with a command that, filled in as it says, sets one', async () => {
    const { person, url, token } = await resetLink();
    expect(url.hash).toBe(`#reset_token=${token}`);
    // BASE_URL may have a path, which a proxy in front takes away.
    expect(url.pathname).toBe('/it&s/signin');
    const page = await (await app.request('/signin')).text();
    expect(page).toContain('Copy all that follows <code>#reset_token=</code>');
    const command = textOf(elementsOf(page).find(({ tagName }) => tagName === 'pre'));
    const [, method, address, type, json] =
      /^curl -X (\S+) (\S+) \\\s+-H '([^']+)' \\\s+-d '([^']+)'$/.exec(command) ?? [];
    expect(address).toBe('https://lingua.example.org/it&s/api/auth/password-reset');
    const password = 'an altogether new passphrase';
    const [name = '', value = ''] = (type ?? '').split(': ');
    const response = await app.request('/api/auth/password-reset', {
      method: method ?? '',
      headers: { [name]: value },
      body: (json ?? '').replace('THE TOKEN', token).replace('THE NEW PASSWORD', password),
    });
    expect(response.status).toBe(200);
    expect((await signIn(app, { ...person, password })).status).toBe(200);
  });

  test('leaves its token in no log, even if somebody sends it as a query', async () => {
    const service = await startLoggedService({ SECRETS_KEY: Buffer.alloc(32).toString('base64') });
    const response = await service.request('/signin?reset_token=never-logged-4711#reset_token=nor-this');
    expect(response.status).toBe(200);
    const printed = await service.finish();
    expect(printed).toContain('"route":"/signin"');
    expect(printed).not.toMatch(/never-logged|nor-this/);
  });
});

describe('at its start', () => {
  const notice = /^No model is connected \(OPENAI_API_KEY is not set\): the stub engine repeats/m;
  const key = { SECRETS_KEY: Buffer.alloc(32).toString('base64') };

  test('a service without a model says so, after the line with its address and in its log', async () => {
    const service = await startLoggedService(key);
    const lines = (await service.finish()).split('\n');
    const at = lines.findIndex((line) => line.startsWith('LinguaLoop listens on '));
    expect(lines[at + 1]).toMatch(notice);
    const logged = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
    const warnings = logged.filter(({ level, msg }) => level === 40 && notice.test(msg));
    expect(warnings).toHaveLength(1);
  });

  test('a service with a model does not', async () => {
    const service = await startLoggedService({
      ...key,
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: fake.baseUrl,
    });
    expect(await service.finish()).not.toMatch(/No model/);
  });
});
