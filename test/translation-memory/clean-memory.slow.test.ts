import { sql as drizzle } from 'drizzle-orm';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { handOverMerged, pruneChanges } from '#server/language/translation-memory/editing/history.ts';
import { viaRpc } from '#test/contract/call.ts';
import type { Fields } from '#test/factories.ts';
import { startBeside, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { rowsRead } from '#test/setup/stored-rows.ts';
import { memoryCalls, openSets, type Sets } from './sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', RUN_WORKERS: 'false' } });

const { ask, call } = memoryCalls(app, 'query');

interface Unit {
  set_id: string;
  unit_no: number;
  source_text: string;
  target_text: string;
  served: number;
  served_at: string | null;
  problems: { kind: string; text: string | null; set_name: string | null }[];
}

const unitsOf = async (of: Sets, set_id: string): Promise<Unit[]> =>
  (await call(of, 'browse', { set_id })).units;
const problemsOf = async (of: Sets, set_id: string, input: Fields = {}) =>
  (await call(of, 'problems', { set_id, ...input })).units.map(({ source_text, problems }: Unit) => [
    source_text,
    ...problems.map(({ kind, text }) => (text === null ? kind : `${kind}: ${text}`)),
  ]);
const seen = ({ unit_no, source_text, target_text }: Unit) => ({ unit_no, source_text, target_text });

let mine: Sets;
beforeAll(async () => {
  mine = await openSets(app);
});

/**
 * Publishes texts with these translations, which adds segments to the golden set, and returns the set's ID. None of the
 * texts is served from the memory, which would count a use some seconds later.
 */
async function approve(of: Sets, ...pairs: [source: string, target: string][]): Promise<string> {
  const jobs = [];
  for (const [source_text] of pairs) jobs.push(await of.job({ metadata: { sensitive: true }, source_text }));
  for (const [at, [, final_translation]] of pairs.entries())
    await of.review(jobs[at].id, { action: 'modify', final_translation });
  const sets: { id: string; origin: string }[] = await of.memories();
  return sets.find(({ origin }) => origin === 'golden_approved')!.id;
}

