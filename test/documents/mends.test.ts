import { afterEach, describe, expect, test } from 'vitest';
import { renderQueued } from '#server/documents/rendering.ts';
import { readPages } from '#server/formats/flatten/pdf.ts';
import { env, type Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { viaRpc } from '../contract/call.ts';
import { madePdf } from '../formats/pdf-made.ts';
import { openDocuments, recordingEngine, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env, engine });
const mine = useDocuments(app, engine);

const line = (text: string, x: number, y: number, size = 12) =>
  `BT /F ${size} Tf ${x} ${y} Td (${text}) Tj ET`;

/** A page with a title in two pieces, a text of two sentences, a dish, and a number with a letter. */
const page = [
  line('Half a', 60, 340, 24),
  line('dozen oysters', 60, 280, 24),
  line('Please ask our staff before you order. Open from noon.', 60, 200),
  line('Served with lemon', 60, 120),
  line('ROOM-2047-B', 60, 60),
].join('\n');

const title = ['p1.b1', 'p1.b2'];
const sentences = 'p1.b3';
const dish = 'p1.b4';

async function translated(form: Fields = {}): Promise<string> {
  const bytes = await madePdf({ content: page });
  const source_document = new File([new Uint8Array(bytes)], 'menu.pdf', { type: 'application/pdf' });
  const { id } = await mine.translate([], { source_document, ...form });
  engine.reset();
  return id;
}

type Segment = Fields & { region_id: string; source_text: string; target_text: string | null };

const list = async (id: string): Promise<Segment[]> => (await mine.segments(id)).segments;
const texts = async (id: string) =>
  (await list(id)).map(({ region_id, source_text }) => [region_id, source_text]);

const send = (id: string, mend: Fields, headers = mine.headers) =>
  mine.mutate('mend', { document_id: id, mend }, headers);

async function mended(id: string, mend: Fields) {
  const { status, body } = await send(id, mend);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
}

async function undo(id: string, change_id: string, name = 'undo') {
  const { status, body } = await mine.mutate(name, { document_id: id, change_id });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
}

async function pageText(file: Uint8Array): Promise<string> {
  const pages: string[] = [];
  await readPages(file, (text) => pages.push(text) > 0);
  return pages.join(' ').replace(/\s+/g, ' ');
}

const join = { action: 'join', region_ids: title };

describe('a join', () => {
  test('makes one text of neighbors, and translates only that', async () => {
    const id = await translated();
    const before = await list(id);
    const body = await mended(id, { action: 'join', region_ids: title.toReversed() });
    const after = await list(id);
    expect(after[0]).toMatchObject({
      region_id: 'p1.b1-b2',
      source_text: 'Half a dozen oysters',
      target_text: 'fr of Half a dozen oysters',
    });
    expect(after.slice(1)).toEqual(before.slice(2));
    expect(engine.texts()).toEqual(['Half a dozen oysters']);
    expect(body).toMatchObject({
      removed: [0, 1],
      segments: [after[0]],
      translated_again: { segments: 1, characters: 20 },
    });
    expect(await mine.read(id)).toMatchObject({ quality_report: { total_units: before.length - 1 } });
  });

  test('sets the new text as one in the file', async () => {
    const id = await translated();
    await mended(id, join);
    const file = new Uint8Array(await (await mine.download(id)).arrayBuffer());
    expect(await pageText(file)).toContain('fr of Half a dozen oysters');
  });

  test('is billed once, with the characters of the new text', async () => {
    const id = await translated();
    const chars = (await mine.read(id)).billable_chars;
    await mended(id, join);
    await mended(id, join);
    expect((await mine.read(id)).billable_chars).toBe(chars + 20);
    expect((await mine.records()).map(({ source_chars }) => source_chars)).toEqual([chars, 20]);
  });

  test('that is sent again changes nothing', async () => {
    const id = await translated();
    const first = await mended(id, join);
    expect(await mended(id, join)).toEqual(first);
  });

  test('of texts that are not neighbors is refused, and names the text between them', async () => {
    const id = await translated();
    const { status, body } = await send(id, { action: 'join', region_ids: ['p1.b1', sentences] });
    expect([status, body.detail]).toEqual([400, expect.stringContaining('p1.b2 is between')]);
  });

  test('of a text that was joined before is a conflict, and says by whom', async () => {
    const id = await translated();
    await mine.mutate('mend', { document_id: id, mend: join, reviewer: 'Lenna' });
    const { status, body } = await send(id, { action: 'join', region_ids: ['p1.b2', sentences] });
    expect([status, body.detail]).toEqual([409, expect.stringContaining('p1.b2 was joined by Lenna')]);
    expect(await list(id)).toHaveLength(3);
  });

  test('made twice at the same time is made once', async () => {
    const id = await translated();
    const results = await Promise.all([1, 2, 3].map(() => send(id, join)));
    expect(results.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(results.map(({ body }) => body.change_id)).size).toBe(1);
    expect((await mine.records()).map(({ source_chars }) => source_chars)).toHaveLength(2);
  });

  test('of different texts at the same time makes both', async () => {
    const id = await translated();
    const other = { action: 'join', region_ids: [sentences, dish] };
    const results = await Promise.all([send(id, join), send(id, other)]);
    expect(results.map(({ status }) => status)).toEqual([200, 200]);
    expect((await texts(id)).map(([region]) => region)).toEqual(['p1.b1-b2', 'p1.b3-b4']);
  });
});

