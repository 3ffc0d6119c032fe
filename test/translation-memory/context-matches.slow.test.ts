import { beforeEach, expect, test } from 'vitest';
import { runAnalysis } from '#server/analyses/run-analysis.ts';
import { viaRpc } from '#test/contract/call.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import type { Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openDocuments, recordingEngine } from '../documents/workspace.ts';
import { setsOf } from './sets.ts';
import { tmxOf } from './tmx.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine: recordingEngine() });

const openBoth = async () => {
  const workspace = await openDocuments(app);
  return { ...workspace, ...setsOf(app, workspace.headers) };
};
let mine: Awaited<ReturnType<typeof openBoth>>;
beforeEach(async () => {
  mine = await openBoth();
});

const rpc = (path: string, type: 'mutation' | 'query', input: Fields, headers = mine.headers) =>
  viaRpc(app, { path: `memory.${path}`, type }, { input, headers });
async function matchesOf(source_text: string, document_id: string, position: number, of = mine) {
  const input = { source_text, source_lang: 'en', target_lang: 'fr', segment: { document_id, position } };
  const { status, body } = await rpc('matches', 'mutation', input, of.headers);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.matches.map(({ kind, score, target_text }: Fields) => [kind, score, target_text]);
}
async function approved(cells: string[], corrections: Record<string, string>) {
  const { id } = await mine.translate(cells);
  expect((await mine.correct(id, corrections)).status).toBe(200);
  expect((await mine.approve(id)).status).toBe(200);
  return id;
}
const prefer = (prefer_tm_context: boolean) =>
  app.json('PATCH', '/api/tenants/security', { headers: mine.admin, body: { prefer_tm_context } });

/** Two documents in which the same text has another translation, first in a menu, then on a form. */
async function twoContexts() {
  await approved(['File', 'Open', 'Save'], { A2: 'Ouvrir' });
  return approved(['Shop', 'Open', 'Hours'], { A2: 'Ouvert' });
}
const provenanceOf = async (id: string, position = 1) =>
  (await mine.segments(id)).segments[position].provenance;

test('a match in the same context is a context match, with 101', async () => {
  await approved(['File', 'Open', 'Save'], { A2: 'Ouvrir' });
  const { id } = await mine.translate(['File', 'Open', 'Save']);
  expect((await mine.targets(id))[1]).toBe('Ouvrir');
  expect(await provenanceOf(id)).toMatchObject({ origin: 'golden_approved', context_match: true });
  expect(await matchesOf('Open', id, 1)).toEqual([['exact', 101, 'Ouvrir']]);
  const { id: other } = await mine.translate(['File', 'Open', 'Close']);
  expect(await provenanceOf(other)).not.toHaveProperty('context_match');
  expect(await matchesOf('Open', other, 1)).toEqual([['exact', 100, 'Ouvrir']]);
});

test('an estimate and an analysis count context matches among the exact ones, also of a repeated text', async () => {
  await approved(['File', 'Open', 'Save', 'Open', 'End'], { A2: 'Ouvrir', A4: 'Ouvrir' });
  // "End" is in another context.
  const source_document = workbookFile(['File', 'Open', 'Save', 'Open', 'End', 'More']);
  const counts = { exact_matches: { segments: 5 }, context_matches: { segments: 4 } };
  const { body } = await mine.send({ source_document, dry_run: 'true' });
  expect(body).toMatchObject(counts);
  const call = async (name: string, input: Fields) =>
    (await viaRpc(app, { path: `analyses.${name}`, type: 'mutation' }, { input, headers: mine.headers }))
      .body;
  const { id: analysisId } = await call('create', { target_langs: ['fr'] });
  const content = Buffer.from(await source_document.arrayBuffer()).toString('base64');
  await call('addFile', { analysis_id: analysisId, file_name: 'menu.xlsx', content });
  await runAnalysis(app.services, { tenantId: mine.tenantId, analysisId });
  const query = { path: 'analyses.get', type: 'query' } as const;
  const { body: analysis } = await viaRpc(app, query, {
    input: { analysis_id: analysisId },
    headers: mine.headers,
  });
  expect(analysis.totals).toMatchObject(counts);
});

test('without the setting, the latest translation is served (B 8 rule 4), with it the one of the context', async () => {
  await twoContexts();
  const menu = ['File', 'Open', 'Save'];
  expect((await mine.targets((await mine.translate(menu)).id))[1]).toBe('Ouvert');
  expect((await prefer(true)).status).toBe(200);
  const { id } = await mine.translate(menu);
  expect((await mine.targets(id))[1]).toBe('Ouvrir');
  expect(await matchesOf('Open', id, 1)).toEqual([['exact', 101, 'Ouvrir']]);
  // One side of the context.
  expect((await mine.targets((await mine.translate(['File', 'Open'])).id))[1]).toBe('Ouvrir');
  // None.
  expect((await mine.targets((await mine.translate(['A', 'Open', 'Z'])).id))[1]).toBe('Ouvert');
  // A text without a document has no context.
  expect((await mine.job({ source_text: 'Open' })).final_translation).toBe('Ouvert');
  await prefer(false);
  expect((await mine.targets((await mine.translate(menu)).id))[1]).toBe('Ouvert');
});

