import { describe, expect, test } from 'vitest';
import { failure } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { bread, cat, german, good, liveEngine } from './live.ts';
import { answerOf, keyed, openWorkspace, type Workspace } from './workspace.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ env });
const fake = await useFakeOpenAi();
const live = useTestApp({ env, engine: liveEngine(fake) });

const hello = { source_text: 'Hello', target_lang: 'fr' };

interface Answer {
  headers: Headers;
  body: unknown;
}

const differs = ({ headers }: Answer) => headers.get('idempotency-request-differs');

/** For each job in a response, whether it has the warning. */
function warned({ body }: Answer): boolean[] {
  const jobs = (Array.isArray(body) ? body : [body]) as { warnings: { code: string }[] }[];
  return jobs.map(({ warnings }) => warnings.some(({ code }) => code === 'idempotency_request_differs'));
}

function expectSame(answer: Answer): void {
  expect([differs(answer), ...warned(answer)]).not.toContain(true);
  expect(differs(answer)).toBeNull();
}

const twice = async (mine: Workspace, first: object, second: object) => [
  await mine.submit(first, keyed('k')),
  await mine.submit(second, keyed('k')),
];

describe('a key that is used again with another request', () => {
  test.each([
    ['source_text', { source_text: 'Bye' }],
    ['target_lang', { target_lang: 'de' }],
    ['tone', { tone: 'formal' }],
    ['text_type', { text_type: 'Html' }],
    ['metadata', { metadata: { project: 'b' } }],
  ])('returns the first job, with the header and a warning: another %s', async (_, change) => {
    const mine = await openWorkspace(app);
    const [first, second] = await twice(mine, hello, { ...hello, ...change });
    expectSame(first!);
    expect(second).toMatchObject({ status: 200, body: { id: first?.body.id, request: hello } });
    expect(second?.headers.get('idempotency-replayed')).toBe('true');
    expect([differs(second!), ...warned(second!)]).toEqual(['true', true]);
    const { code, field, message } = second!.body.warnings.at(-1);
    expect([code, field]).toEqual(['idempotency_request_differs', 'idempotency_key']);
    expect(message).toContain('another key');
    // The warning is not stored, because it is only about this request.
    expect(warned(await mine.get(first?.body.id))).toEqual([false]);
    expectSame(await mine.submit(hello, keyed('k')));
  });

  test('is the same request in another spelling: order of keys, defaults, fields without effect', async () => {
    const mine = await openWorkspace(app);
    const metadata = { a: { x: 1, y: [1, 2] }, b: 2 };
    const [, second] = await twice(
      mine,
      { ...hello, metadata },
      {
        metadata: { b: 2, a: { y: [1, 2], x: 1 } },
        tone: null,
        text_type: 'Plain',
        source_lang: 'EN',
        target_lang: 'FR',
        deployment_name: 'x',
        allow_fallback: true,
        source_text: 'Hello',
      },
    );
    expectSame(second!);
  });

  test('a batch: only the items that another request made are warned of', async () => {
    const mine = await openWorkspace(app);
    const batch = (...texts: string[]) => ({
      inputs: texts.map((Text) => ({
        Text,
        Language: 'en',
        TextType: 'Plain',
        Targets: [{ Language: 'fr' }],
      })),
    });
    await mine.submit(batch('One', 'Two'), keyed('k'));
    const again = await mine.submit(batch('One', 'Deux', 'Three'), keyed('k'));
    expect([differs(again), ...warned(again)]).toEqual(['true', false, true, false]);
    expect(again.headers.get('idempotency-replayed')).toBeNull();
    expectSame(await mine.submit(batch('One'), keyed('k')));
  });

  test('a file: its text decides, not its name', async () => {
    const mine = await openWorkspace(app);
    const post = (text: string, name: string) => {
      const form = new FormData();
      form.set('source_document', new Blob([text], { type: 'text/plain' }), name);
      form.set('target_lang', 'fr');
      return mine.post(form, keyed('k'));
    };
    const page = 'A page. '.repeat(2000);
    const first = await post(page, 'a.txt');
    expect(first.body.length).toBeGreaterThan(1);
    expectSame(await post(page, 'b.txt'));
    expect(differs(await post('Other', 'a.txt'))).toBe('true');
    // A shorter file is a different request, even if its first page is the same.
    const shorter = await post(first.body[0].request.source_text, 'a.txt');
    expect([differs(shorter), ...warned(shorter)]).toEqual(['true', true]);
  });

  test('a failed job runs again by its first request, and the sender of another is told', async () => {
    const mine = await openWorkspace(live);
    fake.otherwise(failure(500));
    await mine.submit({ source_text: cat, target_lang: 'de' }, keyed('k'));
    const [job] = await mine.list();
    fake.otherwise(good);
    const again = await mine.submit({ source_text: bread, target_lang: 'de' }, keyed('k'));
    expect(again.body).toMatchObject({ id: job.id, final_translation: german[cat] });
    expect(again.body.request.source_text).toBe(cat);
    expect(again.headers.get('idempotency-replayed')).toBeNull();
    expect([differs(again), ...warned(again)]).toEqual(['true', true]);
  });
});

test('an Idempotency-Key on an operation that is not keyed is said to be ignored: imports and reviews', async () => {
  const mine = await openWorkspace(app);
  const form = new FormData();
  form.set('name', 'terms');
  form.set('glossary', new Blob(['source,target\nfour,four'], { type: 'text/csv' }), 'terms.csv');
  for (const path of ['/api/tm', '/api/terminology']) {
    const request = { method: 'POST', body: form, headers: { ...mine.headers, ...keyed('k') } };
    const answer = await answerOf(app.request(path, request));
    expect([path, answer.headers.get('idempotency-key-ignored')]).toEqual([path, 'true']);
  }
  const { body: job } = await mine.submit(hello, keyed('k'));
  const review = await mine.review(job.id, { action: 'approve' }, { ...mine.headers, ...keyed('k') });
  expect(review.headers.get('idempotency-key-ignored')).toBe('true');
  const keyless = await mine.submit(hello, keyed('k'));
  expect(keyless.headers.get('idempotency-key-ignored')).toBeNull();
});