describe('a split', () => {
  const at = ['Please ask our staff before you order. '.length];
  const split = { action: 'split', region_id: sentences, at };

  test('makes several texts of one, in its place', async () => {
    const id = await translated();
    await mended(id, split);
    expect((await texts(id)).slice(2, 5)).toEqual([
      ['p1.b3.0', 'Please ask our staff before you order.'],
      ['p1.b3.32', 'Open from noon.'],
      [dish, 'Served with lemon'],
    ]);
    expect(engine.texts().sort()).toEqual(['Open from noon.', 'Please ask our staff before you order.']);
  });

  test('of a joined text gives the texts before it their places', async () => {
    const id = await translated();
    await mended(id, join);
    await mended(id, { action: 'split', region_id: 'p1.b1-b2', at: [7] });
    expect((await texts(id)).slice(0, 2)).toEqual([
      ['p1.b1-b2.0', 'Half a'],
      ['p1.b1-b2.5', 'dozen oysters'],
    ]);
  });

  test('opens a confirmed text again, and its undo confirms it', async () => {
    const id = await translated();
    const { target_text } = (await list(id))[2]!;
    const confirmed = { position: 2, target_text, replaces: target_text, confirmed: true };
    await mine.mutate('save', { document_id: id, segments: [confirmed], reviewer: 'Rev' });
    const { change_id } = await mended(id, split);
    expect((await list(id)).map(({ confirmed_by }) => confirmed_by)).toEqual([null, null, null, null, null]);
    await undo(id, change_id);
    expect((await list(id))[2]).toMatchObject({ region_id: sentences, confirmed_by: 'Rev', target_text });
  });

  test.each([
    ['at the start', [0]],
    ['behind the end', [500]],
    ['in the wrong order', [20, 5]],
    ['without offsets', []],
  ])('%s is refused, and nothing changes', async (_name, offsets) => {
    const id = await translated();
    const before = await texts(id);
    const { status } = await send(id, { action: 'split', region_id: sentences, at: offsets });
    expect([422, 400]).toContain(status);
    expect(await texts(id)).toEqual(before);
  });
});

