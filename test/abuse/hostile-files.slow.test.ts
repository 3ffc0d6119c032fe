import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { fontsOfForms, nestedForms, pageTree } from './hostile-files.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

const send = async (headers: Record<string, string>, type: string, body: Uint8Array | string) => {
  const answer = await app.request('/api/translations?target_lang=fr', {
    method: 'POST',
    headers: { ...headers, 'content-type': type },
    body: body as Uint8Array<ArrayBuffer>,
  });
  return { status: answer.status, body: JSON.parse(await answer.text()) };
};

test.each([
  ['forms', nestedForms()],
  ['pages', pageTree()],
  ['fonts', fontsOfForms()],
])('a PDF of too many %s is a 400 that names the limit', async (what, file) => {
  const { headers } = await app.signUp();
  const { status, body } = await send(headers, 'application/pdf', file);
  expect([status, body.error_code]).toEqual([400, 'validation_error']);
  expect(JSON.stringify(body)).toMatch(
    new RegExp(`source_document: the number of [^.]*${what}[^.]* is over the limit of [\\d,]+; split`),
  );
});

test('other tenants are served while one tenant’s PDFs are read, and that tenant’s queue is bounded', async () => {
  const [hostile, other] = [await app.signUp(), await app.signUp()];
  let answered = 0;
  const flood = Array.from({ length: 40 }, async () => {
    const { status } = await send(hostile.headers, 'application/pdf', nestedForms());
    answered += 1;
    return status;
  });
  // Both at once: after the text, the earlier requests may have ended.
  const [text, pdf] = await Promise.all([
    send(other.headers, 'text/plain', 'Hello world'),
    send(other.headers, 'application/pdf', nestedForms(1, 1)),
  ]);
  expect([text.status, pdf.status]).toEqual([200, 200]);
  // The responses came before the earlier requests had ended.
  expect(answered).toBeLessThan(40);
  const statuses = await Promise.all(flood);
  // One file is read and sixteen are queued. The other requests are retried, and may be accepted when slots become
  // free.
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
  expect(new Set(statuses)).toEqual(new Set([400, 429]));
});

test.each([
  ['text/html', '<div>'.repeat(150_000), 'no text was found in the file'],
  ['application/xml', '<a>'.repeat(200_000), 'not well-formed'],
])('%s nested without end is read in the pool of short tasks, and refused', async (type, file, why) => {
  const { headers } = await app.signUp();
  const { status, body } = await send(headers, type, file);
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(why)]);
});
