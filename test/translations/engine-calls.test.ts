import { beforeEach, describe, expect, test } from 'vitest';
import type { InlineContent } from '#server/formats/inline-content.ts';
import type { Engine, Judgement } from '#server/platform/engines/engine.ts';
import { translationRequest } from '#server/texts/schema.ts';
import { lookedUp } from '#server/translation/leverage/leverage.ts';
import { requestOfText, translateGroup } from '#server/translation/pipeline/group.ts';
import { RunError, runPipeline } from '#server/translation/pipeline/text-run.ts';
import { answered, engineOf } from '#test/setup/engine.ts';

const cat = 'The cat sleeps on the sofa.';
const rain = 'It rains in the mountains today.';
const french: Record<string, string> = {
  [cat]: 'Le chat dort sur le canapé.',
  [rain]: 'Il pleut en montagne aujourd’hui.',
};
const poor = 'Le chat dormait sous le lit.';

/** The calls of the engine: the role, and the texts, notes and issues that it got. */
const calls: unknown[][] = [];
const scores: Record<string, number> = { [poor]: 50 };
let replies: string[][];
const judged = (text = ''): Judgement => ({ score: scores[text] ?? 95, issues: [], summary: 'judged' });
const explanations = (issues: readonly { explanation: string }[]) => issues.map((one) => one.explanation);

const overrides: Partial<Engine> = {
  live: true,
  assess: async (_task, [text]) => {
    calls.push(['assess', text]);
    return answered(judged(text), 2);
  },
  assessEach: async ({ segments, notes }, candidate) => {
    calls.push(['assessEach', segments, candidate, notes]);
    return answered(candidate.map(judged), 2);
  },
  repair: async ({ segments, notes }, candidate, issues) => {
    calls.push(['repair', segments, candidate, notes, explanations(issues)]);
    return answered(replies.shift() ?? [...candidate], 3);
  },
  compare: async (_task, candidates) => {
    calls.push(['compare', ...candidates.flat()]);
    return answered({ winner: candidates.findIndex(([text]) => text === poor), rationale: 'it is short' }, 4);
  },
  verify: async (_task, [text]) => {
    calls.push(['verify', text]);
    return answered({ ...judged(text), passed: true }, 5);
  },
};

describe('the calls for a text', () => {
  const engine = engineOf(async ({ segments }, _scope, model) => {
    calls.push(['translate', model, ...segments]);
    if (model === 'away') throw new Error('the model is away');
    return answered([model ? poor : french[cat]!], 1);
  }, overrides);
  const run = (metadata: object) =>
    runPipeline(
      engine,
      translationRequest.parse({ source_text: cat, source_lang: 'en', target_lang: 'fr', metadata }),
      { tenantId: 'tenant' },
    );
  const cost = (tokens: number) => ({ models: ['model'], input_tokens: tokens, output_tokens: tokens });

  test('are recorded as steps, in this order', async () => {
    replies = [['Le chat dort.'], [french[cat]!]];
    calls.length = 0;
    scores['Le chat dort.'] = 40;
    const { agentRun, cost: total } = await run({ candidate_models: ['away', 'second'], debate_rounds: 2 });
    expect(calls).toEqual([
      ['translate', undefined, cat],
      ['translate', 'away', cat],
      ['translate', 'second', cat],
      ['compare', french[cat], poor],
      ['compare', poor, french[cat]],
      ['assess', poor],
      ['repair', [cat], [poor], undefined, []],
      ['assess', 'Le chat dort.'],
      ['repair', [cat], [poor], undefined, []],
      ['assess', french[cat]],
      ['verify', french[cat]],
    ]);
    expect(
      agentRun.steps.map(({ name, actor, kind, status, input_summary, output_summary }) =>
        [name, actor, kind, status, input_summary, output_summary].join(' | '),
      ),
    ).toEqual([
      'baseline | translator | agent | completed | en to fr | baseline translation',
      'candidate | translator | agent | failed | the same text, another model | ',
      'candidate | translator | agent | completed | the same text, another model | candidate translation',
      'debate | refiner | agent | completed | 2 candidates, 2 rounds | candidate 2 is kept',
      "quality_assessment | quality_judge | agent | completed | translation | score 50, 0 findings of the service's checks",
      'repair | refiner | agent | completed | round 1, 0 issues | 1 of 1 segments changed',
      "reassessment | quality_judge | agent | completed | repaired translation | score 40, 0 findings of the service's checks",
      'repair | refiner | agent | completed | round 2, 0 issues | 1 of 1 segments changed',
      "reassessment | quality_judge | agent | completed | repaired translation | score 95, 0 findings of the service's checks",
      'verification | verifier | agent | completed | final translation | passed, score 95',
      'quality_gate | review_gate_agent | system | completed | scores and policy | pass',
    ]);
    expect(agentRun.steps.map(({ metadata }) => metadata)).toEqual([
      cost(1),
      { asked_model: 'away', failure: expect.any(Object) },
      { asked_model: 'second', failure: undefined, ...cost(1) },
      {
        rounds: [cost(4), cost(4)],
        wins: [0, 2],
        losers: [{ model: null, translations: [french[cat]] }],
      },
      ...[2, 3, 2, 3, 2, 5].map(cost),
      undefined,
    ]);
    expect(agentRun.quality_gate).toMatchObject({
      decision: 'pass',
      reasons: [],
      metadata: { repaired: true },
    });
    expect(total).toEqual({ models: ['model'], inputTokens: 27, outputTokens: 27 });
  });

  test('that fail end the run, which keeps its steps', async () => {
    const error = await run({ primary_model: 'away' }).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(RunError);
    expect(error).toMatchObject({
      cause: { message: 'the model is away' },
      steps: [{ name: 'baseline', status: 'failed', output_summary: null }],
    });
  });
});

