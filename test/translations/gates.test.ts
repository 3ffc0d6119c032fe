import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { answerOf, keyed, openWorkspace, PATH, useWorkspace } from './workspace.ts';

const operatorKey = 'an-operator-key-of-some-length-0123456789';
const env = { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey };
const app = useTestApp({ env });
const shut = useTestApp({ env: { ...env, TRANSLATION_ENABLED: 'false' } });

const mine = useWorkspace(app);

type Headers = Record<string, string>;
type Send = (at: typeof app, headers: Headers, text?: string, lang?: string) => ReturnType<typeof answerOf>;

const send = (at: typeof app, headers: Headers, body: string | FormData, query = '') =>
  answerOf(at.request(`${PATH}${query}`, { method: 'POST', headers, body }));
const json = (at: typeof app, headers: Headers, body: unknown) =>
  send(at, { 'content-type': 'application/json', ...headers }, JSON.stringify(body));

function form(text: string, lang: string): FormData {
  const parts = new FormData();
  parts.append('target_lang', lang);
  parts.append('source_document', new File([text], 'a.txt', { type: 'text/plain' }));
  return parts;
}

/** All ways to send a text. */
const ways: [string, Send][] = [
  [
    'a single text',
    (at, headers, source_text = 'Hello', target_lang = 'fr') =>
      json(at, headers, { source_text, target_lang }),
  ],
  [
    'a batch',
    (at, headers, Text = 'Hello', Language = 'fr') =>
      json(at, headers, { inputs: [{ Text, Targets: [{ Language }] }] }),
  ],
  [
    'a text of pages',
    (at, headers, source_text = 'Hello', target_lang = 'fr') =>
      json(at, headers, { source_text, target_lang, metadata: { source_document: { name: 'a.txt' } } }),
  ],
  ['a form', (at, headers, text = 'Hello', lang = 'fr') => send(at, headers, form(text, lang))],
  [
    'a raw body',
    (at, headers, text = 'Hello', lang = 'fr') =>
      send(at, { 'content-type': 'text/plain', ...headers }, text, `?target_lang=${lang}`),
  ],
];

describe.each(ways)('the gates of %s (B 4.1)', (_, way) => {
  test('(1) switched off it is 503 before anything else', async () => {
    const { headers } = await shut.signUp();
    for (const [who, text, lang] of [
      [headers, 'Hello', 'fr'],
      [{}, 'Hello', 'fr'],
      [{}, ' ', 'fr'],
      [{}, 'Hello', 'xx'],
    ] as const) {
      const { status, body } = await way(shut, who, text, lang);
      expect([status, body.detail]).toEqual([503, 'translation is temporarily disabled']);
    }
  });

  test('(2) an unsupported language comes before the credential', async () => {
    const { status, body } = await way(app, {}, 'Hello', 'en-US');
    expect(status).toBe(422);
    expect(body.detail).toMatch(/\bpt-BR\b/);
  });

  test('a replay needs the credential of its tenant, and shows nothing to another', async () => {
    const first = await way(app, { ...mine.headers, ...keyed('k') });
    expect((await way(app, keyed('k'))).status).toBe(401);
    const other = await openWorkspace(app);
    const theirs = await way(app, { ...other.headers, ...keyed('k') }, 'Other');
    expect(theirs.headers.get('idempotency-replayed')).toBeNull();
    expect(JSON.stringify(theirs.body)).not.toContain([first.body].flat()[0].id);
  });
});

describe('the gates (B 4.1)', () => {
  test.each(ways.slice(0, 3))('(2) of %s: a blank text comes before the credential too', async (_, way) => {
    expect((await way(app, {}, ' ')).status).toBe(400);
  });
});
