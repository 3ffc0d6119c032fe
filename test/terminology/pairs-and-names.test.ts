import { beforeEach, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, type Sets } from '../translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
let setId: string;
beforeEach(async () => {
  mine = await openSets(app);
  setId = (
    await mine.glossary(['invoice,facture,en,fr', 'bill,addition,en,fr', 'Rechnung,invoice,de,en', 'a,b'])
  ).id;
});

const pairs = (id = setId) =>
  viaRpc(app, { path: 'terminology.pairs', type: 'query' }, { input: { set_id: id }, headers: mine.headers });
const rename = (name: string, id = setId) =>
  viaRpc(
    app,
    { path: 'terminology.rename', type: 'mutation' },
    { input: { set_id: id, name }, headers: mine.headers },
  );

test('terminology.pairs counts the terms of each language pair, in the order of the file', async () => {
  expect((await pairs()).body).toEqual([
    { source_lang: 'en', target_lang: 'fr', entry_count: 2 },
    { source_lang: 'de', target_lang: 'en', entry_count: 1 },
    { source_lang: null, target_lang: null, entry_count: 1 },
  ]);
  expect((await pairs('0'.repeat(32))).status).toBe(404);
});

test('terminology.rename keeps the ID and the terms, and rejects the name of another glossary', async () => {
  expect((await rename('New name')).body).toMatchObject({ id: setId, name: 'New name', entry_count: 4 });
  expect((await mine.glossaries()).map(({ name }: { name: string }) => name)).toEqual(['New name']);
  await mine.glossary(['c,d'], { name: 'Other' });
  const answers = await Promise.all(['Other', ' ', 'x'.repeat(129)].map((name) => rename(name)));
  expect(answers.map(({ status }) => status)).toEqual([409, 400, 400]);
  // The same name again changes nothing.
  expect((await rename('New name')).status).toBe(200);
  expect((await rename('New name', '0'.repeat(32))).status).toBe(404);
});