describe('an undo of a mend', () => {
  test('brings the texts back with their drafts and comments, and a redo makes it again', async () => {
    const id = await translated();
    const { target_text: replaces } = (await list(id))[0]!;
    const draft = { position: 0, target_text: 'Une demi', replaces };
    await mine.mutate('save', { document_id: id, segments: [draft] });
    const before = await list(id);
    const { change_id, segments } = await mended(id, join);
    expect(await undo(id, change_id)).toMatchObject({
      positions: [0, 1],
      removed: segments.map(({ position }: Fields) => position),
    });
    expect(await list(id)).toEqual(before);
    engine.reset();
    expect(await undo(id, change_id, 'redo')).toMatchObject({ removed: [0, 1], segments });
    expect(await list(id)).toEqual([expect.objectContaining({ region_id: 'p1.b1-b2' }), ...before.slice(2)]);
    expect(engine.texts()).toEqual([]);
  });

  test('is refused after the new text was edited, so that no work is lost', async () => {
    const id = await translated();
    const { change_id, segments } = await mended(id, join);
    const [{ position, target_text: replaces }] = segments;
    await mine.mutate('save', {
      document_id: id,
      segments: [{ position, target_text: 'Une demi-douzaine', replaces }],
    });
    const { status } = await mine.mutate('undo', { document_id: id, change_id });
    expect(status).toBe(409);
    expect((await list(id))[0]).toMatchObject({ target_text: 'Une demi-douzaine' });
  });

  test('of a mend whose text was mended again is refused until that is undone', async () => {
    const id = await translated();
    const first = await mended(id, join);
    const second = await mended(id, { action: 'split', region_id: 'p1.b1-b2', at: [7] });
    expect((await mine.mutate('undo', { document_id: id, change_id: first.change_id })).status).toBe(409);
    await undo(id, second.change_id);
    await undo(id, first.change_id);
    expect((await texts(id)).slice(0, 2).map(([region]) => region)).toEqual(title);
  });
});

describe('a text that is kept', () => {
  test('stays as in the source, is not billed, and does not reach the TM', async () => {
    const id = await translated();
    const body = await mended(id, { action: 'keep', region_ids: [dish] });
    expect(body.translated_again).toEqual({ segments: 0, characters: 0 });
    expect((await list(id))[3]).toMatchObject({
      target_text: 'Served with lemon',
      provenance: { engine: 'reviewer', kept: true },
    });
    expect(await mine.records()).toHaveLength(1);
    expect((await mine.approve(id)).status).toBe(200);
    const { fed_pairs } = (await mine.read(id)).feed_manifest;
    expect(fed_pairs.map(({ source_text }: Fields) => source_text)).not.toContain('Served with lemon');
  });

  test('gets its translation back', async () => {
    const id = await translated();
    const { target_text } = (await list(id))[3]!;
    await mended(id, { action: 'keep', region_ids: [dish] });
    await mended(id, { action: 'translate', region_ids: [dish] });
    expect((await list(id))[3]).toMatchObject({ target_text });
  });

  test('by the format can be translated, in its place in the reading order', async () => {
    const id = await translated();
    const { body } = await mine.query('page', { document_id: id, page: 1 });
    expect(body.kept).toEqual([
      {
        region_id: 'p1.k1',
        text: 'ROOM-2047-B',
        reason: 'identifier',
        rectangle: [expect.closeTo(60, 0), expect.any(Number), expect.any(Number), expect.any(Number)],
      },
    ]);
    await mended(id, { action: 'translate', region_ids: ['p1.k1'] });
    expect((await list(id)).at(-1)).toMatchObject({
      region_id: 'p1.k1',
      target_text: 'fr of ROOM-2047-B',
    });
    expect((await mine.query('page', { document_id: id, page: 1 })).body.kept).toEqual([]);
  });
});

