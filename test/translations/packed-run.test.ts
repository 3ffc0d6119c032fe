import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stubEngine } from '#server/platform/engines/stub.ts';
import { newId } from '#server/platform/ids.ts';
import type { HumanReviewTrigger, ToolTrace } from '#server/translation/core/agent-run-schema.ts';
import { type RunResult, runPipeline } from '#server/translation/core/pipeline/text-run.ts';
import { type RunFields, readGate, readRun, storedRun } from '#server/translation/texts/packed-run.ts';
import { translationRequest } from '#server/translation/texts/schema.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { openWorkspace } from './workspace.ts';

const request = translationRequest.parse({ source_text: 'A text.', target_lang: 'fr' });

const fieldsOf = ({ agentRun, ...result }: RunResult): RunFields => ({
  baseline_translation: result.baseline_translation,
  final_translation: result.final_translation,
  quality_assessment: result.quality_assessment,
  refinement: result.refinement,
  verification: result.verification,
  agent_run: agentRun,
});

const stubRun = async () => fieldsOf(await runPipeline(stubEngine, request, { tenantId: 'bench' }));

/** Stores a run in columns and reads it again, through JSON as in the database. */
function roundTrip(fields: RunFields) {
  const stored = storedRun({ ...fields, request });
  const columns = JSON.parse(JSON.stringify(stored)) as typeof stored;
  return {
    stored,
    read: readRun({ ...columns, finalTranslation: fields.final_translation }, request),
    gate: readGate(columns.agentRun.quality_gate, columns.packedRun),
  };
}

