import { beforeAll, describe, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { type Fields, type Headers, submitHeld } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { openSets, type Sets } from './sets.ts';
import { pairs } from './tmx.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

const ask = (input: Fields, headers: Headers) =>
  viaRpc(app, { path: 'memory.browse', type: 'query' }, { input, headers });

/** Requests a page and checks that the request succeeds. */
async function page(of: Sets, input: Fields = {}) {
  const { status, body } = await ask(input, of.headers);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** Requests all pages. Returns their content and the number of pages. */
async function everyPage(of: Sets, input: Fields) {
  const sources: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const { units, next_cursor } = await page(of, { ...input, ...(cursor === undefined ? {} : { cursor }) });
    sources.push(...sourcesOf({ units }));
    cursor = next_cursor ?? undefined;
    pages += 1;
  } while (cursor);
  return { sources, pages };
}

const sourcesOf = ({ units }: { units: { source_text: string }[] }) =>
  units.map(({ source_text }) => source_text);

let mine: Sets;
let french: { id: string; updated_at: string };
let german: { id: string };
beforeAll(async () => {
  mine = await openSets(app);
  french = await mine.memory([
    { source: 'The kitchen closes', target: 'La cuisine ferme', tuid: 'k1', changedate: '20240229T120000Z' },
    ['100% of it', 'Tout'],
    ['KITCHEN stories', 'Histoires_de cuisine'],
    ['Élan', 'Zèle'],
  ]);
  german = await mine.memory([['A house', 'Ein Haus']], { name: 'German', target_lang: 'de' });
});

test('the approved translations have pages too', async () => {
  const other = await openSets(app);
  for (const text of ['One', 'Two', 'Three']) {
    const held = await other.job({
      source_text: text,
      target_lang: 'fr',
      metadata: { requires_human_review: true },
    });
    await other.review(held.id, { action: 'modify', final_translation: `${text} fr` });
  }
  const [set] = await other.memories();
  expect(await everyPage(other, { set_id: set.id, limit: 2 })).toEqual({
    sources: ['One', 'Two', 'Three'],
    pages: 2,
  });
});

describe('memory.browse returns the units of a set', () => {
  test('in the order of the file, with what an export says of each', async () => {
    const { units, next_cursor } = await page(mine, { set_id: french.id });
    expect(next_cursor).toBeNull();
    expect(units.map(({ unit_no }: { unit_no: number }) => unit_no)).toEqual([1, 2, 3, 4]);
    const set = {
      set_id: french.id,
      set_name: 'A memory',
      origin: 'tmx_import',
      source_lang: 'en',
      target_lang: 'fr',
    };
    expect(units[0]).toEqual({
      ...set,
      unit_no: 1,
      tuid: 'k1',
      source_text: 'The kitchen closes',
      target_text: 'La cuisine ferme',
      changed_at: '2024-02-29T12:00:00Z',
      changed_by: null,
      file_name: 'memory.tmx',
      served: 0,
      served_at: null,
    });
    expect(units[1]).toMatchObject({ ...set, changed_at: french.updated_at });
    expect((await mine.exportMemory(french.id)).text).toContain(`tuid="${units[1].tuid}"`);
  });

  test('a page at a time, each unit once, and no page behind the last unit', async () => {
    expect(await everyPage(mine, { set_id: french.id, limit: 3 })).toEqual({
      sources: ['The kitchen closes', '100% of it', 'KITCHEN stories', 'Élan'],
      pages: 2,
    });
    expect((await everyPage(mine, { set_id: french.id, limit: 2 })).pages).toBe(2);
  });

  test('over all sets of a language pair, read as a tag; of all pairs without one', async () => {
    expect(sourcesOf(await page(mine, { target_lang: 'de-AT' }))).toEqual(['A house']);
    expect(sourcesOf(await page(mine, { source_lang: 'fr' }))).toEqual([]);
    expect(sourcesOf(await page(mine, { set_id: german.id, target_lang: 'fr' }))).toEqual([]);
    const { sources } = await everyPage(mine, { limit: 1 });
    expect(sources.sort()).toEqual(
      ['100% of it', 'A house', 'KITCHEN stories', 'The kitchen closes', 'Élan'].sort(),
    );
    const { status, body } = await viaRpc(
      app,
      { path: 'memory.browse', type: 'query' },
      { headers: mine.headers },
    );
    expect([status, body.units.length]).toEqual([200, 5]);
  });

  test('approved pairs come before imported ones, with the job as their tuid', async () => {
    const other = await openSets(app);
    await other.memory([['Imported', 'Importé']]);
    const person = { bearer: other.headers } as Parameters<typeof submitHeld>[1];
    const job = await submitHeld(app, person);
    await other.review(job, { action: 'modify', final_translation: 'Salut' });
    const { units } = await page(other);
    expect(units).toMatchObject([
      { origin: 'golden_approved', source_text: 'Hello', target_text: 'Salut', tuid: job },
      { origin: 'tmx_import', source_text: 'Imported' },
    ]);
  });
});

describe('memory.browse finds the units that have a text', () => {
  test.each([
    ['in either side, without case', { text: 'kitchen' }, ['The kitchen closes', 'KITCHEN stories']],
    ['in the target', { text: 'CUISINE', side: 'target' }, ['The kitchen closes', 'KITCHEN stories']],
    ['at its start', { text: 'kitchen', match: 'prefix' }, ['KITCHEN stories']],
    ['with an accent, in capitals', { text: 'éLAN' }, ['Élan']],
    ['a percent sign stands for itself', { text: '%' }, ['100% of it']],
  ])('%s', async (_, input, expected) => {
    expect(sourcesOf(await page(mine, { set_id: french.id, ...input }))).toEqual(expected);
  });
});

describe('memory.browse refuses', () => {
  const cursorOf = (text: string) => Buffer.from(text).toString('base64url');
  const id = 'f'.repeat(32);

  test.each([
    ['a text of 201 characters', { text: 'x'.repeat(201) }],
    ['too many units', { limit: 201 }],
    ['a cursor that is none', { cursor: 'zzz' }],
    ['a cursor with more behind it', { cursor: cursorOf(`${id} 1 or true`) }],
  ])('%s: 422', async (_, input) => {
    expect((await ask(input, mine.headers)).status).toBe(422);
  });

  test('a cursor of another tenant, or of a set that was replaced or deleted: 409', async () => {
    const [other, neighbour] = [await openSets(app), await openSets(app)];
    await other.memory(pairs(3));
    const { next_cursor: cursor } = await page(other, { limit: 1 });
    const again = { status: 409, body: { detail: expect.stringContaining('start again') } };
    expect(await ask({ cursor }, neighbour.headers)).toMatchObject(again);
    const replaced = await other.memory(pairs(3, 'other'));
    expect(await ask({ cursor }, other.headers)).toMatchObject(again);
    const { next_cursor } = await page(other, { limit: 1 });
    await other.removeMemory(replaced.id);
    expect(await ask({ cursor: next_cursor }, other.headers)).toMatchObject(again);
  });
});

describe('memory.browse bounds its work', () => {
  test('a page ends after 50,000 units that do not fit, and the next goes on from there', async () => {
    const other = await openSets(app);
    const set = await other.memory([['first', 'premier']]);
    await fill(other, set.id, 60_000);
    const first = await page(other, { set_id: set.id, text: 'needle' });
    expect([first.units, typeof first.next_cursor]).toEqual([[], 'string']);
    const { units, next_cursor } = await page(other, {
      set_id: set.id,
      text: 'needle',
      cursor: first.next_cursor,
    });
    expect([sourcesOf({ units }), next_cursor]).toEqual([['needle 59999', 'needle 60000'], null]);
  });

  test('a page has 256 KB of text at most, and at least one unit', async () => {
    const other = await openSets(app);
    const long = (n: number): [string, string] => [`${n} ${'a'.repeat(150_000)}`, 'b'.repeat(150_000)];
    await other.memory([long(1), long(2), ['short', 'court']]);
    const { units, next_cursor } = await page(other);
    expect([units.length, typeof next_cursor]).toEqual([1, 'string']);
    const { pages, sources } = await everyPage(other, {});
    expect([pages, sources.length]).toEqual([3, 3]);
  });
});

/** Adds units to a set. Only the last two contain the word `needle`. */
async function fill({ tenantId }: Sets, setId: string, count: number): Promise<void> {
  await openSuperuser(app.superuserUrl)`
    insert into memory_segments (tenant_id, content_id, segment_no, source_hash, source_text, target_text)
    select ${tenantId}, content_id, n, decode(md5(n::text), 'hex'),
      case when n > ${count} - 2 then 'needle ' else 'hay ' end || n, 'foin'
    from memory_sets, generate_series(2, ${count}::int) n where set_id = ${setId}`;
}
