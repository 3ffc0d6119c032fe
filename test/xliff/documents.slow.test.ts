import { beforeEach, describe, expect, test } from 'vitest';
import { type Documents, openDocuments, recordingEngine } from '#test/documents/workspace.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { link, paragraph, run, wordFile } from '../formats/docx-file.ts';
import { changed, exchangeOf, withTarget, xliffType } from './exchange.ts';

const engine = recordingEngine();
const app = useTestApp({ env, engine });

let mine: Documents;
let xliff: ReturnType<typeof exchangeOf>;
beforeEach(async () => {
  engine.reset();
  mine = await openDocuments(app);
  xliff = exchangeOf(app, mine.headers);
});

async function translate(file: File): Promise<string> {
  const { status, body } = await mine.send({ source_document: file, wait: 'true' });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.id;
}

const workbook = (texts = ['One', 'Two', 'Three']) => translate(workbookFile(texts));

/** A Word file with a paragraph that contains a link, and one without a link. */
const word = () => {
  engine.reply = () => ['Voir <1>la page</1> maintenant', 'Merci'];
  const body = paragraph(run('See '), link(run('the page')), run(' now')) + paragraph(run('Thank you'));
  return translate(new File([new Uint8Array(wordFile(body))], 'Letter.docx'));
};

const targets = async (id: string) =>
  (await mine.segments(id)).segments.map((one: Record<string, unknown>) => one['target_text']);

describe('GET /api/documents/{document_id}/segments with Accept: application/xliff+xml', () => {
  test('has one file with a unit for each segment, in reading order', async () => {
    const id = await workbook();
    const { status, headers, text } = await xliff.exportSegments(id);
    expect([status, headers.get('content-type')]).toEqual([200, xliffType]);
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename=".*\.fr\.xlsx\.xlf"$/);
    expect([...text.matchAll(/<file id="(\w+)"/g)].map(([, file]) => file)).toEqual([id]);
    expect([...text.matchAll(/<unit id="(\w+)" name="[^"]+"/g)].map(([, unit]) => unit)).toEqual([
      's0',
      's1',
      's2',
    ]);
    expect([...text.matchAll(/<source[^>]*>([^<]*)/g)].map(([, source]) => source)).toEqual([
      'One',
      'Two',
      'Three',
    ]);
    expect([...text.matchAll(/<target[^>]*>([^<]*)/g)].map(([, target]) => target)).toEqual(
      await targets(id),
    );
  });

  test('writes pairs of tags around their words, with what they stand for', async () => {
    const id = await word();
    const { text } = await xliff.exportSegments(id);
    expect(text).toContain(
      'Voir <pc id="1" canCopy="no" canDelete="no" dataRefEnd="d1" dataRefStart="d2">la page</pc> maintenant</target>',
    );
    expect(text).toContain('<data id="d1">&lt;/1&gt;</data>\n<data id="d2">&lt;1&gt;</data>');
  });

  test('a limit makes pages', async () => {
    const id = await workbook();
    const first = await xliff.exportSegments(id, '?limit=2');
    expect([...first.text.matchAll(/<unit id="(\w+)"/g)].length).toBe(2);
    const cursor = first.headers.get('x-next-cursor');
    const second = await xliff.exportSegments(id, `?limit=2&cursor=${cursor}`);
    expect([...second.text.matchAll(/<unit id="(\w+)"/g)].map(([, unit]) => unit)).toEqual(['s2']);
    expect(second.headers.get('x-next-cursor')).toBe(null);
  });
});