test('the ends of a document are a context, but a document of one text has none', async () => {
  await approved(['Open', 'Save'], { A1: 'Ouvrir' });
  const { id } = await mine.translate(['Open', 'Save']);
  expect(await matchesOf('Open', id, 0)).toEqual([['exact', 101, 'Ouvrir']]);
  await approved(['Alone'], { A1: 'Seul' });
  const { id: single } = await mine.translate(['Alone']);
  expect(await matchesOf('Alone', single, 0)).toEqual([['exact', 100, 'Seul']]);
});

test('a repeated text has the context of its first place', async () => {
  const cells = ['File', 'Open', 'Save', 'Open', 'End'];
  await approved(cells, { A2: 'Ouvrir', A4: 'Ouvrir' });
  const { id } = await mine.translate(cells);
  expect(await matchesOf('Open', id, 3)).toEqual([['exact', 101, 'Ouvrir']]);
});

test('a segment without a penalty wins over one with the context', async () => {
  await twoContexts();
  await prefer(true);
  await mine.memory([['Open', 'Ouvrez']], { name: 'Plain' });
  const golden = (await mine.memories()).find(({ origin }: Fields) => origin === 'golden_approved');
  await rpc('setPenalty', 'mutation', { set_id: golden.id, penalty: 1, age_penalty: 0 });
  expect((await mine.targets((await mine.translate(['File', 'Open', 'Save'])).id))[1]).toBe('Ouvrez');
});

test('a deleted segment that an undo restores has its context', async () => {
  const id = await approved(['File', 'Open', 'Save'], { A2: 'Ouvrir' });
  const golden = (await mine.memories())[0];
  const { body } = await rpc('browse', 'query', { set_id: golden.id, text: 'Open' });
  const [{ unit_no, source_text, target_text }] = body.units;
  const units = [{ unit_no, source_text, target_text }];
  const deleted = await rpc('deleteUnits', 'mutation', { set_id: golden.id, units });
  expect(await matchesOf('Open', id, 1)).toEqual([]);
  await rpc('undo', 'mutation', { change_id: deleted.body.change_id });
  expect(await matchesOf('Open', id, 1)).toEqual([['exact', 101, 'Ouvrir']]);
});

test('segments with the same translation in other contexts are no duplicates', async () => {
  await twoContexts();
  await approved(['Edit', 'Open', 'Close'], { A2: 'Ouvrir' });
  const set_id = (await mine.memories())[0].id;
  expect((await rpc('duplicates', 'query', { set_id })).body).toMatchObject({ segments: 0, sources: 1 });
  expect((await rpc('problems', 'query', { set_id, kinds: ['duplicate'] })).body.units).toEqual([]);
});

test('a segment of another workspace, or none, gives no context', async () => {
  const id = await approved(['File', 'Open', 'Save'], { A2: 'Ouvrir' });
  const other = await openBoth();
  await other.memory([['Open', 'Ouvrez']]);
  expect(await matchesOf('Open', id, 1, other)).toEqual([['exact', 100, 'Ouvrez']]);
  expect(await matchesOf('Open', id, 9)).toEqual([['exact', 100, 'Ouvrir']]);
  expect(await matchesOf('Open', 'unknown', 1)).toEqual([['exact', 100, 'Ouvrir']]);
});

const props = {
  OmegaT: ['<prop type="prev">File &amp; more</prop><prop type="next">Save </prop>', ''],
  memoQ: [
    '<prop type="x-context-pre">&lt;seg&gt;&lt;bpt i="1"/&gt;File &amp;amp; more&lt;/seg&gt;</prop><prop type="x-context-post">&lt;seg&gt;Save&lt;/seg&gt;</prop>',
    '',
  ],
  MateCat: ['', '<prop type="x-context-pre">File &amp; more</prop><prop type="x-context-post">Save</prop>'],
};
test.each(Object.entries(props))(
  'the contexts of a TMX file from %s are imported',
  async (_, [unit, variant]) => {
    const body = `<tu>${unit}<tuv xml:lang="en">${variant}<seg>Open</seg></tuv><tuv xml:lang="fr"><prop type="prev">Fichier</prop><seg>Ouvrir</seg></tuv></tu>
<tu><prop type="constructor">x</prop><tuv xml:lang="en"><seg>Close</seg></tuv><tuv xml:lang="fr"><seg>Fermer</seg></tuv></tu>`;
    await mine.importFile(tmxOf(body));
    const { id } = await mine.translate(['File & more', 'Open', 'Save', 'Close']);
    expect(await matchesOf('Open', id, 1)).toEqual([['exact', 101, 'Ouvrir']]);
    expect(await matchesOf('Close', id, 3)).toEqual([['exact', 100, 'Fermer']]);
  },
);

test('contexts survive an export and an import into another workspace', async () => {
  await approved(['File', 'Open', 'Save'], { A2: 'Ouvrir' });
  const { text } = await mine.exportGolden('?source_lang=en&target_lang=fr');
  const other = await openBoth();
  await other.importFile(text);
  const { id } = await other.translate(['File', 'Open', 'Save']);
  expect(await matchesOf('Open', id, 1, other)).toEqual([['exact', 101, 'Ouvrir']]);
  const { id: end } = await other.translate(['File', 'Open']);
  expect(await matchesOf('Open', end, 1, other)).toEqual([['exact', 100, 'Ouvrir']]);
});
