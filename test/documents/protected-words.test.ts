import { describe, expect, test } from 'vitest';
import { formatTagged, type InlineContent, parseTagged, plainText } from '#server/formats/inline-content.ts';
import { protectWords } from '#server/translation/pipeline/protected-words.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { link, paragraph, run, wordFile } from '../formats/docx-file.ts';
import { recordingEngine, useDocuments } from './workspace.ts';

const sentOf = (...source: InlineContent) => {
  const words = protectWords(source, 'en');
  return words && [formatTagged(words.content), words.hasOtherWords];
};

describe('the words that an engine does not receive', () => {
  test.each([
    ['See https://example.com/a_b?c=1.', 'See <1/>.'],
    ['Write to jane.doe@example.com now', 'Write to <1/> now'],
    ['Set owner_id and MAX_SIZE', 'Set <1/> and <2/>'],
    ['Ticket MATH-2800, then file.close().', 'Ticket <1/>, then <2/>.'],
    ['Open /usr/lib/app.conf or ~/notes or ../a/b', 'Open <1/> or <2/> or <3/>'],
    ['Call read_all() (see www.example.org)', 'Call <1/> (see <2/>)'],
    ['Hello {user_name} and {{ count }} and ${x} of %(total)s', 'Hello <1/> and <2/> and <3/> of <4/>'],
    ['%d of %2$s, %.2f %{unit}', '<1/> of <2/>, <3/> <4/>'],
    ['Hi <%= name %>, {% if x %}see{% endif %} $t(menu.open) @:menu.close', 'Hi <1/>, <2/>see<3/> <4/> <5/>'],
  ])('%s', (text, sent) => {
    expect(sentOf(text)).toEqual([sent, true]);
    const { content, restore } = protectWords([text], 'en')!;
    expect(restore(parseTagged(formatTagged(content), content)!)).toEqual([text]);
  });

  test.each([
    'red/green/blue, and/or, km/h',
    'Name ____ Date ____Signature____',
    '%user_name% and <user_name>, 100% sure, 50 % discount, costs $5, at @home, :smile:',
    '{count, plural, one {{name} has # file} other {{name} has # files}}',
    '%Y-%m-%d %H:%M',
    'COVID-19, STEP-1, A4, 24/11/2026, 555-0199',
    'a _word_ in Markdown and __another__ one',
  ])('are none of these: %s', (text) => expect(protectWords([text], 'en')).toBeNull());

  test.each(['https://example.com', 'owner_id', 'UV_IT / UV_AF (3)'])('can be a whole text: %s', (text) =>
    expect(sentOf(text)).toEqual([expect.stringContaining('<1/>'), false]),
  );

  test('have numbers after those of the other tags, and keep their order in the translation', () => {
    const source: InlineContent = [
      'Set ',
      { tag: 1, type: 'open' },
      'the owner_id',
      { tag: 1, type: 'close' },
      ' of a_b to <7/>',
    ];
    const { content, restore } = protectWords(source, 'en')!;
    expect(formatTagged(content)).toBe('Set <8>the <9/></8> of <10/> to <7/>');
    const translated = parseTagged('<10/>: <8><9/> setzen</8> auf <7/>', content)!;
    expect(plainText(restore(translated))).toBe('a_b: owner_id setzen auf <7/>');
  });

  test.each(['_', 'a_', 'a.', '/a', './', 'A-1', 'a@', '('])(
    'are found in linear time: %s repeated',
    (piece) => {
      const timeOf = (count: number) => {
        const text = `x ${piece.repeat(count)}`;
        const start = performance.now();
        protectWords([text], 'en');
        return performance.now() - start;
      };
      timeOf(20_000);
      expect(timeOf(200_000)).toBeLessThan(500);
    },
  );
});

const engine = recordingEngine();
const app = useTestApp({ env, engine });
const mine = useDocuments(app, engine);

async function translateParagraph(xml: string) {
  const file = new File([new Uint8Array(wordFile(paragraph(xml)))], 'Letter.docx');
  const { status, body: job } = await mine.send({ source_document: file, wait: 'true' });
  expect([status, job.detail]).toEqual([200, undefined]);
  return (await mine.segments(job.id)).segments as Record<string, unknown>[];
}

describe('a document with code and links in its text', () => {
  test('has them unchanged in the translation, whatever the engine does with words', async () => {
    engine.reply = ({ segments }) => segments.map((text) => text.replaceAll(/[a-z]+/gi, 'mot'));
    const [segment] = await translateParagraph(run('Set owner_id, or write to jane@example.com'));
    expect(engine.asked.map(({ segments, hasTags }) => [segments, hasTags])).toEqual([
      [['Set <1/>, or write to <2/>'], true],
    ]);
    expect(segment).toMatchObject({
      source_text: 'Set owner_id, or write to jane@example.com',
      target_text: 'mot owner_id, mot mot mot jane@example.com',
    });
  });

  test('is not sent if it has no other words, and stays as it is', async () => {
    engine.reply = () => [];
    const segments = await translateParagraph(run('MAX_SIZE (2)'));
    expect(engine.asked).toEqual([]);
    expect(segments).toEqual([
      expect.objectContaining({
        target_text: 'MAX_SIZE (2)',
        quality: expect.objectContaining({ issues: [] }),
      }),
    ]);
  });

  test('has placeholders as tags, and a note of what they stand for', async () => {
    engine.reply = ({ segments }) => segments.map((text) => text.replace('<1/> of <2/>', '<2/> dont <1/>'));
    const file = new File(['{"a": "{done} of {total} files", "b": "%s"}'], 'en.json');
    const { body: job } = await mine.send({ source_document: file, wait: 'true' });
    expect(engine.asked.map(({ segments, notes }) => [segments, notes])).toEqual([
      [['<1/> of <2/> files'], ['tags: <1/> {done}, <2/> {total}; key a']],
    ]);
    const targets = (await mine.segments(job.id)).segments.map(
      ({ target_text }: { target_text: string }) => target_text,
    );
    expect(targets).toEqual(['{total} dont {done} files']);
  });

  test('is sent again with them, if a tag is lost', async () => {
    engine.reply = ({ segments: [text] }) => [text!.includes('owner_id') ? 'Mets owner_id' : 'Mets'];
    const [segment] = await translateParagraph(run('Set owner_id'));
    expect(engine.asked.map(({ segments }) => segments)).toEqual([['Set <1/>'], ['Set owner_id']]);
    expect(segment).toMatchObject({ target_text: 'Mets owner_id' });
  });

  test('has an issue for each word that the second translation lacks, too', async () => {
    engine.reply = () => ['Mets tout'];
    const [segment] = await translateParagraph(run('Set owner_id at https://example.com'));
    expect(segment).toMatchObject({
      target_text: 'Mets tout',
      quality: {
        issues: [
          expect.objectContaining({ severity: 'major', span: 'owner_id' }),
          expect.objectContaining({ severity: 'major', span: 'https://example.com' }),
        ],
      },
    });
  });

  test('is not emptied if both replies are unusable, and is flagged', async () => {
    engine.reply = () => ['Mets </1> ici'];
    const [segment, ...others] = await translateParagraph(run('Set owner_id in ') + link(run('the form')));
    expect(segment).toMatchObject({ target_text: 'Mets  ici' });
    expect(segment!['quality']).toMatchObject({
      issues: [
        { severity: 'major', explanation: expect.stringContaining('tags') },
        { severity: 'major', span: 'owner_id' },
      ],
    });
    expect(others).toEqual([]);
  });
});
