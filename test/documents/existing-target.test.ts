import { expect, test } from 'vitest';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { recordingEngine, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env, engine });
const mine = useDocuments(app, engine);

const fileOf = (content: unknown, name = 'app.json') =>
  new File([typeof content === 'string' ? content : JSON.stringify(content)], name);
const send = (source: unknown, fields: Parameters<typeof mine.send>[0] = {}) =>
  mine.send({ source_document: fileOf(source), wait: 'true', ...fields });
const read = async (id: string) => (await mine.download(id)).json();
/** Corrects the first segment. */
const correct = async (id: string, target_text: string) => {
  const { region_id } = (await mine.segments(id)).segments[0];
  const { status } = await mine.reviewDocument(id, { corrections: [{ region_id, target_text }] });
  expect(status).toBe(200);
};
const textsOf = async (id: string) => {
  const path = `/api/documents/${id}/download?content=texts`;
  return (await app.request(path, { headers: mine.headers })).json();
};

test('the texts that stay are in the receipt as kept, and in every later rendering', async () => {
  const first = await send({ a: 'Open', b: 'Close', c: 'Bye' });
  const { body } = await send(
    { a: 'Open', b: 'Close it', c: 'Bye' },
    {
      existing_target: fileOf({ a: 'Ouvrir', b: 'fr of Close', c: 'fr of Bye' }),
      existing_texts: fileOf(await textsOf(first.body.id)),
    },
  );
  expect([body.status, body.billable_chars, body.warnings]).toEqual(['translated', 8, []]);
  expect(body.quality_report.metadata.receipt.rows).toContainEqual(
    expect.objectContaining({ outcome: 'kept', reason: 'translated_before', texts: 2 }),
  );
  await correct(body.id, 'Fermer');
  expect(await read(body.id)).toEqual({ a: 'Ouvrir', b: 'Fermer', c: 'fr of Bye' });
});

test('a text that was not edited stays as a reviewer has corrected it', async () => {
  const { body } = await send({ a: 'Open', b: 'Close' });
  const texts = await textsOf(body.id);
  await correct(body.id, 'Ouvrir');
  const next = await send(
    { a: 'Open', b: 'Close', c: 'New' },
    {
      existing_target: fileOf({ a: 'fr of Open', b: 'Fermer' }),
      existing_texts: fileOf(texts),
      update_of: body.id,
    },
  );
  expect(await read(next.body.id)).toEqual({ a: 'Ouvrir', b: 'Fermer', c: 'fr of New' });
});

test('the estimate counts only what is sent', async () => {
  const { body } = await send(
    { a: 'Open', b: 'Close' },
    { existing_target: fileOf({ a: 'Ouvrir' }), dry_run: 'true' },
  );
  expect(body).toMatchObject({ segments: 1, billable_characters: 5 });
});

test('the hashes are those of the texts, whatever the line ends', async () => {
  const [lf, crlf] = await Promise.all(
    ['a\n\nb\n', 'a\r\n\r\nb\r\n'].map((text) =>
      mine.send({ source_document: fileOf(text, 'a.md'), wait: 'true' }),
    ),
  );
  const hashes = await textsOf(lf!.body.id);
  expect(hashes).toEqual([expect.stringMatching(/^[0-9a-f]{16} [0-9a-f]{16}$/), expect.any(String)]);
  expect(await textsOf(crlf!.body.id)).toEqual(hashes);
});

test('a format without separate texts has no hashes', async () => {
  const { body } = await mine.send({
    source_document: fileOf('1\n00:00:01,000 --> 00:00:02,000\nHello\n', 'a.srt'),
    wait: 'true',
  });
  expect(await textsOf(body.id)).toBeNull();
});

test.each([
  [{ existing_texts: '{}' }, 'existing_texts needs existing_target'],
  [{ existing_target: '{}', existing_texts: 'x' }, 'existing_texts: a JSON object or list is expected'],
  [
    { existing_target: '{}', existing_texts: '[]' },
    'existing_texts: a JSON object is expected for this format',
  ],
  [{ existing_target: '{}', existing_texts: '{"a": "1"}' }, 'existing_texts: "a" has no hashes'],
  [{ existing_target: '{}', existing_texts: '{"a": 1}' }, 'existing_texts: "a" has no hashes'],
  [{ existing_target: '{"a"' }, 'existing_target: the file is not valid JSON: line 1'],
  [
    { existing_target: '{"a": "x",\n"__proto__": "y"}' },
    'existing_target: line 2, __proto__: the source has no such text',
  ],
] as [Record<string, string>, string][])('%j is a 400 before a job exists: %s', async (fields, problem) => {
  const files = Object.fromEntries(Object.entries(fields).map(([name, content]) => [name, fileOf(content)]));
  for (const more of [{}, { dry_run: 'true' }]) {
    const { status, body } = await send({ a: 'Open' }, { ...files, ...more });
    expect([status, body.detail]).toEqual([400, expect.stringContaining(problem)]);
  }
});

test('an existing translation in a format without separate texts is a 400', async () => {
  const srt = fileOf('1\n00:00:01,000 --> 00:00:02,000\nHello\n', 'a.srt');
  const { status, body } = await mine.send({ source_document: srt, existing_target: srt });
  expect([status, body.detail]).toEqual([
    400,
    'existing_target: files of this format have no separate texts',
  ]);
});

test('another existing translation is another request for the same idempotency key', async () => {
  const key = { 'idempotency-key': 'existing' };
  const sendKeyed = (existing: string) =>
    mine.send(
      { source_document: fileOf({ a: 'Open' }), existing_target: fileOf({ a: existing }), wait: 'true' },
      key,
    );
  const [one, other] = [await sendKeyed('Ouvrir'), await sendKeyed('Ouvre')];
  expect(other.body.id).toBe(one.body.id);
  expect(other.body.warnings).toMatchObject([{ code: 'idempotency_request_differs' }]);
});
