import { beforeEach, describe, expect, test } from 'vitest';
import { formatTagged, type InlineContent, parseWithoutFormats } from '#server/formats/inline-content.ts';
import { placeAsApproved } from '#server/formats/tag-placing.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { setsOf } from '#test/translation-memory/sets.ts';
import { viaRpc } from '../contract/call.ts';
import { link, paragraph, run, wordFile } from '../formats/docx-file.ts';
import { openDocuments, recordingEngine } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env, engine });

type Workspace = Awaited<ReturnType<typeof openDocuments>>;
let mine: Workspace;
beforeEach(async () => {
  mine = await openDocuments(app);
  engine.reset();
});

interface Segment {
  source: InlineContent;
  target: InlineContent;
  target_text: string;
  needs_review: boolean;
  fast_path: string | null;
}

const segmentsOf = async (id: string) => [
  ...(await openSuperuser(app.superuserUrl)<Segment[]>`
    select source, target, target_text, needs_review, fast_path from document_segments
    where document_id = ${id} order by position`),
];

/** The translations of a document with their tags; those that a person must review have a mark. */
const taggedOf = async (id: string) =>
  (await segmentsOf(id)).map(
    ({ target, needs_review }) => `${needs_review ? 'REVIEW ' : ''}${formatTagged(target)}`,
  );

async function translate(name: string, content: string | Uint8Array, of = mine, fields = {}) {
  const file = new File([content as string], name);
  const { status, body: job } = await of.send({ source_document: file, wait: 'true', ...fields });
  expect([status, job.detail]).toEqual([200, undefined]);
  return job.id as string;
}

/** Saves the first translations of a document with these tags, as its editor does: breaks are characters there. */
async function place(id: string, tagged: readonly string[], fields = {}) {
  const segments = await segmentsOf(id);
  const { status, body } = await mine.mutate(
    'save',
    {
      document_id: id,
      segments: tagged.map((text, position) => {
        const { source, target_text } = segments[position]!;
        const content = parseWithoutFormats(text, source)!.map((item) =>
          typeof item !== 'string' && item.text ? item.text : item,
        );
        const plain = content.filter((item) => typeof item === 'string').join('');
        return { position, target_text: plain, target_content: content, replaces: target_text, ...fields };
      }),
    },
    mine.admin,
  );
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.change_id as string;
}

async function approve(id: string, tagged: readonly string[] = []): Promise<string> {
  if (tagged.length > 0) await place(id, tagged);
  expect((await mine.approve(id)).status).toBe(200);
  return id;
}

const html = (...texts: string[]) =>
  `<html><body>${texts.map((text) => `<p>${text}</p>`).join('')}</body></html>`;
const word = (...xml: string[]) => wordFile(xml.map((one) => paragraph(one)).join(''));
const xliff = (...units: string[]) =>
  `<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="a" source-language="en" target-language="fr" datatype="html"><body>${units
    .map((source, at) => `<trans-unit id="u${at}"><source>${source}</source></trans-unit>`)
    .join('')}</body></file></xliff>`;

const page = 'See <a href="/x">the first page</a> and <b>read</b> it<br>well';
/** A translation of it as a person has placed the tags. Nothing in the two texts proves these positions. */
const placed = '<2>Lisez</2> bien la suite,<3/>ou <1>la page une</1>, vite';
/** In a Word file, formatting has the last numbers. */
const inWord = (tagged: string) => tagged.replace(/(?<=<\/?)[23]/g, (tag) => (tag === '2' ? '3' : '2'));
const pageInWord = (address = 'rId1') =>
  run('See ') +
  link(run('the first page')).replace('rId1', address) +
  run(' and ') +
  run('read', '<w:b/>') +
  run(' it') +
  '<w:r><w:br/></w:r>' +
  run('well');