describe('memory.problems', () => {
  const good: [string, string][] = [
    ['Open the valve 3 times a day.', 'Ouvrez la vanne 3 fois par jour.'],
    ['Hello {name}, you have 2 messages.', 'Bonjour {name}, vous avez 2 messages.'],
    ['LinguaLoop 4.2', 'LinguaLoop 4,2'],
    ['1,024', '1 024'],
    [':ref:`valve_list`', ':ref:`valve_list`'],
    ['<ref href="text/pump.xhp"/>', '<ref href="text/pump.xhp"/>'],
    ['<kbd>Command</kbd>+<kbd>Alt</kbd>', '<kbd>Command</kbd>+<kbd>Alt</kbd>'],
    ['XHTML', 'XHTML'],
    ['Thumbnail', 'Thumbnail'],
    ['HOST=valve;PORT=7', 'HOST=valve;PORT=7'],
    ['i, ii, iii, ...', 'i, ii, iii, ...'],
    ['Valve Designer (*.vlv;*.vlvx)', 'Valve Designer (*.vlv;*.vlvx)'],
    ['Press :kbd:`Alt` to stop.', 'Pour arrêter («\u00a0touche\u00a0»–:kbd:`Alt`).'],
    [
      'See <link href="a.xhp" name="Close the valve">Close the valve</link>.',
      'Voir <link href="a.xhp" name="Fermer la vanne">Fermer la vanne</link>.',
    ],
  ];
  const bad: [string, string, string][] = [
    ['Wait 25 minutes before you begin.', 'Attendez 52 minutes avant de commencer.', 'numbers: 25'],
    ['Dear {customer}, thank you very much.', 'Cher client, merci beaucoup.', 'tags: {customer}'],
    [
      'Keep this manual in a dry place, and give it to the next owner of the machine when you sell it.',
      'Oui.',
      'length',
    ],
    ['Keep the thumbnail small.', 'Keep the thumbnail small.', 'language'],
    [
      'The pump must be switched off before you open the cover of the machine.',
      'Die Pumpe muss ausgeschaltet werden, bevor Sie die Abdeckung der Maschine öffnen.',
      'language',
    ],
    ['Send us an email today.', 'Envoyez-nous un email aujourd’hui.', 'forbidden_words: email'],
  ];

  test('names what is wrong with each segment, and nothing of a good one', async () => {
    const of = await openSets(app);
    const { status } = await viaRpc(
      app,
      { path: 'styleGuides.save', type: 'mutation' },
      {
        input: {
          ...{ target_lang: 'fr', version: null, rules: '', quotation_marks: null, spacing: null },
          ...{ formality: null, forbidden_words: [{ term: 'email', use_instead: 'courriel' }] },
        },
        headers: of.headers,
      },
    );
    expect(status).toBe(200);
    const { id } = await of.memory([
      ...good,
      ...bad.map(([source, target]): [string, string] => [source, target]),
    ]);
    expect(await problemsOf(of, id)).toEqual(bad.map(([source, , problem]) => [source, problem]));
    expect(await problemsOf(of, id, { kinds: ['tags'] })).toEqual([[bad[1]![0], bad[1]![2]]]);
    // A page at a time, each segment once.
    const pages: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await call(of, 'problems', { set_id: id, limit: 2, ...(cursor && { cursor }) });
      pages.push(...page.units.map(({ source_text }: Unit) => source_text));
      cursor = page.next_cursor;
    }
    expect(pages).toEqual(bad.map(([source]) => source));
  });

  test('names the same segment, and other translations, in all memories of the language pair', async () => {
    const of = await openSets(app);
    const one = await of.memory([
      ['Rent', 'Loyer'],
      ['Deposit', 'Caution'],
      ['Lease', 'Bail'],
    ]);
    await of.memory(
      [
        ['Rent', 'Loyer'],
        ['Deposit', 'Dépôt'],
      ],
      { name: 'Second' },
    );
    const german = await of.memory([['Lease', 'Mietvertrag']], { name: 'German', target_lang: 'de' });
    // A language with many segments of a source hides no other language.
    const sql = openSuperuser(app.superuserUrl);
    await sql`
      insert into memory_segments (tenant_id, content_id, segment_no, source_hash, source_text, target_text, shard_no)
      select s.tenant_id, s.content_id, 100 + n, m.source_hash, m.source_text, 'Kaution', -1
      from memory_sets s, memory_sets o join memory_segments m using (tenant_id, content_id), generate_series(1, 300) n
      where s.set_id = ${german.id} and o.set_id = ${one.id} and m.source_text = 'Deposit'`;
    // As if they had been stored first.
    await sql`update memory_segments m set target_text = m.target_text from memory_sets o
      where o.set_id = ${one.id} and m.tenant_id = o.tenant_id and m.content_id = o.content_id`;
    const kinds = ['duplicate', 'other_translation'];
    expect(await problemsOf(of, one.id, { kinds })).toEqual([
      ['Rent', 'duplicate'],
      ['Deposit', 'other_translation: Dépôt'],
    ]);
    const { units } = await call(of, 'problems', { set_id: one.id, kinds });
    expect(units.map(({ problems }: Unit) => problems[0]!.set_name)).toEqual(['Second', 'Second']);
    const { sources } = await call(of, 'otherTranslations', { set_id: one.id });
    expect(
      sources.map(({ units }: { units: Unit[] }) => units.map(({ target_text }) => target_text).sort()),
    ).toEqual([['Caution', 'Dépôt']]);
  });

  test('of a set of another tenant is a 404, of a replaced set a 409, of no kind a 422', async () => {
    const { id } = await mine.memory(good.concat([['A {b} c', 'A c'] as [string, string]]), {
      name: 'Other',
    });
    const theirs = await openSets(app);
    for (const name of ['problems', 'duplicates', 'otherTranslations'])
      expect((await ask(theirs, name, { set_id: id })).status, name).toBe(404);
    expect((await ask(theirs, 'mergeDuplicates', { set_id: id, segments: 1 }, 'mutation')).status).toBe(404);
    expect((await ask(mine, 'problems', { set_id: id, kinds: [] })).status).toBe(422);
    expect((await ask(mine, 'problems', { set_id: id, kinds: ['a\0'] })).status).toBe(422);
    expect((await ask(mine, 'problems', { set_id: id, cursor: '\0' })).status).toBe(422);
    const cursor = Buffer.from('gone 3').toString('base64url');
    expect((await ask(mine, 'problems', { set_id: id, cursor })).status).toBe(409);
    expect((await ask(mine, 'otherTranslations', { set_id: id, cursor })).status).toBe(409);
  });

  test('ends a page after some work, although no segment has a problem so far', async () => {
    const of = await openSets(app);
    const { id } = await of.memory([['Start', 'Début']], { name: 'Huge' });
    const sql = openSuperuser(app.superuserUrl);
    await sql`
      insert into memory_segments (tenant_id, content_id, segment_no, source_hash, source_text, target_text, shard_no)
      select s.tenant_id, s.content_id, n, decode(md5(n::text), 'hex'), 'The pump ' || n || ' leaks at the valve of the engine.',
        'La pompe ' || n || ' perd de l’huile à la vanne du moteur.', -1
      from memory_sets s, generate_series(1001, 4000) n where s.set_id = ${id}`;
    // As if each look at the clock had taken a second.
    let passed = 0;
    const { now } = performance;
    const clock = vi
      .spyOn(performance, 'now')
      .mockImplementation(() => now.call(performance) + 1000 * passed++);
    onTestFinished(() => clock.mockRestore());
    const page = await call(of, 'problems', { set_id: id });
    clock.mockRestore();
    expect(page.units).toEqual([]);
    expect(page.next_cursor).not.toBeNull();
    expect(await call(of, 'duplicates', { set_id: id })).toEqual({
      segments: 0,
      has_more: false,
      sources: 0,
    });
    await of.removeMemory(id);
  }, 60_000);
});

