import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { corpusFile } from '#test/corpus/files.ts';
import { env, type Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { answered } from '#test/setup/engine.ts';
import { savingIn } from './saving.ts';
import { type Documents, openDocuments, recordingEngine } from './workspace.ts';

const engine = recordingEngine({
  assessEach: async ({ segments }) =>
    answered(
      segments.map((text) => ({ score: /^[A-D]/.test(text) ? 40 : 92, issues: [], summary: 'judged' })),
    ),
});
const app = useTestApp({ env: { ...env, DEFAULT_MONTHLY_CHAR_LIMIT: '10000000' }, engine });

interface Found {
  position: number;
  region_id: string;
  cell_id: string | null;
  kind: string;
  page: number | null;
  place: string;
  source_text: string;
  target_text: string | null;
  corrected: boolean;
  pipeline_text: string | null;
  quality: { needs_review: boolean; issues: { severity: string }[] };
  status: string;
}

let mine: Documents;
beforeEach(() => engine.reset());

async function search(id: string, input: Fields = {}) {
  const { status, body } = await mine.query('search', { document_id: id, ...input });
  expect([status, body.detail]).toEqual([200, undefined]);
  // The listing of the API has no tags and no recognized words.
  for (const segment of body.segments) {
    delete segment.source_content;
    delete segment.target_content;
    delete segment.words;
    delete segment.repetitions;
  }
  return body as { segments: Found[]; total: number; first_index: number; next_cursor: string | null };
}

/** Requests all matches, page by page. */
async function walk(id: string, input: Fields): Promise<Found[]> {
  const found: Found[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await search(id, { ...input, ...(cursor && { cursor }) });
    expect(page.first_index).toBe(found.length);
    found.push(...page.segments);
    if (page.next_cursor === null) {
      expect(page.total).toBe(found.length);
      return found;
    }
    cursor = page.next_cursor;
  }
}

/** The review status of a segment that is not confirmed. */
function statusOf({ corrected, quality }: Pick<Found, 'corrected' | 'quality'>): string {
  if (quality.issues.some(({ severity }) => severity === 'critical')) return 'critical';
  if (quality.needs_review || quality.issues.length > 0) return 'warning';
  return corrected ? 'draft' : 'todo';
}

const file = (path: string) =>
  new File([new Uint8Array(corpusFile(path))], path.slice(path.indexOf('/') + 1));

/** A translated file with three corrections, and its segments from the API's list. */
async function corrected(path: string): Promise<{ id: string; all: Found[] }> {
  const { id } = await mine.translate([], { source_document: file(path) });
  const { segments } = await mine.segments(id, '?limit=500');
  const corrections = [0, 3, 4].map((index) => ({
    region_id: segments[index].region_id,
    cell_id: segments[index].cell_id,
    target_text: `ÉTÉ 100% ${index}`,
  }));
  expect((await mine.reviewDocument(id, { corrections })).status).toBe(200);
  const all: Found[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await mine.segments(id, `?limit=500${cursor && `&cursor=${cursor}`}`);
    for (const one of page.segments) {
      const changed = corrections.some(
        ({ region_id, cell_id }) => region_id === one.region_id && cell_id === one.cell_id,
      );
      all.push({
        ...one,
        position: all.length,
        pipeline_text: changed ? `fr of ${one.source_text}` : null,
        status: statusOf(one),
      });
    }
    cursor = page.next_cursor;
  }
  return { id, all };
}

describe.each(['xlsx/thirty-sheets.xlsx', 'pdf/two-column-labels-links.pdf'])(
  'in %s',
  { timeout: 60_000 },
  (path) => {
    let id: string;
    let all: Found[];
    beforeAll(async () => {
      engine.reset();
      mine = await openDocuments(app);
      ({ id, all } = await corrected(path));
    });

    test('without a filter all segments are found, as the API lists them', async () => {
      expect(await walk(id, { limit: 500 })).toEqual(all);
      expect(all.length).toBeGreaterThan(20);
    });

    test('each filter finds its segments, also together with another one', async () => {
      const has = (text: string | null, part: string) => (text ?? '').toLowerCase().includes(part);
      const word = (/\p{L}{4,}/u.exec(all[6]!.source_text) ?? ['the'])[0];
      const filters: [Fields, (one: Found) => boolean][] = [
        [{ flagged: true }, (one) => one.quality.needs_review],
        [{ flagged: false }, (one) => !one.quality.needs_review],
        [{ corrected: true }, (one) => one.corrected],
        [{ corrected: false }, (one) => !one.corrected],
        ...[...new Set(all.map(({ kind }) => kind))].map((kind): [Fields, (one: Found) => boolean] => [
          { kind },
          (one) => one.kind === kind,
        ]),
        ...['todo', 'draft', 'warning', 'critical', 'confirmed'].map(
          (status): [Fields, (one: Found) => boolean] => [{ status }, (one) => one.status === status],
        ),
        [{ page: 1 }, (one) => one.page === 1],
        [{ page: 2 }, (one) => one.page === 2],
        [{ page: 2_147_483_647 }, () => false],
        ...[all[3]!.region_id, all[3]!.cell_id ?? 'none', 'none%'].map(
          (unit): [Fields, (one: Found) => boolean] => [
            { unit_id: unit },
            (one) => one.region_id === unit || one.cell_id === unit,
          ],
        ),
        [
          { text: word.toUpperCase() },
          (one) => has(one.source_text, word.toLowerCase()) || has(one.target_text, word.toLowerCase()),
        ],
        [{ text: 'été 100%', text_in: 'target' }, (one) => has(one.target_text, 'été 100%')],
        [{ text: 'fr of', text_in: 'source' }, (one) => has(one.source_text, 'fr of')],
        [{ text: 'fr of', text_in: 'target' }, (one) => has(one.target_text, 'fr of')],
      ];
      const found = filters.map(([, accepts]) => all.filter(accepts).length);
      // If this were 0, the test of these filters would prove nothing.
      expect(found[0]).toBeGreaterThan(0);
      expect(found[2]).toBe(3);
      for (const [at, [one, accepts]] of filters.entries())
        for (const [other, acceptsToo] of filters.slice(at, at + 4)) {
          if (one !== other && Object.keys(one).some((name) => name in other)) continue;
          const page = await search(id, { ...one, ...other, limit: 20 });
          const expected = all.filter((segment) => accepts(segment) && acceptsToo(segment));
          expect([page.total, page.segments], JSON.stringify({ ...one, ...other })).toEqual([
            expected.length,
            expected.slice(0, 20),
          ]);
        }
    });

    test('the outline counts what each filter finds, in the order of the document', async () => {
      const { status, body } = await mine.query('outline', { document_id: id });
      expect([status, body.detail]).toEqual([200, undefined]);
      const countsOf = (segments: Found[]) => ({
        segments: segments.length,
        flagged: segments.filter((one) => one.quality.needs_review).length,
        corrected: segments.filter((one) => one.corrected).length,
      });
      expect(body).toEqual({
        ...countsOf(all),
        options: null,
        untranslated: 0,
        statuses: Object.fromEntries(
          ['todo', 'draft', 'confirmed', 'warning', 'critical'].map((status) => [
            status,
            all.filter((one) => one.status === status).length,
          ]),
        ),
        kinds: [...Map.groupBy(all, ({ kind }) => kind)].map(([kind, own]) => ({ kind, ...countsOf(own) })),
        pages: [...Map.groupBy(all, ({ page }) => page)].map(([page, own]) => ({
          page,
          sheet: path.startsWith('xlsx') ? own[0]!.place.slice(0, -own[0]!.cell_id!.length - 1) : null,
          first_position: own[0]!.position,
          ...countsOf(own),
        })),
      });
      expect(body.pages.length).toBeGreaterThan(1);
    });

    test('a page begins at an index of the matches, or at a position of the document', async () => {
      for (const filter of [{}, { flagged: false }, { text: 'fr of' }]) {
        const matches = await walk(id, { ...filter, limit: 500 });
        const total = matches.length;
        for (const offset of [0, 1, 7, total - 1, total, total + 5])
          expect(await search(id, { ...filter, offset, limit: 3 })).toMatchObject({
            total,
            first_index: Math.min(offset, total),
            segments: matches.slice(offset, offset + 3).map(({ position }) => ({ position })),
          });
        for (const position of [0, 5, matches[9]!.position + 1, 1_000_000]) {
          const before = matches.filter((one) => one.position < position).length;
          expect(await search(id, { ...filter, position, limit: 3 })).toMatchObject({
            total,
            first_index: Math.min(before, total),
            segments: matches.slice(before, before + 3).map((one) => ({ position: one.position })),
          });
        }
      }
    });
  },
);

describe('a text to find', () => {
  beforeAll(async () => {
    engine.reset();
    mine = await openDocuments(app);
  });

  test('is not found in a translation that does not exist yet, which no filter for targets counts', async () => {
    const id = await mine.queue(['Hello', 'World']);
    engine.reply = () => Promise.reject(new Error('out of order'));
    await mine.run(id);
    expect((await search(id)).segments.map(({ target_text }) => target_text)).toEqual([null, null]);
    expect((await search(id, { text: 'l', text_in: 'target' })).total).toBe(0);
    expect((await search(id, { text: 'W' })).total).toBe(1);
  });
});

test('a segment has the status of its confirmation, else of its worst issue, else of its correction', async () => {
  mine = await openDocuments(app);
  const { id } = await mine.translate(['Pay 10', 'Red', 'Blue', 'A doubtful one', 'White', 'Pay 20']);
  const seen = { confirm_critical: true, reason: { code: 'check_is_wrong', note: 'It is right here.' } };
  const { save } = savingIn(app, mine);
  await save(id, [
    [0, 'fr of Pay 10', 'Payez'],
    [1, 'fr of Red', 'Rouge'],
    [2, 'fr of Blue', 'fr of Blue', true],
  ]);
  await save(id, [[5, 'fr of Pay 20', 'Payez', true]], seen);
  const { segments } = await search(id);
  const statuses = ['critical', 'draft', 'confirmed', 'warning', 'todo', 'confirmed'];
  expect(segments.map(({ status }) => status)).toEqual(statuses);
  const { body } = await mine.query('outline', { document_id: id });
  expect(body.statuses).toEqual({ todo: 1, draft: 1, confirmed: 2, warning: 1, critical: 1 });
  for (const status of new Set(statuses))
    expect((await search(id, { status })).segments.map(({ position }) => position)).toEqual(
      statuses.flatMap((one, position) => (one === status ? [position] : [])),
    );
});

test('segments are found by finding, TM match, reviewer and regular expression, and the options count them', async () => {
  mine = await openDocuments(app);
  const { id } = await mine.translate(['Pay 10', 'Red', 'Pay 20', 'Red']);
  const { save } = savingIn(app, mine);
  await save(id, [[0, 'fr of Pay 10', 'Payez']]);
  const found = async (input: Fields) => (await search(id, input)).segments.map(({ position }) => position);
  const { body } = await mine.query('outline', { document_id: id, with_options: true });
  const [{ author }] = body.options.authors;
  expect(body.options).toEqual({
    categories: [{ category: 'accuracy', segments: 1 }],
    matches: [{ match: 'none', segments: 4 }],
    authors: [{ author, segments: 1 }],
  });
  expect(await found({ category: 'accuracy' })).toEqual([0]);
  expect(await found({ author })).toEqual([0]);
  expect(await found({ author: 'nobody@example.org' })).toEqual([]);
  expect(await found({ match: 'exact' })).toEqual([]);
  expect(await found({ pattern: '^pay \\d+$' })).toEqual([0, 2]);
  expect(await found({ pattern: 'payez$', text_in: 'source' })).toEqual([]);
  expect(await found({ pattern: 'fr of', match: 'none', offset: 1 })).toEqual([2, 3]);
  for (const pattern of ['(', '(a)\\1', 'x'.repeat(201)])
    expect((await mine.query('search', { document_id: id, pattern })).status).toBe(422);
  const { body: page } = await mine.query('search', { document_id: id });
  expect(page.segments.map((one: { repetitions: number }) => one.repetitions)).toEqual([0, 1, 0, 1]);
});

test('the matches of a neighbour with the same positions are not counted', async () => {
  mine = await openDocuments(app);
  const theirs = await openDocuments(app);
  const [own, other] = [await mine.translate(['Hello']), await mine.translate(['Hello', 'Hello again'])];
  await theirs.translate(['Hello', 'Hello there']);
  expect((await search(own.id, { text: 'hello' })).total).toBe(1);
  expect((await search(other.id, { kind: 'cell' })).total).toBe(2);
});