describe('tags are placed as in an approved translation', () => {
  const pair = (tag: number, words: string, format?: 'bold' | 'italic'): InlineContent => {
    const kind = { tag, ...(format && { format }) };
    return [{ ...kind, type: 'open' }, words, { ...kind, type: 'close' }];
  };
  const mark = (tag: number, text?: string): InlineContent[number] => ({
    tag,
    type: 'void',
    ...(text && { text }),
  });
  const code = (tag: number, words: string): InlineContent[number] => ({ tag, type: 'void', code: words });
  const bold: InlineContent = [...pair(2, 'One', 'bold'), ' ', ...pair(1, 'two'), mark(3, '\n')];
  const target: InlineContent = [...pair(1, 'zwei'), mark(3, '\n'), ' ', ...pair(2, 'eins', 'bold')];

  test.each<[what: string, source: InlineContent, target: InlineContent, placed: string | null]>([
    ['with their own numbers', bold, target, '<2>zwei</2><1/> <5>eins</5>'],
    [
      'but for formatting that it lacks',
      bold,
      [...pair(1, 'zwei'), mark(3, '\n'), ' eins'],
      '<2>zwei</2><1/> eins',
    ],
    ['but not if it lacks a link', bold, ['zwei', mark(3, '\n'), ' ', ...pair(2, 'eins', 'bold')], null],
    [
      'but not if a break was an image',
      [...bold.slice(0, -1), mark(3)],
      [...target.slice(0, 3), mark(3), '\n eins'],
      null,
    ],
  ])('%s', (_what, source, target, placed) => {
    const now = [...pair(5, 'One', 'italic'), ' ', ...pair(2, 'two'), mark(1, '\n')];
    const content = placeAsApproved('zwei\n eins', now, [{ source, target }]);
    expect(content && formatTagged(content)).toBe(placed);
  });

  test('whose code the memory has as text, and only if it is the same code', () => {
    const approved = [{ source: ['Run ', code(1, 'a b')], target: [code(1, 'a b'), ' starten'] }];
    expect(placeAsApproved('a b starten', ['Run ', code(4, 'a b')], approved)).toEqual([
      code(4, 'a b'),
      ' starten',
    ]);
    expect(placeAsApproved('a b starten', ['Run ', code(4, 'a c')], approved)).toBeNull();
    expect(placeAsApproved('ab starten', ['Run ', code(4, 'a b')], approved)).toBeNull();
  });
});

describe('a text that a person has approved with tags', () => {
  test.each([
    [
      'a.docx',
      word(pageInWord(), run('Bye')),
      word(run('New'), pageInWord(), run('Bye now')),
      inWord(placed),
    ],
    ['a.html', html(page, 'Bye'), html('New', page.replace('/x', '/y'), 'Bye now'), placed],
    [
      'a.md',
      'See [the first page](/x) and **read** it\\\nwell\n\nBye\n',
      'New\n\nSee [the first page](/y) and **read** it\\\nwell\n\nBye now\n',
      placed,
    ],
    [
      'a.xlf',
      xliff(
        'See <g id="1">the first page</g> and <bpt id="2">*</bpt>read<ept id="2">*</ept> it<x id="3"/>well',
        'Bye',
      ),
      xliff(
        'New',
        'See <g id="7">the first page</g> and <bpt id="8">*</bpt>read<ept id="8">*</ept> it<x id="9"/>well',
        'Bye now',
      ),
      placed,
    ],
  ])('has the same positions in a new version of %s', async (name, first, second, target) => {
    await approve(await translate(name, first), [target]);
    const id = await translate(name, second);
    expect(await taggedOf(id)).toEqual(['fr of New', target, 'fr of Bye now']);
    expect((await segmentsOf(id))[1]).toMatchObject({ fast_path: 'tm_exact' });
  });

  test('has them in a file of another format', async () => {
    await approve(await translate('a.docx', word(pageInWord())), [inWord(placed)]);
    const id = await translate('a.html', html(page));
    expect(await (await mine.download(id)).text()).toContain(
      '<p><b>Lisez</b> bien la suite,<br>ou <a href="/x">la page une</a>, vite</p>',
    );
    expect(await taggedOf(id)).toEqual([placed]);
  });
});