describe('identical segments', () => {
  test('are merged into the latest, with their uses, and undone as a whole', async () => {
    const of = await openSets(app);
    const id = await approve(
      of,
      ['Bonded goods', 'Marchandises'],
      ['Bonded  goods', 'Marchandises'],
      ['Bonded goods', 'Biens'],
      ['Another text', 'Autre texte'],
    );
    const before = await unitsOf(of, id);
    const [older, newer] = before.filter(({ target_text }) => target_text === 'Marchandises');
    const sql = openSuperuser(app.superuserUrl);
    await sql`insert into memory_use (tenant_id, content_id, segment_no, served, served_at)
      select tenant_id, content_id, segment_no, 2 * row_number() over (order by segment_no), now() from memory_segments
      where tenant_id = ${of.tenantId} and target_text = 'Marchandises'`;
    expect(await problemsOf(of, id, { kinds: ['duplicate'] })).toEqual([
      ['Bonded goods', 'duplicate'],
      ['Bonded  goods', 'duplicate'],
    ]);

    expect(await call(of, 'duplicates', { set_id: id })).toEqual({
      ...{ segments: 1, has_more: false, sources: 1 },
    });
    expect((await ask(of, 'mergeDuplicates', { set_id: id, segments: 2 }, 'mutation')).status).toBe(409);
    const merged = await call(of, 'mergeDuplicates', { set_id: id, segments: 1 }, 'mutation');
    const after = await unitsOf(of, id);
    expect(after.map(({ unit_no }) => unit_no)).toEqual(
      before.map(({ unit_no }) => unit_no).filter((no) => no !== older!.unit_no),
    );
    const servedOf = (units: Unit[], unit: Unit) =>
      units.find(({ unit_no }) => unit_no === unit.unit_no)?.served;
    expect(servedOf(after, newer!)).toBe(6);
    expect((await call(of, 'changes', { set_id: id })).changes).toMatchObject([{ kind: 'merged' }]);

    expect(await call(of, 'undo', { change_id: merged.change_id }, 'mutation')).toMatchObject({ undone: 1 });
    const undone = await unitsOf(of, id);
    expect([servedOf(undone, older!), servedOf(undone, newer!)]).toEqual([2, 4]);

    // A segment that cannot be restored any longer keeps no count. The merge itself is kept for its jobs.
    const again = await call(of, 'mergeDuplicates', { set_id: id, segments: 1 }, 'mutation');
    await sql`update memory_changes set created_at = now() - interval '31 days' where change_id = ${again.change_id}`;
    await pruneChanges(app.database, []);
    expect(await sql`select served::int from memory_use where tenant_id = ${of.tenantId}`).toEqual([
      { served: 6 },
    ]);
    const { changes } = await call(of, 'changes', { set_id: id });
    expect(changes.map((change: Fields) => change['id'])).toEqual([merged.change_id]);
    expect((await ask(of, 'undo', { change_id: again.change_id }, 'mutation')).status).toBe(404);
  });

  describe('belong to each job that added them', () => {
    const texts = async (of: Sets, id: string) =>
      (await unitsOf(of, id)).map(({ target_text }) => target_text);

    /** Publishes the same pair several times, merges the segments, and returns the set and the jobs. */
    async function mergedJobs(count: number, mergeEach = false) {
      const of = await openSets(app);
      const jobs: string[] = [];
      let [set, change] = ['', ''];
      for (let at = 0; at < count; at++) {
        const { id } = await of.job({ metadata: { sensitive: true }, source_text: 'Bonded goods' });
        await of.review(id, { action: 'modify', final_translation: 'Marchandises' });
        jobs.push(id);
        const sets: { id: string; origin: string }[] = await of.memories();
        set = sets.find(({ origin }) => origin === 'golden_approved')!.id;
        const segments = mergeEach ? 1 : count - 1;
        if (mergeEach ? at > 0 : at === count - 1)
          change = (await call(of, 'mergeDuplicates', { set_id: set, segments }, 'mutation')).change_id;
      }
      const remove = (job: string) => of.remove(job, of.admin);
      return { of, set, jobs, change, remove };
    }

    test('when the job of the latest one is deleted, then that of another one', async () => {
      const { of, set, jobs, remove } = await mergedJobs(3);
      for (const job of [jobs[2]!, jobs[0]!]) {
        await remove(job);
        expect(await texts(of, set)).toEqual(['Marchandises']);
      }
      await remove(jobs[1]!);
      expect(await texts(of, set)).toEqual([]);
    });

    test('without a search through the history of the set', async () => {
      const { set, jobs } = await mergedJobs(2);
      const sql = openSuperuser(app.superuserUrl);
      await sql`insert into memory_changed_segments (tenant_id, change_id, position, content_id, segment_no, old_source, old_target, job_id)
        select c.tenant_id, c.change_id, 10 + n, c.content_id, 1000000 + n, 'Old', 'Vieux', md5(n::text)
        from memory_changed_segments c join memory_sets s using (tenant_id, content_id), generate_series(1, 2000) n
        where s.set_id = ${set} limit 2000`;
      await sql`analyze memory_changed_segments`;
      const [{ tenantId }] = (await sql`
        select tenant_id as "tenantId" from memory_sets where set_id = ${set}`) as unknown as [
        { tenantId: string },
      ];
      await app.database.inTenant(tenantId, async (tx) => {
        const before = await rowsRead(tx, ['memory_changed_segments']);
        await handOverMerged(tx, tenantId, jobs[1]!, drizzle`true`);
        expect((await rowsRead(tx, ['memory_changed_segments'])) - before).toBeLessThan(10);
      });
    });

    test('when it is reopened, also in a chain of merges whose middle is deleted, and after 30 days', async () => {
      const { of, set, jobs, remove } = await mergedJobs(3, true);
      const sql = openSuperuser(app.superuserUrl);
      await sql`update memory_changes set created_at = now() - interval '31 days' where tenant_id = ${of.tenantId}`;
      await pruneChanges(app.database, []);
      await remove(jobs[1]!);
      const reopen = { path: 'reviews.reopen', type: 'mutation' } as const;
      const input = { kind: 'job', id: jobs[2] };
      expect((await viaRpc(app, reopen, { input, headers: of.admin })).status).toBe(200);
      expect(await texts(of, set)).toEqual(['Marchandises']);
      await remove(jobs[0]!);
      expect(await texts(of, set)).toEqual([]);
      await pruneChanges(app.database, []);
      expect(await sql`select from memory_changes where tenant_id = ${of.tenantId}`).toHaveLength(0);
    });

    test('an undo after that restores nothing twice', async () => {
      const { of, set, jobs, change, remove } = await mergedJobs(3);
      await remove(jobs[2]!);
      expect(await call(of, 'undo', { change_id: change }, 'mutation')).toMatchObject({ undone: 1 });
      expect(await texts(of, set)).toEqual(['Marchandises', 'Marchandises']);
    });
  });
});