describe('the reading order', () => {
  test('has a moved text in its new place in all lists, and an undo moves it back', async () => {
    const id = await translated();
    const before = (await texts(id)).map(([region]) => region);
    const { change_id } = await mended(id, { action: 'order', region_id: dish, after: 'p1.b1' });
    const moved = ['p1.b1', dish, 'p1.b2', sentences];
    expect((await texts(id)).map(([region]) => region)).toEqual(moved);
    const found = await mine.query('search', { document_id: id });
    expect(found.body.segments.map(({ region_id }: Fields) => region_id)).toEqual(moved);
    const xliff = await app.request(`/api/documents/${id}/segments?format=xliff`, {
      headers: { ...mine.headers, accept: 'application/xliff+xml' },
    });
    const sources = [...(await xliff.text()).matchAll(/<source[^>]*>([^<]*)/g)].map(([, text]) => text);
    expect(sources.slice(0, 2)).toEqual(['Half a', 'Served with lemon']);
    await undo(id, change_id);
    expect((await texts(id)).map(([region]) => region)).toEqual(before);
  });

  test('is read page by page', async () => {
    const id = await translated();
    await mended(id, { action: 'order', region_id: dish, after: null });
    const seen: unknown[] = [];
    for (let cursor = ''; ; ) {
      const page = await mine.segments(id, `?limit=1${cursor && `&cursor=${cursor}`}`);
      seen.push(page.segments[0].region_id);
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    expect(seen).toEqual([dish, 'p1.b1', 'p1.b2', sentences]);
  });
});

describe('a mended text without a translation', () => {
  afterEach(() => engine.reset());

  test('keeps the mend, holds the approval, and is translated by the queue', async () => {
    const id = await translated();
    engine.reply = () => Promise.reject(new Error('the model is down'));
    const { segments } = await mended(id, join);
    expect(segments[0]).toMatchObject({ target_text: null });
    expect((await mine.approve(id)).status).toBe(409);
    expect((await mine.download(id)).status).toBe(200);
    engine.reset();
    await renderQueued(app.services, { tenantId: mine.tenantId, documentId: id });
    expect((await list(id))[0]).toMatchObject({ target_text: 'fr of Half a dozen oysters' });
    expect((await mine.approve(id)).status).toBe(200);
    expect(await mine.records()).toHaveLength(2);
  });
});

describe('a mend is refused', () => {
  test('for an approved document, until it is reopened', async () => {
    const id = await translated();
    await mine.approve(id);
    expect(await send(id, join)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('reopen it') },
    });
  });

  test('for a file without pages', async () => {
    const { id } = await mine.translate(['Hello', 'World']);
    expect(await send(id, join)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('PDF') },
    });
  });

  test('for the document of another workspace, as if it did not exist', async () => {
    const id = await translated();
    const others = await openDocuments(app);
    const stranger = await send(id, join, others.headers);
    expect(stranger.status).toBe(404);
    expect(await list(id)).toHaveLength(4);
  });
});