describe('the positions of tags are not those of', () => {
  const source = 'See the first page and read it\nwell';
  const target = 'Lisez bien la suite,\nou la page une, vite';
  /** Translates the page with a memory that has its text, whether or not the document that was approved still exists. */
  const guessed = async (of = mine, content = page) => {
    await setsOf(app, of.headers).memory([[source, target]], { name: 'Always served' });
    const id = await translate('next.html', html(content), of);
    const [segment] = await segmentsOf(id);
    // Also a guess keeps the text of the memory, with its line break.
    expect([segment!.fast_path, segment!.target_text]).toEqual(['tm_exact', target]);
    return segment!.needs_review && formatTagged(segment!.target) !== placed;
  };
  const post = (path: string, input: object) =>
    app.json('POST', `/trpc/${path}`, { headers: mine.admin, body: { json: input } });

  test.each([
    ['the same text with other tags', 'See the <a href="/x">first page</a> and <b>read</b> it<br>well'],
    ['the same text with more tags', '<i>See</i> <a href="/x">the first page</a> and <b>read</b> it<br>well'],
    [
      'the same text with tags in another order',
      'See <b>the first page</b> and <a href="/x">read</a> it<br>well',
    ],
  ])('%s', async (_what, other) => {
    await approve(await translate('a.html', html(page)), [placed]);
    expect(await guessed(mine, other)).toBe(true);
  });

  test('another workspace, or of another language', async () => {
    await approve(await translate('a.html', html(page)), [placed]);
    expect(await guessed(await openDocuments(app))).toBe(true);
    const german = setsOf(app, mine.headers);
    await german.memory([[source, target]], { name: 'German', target_lang: 'de' });
    const id = await translate('a.html', html(page), mine, { target_lang: 'de' });
    expect((await segmentsOf(id))[0]).toMatchObject({ fast_path: 'tm_exact', needs_review: true });
  });

  test('a draft, until it is confirmed, nor of a change that is undone', async () => {
    const id = await translate('a.html', html(page));
    const change_id = await place(id, [placed]);
    expect(await guessed()).toBe(true);
    await mine.mutate('undo', { document_id: id, change_id }, mine.admin);
    await place(id, [placed], { confirmed: true });
    expect(await guessed()).toBe(false);
  });

  test('an approved document in which they were a guess that no one has confirmed', async () => {
    expect(await guessed()).toBe(true);
    const id = await approve(await translate('a.html', html(page)));
    expect(await guessed()).toBe(true);
    await place(id, [placed], { confirmed: true });
    expect(await guessed()).toBe(false);
  });

  test('an approved document that a reviewer changes again', async () => {
    const id = await approve(await translate('a.html', html(page)), [placed]);
    await place(id, [placed.replace('<2>Lisez</2> bien', 'Lisez <2>bien</2>')]);
    expect(await guessed()).toBe(true);
  });

  test('a document whose approval is withdrawn, or that is deleted', async () => {
    engine.reply = () => [placed];
    const ids = [await translate('a.html', html(page)), await translate('b.html', html(page))];
    for (const id of ids) expect((await mine.approve(id, {}, mine.admin)).status).toBe(200);
    await post('reviews.reopen', { kind: 'document', id: ids[0] });
    expect(await guessed()).toBe(false);
    await mine.removeDocument(ids[1]!);
    expect(await guessed()).toBe(true);
  });

  test('a translation that was edited in the memory, until the edit is undone', async () => {
    await approve(await translate('a.html', html(page)), [placed]);
    const [set] = await setsOf(app, mine.headers).memories();
    const [unit] = (
      await viaRpc(
        app,
        { path: 'memory.browse', type: 'query' },
        {
          input: { set_id: set.id },
          headers: mine.headers,
        },
      )
    ).body.units;
    const { unit_no, source_text, target_text } = unit;
    const { body } = await post('memory.updateUnit', {
      ...{ set_id: set.id, unit_no, replaces: { source_text, target_text } },
      ...{ source_text, target_text: 'Lisez bien\nla page une' },
    });
    const id = await translate('b.html', html(page));
    expect((await segmentsOf(id))[0]).toMatchObject({ fast_path: 'tm_exact', needs_review: true });
    await post('memory.undo', { change_id: body.result.data.json.change_id });
    expect(await taggedOf(await translate('c.html', html(page)))).toEqual([placed]);
  });

  test('an earlier approval, although its file is later', async () => {
    const other = placed.replace('<2>Lisez</2> bien', 'Lisez <2>bien</2>');
    const first = await translate('a.html', html(page));
    await approve(await translate('b.html', html(page)), [other]);
    await approve(first, [placed]);
    expect(await taggedOf(await translate('c.html', html(page)))).toEqual([placed]);
  });
});
