import { beforeEach, describe, expect, test } from 'vitest';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { answered } from '#test/setup/engine.ts';
import { type Documents, openDocuments, recordingEngine } from './workspace.ts';

const french: Record<string, string> = {
  'The cat sleeps on the sofa.': 'Le chat dort sur le canapé.',
  'It rains in the mountains today.': 'Il pleut en montagne aujourd’hui.',
};
const [cat, rain] = Object.keys(french) as [string, string];
const poor = 'Le chat dormait sous le lit.';

/** The scores of the judge for each translation, and the results of repairs. */
let scores: Record<string, number>;
let repaired: string;
const repairs: { segments: readonly string[]; candidate: readonly string[] }[] = [];
const engine = recordingEngine({
  live: true,
  assessEach: async (_task, candidate) =>
    answered(candidate.map((text) => ({ score: scores[text] ?? 95, issues: [], summary: 'judged' }))),
  repair: async ({ segments }, candidate) => {
    repairs.push({ segments, candidate });
    return answered(segments.map(() => repaired));
  },
});
const app = useTestApp({ env, engine });

let mine: Documents;
beforeEach(async () => {
  engine.reset();
  repairs.length = 0;
  scores = { [poor]: 50 };
  repaired = french[cat]!;
  engine.reply = ({ segments }) => segments.map((text) => (text === cat ? poor : french[text]!));
  mine = await openDocuments(app);
});

describe('a translation in doubt', () => {
  test('is repaired once, and the others are left alone', async () => {
    const { id } = await mine.translate([cat, rain]);
    expect(repairs).toEqual([{ segments: [cat], candidate: [poor] }]);
    const { segments } = await mine.segments(id);
    expect(segments.map((one: Record<string, unknown>) => [one['target_text'], one['quality']])).toEqual([
      [french[cat], { score: 95, needs_review: false, issues: [] }],
      [french[rain], { score: 95, needs_review: false, issues: [] }],
    ]);
    expect(segments[0].provenance).toEqual({ engine: 'model' });
  });

  test('one that was not translated at all is found, whatever its score is', async () => {
    engine.reply = ({ segments }) => [...segments];
    repaired = rain;
    const { id, quality_report } = await mine.translate([rain]);
    expect(repairs).toHaveLength(1);
    const { segments } = await mine.segments(id, '?flagged=true');
    expect(segments).toEqual([
      expect.objectContaining({
        target_text: rain,
        quality: {
          score: 95,
          needs_review: true,
          issues: [expect.objectContaining({ severity: 'critical' })],
        },
      }),
    ]);
    expect(quality_report.findings).toContainEqual(expect.objectContaining({ code: 'low_segment_quality' }));
  });
});

describe('a subtitle that is too long for its time', () => {
  const source = 'It rains.';
  const long = 'Il pleut aujourd’hui dans toutes les montagnes.';
  const srt = `1\n00:00:01,000 --> 00:00:02,000\n${source}\n`;
  const translate = async (reply: string, fields = {}) => {
    repaired = reply;
    engine.reply = ({ segments }) => segments.map(() => long);
    const file = new File([srt], 'film.srt');
    const { status, body } = await mine.send({ source_document: file, wait: 'true', ...fields });
    expect([status, body.detail]).toEqual([200, undefined]);
    return {
      body,
      text: await (await mine.download(body.id)).text(),
      findings: body.quality_report.findings
        .filter(({ code }: { code: string }) => code === 'text_too_long')
        .map(({ message }: { message: string }) => message),
    };
  };

  test('is shortened once by the model, which gets the limit', async () => {
    const { text, findings } = await translate('Il pleut.');
    expect(engine.asked.map(({ notes }) => notes)).toEqual([['at most 21 characters']]);
    expect(repairs).toEqual([{ segments: [source], candidate: [long] }]);
    expect([text, findings]).toEqual([srt.replace(source, 'Il pleut.'), []]);
  });

  test('has a finding if the shorter one is still too long', async () => {
    const { text, findings } = await translate('Il pleut maintenant en montagne.');
    expect(repairs).toHaveLength(1);
    expect([text, findings]).toEqual([
      srt.replace(source, 'Il pleut maintenant en montagne.'),
      ['line 3: 32 characters a second are too fast to read; at most 21 can be read'],
    ]);
  });

  test('is not shortened if a request allows more characters', async () => {
    const { body, text, findings } = await translate('no', { reading_speed: '60', line_length: '50' });
    expect(body.request).toMatchObject({ reading_speed: 60, line_length: 50 });
    expect([repairs, findings, text]).toEqual([[], [], srt.replace(source, long)]);
  });

  test('of a wrong repair, the first translation stays', async () => {
    scores['Non.'] = 20;
    const { text } = await translate('Non.');
    expect(text.replaceAll('\n', ' ')).toContain(long);
  });
});