describe('places like one', () => {
  const labels = [
    'Allergies to',
    'medicines',
    'Name of your',
    'family doctor',
    'Smoking',
    'Alcohol',
    'Date of your',
    'last visit',
  ];
  /** A form of two pages with a column of labels in two lines each. */
  const form = async () => {
    const column = (some: string[]) =>
      some
        .map((text, index) => line(text, 60, 350 - 60 * Math.floor(index / 2) - (index % 2) * 30))
        .join('\n');
    const [name, date] = [line('Patient form 1', 250, 380), line('Patient form 2', 250, 380)];
    const bytes = await madePdf(
      { content: `${name}\n${column(labels.slice(0, 4))}` },
      { content: `${date}\n${column(labels.slice(4))}` },
    );
    const { id } = await mine.translate([], {
      source_document: new File([new Uint8Array(bytes)], 'form.pdf'),
    });
    return id;
  };
  const idOf = async (id: string, text: string) =>
    (await texts(id)).find(([, source]) => source === text)![0];
  const similar = async (id: string, mend: Fields) =>
    (await mine.query('similar', { document_id: id, mend })).body.places;

  test('are the other labels of a form, and a label that is no second line is not sure', async () => {
    const id = await form();
    const first = {
      action: 'join',
      region_ids: [await idOf(id, 'Allergies to'), await idOf(id, 'medicines')],
    };
    const places = await similar(id, first);
    expect(places.map(({ now, is_sure, page }: Fields) => [now, is_sure, page])).toEqual([
      [['Smoking', 'Alcohol'], false, 2],
      [['Name of your', 'family doctor'], true, 1],
      [['Date of your', 'last visit'], true, 2],
    ]);
    await mended(id, first);
    expect(await similar(id, first)).toEqual(places);
  });

  test('are joined together as one change, which one undo takes back', async () => {
    const id = await form();
    const before = await texts(id);
    const first = {
      action: 'join',
      region_ids: [await idOf(id, 'Allergies to'), await idOf(id, 'medicines')],
    };
    const places = (await similar(id, first)).filter(({ is_sure }: Fields) => is_sure);
    const body = await mended(id, [first, ...places.map(({ mend }: Fields) => mend)] as never);
    expect(body.translated_again.segments).toBe(3);
    expect((await texts(id)).map(([, source]) => source)).toEqual([
      'Patient form 1',
      'Allergies to medicines',
      'Name of your family doctor',
      'Patient form 2',
      'Smoking',
      'Alcohol',
      'Date of your last visit',
    ]);
    await undo(id, body.change_id);
    expect(await texts(id)).toEqual(before);
  });

  test('of a text that is kept are those with the same words, except for numbers', async () => {
    const id = await form();
    const keep = { action: 'keep', region_ids: [await idOf(id, 'Patient form 1')] };
    expect(await similar(id, keep)).toMatchObject([
      {
        now: ['Patient form 2'],
        is_sure: true,
        mend: { action: 'keep', region_ids: [await idOf(id, 'Patient form 2')] },
      },
    ]);
  });

  test('of a split are divided after the same sign', async () => {
    const rows = ['Monday: closed all day', 'Tuesday: open until noon', 'Public holidays'];
    const bytes = await madePdf({
      content: rows.map((text, index) => line(text, 60, 300 - 80 * index)).join('\n'),
    });
    const { id } = await mine.translate([], {
      source_document: new File([new Uint8Array(bytes)], 'hours.pdf'),
    });
    const places = await similar(id, { action: 'split', region_id: 'p1.b1', at: ['Monday: '.length] });
    expect(places).toMatchObject([
      {
        mend: { action: 'split', region_id: 'p1.b2', at: ['Tuesday: '.length] },
        after: ['Tuesday:', 'open until noon'],
        is_sure: true,
      },
    ]);
  });
});

describe('the place and the size of a translation', () => {
  const boxes = async (id: string) => {
    await mine.mutate('render', { document_id: id });
    const segments = await list(id);
    return new Map(segments.map((one) => [one.region_id, (one['target_rectangles'] as number[][])[0]!]));
  };

  test('are those of the mend in the file, and of the source again after its undo', async () => {
    const id = await translated();
    const before = await boxes(id);
    const rectangle = [200, 90, 390, 130];
    const { change_id, translated_again } = await mended(id, { action: 'space', region_id: dish, rectangle });
    expect(translated_again.segments).toBe(0);
    const [left, bottom, right, top] = (await boxes(id)).get(dish)!;
    expect([left! >= 199, bottom! >= 89, right! <= 391, top! <= 131]).toEqual([true, true, true, true]);
    await undo(id, change_id);
    expect((await boxes(id)).get(dish)).toEqual(before.get(dish));
  });

  test('is the size of another text', async () => {
    const id = await translated();
    const heightOf = ([, bottom, , top]: number[]) => top! - bottom!;
    const before = heightOf((await boxes(id)).get(dish)!);
    await mended(id, { action: 'size', region_id: dish, like: 'p1.b1' });
    expect(heightOf((await boxes(id)).get(dish)!) / before).toBeCloseTo(2, 1);
  });

  test.each([[[100, 100, 102, 130]], [[100, 130, 200, 100]], [[1, 2, 3]]])(
    '%s is no place',
    async (rectangle) => {
      const id = await translated();
      expect((await send(id, { action: 'space', region_id: dish, rectangle })).status).toBe(422);
    },
  );
});

