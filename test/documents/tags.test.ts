import { describe, expect, test } from 'vitest';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { setsOf } from '#test/translation-memory/sets.ts';
import { link, paragraph, run, wordFile } from '../formats/docx-file.ts';
import { partsOf } from '../formats/docx-walk.ts';
import { recordingEngine, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env, engine });

const mine = useDocuments(app, engine);

/** A Word file with a paragraph that contains a link, and one without a link. */
const body = paragraph(run('See '), link(run('the page')), run(' now')) + paragraph(run('Thank you'));
const tagged = 'See <1>the page</1> now';

async function translateWord(xml = body): Promise<string> {
  const file = new File([new Uint8Array(wordFile(xml))], 'Letter.docx');
  const { status, body: job } = await mine.send({ source_document: file, wait: 'true' });
  expect([status, job.detail]).toEqual([200, undefined]);
  return job.id;
}

/** The texts of the latest file: the complete text, and the texts of links. */
async function written(id: string) {
  const bytes = new Uint8Array(await (await mine.download(id)).arrayBuffer());
  const xml = partsOf(bytes)['word/document.xml'] as string;
  const textOf = (part: string) =>
    [...part.matchAll(/<w:t(?: [^>]*)?>([^<]*)</g)].map(([, text]) => text).join('');
  return {
    text: textOf(xml),
    links: [...xml.matchAll(/<w:hyperlink.*?<\/w:hyperlink>/gs)].map(([part]) => textOf(part)),
  };
}

describe('the tags of a segment', () => {
  test('go to the engine with the text, and return around their words', async () => {
    engine.reply = () => ['Voir <1>la page</1> maintenant', 'Merci'];
    const id = await translateWord();
    expect(engine.asked).toEqual([
      expect.objectContaining({ segments: [tagged, 'Thank you'], hasTags: true }),
    ]);
    const { segments } = await mine.segments(id);
    expect(segments.map((one: Record<string, unknown>) => [one['source_text'], one['target_text']])).toEqual([
      ['See the page now', 'Voir la page maintenant'],
      ['Thank you', 'Merci'],
    ]);
    expect(await written(id)).toEqual({ text: 'Voir la page maintenantMerci', links: ['la page'] });
    // Tags are not billed.
    expect((await mine.read(id)).billable_chars).toBe('See the page nowThank you'.length);
  });

  test.each([
    ['is lost', 'Voir la page maintenant'],
    ['is moved out of order', 'Voir </1>la page<1> maintenant'],
    ['comes twice', 'Voir <1>la</1> <1>page</1> maintenant'],
  ])('if one %s, that segment alone is asked for again', async (_what, broken) => {
    engine.reply = ({ segments }) =>
      segments.length === 2 ? [broken, 'Merci'] : ['Voir <1>la page</1> maintenant'];
    const id = await translateWord();
    expect(engine.asked.map(({ segments }) => segments)).toEqual([[tagged, 'Thank you'], [tagged]]);
    expect(await written(id)).toEqual({ text: 'Voir la page maintenantMerci', links: ['la page'] });
    expect((await mine.segments(id, '?flagged=true')).total).toBe(0);
  });

  test('if they are lost again, they are restored by position, and the segment is flagged', async () => {
    engine.reply = ({ segments }) => segments.map((text) => (text === tagged ? 'Voir la page ici' : 'Merci'));
    const id = await translateWord();
    const { text, links } = await written(id);
    expect([text, links.length]).toEqual(['Voir la page iciMerci', 1]);
    const { segments, total } = await mine.segments(id, '?flagged=true');
    expect([total, segments[0].target_text]).toEqual([1, 'Voir la page ici']);
    expect(segments[0].quality.issues).toEqual([expect.objectContaining({ severity: 'major' })]);
    expect((await mine.read(id)).quality_report.findings).toContainEqual(
      expect.objectContaining({ code: 'low_segment_quality' }),
    );
  });

  test('survive a correction, which is plain text', async () => {
    engine.reply = () => ['Voir <1>la page</1> maintenant', 'Merci'];
    const id = await translateWord();
    const [{ region_id, cell_id }] = (await mine.segments(id)).segments;
    const corrections = [{ region_id, cell_id, target_text: 'Regardez bien la page maintenant' }];
    expect((await mine.reviewDocument(id, { corrections })).status).toBe(200);
    expect(await written(id)).toEqual({ text: 'Regardez bien la page maintenantMerci', links: ['la page'] });
  });

  test('are put into what the memory holds as plain text', async () => {
    await setsOf(app, mine.headers).memory([['See the page now', 'Voir la page maintenant']]);
    const id = await translateWord();
    expect(engine.texts()).toEqual(['Thank you']);
    // A guess is at least around whole words.
    expect(await written(id)).toEqual({ text: 'Voir la page maintenantfr of Thank you', links: ['la page'] });
    expect((await mine.segments(id)).segments[0]).toMatchObject({ fast_path: 'tm_exact' });
  });

  describe('of formatting', () => {
    const formatted = paragraph(run('See '), run('the page', '<w:b/>'), run(' now'));
    /** The bold texts of the latest file. */
    const bold = async (id: string) => {
      const bytes = new Uint8Array(await (await mine.download(id)).arrayBuffer());
      const xml = partsOf(bytes)['word/document.xml'] as string;
      return [...xml.matchAll(/<w:b\/>.*?<w:t(?: [^>]*)?>([^<]*)</g)].map(([, text]) => text);
    };
    const lost = expect.objectContaining({ code: 'formatting_lost' });

    test('that are lost are asked for once', async () => {
      engine.reply = () => [
        engine.asked.length === 1 ? 'Voir la page maintenant' : 'Voir <1>la page</1> maintenant',
      ];
      const id = await translateWord(formatted);
      expect(engine.asked).toHaveLength(2);
      expect(await bold(id)).toEqual(['la page']);
      expect((await mine.read(id)).quality_report.findings).not.toContainEqual(lost);
    });

    test('that are lost twice are left out, which is reported but needs no review', async () => {
      engine.reply = () => ['Voir la page maintenant'];
      const id = await translateWord(formatted);
      expect(engine.asked).toHaveLength(2);
      expect(await bold(id)).toEqual([]);
      expect((await mine.read(id)).quality_report.findings).toContainEqual(lost);
      const [{ quality, target_text }] = (await mine.segments(id)).segments;
      expect([target_text, quality.needs_review]).toEqual(['Voir la page maintenant', false]);
      expect(quality.issues).toEqual([expect.objectContaining({ severity: 'minor' })]);
    });

    test('are not in the memory: a match has them at equal words, and otherwise this is reported', async () => {
      await setsOf(app, mine.headers).memory([
        ['See the page now', 'Voir la page maintenant'],
        ['Ask Ada now', 'Demandez à Ada'],
      ]);
      const named = paragraph(run('Ask '), run('Ada', '<w:b/>'), run(' now'));
      const id = await translateWord(formatted + named);
      expect(engine.texts()).toEqual([]);
      expect(await bold(id)).toEqual(['Ada']);
      const { findings } = (await mine.read(id)).quality_report;
      expect(findings.filter(({ code }: { code: string }) => code === 'formatting_lost')).toEqual([
        expect.objectContaining({ unit_id: 'p1' }),
      ]);
    });
  });
});