describe('POST /api/documents/{document_id}/review with Content-Type: application/xliff+xml', () => {
  test('corrects what was changed, and nothing else', async () => {
    const id = await workbook();
    const { text } = await xliff.exportSegments(id);
    const { status, body } = await xliff.reviewSegments(
      id,
      withTarget(text, 's1', 'Deux &lt;2&gt;'),
      '?reviewer=Ada&notes=fine',
    );
    expect([status, body.detail]).toEqual([200, undefined]);
    expect(body.review_history).toMatchObject([{ corrections: 1, reviewer: 'Ada', notes: 'fine' }]);
    expect(await targets(id)).toEqual(['fr of One', 'Deux <2>', 'fr of Three']);
    const { segments } = await mine.segments(id);
    expect(segments.map((one: Record<string, unknown>) => one['corrected'])).toEqual([false, true, false]);
  });

  test('the same file twice corrects once', async () => {
    const id = await workbook();
    const { text } = await xliff.exportSegments(id);
    const reviewed = withTarget(text, 's0', 'Un');
    await xliff.reviewSegments(id, reviewed);
    const { status, body } = await xliff.reviewSegments(id, reviewed);
    expect([status, body.review_history.length]).toEqual([200, 1]);
  });

  test('tags are where the reviewer put them', async () => {
    const id = await word();
    const { text } = await xliff.exportSegments(id);
    const reviewed = withTarget(
      text,
      's0',
      '<pc id="1" dataRefStart="d2" dataRefEnd="d1">Cette page</pc> est à voir',
    );
    const { status, body } = await xliff.reviewSegments(id, reviewed);
    expect([status, body.detail]).toEqual([200, undefined]);
    expect((await xliff.exportSegments(id)).text).toContain('>Cette page</pc> est à voir</target>');
    expect((await targets(id))[0]).toBe('Cette page est à voir');
    // A translation with the same words but with the tags in other places is a different translation.
    const moved = withTarget(
      (await xliff.exportSegments(id)).text,
      's0',
      'Cette page <pc id="1">est à voir</pc>',
    );
    expect((await xliff.reviewSegments(id, moved)).body.review_history.length).toBe(2);
    expect((await xliff.exportSegments(id)).text).toContain('Cette page <pc id="1"');
  });

  test('a plain text without any tag gets them where they were', async () => {
    const id = await word();
    const { text } = await xliff.exportSegments(id);
    await xliff.reviewSegments(id, withTarget(text, 's0', 'Voir la page tout de suite'));
    expect((await xliff.exportSegments(id)).text).toMatch(
      /Voir <pc[^>]*>la page<\/pc> tout de suite<\/target>/,
    );
  });

  test.each([
    ['lost one side', 'Voir <sc id="1"/>la page', 'the inline code 1 of the source is missing'],
    ['turned around', '<ec startRef="1"/>la page<sc id="1"/>', 'is closed before a code inside it'],
    ['no element of XLIFF', '<b>la page</b>', 'not an inline element of XLIFF'],
  ])('tags that are %s refuse the whole file by unit and line', async (_, target, problem) => {
    const id = await word();
    const { text } = await xliff.exportSegments(id);
    const { status, body } = await xliff.reviewSegments(
      id,
      withTarget(withTarget(text, 's1', 'Bien merci'), 's0', target),
    );
    expect([status, body.detail]).toEqual([422, expect.stringContaining(problem)]);
    expect(body.detail).toMatch(/line \d+/);
    expect(await targets(id)).toEqual(['Voir la page maintenant', 'Merci']);
  });

  test('a unit that somebody else has changed since is a 409 that names it, and nothing is corrected', async () => {
    const id = await workbook();
    const { text } = await xliff.exportSegments(id);
    const { segments } = await mine.segments(id);
    expect((await mine.correct(id, { [segments[1].cell_id]: 'of another' })).status).toBe(200);
    const late = withTarget(withTarget(text, 's0', 'Un'), 's1', 'Deux');
    const { status, body } = await xliff.reviewSegments(id, late);
    expect([status, body]).toMatchObject([
      409,
      { error_code: 'conflict', detail: expect.stringMatching(/unit "s1" \(line \d+\)/) },
    ]);
    expect(await targets(id)).toEqual(['fr of One', 'of another', 'fr of Three']);
    // A translation that only the other reviewer has changed is no conflict for this reviewer.
    expect((await xliff.reviewSegments(id, withTarget(text, 's0', 'Un'))).status).toBe(200);
    expect(await targets(id)).toEqual(['Un', 'of another', 'fr of Three']);
  });

  test('units without a translation stay as they are, and units may be left out', async () => {
    const id = await workbook();
    const { text } = await xliff.exportSegments(id);
    const fewer = changed(
      changed(withTarget(text, 's0', ''), 's1', () => ''),
      's2',
      (unit) => unit.replace(/<target[\s\S]*<\/target>\n/, ''),
    );
    const { status, body } = await xliff.reviewSegments(id, fewer);
    expect([status, body.review_history]).toEqual([200, []]);
  });

  test('a file has all segments, may change a thousand of them, and more are rejected without corrections', async () => {
    const id = await workbook(Array.from({ length: 1003 }, (_, n) => `Text number ${n}`));
    const { text } = await xliff.exportSegments(id);
    expect(text.match(/<source/g)).toHaveLength(1003);
    expect(text.endsWith('</file>\n</xliff>\n')).toBe(true);
    const refused = await xliff.reviewSegments(id, text.replaceAll('fr of', 'Texte :'));
    expect([refused.status, refused.body.detail]).toEqual([
      422,
      expect.stringContaining('changes 1003 segments, but a review may change at most 1000'),
    ]);
    expect((await targets(id)).slice(0, 2)).toEqual(['fr of Text number 0', 'fr of Text number 1']);
    let left = 1000;
    const fewer = text.replaceAll('fr of', (same) => (left-- > 0 ? 'Texte :' : same));
    const { status, body } = await xliff.reviewSegments(id, fewer);
    expect([status, body.review_history[0]?.corrections]).toEqual([200, 1000]);
  });

  test('a unit that was cut into segments is one text again', async () => {
    const id = await workbook(['First sentence. Second one.']);
    const { text } = await xliff.exportSegments(id);
    const cut = changed(text, 's0', (unit) =>
      unit.replace(
        /<segment[\s\S]*<\/segment>/,
        `<segment id="1"><source>First sentence.</source><target order="3">Première.</target></segment>
         <ignorable><source xml:space="preserve"> </source></ignorable>
         <segment id="2"><source>Second one.</source><target order="1">La seconde.</target></segment>`,
      ),
    );
    expect((await xliff.reviewSegments(id, cut)).status).toBe(200);
    expect(await targets(id)).toEqual(['La seconde. Première.']);
  });

  test('a changed source, an unknown unit and another document’s file are refused by name', async () => {
    const id = await workbook();
    const other = await workbook(['Other']);
    const { text } = await xliff.exportSegments(id);
    for (const [body, detail] of [
      [withTarget(text.replace('>Two<', '>Too<'), 's0', 'Un'), 'unit "s1"'],
      [text.replace('id="s2"', 'id="s7"'), 'unit "s7"'],
      [text.replace('id="s2"', 'id="s-1"'), 'unit "s-1"'],
      [text.replace('id="s2"', 'id="s1"'), 'two units have the id "s1"'],
      [(await xliff.exportSegments(other)).text, `it has no <file id="${id}">`],
    ] as const) {
      const answer = await xliff.reviewSegments(id, body);
      expect([answer.status, answer.body.detail]).toEqual([422, expect.stringContaining(detail)]);
    }
    const stranger = exchangeOf(app, (await openDocuments(app)).headers);
    expect((await stranger.reviewSegments(id, text)).status).toBe(404);
    expect((await stranger.exportSegments(id)).status).toBe(404);
  });

  test('a source that a tool has laid out anew is the same source', async () => {
    const id = await workbook(['One  and two']);
    const { text } = await xliff.exportSegments(id);
    const { status } = await xliff.reviewSegments(
      id,
      withTarget(text.replace('One  and two', '\n    One and two\n  '), 's0', 'Un et deux'),
    );
    expect([status, await targets(id)]).toEqual([200, ['Un et deux']]);
  });

  test('final confirms a flagged segment as it is', async () => {
    engine.reply = ({ segments }) => segments.map(() => 'Voir la page maintenant');
    const body = paragraph(run('See '), link(run('the page')), run(' now'));
    const id = await translate(new File([new Uint8Array(wordFile(body))], 'Letter.docx'));
    expect((await mine.segments(id, '?flagged=true')).total).toBe(1);
    const { text } = await xliff.exportSegments(id, '?flagged=true');
    expect(text).toContain('subState="lingualoop:needs_review"');
    expect((await xliff.reviewSegments(id, text)).body.review_history).toEqual([]);
    const confirmed = text.replace('state="translated"', 'state="final"');
    expect((await xliff.reviewSegments(id, confirmed)).body.review_history.length).toBe(1);
    expect((await mine.segments(id, '?flagged=true')).total).toBe(0);
    expect((await xliff.exportSegments(id, '?flagged=true')).status).toBe(404);
  });
});