/** A value as JSON returns it. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const score = fc.oneof(fc.constantFrom(92, 100, 85), fc.double({ min: 0, max: 100, noNaN: true }));
const words = fc.oneof(text, fc.constantFrom('', 'no repair was needed', 'passed, score 92'));
type Issue = NonNullable<RunFields['verification']>['issues'][number];
const issue: fc.Arbitrary<Issue> = fc.record({
  severity: fc.constantFrom('minor', 'major'),
  category: fc.constant('style'),
  span: fc.option(text),
  explanation: text,
  suggestion: fc.option(text),
});
const none = <T>() => fc.constant<T[]>([]);
const issues: fc.Arbitrary<Issue[]> = fc.oneof(
  { weight: 3, arbitrary: none<Issue>() },
  fc.array(issue, { maxLength: 2 }),
);
const moment = fc.oneof(
  fc.integer({ min: 0, max: 2 ** 45 }).map((ms) => new Date(ms).toISOString()),
  fc.constant('2026-11-24T10:00:00Z'),
);
const id = fc.oneof(fc.constant(0).map(newId), text, fc.constant('0'.repeat(24) + 'f'.repeat(8)));
const openObject = fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
const optional = { noNullPrototype: true, requiredKeys: [] as never[] };
const step = fc.record(
  {
    id,
    name: fc.oneof(
      fc.constantFrom(
        'baseline',
        'quality_assessment',
        'verification',
        'quality_gate',
        'fast_path',
        'repair',
      ),
      text,
    ),
    actor: fc.oneof(fc.constantFrom('translator', 'refiner', 'quality_judge'), text),
    kind: fc.constantFrom('agent' as const, 'system' as const, 'tool' as const, 'human' as const),
    status: fc.constantFrom('completed' as const, 'failed' as const, 'running' as const),
    input_summary: fc.option(words),
    output_summary: fc.option(words),
    tool_calls: none<ToolTrace>(),
    decisions: fc.array(
      fc.record({
        ...{ id, label: text, outcome: text, rationale: fc.option(text) },
        ...{ confidence: fc.option(score), created_at: moment },
      }),
      { maxLength: 2 },
    ),
    error: fc.option(text),
    started_at: moment,
    completed_at: fc.option(moment),
    metadata: fc.oneof(openObject, fc.constant({ models: [], input_tokens: 0, output_tokens: 0 })),
  },
  {
    noNullPrototype: true,
    requiredKeys: [
      ...([
        'id',
        'name',
        'actor',
        'kind',
        'status',
        'input_summary',
        'output_summary',
        'tool_calls',
      ] as const),
      ...(['decisions', 'error', 'started_at', 'completed_at'] as const),
    ],
  },
);
const gate = fc.record({
  decision: fc.constantFrom('pass' as const, 'pass' as const, 'needs_human' as const),
  score,
  threshold: score,
  triggers: fc.oneof(
    { weight: 4, arbitrary: none<HumanReviewTrigger>() },
    fc.constant<HumanReviewTrigger[]>([{ code: 'risk_flag' as const, severity: 'warning' as const }]),
  ),
  reasons: fc.array(text, { maxLength: 1 }),
  metadata: fc
    .record({ assessment_score: fc.option(score), repaired: fc.boolean() }, optional)
    .chain((known) => openObject.map((more) => ({ ...more, ...known }))),
});
const run: fc.Arbitrary<RunFields> = fc.record({
  baseline_translation: fc.option(words),
  final_translation: fc.option(words),
  quality_assessment: fc.option(
    fc.record(
      { score, issues, summary: words, model: fc.option(text) },
      { requiredKeys: ['score', 'issues', 'summary'] },
    ),
  ),
  refinement: fc.option(
    fc.record({ score, issues, applied: fc.boolean(), rounds: fc.nat(3), summary: words }),
  ),
  verification: fc.option(fc.record({ score, issues, passed: fc.boolean(), summary: words })),
  agent_run: fc.record({
    status: fc.constantFrom('completed' as const, 'completed' as const, 'failed' as const),
    steps: fc.array(step, { maxLength: 4 }),
    quality_gate: gate,
    human_review_task: fc.constant(null),
    error: fc.constant(null),
  }),
});

describe('a stored run', () => {
  test('is the same when it is read, whatever it contains', () => {
    fc.assert(
      fc.property(run, (fields) => {
        const { read, gate } = roundTrip(fields);
        expect(read).toEqual(plain(fields));
        expect(gate).toEqual(plain(fields.agent_run.quality_gate));
      }),
      { numRuns: 2000 },
    );
  });

  test('takes few bytes if it is the usual one', async () => {
    const fields = await stubRun();
    const { stored, read } = roundTrip(fields);
    expect(read).toEqual(plain(fields));
    expect(stored.packedRun?.length).toBeLessThan(160);
    expect(stored).toMatchObject({
      agentRun: { steps: [], quality_gate: null },
      ...{ baselineTranslation: null, qualityAssessment: null, refinement: null, verification: null },
    });
  });

  test('keeps judgements with issues in their columns, where SQL searches them', async () => {
    const fields = await stubRun();
    const found = {
      severity: 'minor',
      category: 'style',
      span: null,
      explanation: 'x',
      suggestion: null,
    } as const;
    const verification = { ...fields.verification!, issues: [found] };
    const { stored, read, gate } = roundTrip({ ...fields, verification });
    expect(stored).toMatchObject({ verification, refinement: null });
    expect(read).toEqual(plain({ ...fields, verification }));
    expect(gate).toEqual(plain(fields.agent_run.quality_gate));
  });

  test.each([
    ['waits for a review', { decision: 'needs_human' as const }],
    [
      'has a reason for a review',
      { triggers: [{ code: 'risk_flag' as const, severity: 'warning' as const }] },
    ],
  ])('is not packed if it %s', async (_what, change) => {
    const fields = await stubRun();
    const quality_gate = { ...fields.agent_run.quality_gate!, ...change };
    const changed = { ...fields, agent_run: { ...fields.agent_run, quality_gate } };
    const { stored } = roundTrip(changed);
    expect(stored).toMatchObject({ packedRun: null, agentRun: changed.agent_run });
  });

  test('cannot be read in a format of a later version', () => {
    expect(() => readGate(null, '[2]')).toThrow('the format 2 of a packed run is not known');
  });
});

const operatorKey = 'the-operator-key-of-this-deployment';
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey } });

test('a packed job has the bytes in responses that it would have if its columns contained everything', async () => {
  const { submit, get, list, tenantId, admin } = await openWorkspace(app);
  const { body: job } = await submit({
    source_text: 'Hello',
    target_lang: 'fr',
    metadata: { b: { z: null, a: 1 } },
  });
  const sql = openSuperuser(app.superuserUrl);
  const operator = { ...admin, 'x-api-key': operatorKey };
  const asText = async () => JSON.stringify([(await get(job.id, operator)).body, await list()]);
  const packed = await asText();
  const [row] = await sql`select * from translation_jobs where tenant_id = ${tenantId}`;
  expect(row).toMatchObject({
    baseline_translation: null,
    quality_assessment: null,
    packed_run: expect.any(String),
  });
  // The columns as before packing.
  const { request, baseline_translation, quality_assessment, refinement, verification, agent_run } = (
    await get(job.id, operator)
  ).body;
  const { golden_uri: _, ...metadata } = request.metadata;
  const json = (value: unknown) => sql.json(value as never);
  await sql`update translation_jobs set packed_run = null, baseline_translation = ${baseline_translation},
    request = ${json({ ...request, metadata })}, quality_assessment = ${json(quality_assessment)},
    refinement = ${json(refinement)}, verification = ${json(verification)}, agent_run = ${json(agent_run)}
    where tenant_id = ${tenantId}`;
  expect(await asText()).toBe(packed);
});
