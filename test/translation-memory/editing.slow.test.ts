import { beforeAll, describe, expect, test, vi } from 'vitest';
import { pruneChanges } from '#server/language/translation-memory/editing/history.ts';
import { indexPair } from '#server/language/translation-memory/index-pair.ts';
import { indexSet } from '#server/language/translation-memory/index-set.ts';
import { findClose } from '#server/language/translation-memory/lookup/close-match.ts';
import { viaRpc } from '#test/contract/call.ts';
import { addKey, type Fields, found } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSession, openSuperuser } from '#test/setup/database.ts';
import { memoryCalls, openSets, refusal, type Sets, setsOf } from './sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', RUN_WORKERS: 'false' } });
const pair = { pairSource: 'en', pairTarget: 'fr' };

const { ask, call } = memoryCalls(app, 'mutation');

interface Unit {
  unit_no: number;
  source_text: string;
  target_text: string;
}

const unitsOf = async (of: Sets, set_id: string): Promise<Unit[]> =>
  (await call(of, 'browse', { set_id }, 'query')).units;
const textsOf = async (of: Sets, set_id: string) =>
  (await unitsOf(of, set_id)).map(({ source_text, target_text }) => [source_text, target_text]);
const seen = ({ unit_no, source_text, target_text }: Unit) => ({ unit_no, source_text, target_text });
const edit = (set_id: string, unit: Unit, changed: Partial<Unit>) => ({
  ...{
    set_id,
    unit_no: unit.unit_no,
    replaces: { source_text: unit.source_text, target_text: unit.target_text },
  },
  ...{ source_text: unit.source_text, target_text: unit.target_text, ...changed },
});
const close = async (of: Sets, text: string) =>
  (await findClose(app.database, of.tenantId, pair, text)).close.map((hit) => hit.targetText);
const exact = async (of: Sets, source_text: string): Promise<string | undefined> =>
  (await call(of, 'matches', { source_text, source_lang: 'en', target_lang: 'fr' })).matches.find(
    ({ kind }: { kind: string }) => kind === 'exact',
  )?.target_text;
const setOf = async (of: Sets, id: string) =>
  (await of.memories()).find((set: { id: string }) => set.id === id);

let mine: Sets;
beforeAll(async () => {
  mine = await openSets(app);
});

const lines: [string, string][] = [
  ['The pump leaks oil at the north valve.', 'La pompe perd de l’huile.'],
  ['Close the lid before you start the engine.', 'Fermez le couvercle.'],
  ['Tighten every bolt of the rear axle.', 'Serrez chaque boulon.'],
];