describe('places to look at', () => {
  test('have the other reading, which a mend makes', async () => {
    const title = [
      line('Annual Epidemiology and Clinical', 60, 300, 20),
      line('Research Methods Summer Session', 60, 276, 20),
    ];
    const bytes = await madePdf({
      content: [...title, line('Nothing else is on this page.', 60, 100)].join('\n'),
    });
    const { id } = await mine.translate([], {
      source_document: new File([new Uint8Array(bytes)], 'title.pdf'),
    });
    const { places } = (await mine.query('page', { document_id: id, page: 1 })).body;
    expect(places).toMatchObject([
      {
        region_ids: ['p1.b1'],
        rule: 'full line',
        mend: { action: 'split', region_id: 'p1.b1', at: ['Annual Epidemiology and Clinical '.length] },
        after: ['Annual Epidemiology and Clinical', 'Research Methods Summer Session'],
      },
    ]);
    await mended(id, places[0].mend);
    expect((await mine.query('page', { document_id: id, page: 1 })).body.places).toEqual([]);
  });
});

describe('a request that is sent again', () => {
  test.each([
    ['keep', { action: 'keep', region_ids: [dish] }],
    ['order', { action: 'order', region_id: dish, after: null }],
    ['space', { action: 'space', region_id: dish, rectangle: [100, 100, 300, 150] }],
  ])('to %s is the same change', async (_name, change) => {
    const id = await translated();
    const first = await mended(id, change);
    const second = await mended(id, change);
    expect(second.change_id).toBe(first.change_id);
    await undo(id, first.change_id);
    expect((await mended(id, change)).change_id).not.toBe(first.change_id);
  });
});

describe('a new version of a file', () => {
  /** The same page, with another dish and a new line above the title. */
  const newPage = [
    line('Summer menu', 60, 380, 10),
    page.replace('Served with lemon', 'Served with bread'),
  ].join('\n');
  const newVersion = async (update_of: string) => {
    const bytes = await madePdf({ content: newPage });
    const { id } = await mine.translate([], {
      source_document: new File([new Uint8Array(bytes)], 'menu.pdf', { type: 'application/pdf' }),
      update_of,
    });
    return id;
  };

  test('has the mends of the earlier one, found by text and place, and their translations', async () => {
    const first = await translated();
    await mended(first, join);
    await mended(first, { action: 'split', region_id: sentences, at: [39] });
    const [{ target_text }] = (await list(first)) as [Segment];
    engine.reset();
    const id = await newVersion(first);
    expect((await list(id)).map(({ source_text }) => source_text)).toEqual([
      'Summer menu',
      'Half a dozen oysters',
      'Please ask our staff before you order.',
      'Open from noon.',
      'Served with bread',
    ]);
    expect((await list(id))[1]).toMatchObject({ target_text });
    expect(engine.texts().sort()).toEqual(['Served with bread', 'Summer menu']);
  });

  test('has the texts without them after an undo', async () => {
    const first = await translated();
    await mended(first, join);
    const id = await newVersion(first);
    const sql = openSuperuser(app.superuserUrl);
    const [mend] = await sql`select mend_id from document_mends where document_id = ${id}`;
    await mine.mutate('undo', { document_id: id, change_id: mend!['mend_id'] }, mine.admin);
    await renderQueued(app.services, { tenantId: mine.tenantId, documentId: id });
    expect((await list(id)).slice(0, 3)).toMatchObject([
      { source_text: 'Summer menu' },
      { source_text: 'Half a', target_text: 'fr of Half a' },
      { source_text: 'dozen oysters', target_text: 'fr of dozen oysters' },
    ]);
  });

  test('without these texts has none of the mends', async () => {
    const first = await translated();
    await mended(first, join);
    const bytes = await madePdf({ content: line('Another page', 60, 200) });
    const { id } = await mine.translate([], {
      source_document: new File([new Uint8Array(bytes)], 'menu.pdf'),
      update_of: first,
    });
    expect((await texts(id)).map(([, source]) => source)).toEqual(['Another page']);
  });
});

