import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import * as sdk from '#sdk/index.ts';
import { useTestApp } from '#test/setup/app.ts';
import { startWorkers, type Workers } from '#workers/run.ts';

/** Imports above this many segments run in the background. */
const most = 5;
const app = useTestApp({ env: { TM_ASYNC_THRESHOLD: String(most), AUTH_RATE_LIMIT_ENABLED: 'false' } });

let workers: Workers | undefined;
beforeAll(async () => {
  workers = await startWorkers(app.services, () => app.databaseUrl);
});
afterAll(() => workers?.stop());

async function founded() {
  const { apiKey } = await app.signUp();
  return new sdk.LinguaLoop({ baseUrl: app.address, apiKey });
}

/** A file with `units` units. */
function tmx(units: number, word = 'Satz'): sdk.NamedContent {
  const unit = (n: number) =>
    `<tu tuid="u${n}" changedate="20260102T030405Z"><tuv xml:lang="en"><seg>Sentence &amp; ${n}</seg></tuv><tuv xml:lang="de-AT"><seg>${word} ${n} ü</seg></tuv></tu>`;
  const all = Array.from({ length: units }, (_, index) => unit(index + 1)).join('\n');
  const text = `<?xml version="1.0"?><tmx version="1.4"><header srclang="en"/><body>${all}</body></tmx>`;
  return { name: 'ui.tmx', data: new TextEncoder().encode(text) };
}

const request = { name: 'UI', source_lang: 'en', target_lang: 'de' };
const quickly = { pollEvery: { firstMs: 20, maxMs: 100 } };

describe('B 4.5: importing', () => {
  test('a small file is stored at once, and searchable', async () => {
    const { memory, translations } = await founded();
    const poller = await memory.importTmx(tmx(3), request);
    expect([poller.id, poller.job]).toEqual([null, null]);
    const set = await poller.pollUntilDone();
    expect(set).toMatchObject({ ...request, origin: 'tmx_import', entry_count: 3 });
    expect(set).toMatchObject({ total_units: 3, imported: 3, skipped_units: 0, duplicates_dropped: 0 });
    expect(await memory.imports()).toEqual([]);
    const [listed, ...others] = await memory.list();
    expect(others).toEqual([]);
    expect(set).toMatchObject(listed as object);
    const job = await translations.create({ source_text: 'Sentence & 2', target_lang: 'de' });
    expect(job.final_translation).toBe('Satz 2 ü');
    expect(job.request.metadata).toMatchObject({ provenance: { fast_path: 'tm_exact' } });
  });

  test('a larger one is accepted, and stored while its states are reported', async () => {
    const { memory } = await founded();
    const told: string[] = [];
    const onProgress = ({ id, status }: sdk.TranslationMemoryImportJob) => void told.push(`${id} ${status}`);
    const poller = await memory.importTmx(tmx(most + 1), request, { ...quickly, onProgress });
    expect(poller.id).toMatch(/^[0-9a-f]{32}$/);
    expect(poller.job).toMatchObject({ set_name: 'UI', total_units: most + 1, deduped_units: most + 1 });
    const set = await poller.pollUntilDone();
    expect(set).toMatchObject({ name: 'UI', entry_count: most + 1, imported: most + 1 });
    expect(told.at(0)).toBe(`${poller.id} running`);
    expect(told.at(-1)).toBe(`${poller.id} completed`);
    const job = await memory.getImport(poller.id!);
    expect(job).toMatchObject({ status: 'completed', result: set });
    expect(await memory.imports()).toEqual([job]);
  });

  test('is resumed by its id, in a loop, by any authorized caller', async () => {
    const client = await founded();
    const { id } = await client.memory.importTmx(tmx(most + 1), request);
    const states: string[] = [];
    for await (const { status } of await client.memory.resumeImport(id!, quickly)) states.push(status);
    expect(states.at(-1)).toBe('completed');
    const stranger = await founded();
    await expect(stranger.memory.resumeImport(id!)).rejects.toBeInstanceOf(sdk.NotFoundError);
    await expect(stranger.memory.getImport(id!)).rejects.toBeInstanceOf(sdk.NotFoundError);
  });

  test('the same name again replaces the memory, which keeps its id', async () => {
    const { memory } = await founded();
    const first = await (await memory.importTmx(tmx(3), request)).pollUntilDone();
    const second = await (await memory.importTmx(tmx(most + 1, 'Zeile'), request, quickly)).pollUntilDone();
    expect(second.id).toBe(first.id);
    expect(await memory.list()).toMatchObject([{ id: first.id, entry_count: most + 1 }]);
  });

  test.each([0, 1])('a lost response leads to one import, and one memory (%i at once)', async (small) => {
    const { apiKey } = await app.signUp();
    let posts = 0;
    const lossy: sdk.Fetch = async (url, init) => {
      const answer = await fetch(url, init);
      if (init.method !== 'POST' || posts++ > 0) return answer;
      await answer.arrayBuffer();
      throw new TypeError('fetch failed', { cause: new Error('lost') });
    };
    const backoff = { firstMs: 1, maxMs: 1 };
    const { memory } = new sdk.LinguaLoop({ baseUrl: app.address, apiKey, fetch: lossy, backoff });
    const units = small ? 2 : most + 1;
    const set = await (await memory.importTmx(tmx(units), request, quickly)).pollUntilDone();
    expect(set).toMatchObject({ entry_count: units, imported: units });
    expect(posts).toBe(1 + small);
    expect(await memory.imports()).toHaveLength(1 - small);
    expect(await memory.list()).toHaveLength(1);
    const [page, ...items] = [
      await memory.setPage({ limit: 1 }),
      ...(await memory.sets().toArray({ limit: 9 })),
    ];
    expect([page.items, page.nextCursor]).toEqual([items, null]);
  });

  test.each<[string, sdk.SourceFile, Partial<sdk.MemoryImportRequest>, string, RegExp]>([
    ['no TMX', { ...tmx(1), data: new TextEncoder().encode('no') }, {}, 'BadRequestError', /tmx_file/],
    ['no unit of both', tmx(1), { target_lang: 'fr' }, 'BadRequestError', /no unit/],
    [
      'another suffix',
      { ...tmx(1), name: 'ui.xml' },
      {},
      'UnsupportedMediaTypeError',
      /must be a \.tmx file/,
    ],
    ['no such language', tmx(1), { target_lang: 'xx' }, 'UnprocessableContentError', /target_lang/],
    ['a name that is kept', tmx(1), { name: 'golden-approved-en-de' }, 'BadRequestError', /golden-approved/],
  ])('an invalid file is refused at once: %s', async (_, file, more, name, message) => {
    const { memory } = await founded();
    const error = await memory.importTmx(file, { ...request, ...more }).catch((thrown) => thrown);
    expect(error).toMatchObject({ name, answeredBy: 'service' });
    expect(error.message).toMatch(message);
  });
});