describe('the calls for a group of segments', () => {
  const translations: Record<string, string> = { ...french, [cat]: poor };
  let lost: string[];
  const engine = engineOf(async ({ segments, notes, hasTags, contextBefore }, _scope, model) => {
    calls.push(['translate', segments, notes, hasTags, contextBefore, model]);
    return answered(segments.map((text) => translations[text] ?? lost.shift() ?? text));
  }, overrides);
  const request = {
    ...{ source_lang: 'en', target_lang: 'fr', domain: 'medical', tone: null, gender: null },
    ...{ text_type: 'Plain' as const, metadata: {} },
  };
  const link: InlineContent = [
    'See ',
    { tag: 1, type: 'open' },
    'the page',
    { tag: 1, type: 'close' },
    ' of owner_id.',
  ];
  const segment = (
    source: InlineContent,
    { context = null, most }: { context?: string | null; most?: number } = {},
  ) => ({
    ...{ source, before: 'Before.', context, variant: null },
    limits: most === undefined ? [] : [{ maxLength: most, lengthUnit: null }],
  });
  async function translate(texts: ReturnType<typeof segment>[]) {
    const keys = texts.flatMap((text) => [...lookedUp(requestOfText(request, text), undefined).keys()]);
    const exact = new Map(keys.map((key) => [key, undefined] as const));
    const guidance = { pairs: new Set<string>(), glossaries: null, styles: new Map() };
    const found = {
      exact,
      ...guidance,
      reviewsInstructions: false,
      reviewsSentences: false,
      redaction: null,
      placeholders: [],
      segmentation: undefined,
    };
    const group = { request, texts, found };
    const { translations } = await translateGroup(
      { engine } as never,
      { tenantId: 'tenant' },
      group,
      () => {},
    );
    return translations.map(({ translation: { targetText, score, needsReview, issues } }) => [
      ...[targetText, score, needsReview],
      explanations(issues),
    ]);
  }
  beforeEach(() => {
    calls.length = 0;
    replies = [];
  });

  test('ask once more for lost tags, judge all with words, and repair and judge those in doubt once', async () => {
    lost = ['Voir la page.', 'Voir <1>la page de owner_id.'];
    replies = [['Voir <1>la page</1> de owner_id.', french[cat]!]];
    const translated = await translate([
      segment(link, { context: 'key: link' }),
      segment([cat]),
      segment(['owner_id']),
      segment([rain], { most: 40 }),
    ]);
    const tagged = 'See <1>the page</1> of owner_id.';
    const placed = 'Voir <1>la page</1> de owner_id.';
    expect(calls).toEqual([
      [
        'translate',
        ['See <1>the page</1> of <2/>.', cat, rain],
        ['key: link', null, 'at most 40 characters'],
        ...[true, 'Before.', undefined],
      ],
      ['translate', [tagged], ['key: link'], true, 'Before.', undefined],
      [
        'assessEach',
        [tagged, cat, rain],
        [expect.stringMatching(/^Voir .*<1>.*<\/1>/), poor, french[rain]],
        ['key: link', null, 'at most 40 characters'],
      ],
      [
        'repair',
        [tagged, cat],
        [expect.stringMatching(/^Voir .*<1>.*<\/1>/), poor],
        ['key: link', null],
        ['the translation came without the inline tags of the segment, and their positions are guessed'],
      ],
      ['assessEach', [tagged, cat], [placed, french[cat]], ['key: link', null]],
    ]);
    expect(translated).toEqual([
      ['Voir la page de owner_id.', 95, false, []],
      [french[cat], 95, false, []],
      ['owner_id', 100, false, []],
      [french[rain], 95, false, []],
    ]);
  });

  test('shorten a text that is too long, and judge no repair that changes nothing', async () => {
    const long = 'the text has 13 characters more than the 20 that can be read';
    expect(await translate([segment([rain], { most: 20 })])).toEqual([[french[rain], 95, false, [long]]]);
    const note = ['at most 20 characters'];
    expect(calls).toEqual([
      ['translate', [rain], note, false, 'Before.', undefined],
      ['assessEach', [rain], [french[rain]], note],
      ['repair', [rain], [french[rain]], note, [long]],
    ]);
  });
});