describe('a page template', () => {
  /** The invoice of a month: a form with a title in two pieces, labels, and values that change. */
  const invoice = (month: string, number: number) =>
    [
      '0.5 w 50 40 300 260 re S 50 250 300 30 re S',
      ...[line('Consulting', 60, 360, 20), line('services', 60, 320, 20)],
      ...['Bill to', 'Payment terms', 'Description', 'Amount due', 'Bank details'].map((text, index) =>
        line(text, 60, 230 - 36 * index),
      ),
      ...[
        line(`Invoice for ${month}`, 200, 262),
        line(`No. ${number}`, 290, 360),
        line('ACME North GmbH', 200, 230),
      ],
    ].join('\n');
  const sent = async (content: string, owner = mine) => {
    const source_document = new File([new Uint8Array(await madePdf({ content }))], 'invoice.pdf');
    return (await owner.translate([], { source_document })).id as string;
  };
  const call = async (name: string, input: Fields = {}, type = 'POST') => {
    const { status, body } = await app.json('POST', `/trpc/pageTemplates.${name}`, {
      headers: mine.headers,
      body: { json: input },
    });
    expect([type, status]).toEqual([type, 200]);
    return body.result.data.json;
  };
  const sources = async (id: string) => (await list(id)).map(({ source_text }) => source_text);

  async function remembered() {
    const id = await sent(invoice('March', 17));
    const [one, two] = (await texts(id)).map(([region]) => region);
    await mended(id, { action: 'join', region_ids: [one, two] });
    const customer = (await texts(id)).find(([, text]) => text === 'ACME North GmbH')![0];
    await mended(id, { action: 'keep', region_ids: [customer] });
    return call('remember', { document_id: id, name: 'Invoice' });
  }

  test('makes the fixes in the invoice of the next month, which can be undone there', async () => {
    const { templates } = await remembered();
    expect(templates).toMatchObject([{ name: 'Invoice', fixes: ['join', 'keep'], is_on: true, uses: 0 }]);
    engine.reset();
    const id = await sent(invoice('April', 18));
    expect((await sources(id))[0]).toBe('Consulting services');
    expect((await list(id)).find(({ source_text }) => source_text === 'ACME North GmbH')).toMatchObject({
      target_text: 'ACME North GmbH',
    });
    expect(engine.texts()).not.toContain('ACME North GmbH');
    const seen = await mine.query('search', { document_id: id });
    expect(seen.status).toBe(200);
    const listed = await viaRpc(
      app,
      { path: 'pageTemplates.list', type: 'query' },
      { headers: mine.headers },
    );
    expect(listed.body.templates).toMatchObject([{ uses: 1, last_document_id: id }]);
  });

  test('does not apply to another page, when it is off, or in another workspace', async () => {
    const { templates } = await remembered();
    const other = invoice('April', 18)
      .replace('50 40 300 260 re', '80 20 200 100 re')
      .replace('50 250 300 30 re', '');
    expect((await sources(await sent(other)))[0]).toBe('Consulting');
    const stranger = await openDocuments(app);
    const id = await sent(invoice('May', 19), stranger);
    expect((await stranger.segments(id)).segments[0].source_text).toBe('Consulting');
    await call('change', { template_id: templates[0].template_id, is_on: false });
    expect((await sources(await sent(invoice('June', 20))))[0]).toBe('Consulting');
    await call('delete', { template_id: templates[0].template_id });
    const listed = await viaRpc(
      app,
      { path: 'pageTemplates.list', type: 'query' },
      { headers: mine.headers },
    );
    expect(listed.body.templates).toEqual([]);
  });
});