describe('an edited segment', () => {
  test('is served with its new target, and found by its new source only, before and after indexing', async () => {
    const { id } = await mine.memory(lines, { name: 'Served' });
    // In its own shard, in the shard of the pair, and in none: an edit takes the segment out of each.
    for (const index of [
      () => indexPair(app.services, { tenantId: mine.tenantId, ...pair }),
      () => indexSet(app.services, mine.tenantId, id),
    ]) {
      const [unit] = await unitsOf(mine, id);
      await call(mine, 'updateUnit', edit(id, unit!, { target_text: 'La pompe fuit.' }));
      expect(await exact(mine, unit!.source_text)).toBe('La pompe fuit.');

      const [edited] = await unitsOf(mine, id);
      const source_text = 'Replace the filter of the cabin once a year.';
      await call(mine, 'updateUnit', edit(id, edited!, { source_text, target_text: 'Filtre.' }));
      const check = async () => {
        expect(await close(mine, 'Replace the filters of the cabin once a year.')).toEqual(['Filtre.']);
        expect(await close(mine, 'The pump leaks oil at the northern valve.')).toEqual([]);
      };
      await check();
      await index();
      await check();
      const [last] = await unitsOf(mine, id);
      await call(mine, 'updateUnit', edit(id, last!, { source_text: lines[0]![0] }));
      expect(await close(mine, 'The pump leaks oil at the northern valve.')).toEqual(['Filtre.']);
      expect(await close(mine, 'Replace the filters of the cabin once a year.')).toEqual([]);
    }
    expect(await setOf(mine, id)).toMatchObject({ entry_count: 3 });
    await mine.removeMemory(id);
  });

  test('that was edited during indexing keeps no entry for its former source', async () => {
    const { id } = await mine.memory(lines, { name: 'Indexed' });
    const [unit] = await unitsOf(mine, id);
    const { fileWork } = app.services;
    const stream: typeof fileWork.stream = async (...given) => {
      const built = await fileWork.stream(...(given as Parameters<typeof fileWork.stream>));
      await call(
        mine,
        'updateUnit',
        edit(id, unit!, { source_text: 'Clean the windows of the tower daily.' }),
      );
      return built as never;
    };
    await indexPair(
      { ...app.services, fileWork: { ...fileWork, stream } },
      { tenantId: mine.tenantId, ...pair },
    );
    await indexPair(app.services, { tenantId: mine.tenantId, ...pair });
    expect(await close(mine, 'Clean the windows of the towers daily.')).toEqual([unit!.target_text]);
    await mine.removeMemory(id);
  });

  test('that someone else changed is a 409 with the present segment; the same request twice succeeds', async () => {
    const { id } = await mine.memory(lines, { name: 'Twice' });
    const [unit] = await unitsOf(mine, id);
    const first = edit(id, unit!, { target_text: 'Un' });
    const second = edit(id, unit!, { target_text: 'Deux' });
    const answers = await Promise.all([ask(mine, 'updateUnit', first), ask(mine, 'updateUnit', second)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const lost = answers.find(({ status }) => status === 409)!;
    const [present] = await unitsOf(mine, id);
    expect(lost.body).toMatchObject({
      detail: 'another member has changed this segment',
      present: seen(present!),
    });
    const again = await call(mine, 'updateUnit', present!.target_text === 'Un' ? first : second);
    expect(again.change_id).toBeNull();
    await mine.removeMemory(id);
  });

  test('shows the member who changed it, but not to an API key that may only read', async () => {
    const founder = await found(app);
    const own = setsOf(app, founder.bearer);
    const { id } = await own.memory(lines);
    const call = (path: string, input: Fields, headers = founder.bearer) => {
      const type = path === 'memory.updateUnit' ? 'mutation' : 'query';
      return viaRpc(app, { path, type }, { input, headers });
    };
    const [unit] = (await call('memory.browse', { set_id: id })).body.units;
    await call('memory.updateUnit', edit(id, unit, { target_text: 'Un' }));
    const seenBy = async (headers: typeof founder.bearer) => {
      const { changes } = (await call('memory.changes', { set_id: id }, headers)).body;
      const { units } = (await call('memory.browse', { set_id: id }, headers)).body;
      return [changes[0].by, units[0].changed_by];
    };
    expect(await seenBy(founder.bearer)).toEqual([founder.email, founder.email]);
    for (const scopes of [['read'], ['read', 'admin']]) {
      const { api_key } = await addKey(app, founder, { scopes });
      const name = scopes.includes('admin') ? founder.email : null;
      expect(await seenBy({ 'x-api-key': api_key } as never)).toEqual([name, name]);
    }
  });

  test('of a job that is reopened or deleted is deleted with it, and its history too', async () => {
    const { id: jobId } = await mine.job({ metadata: { sensitive: true }, source_text: 'Bonded goods' });
    await mine.review(jobId, { action: 'modify', final_translation: 'Biens' });
    const [golden] = (await mine.memories()).filter(
      (set: { origin: string }) => set.origin === 'golden_approved',
    );
    const unit = (await unitsOf(mine, golden.id)).find(({ source_text }) => source_text === 'Bonded goods')!;
    const { change_id } = await call(
      mine,
      'updateUnit',
      edit(golden.id, unit, { target_text: 'Marchandises' }),
    );
    await app.json('DELETE', `/api/translations/${jobId}`, { headers: mine.admin });
    expect((await textsOf(mine, golden.id)).map(([source]) => source)).not.toContain('Bonded goods');
    expect(await call(mine, 'undo', { change_id })).toMatchObject({ undone: 0, kept: 1 });
  });

  test('of a job that is deleted during the undo is not restored', async () => {
    const own = await openSets(app);
    const { id: jobId } = await own.job({ metadata: { sensitive: true }, source_text: 'Bonded goods' });
    await own.review(jobId, { action: 'modify', final_translation: 'Biens' });
    const [{ id }] = await own.memories();
    const [unit] = await unitsOf(own, id);
    const { change_id } = await call(own, 'deleteUnits', { set_id: id, units: [seen(unit!)] });
    const sql = openSuperuser(app.superuserUrl);
    const waiting = (count: number) =>
      vi.waitUntil(
        async () =>
          (
            await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
          ).length === count,
        5000,
      );
    // Another transaction has the number of the segment, so that the undo waits in its last step.
    const blocked = openSession(app.superuserUrl);
    await blocked`begin`;
    await blocked`
      insert into memory_segments (tenant_id, content_id, segment_no, source_hash, source_text, target_text)
      select tenant_id, content_id, segment_no, ''::bytea, '', '' from memory_changed_segments
      where change_id = ${change_id}`;
    const undone = call(own, 'undo', { change_id });
    await waiting(1);
    const deleted = app.json('DELETE', `/api/translations/${jobId}`, { headers: own.admin });
    await Promise.race([deleted, waiting(2)]);
    await blocked`rollback`;
    await Promise.all([undone, deleted]);
    expect(await textsOf(own, id)).toEqual([]);
  });
});

describe('a deleted segment', () => {
  test('keeps its number, although pairs are added after it', async () => {
    const { id } = await mine.memory(lines, { name: 'Added' });
    const [, , last] = await unitsOf(mine, id);
    const { change_id } = await call(mine, 'deleteUnits', { set_id: id, units: [seen(last!)] });
    const pairs = [{ source: 'Wash the car.', target: 'Lavez la voiture.' }];
    await call(mine, 'addPairs', { set_id: id, source_lang: 'en', target_lang: 'fr', pairs });
    expect(await call(mine, 'undo', { change_id })).toMatchObject({ undone: 1, kept: 0 });
    expect(await textsOf(mine, id)).toEqual([...lines, ['Wash the car.', 'Lavez la voiture.']]);
    await mine.removeMemory(id);
  });

  test('is neither served nor listed nor counted, and undo brings it back to its place', async () => {
    const { id } = await mine.memory(lines, { name: 'Deleted' });
    await indexPair(app.services, { tenantId: mine.tenantId, ...pair });
    const before = await unitsOf(mine, id);
    const units = [seen(before[0]!), seen(before[2]!)];
    const { deleted, change_id } = await call(mine, 'deleteUnits', { set_id: id, units });
    expect(deleted).toBe(2);
    expect(await textsOf(mine, id)).toEqual([lines[1]]);
    expect(await setOf(mine, id)).toMatchObject({ entry_count: 1 });
    expect(await close(mine, 'Tighten every bolts of the rear axle.')).toEqual([]);
    expect(await exact(mine, lines[0]![0])).toBeUndefined();
    // Sent again, nothing is left to delete.
    expect(await call(mine, 'deleteUnits', { set_id: id, units })).toEqual({ deleted: 0, change_id: null });

    expect(await call(mine, 'undo', { change_id })).toEqual({ undone: 2, kept: 0, reasons: [] });
    expect(await unitsOf(mine, id)).toEqual(
      before.map((unit) => ({ ...unit, changed_at: expect.any(String) })),
    );
    expect(await setOf(mine, id)).toMatchObject({ entry_count: 3 });
    expect(await close(mine, 'Tighten every bolts of the rear axle.')).toEqual([lines[2]![1]]);
    await mine.removeMemory(id);
  });
});

describe('the history', () => {
  test('names who, when and what; what has changed again is named, the rest is undone', async () => {
    const { id } = await mine.memory(lines, { name: 'History' });
    const before = await unitsOf(mine, id);
    const first = await call(mine, 'updateUnit', edit(id, before[0]!, { target_text: 'A' }));
    const second = await call(
      mine,
      'updateUnit',
      edit(id, { ...before[0]!, target_text: 'A' }, { target_text: 'B' }),
    );
    const { changes } = await call(mine, 'changes', { set_id: id, unit_no: before[0]!.unit_no }, 'query');
    expect(changes).toMatchObject([
      { id: second.change_id, kind: 'edited', segments: 1, first: { new: { target_text: 'B' } } },
      { id: first.change_id, by: null, first: { set_id: id, old: { target_text: before[0]!.target_text } } },
    ]);
    expect(await call(mine, 'undo', { change_id: first.change_id })).toMatchObject({
      ...{ undone: 0, kept: 1 },
      reasons: [{ reason: 'changed', unit_no: before[0]!.unit_no }],
    });
    expect(await call(mine, 'undo', { change_id: second.change_id })).toMatchObject({ undone: 1 });
    expect((await unitsOf(mine, id))[0]!.target_text).toBe('A');
    expect(refusal(await ask(mine, 'undo', { change_id: second.change_id }))).toEqual([
      409,
      'this change is undone already',
    ]);
    // Nothing of the first change was undone before, so it still can be.
    expect(await call(mine, 'undo', { change_id: first.change_id })).toMatchObject({ undone: 1, kept: 0 });
    expect((await unitsOf(mine, id))[0]!.target_text).toBe(before[0]!.target_text);
    await mine.removeMemory(id);
  });

  test('ends with the set that is replaced, and is pruned after 30 days', async () => {
    const { id } = await mine.memory(lines, { name: 'Replaced' });
    const [unit] = await unitsOf(mine, id);
    const { change_id } = await call(mine, 'deleteUnits', { set_id: id, units: [seen(unit!)] });
    await mine.memory(lines, { name: 'Replaced' });
    expect(await call(mine, 'undo', { change_id })).toMatchObject({ undone: 0, kept: 1 });
    expect(await textsOf(mine, id)).toEqual(lines);

    const sql = openSuperuser(app.superuserUrl);
    await sql`update memory_changes set created_at = now() - interval '31 days' where change_id = ${change_id}`;
    const [row] = await sql`select tenant_id from memory_changes where change_id = ${change_id}`;
    expect(await pruneChanges(app.database, [row!['tenant_id']])).toBe(0);
    expect(await pruneChanges(app.database, [])).toBe(1);
    expect((await ask(mine, 'undo', { change_id })).status).toBe(404);
    await mine.removeMemory(id);
  });
});

test('an edit during an import into the set is a 409', async () => {
  const { id } = await mine.memory(lines, { name: 'Imported' });
  const [unit] = await unitsOf(mine, id);
  const sql = openSuperuser(app.superuserUrl);
  await sql`insert into memory_imports (tenant_id, import_id, status, set_name, source_lang, target_lang, pair_source,
    pair_target, total_units, deduped_units, skipped_units, duplicates_dropped)
    values (${mine.tenantId}, 'running', 'running', 'Imported', 'en', 'fr', 'en', 'fr', 1, 1, 0, 0)`;
  expect(refusal(await ask(mine, 'updateUnit', edit(id, unit!, { target_text: 'A' })))).toEqual([
    409,
    expect.stringMatching(/^tm_import_in_progress: /),
  ]);
  await sql`delete from memory_imports where import_id = 'running'`;
});

test.each([
  ['a NUL character', { target_text: 'a\0b' }],
  ['an empty text', { source_text: '' }],
  ['only white space', { target_text: ' \u00a0 ' }],
  ['a text that is too long', { target_text: 'x'.repeat(50_001) }],
])('%s is a 422', async (_, changed) => {
  const { id } = await mine.memory(lines, { name: 'Hostile' });
  const [unit] = await unitsOf(mine, id);
  expect((await ask(mine, 'updateUnit', edit(id, unit!, changed))).status).toBe(422);
});

describe('find and replace', () => {
  const replaced = ['La pompe perd du savon.', 'Fermez le couvercle.', 'POMPE, pompes et pompe'];
  const texts: [string, string][] = [
    ['The pump leaks.', 'La pompe perd du savon.'],
    ['Close the lid.', 'Fermez le couvercle.'],
    ['Pumps', 'POMPE, pompes et pompe'],
  ];

  test.each([
    [{ find: 'pompe' }, ['La X perd du savon.', replaced[1], 'X, Xs et X'], 4],
    [{ find: 'pompe', match_case: true }, ['La X perd du savon.', replaced[1], 'POMPE, Xs et X'], 3],
    [{ find: 'pompe', whole_words: true }, ['La X perd du savon.', replaced[1], 'X, pompes et X'], 3],
    [{ find: '.', replacement: '$&' }, ['La pompe perd du savon$&', 'Fermez le couvercle$&', replaced[2]], 2],
  ])(
    '%j changes what its preview shows, and is undone as a whole',
    async (request, expected, occurrences) => {
      const { id } = await mine.memory(texts, { name: 'Replace' });
      const input = { set_id: id, replacement: 'X', ...request };
      const preview = await call(mine, 'previewReplace', input, 'query');
      const before = await unitsOf(mine, id);
      const changed = expected.filter((text, at) => text !== texts[at]![1]);
      expect(preview).toMatchObject({ segments: changed.length, occurrences, left_out: 0 });
      expect(preview.hits.map((hit: { replaced: string }) => hit.replaced)).toEqual(changed);
      for (const { target_text, spans } of preview.hits)
        for (const { start, end } of spans)
          expect(target_text.slice(start, end).toLowerCase()).toBe(request.find);

      const change = await call(mine, 'replace', { ...input, version: preview.version });
      expect((await textsOf(mine, id)).map(([, target]) => target)).toEqual(expected);
      const { changes } = await call(mine, 'changes', { set_id: id }, 'query');
      expect(changes).toMatchObject([{ id: change.change_id, kind: 'replaced', segments: changed.length }]);
      await call(mine, 'undo', { change_id: change.change_id });
      expect((await unitsOf(mine, id)).map(seen)).toEqual(before.map(seen));
      await mine.removeMemory(id);
    },
  );

  test('leaves out a segment whose text would be empty, and rejects texts that changed since the preview', async () => {
    const { id } = await mine.memory([...texts, ['Pump', 'pompe']], { name: 'Replace' });
    const input = { set_id: id, find: 'pompe', replacement: '' };
    const { version, ...preview } = await call(mine, 'previewReplace', input, 'query');
    expect(preview).toMatchObject({ segments: 2, left_out: 1 });
    // The number stays the same, but another member has edited one of the segments.
    const [edited] = (await unitsOf(mine, id)).filter(({ target_text }) => target_text.includes('pompe'));
    const { unit_no, ...replaces } = seen(edited!);
    const target_text = `${replaces.target_text} pompe`;
    const { change_id } = await call(mine, 'updateUnit', {
      set_id: id,
      unit_no,
      replaces,
      ...replaces,
      target_text,
    });
    expect(refusal(await ask(mine, 'replace', { ...input, version }))).toEqual([
      409,
      'the segments that the search finds have changed since the preview; look at the preview again',
    ]);
    await call(mine, 'undo', { change_id });
    expect((await ask(mine, 'replace', { ...input, find: 'x'.repeat(20_000), version })).status).toBe(422);
    expect((await ask(mine, 'replace', { ...input, replacement: 'a\0', version })).status).toBe(422);
    await call(mine, 'replace', { ...input, version });
    await mine.removeMemory(id);
  });
});

test('a replacement that would need more memory than a change may is a 422, and of one long text left out', async () => {
  const { id } = await mine.memory([['Long', 'a'.repeat(1_000_000)]], { name: 'Growing' });
  const input = { set_id: id, find: 'a', replacement: 'é'.repeat(200) };
  expect(await call(mine, 'previewReplace', input, 'query')).toMatchObject({ segments: 0, left_out: 1 });
  await mine.removeMemory(id);
  const many = await mine.memory(
    Array.from({ length: 200 }, (_, n): [string, string] => [`Segment ${n}`, 'a'.repeat(240)]),
    { name: 'Growing' },
  );
  expect(refusal(await ask(mine, 'previewReplace', { ...input, set_id: many.id }, 'query'))).toEqual([
    422,
    expect.stringMatching(/^too_many_segments: /),
  ]);
  await mine.removeMemory(many.id);
});

describe('the deletion of all segments that a search finds', () => {
  test('deletes those, as one change', async () => {
    const { id } = await mine.memory(lines, { name: 'Search' });
    const search = { set_id: id, text: 'THE', side: 'source' };
    const few = { ...search, text: 'the engine' };
    const { segments, version } = await call(mine, 'countFound', few, 'query');
    expect(segments).toBe(1);
    const { change_id } = await call(mine, 'deleteFound', { ...few, version });
    expect(await textsOf(mine, id)).toEqual([lines[0], lines[2]]);
    expect((await ask(mine, 'deleteFound', { ...search, version })).status).toBe(409);
    await call(mine, 'undo', { change_id });
    expect(await textsOf(mine, id)).toEqual(lines);
    await mine.removeMemory(id);
  });

  test('among 20,000 segments with one hash changes at most 10,000, and the rest is a 422', async () => {
    const own = await openSets(app);
    const { id } = await own.memory(lines, { name: 'Huge' });
    const sql = openSuperuser(app.superuserUrl);
    await sql`
      insert into memory_segments (tenant_id, content_id, segment_no, source_hash, source_text, target_text, shard_no)
      select s.tenant_id, s.content_id, n, decode('00', 'hex'), 'Same', case when n <= 10000 then 'few' else 'many' end, -1
      from memory_sets s, generate_series(1001, 21000) n where s.set_id = ${id}`;
    expect(refusal(await ask(own, 'countFound', { set_id: id, text: 'many' }, 'query'))).toEqual([
      422,
      expect.stringMatching(/^too_many_segments: .* more than 10000 segments/),
    ]);
    const few = { set_id: id, text: 'few' };
    const { segments, version } = await call(own, 'countFound', few, 'query');
    expect(segments).toBe(9000);
    const { change_id } = await call(own, 'deleteFound', { ...few, version });
    expect((await call(own, 'countFound', few, 'query')).segments).toBe(0);
    // Other segments have taken the room of five of them since.
    await sql`update memory_sets set entry_count = 41005 where set_id = ${id}`;
    const undone = await call(own, 'undo', { change_id });
    expect([undone.undone, undone.kept, undone.reasons[0].reason]).toEqual([8995, 5, 'full']);
    await own.removeMemory(id);
  }, 60_000);
});