describe('B 4.5: exporting and deleting', () => {
  test('a memory, as it was imported, into a file under its name', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lingualoop-memory-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const { memory } = await founded();
    const named = { ...request, name: 'UI/texts' };
    const set = await (await memory.importTmx(tmx(3), named)).pollUntilDone();
    const exported = await memory.export(set.id);
    expect(exported.contentType).toMatch(/^application\/xml/);
    const path = join(folder, exported.fileName);
    expect(exported.fileName).toMatch(/\.tmx$/);
    await writeFile(path, exported);
    const text = await readFile(path, 'utf8');
    expect([...text.matchAll(/tuid="(\w+)"/g)].map(([, tuid]) => tuid)).toEqual(['u1', 'u2', 'u3']);
    expect(text).toContain('<seg>Sentence &amp; 2</seg>');
    expect(text).toContain('<seg>Satz 2 ü</seg>');
    const again = { ...request, name: 'Copy' };
    const copy = await (
      await memory.importTmx({ name: 'c.tmx', data: Buffer.from(text) }, again)
    ).pollUntilDone();
    expect(copy).toMatchObject({ imported: 3, skipped_units: 0 });
    const whole = Buffer.from(await (await memory.export(copy.id)).bytes()).toString();
    const units = (file: string) => file.slice(file.indexOf('<body>'));
    expect(units(whole)).toBe(units(text));
  });

  test('approved pairs, if there are any', async () => {
    const { memory, translations } = await founded();
    const pair = { source_lang: 'en', target_lang: 'de' };
    await expect(memory.exportGolden(pair)).rejects.toMatchObject({
      name: 'NotFoundError',
      detail: 'no approved golden pairs for this language pair',
    });
    await expect(memory.exportGolden({ ...pair, source_lang: '' })).rejects.toBeInstanceOf(
      sdk.BadRequestError,
    );
    const held = await translations.create({ source_text: 'Agreed.', target_lang: 'de', domain: 'legal' });
    await translations.review(held.id, { action: 'modify', final_translation: 'Einverstanden.' });
    const exported = await memory.exportGolden(pair);
    expect(exported.fileName).toBe('golden-approved-en-de.tmx');
    expect(await new Response(exported.body).text()).toContain('<seg>Einverstanden.</seg>');
  });

  test('an unknown one', async () => {
    const { memory } = await founded();
    const set = await (await memory.importTmx(tmx(1), request)).pollUntilDone();
    expect(await memory.delete(set.id)).toBeUndefined();
    expect(await memory.list()).toEqual([]);
    for (const call of [() => memory.delete(set.id), () => memory.export(set.id)])
      await expect(call()).rejects.toMatchObject({
        name: 'NotFoundError',
        detail: 'translation memory set not found',
      });
  });

  test('while an import into it runs it is not deleted, and no other import begins', async () => {
    const { memory } = await founded();
    const set = await (await memory.importTmx(tmx(1), request)).pollUntilDone();
    await workers?.stop();
    workers = undefined;
    const poller = await memory.importTmx(tmx(most + 1), request, quickly);
    for (const call of [() => memory.delete(set.id), () => memory.importTmx(tmx(1), request)]) {
      const error = await call().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(sdk.ConflictError);
      expect((error as sdk.ConflictError).detail).toMatch(/^tm_import_in_progress:/);
    }
    workers = await startWorkers(app.services, () => app.databaseUrl);
    expect(await poller.pollUntilDone()).toMatchObject({ id: set.id, entry_count: most + 1 });
  });
});
