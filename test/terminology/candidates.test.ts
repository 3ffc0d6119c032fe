import { beforeEach, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { addGlossary, env, type Fields, found, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env });

let admin: Person;
beforeEach(async () => {
  admin = await found(app);
});

const call = (name: string, input: Fields, { bearer }: Person = admin, domain = 'terminology') =>
  viaRpc(app, { path: `${domain}.${name}`, type: 'mutation' }, { input, headers: bearer });
const pair = { source_lang: 'en', target_lang: 'de' };
const file = (text: string, file_name = 'lease.txt') => ({
  file_name,
  content: Buffer.from(text).toString('base64'),
});
const lease =
  'The notice period is long.\n\nA notice period applies.\n\nThe guarantor signs.\n\nPay the guarantor.';
const find = async (fields: Fields = {}, as = admin) => {
  const { status, body } = await call('candidates', { ...pair, min_count: 2, ...fields }, as);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
};
const termsOf = ({ candidates }: { candidates: { term: string }[] }) => candidates.map(({ term }) => term);

async function addMemory(pairs: { source: string; target: string }[], name = 'House') {
  const { status } = await call('importPairs', { ...pair, name, pairs }, admin, 'memory');
  expect(status).toBe(200);
}

test('are found in a translation memory with proposed translations, and in files, with their contexts', async () => {
  await addMemory([
    { source: 'The notice period is long.', target: 'Die Kündigungsfrist ist lang.' },
    { source: 'Without a notice period, it ends.', target: 'Ohne Kündigungsfrist endet er.' },
  ]);
  const found = await find({
    files: [file('A guarantor signs.\n\nPay the guarantor. The notice period starts.')],
  });
  expect(found.texts).toBe(4);
  expect(termsOf(found)).toEqual(['notice period', 'guarantor']);
  expect(found.candidates[0]).toMatchObject({
    count: 3,
    targets: [{ target: 'Kündigungsfrist', count: 2 }],
    contexts: expect.arrayContaining([
      { source: 'The notice period is long.', target: 'Die Kündigungsfrist ist lang.', from: 'House' },
      { source: 'Pay the guarantor. The notice period starts.', target: null, from: 'lease.txt' },
    ]),
  });
  expect(termsOf(await find({ memories: false, files: [file(lease)] }))).toHaveLength(2);
});

test('are not suggested again if they are rejected or in a glossary, until they are restored', async () => {
  const files = [file(lease)];
  expect(termsOf(await find({ files }))).toEqual(['notice period', 'guarantor']);
  const reject = { source_lang: 'en', terms: ['Notice Period', 'other'] };
  expect((await call('rejectCandidates', reject)).body).toEqual({ changed: 2 });
  expect((await call('rejectCandidates', reject)).body).toEqual({ changed: 0 });
  expect(termsOf(await find({ files }))).toEqual(['guarantor']);
  await addGlossary(app, admin, {
    terminology_file: new File(['Guarantor,Bürge\n'], 'a.csv', { type: 'text/csv' }),
    ...pair,
  });
  expect(termsOf(await find({ files }))).toEqual([]);
  expect((await call('rejectCandidates', { ...reject, rejected: false })).body).toEqual({ changed: 2 });
  expect(termsOf(await find({ files }))).toEqual(['notice period']);
});

test('a file that cannot be read is refused by its place in the request', async () => {
  const refused = async (files: unknown[]) => {
    const { status, body } = await call('candidates', { ...pair, files });
    return [status, body.detail];
  };
  expect(await refused([file(lease), file('x', 'a.exe')])).toEqual([
    415,
    expect.stringContaining('files.1 has an unsupported type'),
  ]);
  expect(await refused([file('', 'a.txt')])).toEqual([400, 'files.0 is empty']);
  expect(await refused([file('not a zip', 'a.docx')])).toEqual([400, expect.stringContaining('files.0')]);
  expect((await refused(Array.from({ length: 11 }, () => file(lease))))[0]).toBe(422);
});
