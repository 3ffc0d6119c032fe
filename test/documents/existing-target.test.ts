import { expect, test } from 'vitest';
import { limitsOfTask } from '#server/platform/sandbox/limits.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { savingIn } from './saving.ts';
import { openDocuments, recordingEngine, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env, engine });
const mine = useDocuments(app, engine);
const small = useTestApp({ env: { ...env, WORKSPACE_LIMITS: '{"storage_bytes":3000}' } });

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
  [
    { existing_target: '{}', existing_texts: '{"a": ["0123456789abcdef 0123456789abcdef"]}' },
    '"a" has no hashes',
  ],
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

test('a correction that is saved and not in the file yet stays', async () => {
  const { body } = await send({ a: 'Open', b: 'Close' });
  const texts = await textsOf(body.id);
  const saved = await savingIn(app, mine).save(body.id, [[0, 'fr of Open', 'Ouvrir']]);
  expect(saved.status).toBe(200);
  const next = await send(
    { a: 'Open', b: 'Close it' },
    {
      existing_target: fileOf({ a: 'fr of Open', b: 'fr of Close' }),
      existing_texts: fileOf(texts),
      update_of: body.id,
    },
  );
  expect(await read(next.body.id)).toEqual({ a: 'Ouvrir', b: 'fr of Close it' });
});

test('another earlier document is another request, if it corrects the existing translation', async () => {
  const first = await send({ a: 'Open' });
  const sendKeyed = (fields: Record<string, unknown>, key: string) =>
    mine.send(
      { source_document: fileOf({ a: 'Open' }), wait: 'true', ...fields },
      { 'idempotency-key': key },
    );
  for (const existing of [{}, { existing_target: fileOf({ a: 'Ouvrir' }) }]) {
    const key = `update ${Object.keys(existing)}`;
    await sendKeyed(existing, key);
    const { body } = await sendKeyed({ ...existing, update_of: first.body.id }, key);
    expect(body.warnings).toHaveLength('existing_target' in existing ? 1 : 0);
  }
});

test.each(['existing_target', 'existing_texts'])('%s as a text is a 400 that names it', async (name) => {
  const existing = name === 'existing_texts' ? { existing_target: fileOf({}) } : {};
  const { status, body } = await send({ a: 'Open' }, { ...existing, [name]: '{}' });
  expect([status, body.detail]).toEqual([400, `${name} must be a file part, with a file name`]);
});

test('the estimate names edited texts whose source has changed', async () => {
  const first = await send({ a: 'Open' });
  const { body } = await send(
    { a: 'Open it' },
    {
      existing_target: fileOf({ a: 'Ouvrir' }),
      existing_texts: fileOf(await textsOf(first.body.id)),
      dry_run: 'true',
    },
  );
  expect(body.warnings).toMatchObject([{ code: 'edited_target_kept' }]);
});

test('warnings may name long keys, and keys with NUL or lone surrogates', async () => {
  const key = `\0\ud800${'k'.repeat(1000)}`;
  const escaped = (text: string) => JSON.stringify({ a: 'x', [key]: text });
  const written = JSON.stringify({ [key]: `${'0'.repeat(16)} ${'1'.repeat(16)}` });
  const { status, body } = await mine.send({
    source_document: fileOf({ a: 'Open' }),
    existing_target: fileOf(escaped('edited')),
    existing_texts: fileOf(written),
    wait: 'true',
  });
  expect([status, body.warnings]).toEqual([
    200,
    [expect.objectContaining({ code: 'edited_target_removed' })],
  ]);
  expect(body.warnings[0].message.length).toBeLessThan(400);
});

test('a document whose texts that stay are damaged is not approved', async () => {
  const { body } = await send({ a: 'Open', b: 'Close' }, { existing_target: fileOf({ a: 'Ouvrir' }) });
  const artifact = (await mine.read(body.id)).artifacts.find(
    ({ kind }: { kind: string }) => kind === 'existing',
  );
  await app.services.storage.remove(`${mine.tenantId}/documents/${body.id}.${artifact.id}`);
  expect(await mine.approve(body.id)).toMatchObject({ status: 400 });
});

test('the existing translation counts for limits and for the storage', async () => {
  const bytes = new Uint8Array(10);
  const target = new Uint8Array(5_000_000);
  const payload = { format: 'json', bytes, languages: { targetLanguage: 'fr' }, target } as never;
  expect(limitsOfTask('hash_texts', payload).cpuMs).toBeGreaterThan(
    limitsOfTask('check_document', { format: 'json', bytes }).cpuMs + 10_000,
  );
  const other = await openDocuments(small);
  const form = { source_document: fileOf({ a: 'Open' }), existing_target: fileOf({ a: 'x'.repeat(4000) }) };
  expect((await other.send(form)).status).toBe(507);
});