test('memory.otherTranslations lists each source once, with its segments in the order in which they are served', async () => {
  const of = await openSets(app);
  const { id } = await of.memory([
    ['Rent', 'Loyer'],
    ['Deposit', 'Caution'],
    ['Lease', 'Bail'],
  ]);
  await of.memory([['Deposit', 'Caution']], { name: 'Same' });
  await of.memory([['Lease', 'Contrat']], { name: 'Older' });
  const golden = await approve(of, ['Rent', 'Location']);
  const page = await call(of, 'otherTranslations', { set_id: id, limit: 1 });
  const targets = ({ sources }: { sources: { units: Unit[] }[] }) =>
    sources.map(({ units }) => units.map(({ target_text }) => target_text));
  expect(targets(page)).toEqual([['Location', 'Loyer']]);
  expect(page.sources[0].units[0].set_id).toBe(golden);
  const next = await call(of, 'otherTranslations', { set_id: id, limit: 1, cursor: page.next_cursor });
  expect(targets(next)).toEqual([['Contrat', 'Bail']]);
  expect(next.next_cursor).toBeNull();
  expect(await call(of, 'duplicates', { set_id: id })).toMatchObject({ segments: 0, sources: 2 });
});

describe('a served segment', () => {
  test('shows how often it was a text or a sentence, its file, and who changed it', async () => {
    const of = await openSets(app);
    const { id } = await of.memory(
      [
        ['Close the lid.', 'Fermez le couvercle.'],
        ['Start the engine.', 'Démarrez le moteur.'],
      ],
      {},
    );
    for (const source_text of ['Close the lid.', 'Close the lid. Start the engine.', 'Close  the lid.'])
      await of.job({ source_text });
    await expect
      .poll(async () => (await unitsOf(of, id)).map(({ served }) => served), { timeout: 20_000 })
      .toEqual([3, 1]);
    const [unit] = await unitsOf(of, id);
    expect(unit).toMatchObject({ file_name: 'memory.tmx', changed_by: null, served_at: expect.any(String) });

    // A deletion and its undo keep the count.
    const removed = await call(of, 'deleteUnits', { set_id: id, units: [seen(unit!)] }, 'mutation');
    await call(of, 'undo', { change_id: removed.change_id }, 'mutation');
    expect((await unitsOf(of, id))[0]!.served).toBe(3);
  }, 40_000);

  test('is served by no process after its deletion: as a text, as a sentence, and as a close match', async () => {
    const of = await openSets(app);
    const second = await startBeside(app, {});
    try {
      const { id } = await of.memory([
        ['Close the lid.', 'Fermez le couvercle.'],
        ['Start the engine of the pump now.', 'Démarrez le moteur.'],
      ]);
      const texts = [
        'Start the engine of the pump now.',
        'Close the lid. Start the engine of the pump now.',
        'Start the engine of the pumps now.',
      ];
      const served = async () => {
        const jobs = [];
        for (const source_text of texts)
          for (const at of [app, second]) {
            // Held for review, so that no job adds its translation to the memory.
            const fields = { source_lang: 'en', target_lang: 'fr', metadata: { sensitive: true } };
            const request = { headers: of.headers, body: { source_text, ...fields } };
            jobs.push((await at.json('POST', '/api/translations', request)).body);
          }
        return jobs.map((job) => JSON.stringify(job).includes('Démarrez le moteur.'));
      };
      expect(await served()).toEqual(texts.flatMap(() => [true, true]));
      const unit = (await unitsOf(of, id)).find(({ source_text }) => source_text === texts[0])!;
      await call(of, 'deleteUnits', { set_id: id, units: [seen(unit)] }, 'mutation');
      expect(await served()).toEqual(texts.flatMap(() => [false, false]));
    } finally {
      await second.close();
    }
  }, 60_000);
});
