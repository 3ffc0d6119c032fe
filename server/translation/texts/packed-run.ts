import { idAfter } from '#server/platform/ids.ts';
import type { AgentRun, AgentStep, QualityGate } from '#server/translation/core/agent-run-schema.ts';
import type { TranslationJob } from './schema.ts';

/*
 * Versions before 1.0.0 stored the run of a text that was published automatically as its differences from an expected
 * run, in the column `packed_run`. This file reads these rows. They depend on the expected values in it.
 */
const version = 1;

/** The fields of a job that a run sets. */
export type RunFields = Pick<
  TranslationJob,
  | 'baseline_translation'
  | 'final_translation'
  | 'quality_assessment'
  | 'refinement'
  | 'verification'
  | 'agent_run'
>;

type Languages = Pick<TranslationJob['request'], 'source_lang' | 'target_lang'>;

type Fields = Record<string, unknown>;

/** The difference of an object from an expected one: 0 without a difference, else its other fields and those it lacks. */
type Difference = 0 | [changed: Fields] | [changed: Fields, missing: string[]];

/** A judgement: null if the job has none, 'column' if it is in its column, else its difference. */
type PackedJudgement = null | 'column' | Difference;

/**
 * A step: the place of its name in `stepNames`, or its name; milliseconds from the time of the first step's ID to its
 * start, and from there to its end; its difference from the expected step.
 */
type PackedStep = [name: number | string, start: number | null, end: number | null, difference?: Difference];

type Packed = [
  version: typeof version,
  firstId: string,
  steps: PackedStep[],
  gate: Difference,
  assessment: PackedJudgement,
  refinement: PackedJudgement,
  verification: PackedJudgement,
];

/** A packed run in the column `agent_run`. */
const emptyPackedRun: AgentRun = {
  status: 'completed',
  steps: [],
  quality_gate: null,
  human_review_task: null,
  error: null,
};

/** The columns of a row from which a run is read. The JSON columns are untyped. */
export interface RunColumns {
  packedRun: string | null;
  agentRun: unknown;
  qualityAssessment: unknown;
  refinement: unknown;
  verification: unknown;
  baselineTranslation: string | null;
  finalTranslation: string | null;
}

/** Returns the fields of a job from its columns. */
export function readRun(row: RunColumns, request: Languages): RunFields {
  const fields: RunFields = {
    baseline_translation: row.baselineTranslation,
    final_translation: row.finalTranslation,
    quality_assessment: row.qualityAssessment as RunFields['quality_assessment'],
    refinement: row.refinement as RunFields['refinement'],
    verification: row.verification as RunFields['verification'],
    agent_run: row.agentRun as AgentRun,
  };
  if (row.packedRun === null) return fields;
  const packed = readPacked(row.packedRun);
  const [, firstId, steps] = packed;
  const judged = unpackJudgements(packed, fields);
  const job = { ...judged, request };
  return {
    ...judged,
    baseline_translation: row.baselineTranslation ?? row.finalTranslation,
    agent_run: {
      ...emptyPackedRun,
      steps: steps.map((step, index) => unpackStep(step, idAfter(firstId, index), firstId, job)),
      quality_gate: unpackGate(packed),
    },
  };
}

/** Returns the gate of a run from its columns: `gate` is that of `agent_run`. */
export function readGate<G>(gate: G | null, packedRun: string | null): G | QualityGate | null {
  return packedRun === null ? gate : unpackGate(readPacked(packedRun));
}

/** @throws Error for a version that a later version of the service has written */
function readPacked(json: string): Packed {
  const packed = JSON.parse(json) as Packed;
  if (packed[0] !== version) throw new Error(`the format ${packed[0]} of a packed run is not known`);
  return packed;
}

type Judgements = Pick<RunFields, 'quality_assessment' | 'refinement' | 'verification'>;

/** Returns the fields with the judgements that are packed. */
function unpackJudgements<F extends Judgements>(packed: Packed, fields: F): F {
  const [, , , , assessment, refinement, verification] = packed;
  const unpack = <T>(value: PackedJudgement, expected: Fields, column: T): T =>
    value === 'column' ? column : value === null ? (null as T) : (changed(expected, value) as T);
  const packedAssessment = unpack<Judgements['quality_assessment']>(assessment, expectedAssessment, null);
  return {
    ...fields,
    quality_assessment: assessment === 'column' ? fields.quality_assessment : packedAssessment,
    refinement: unpack(refinement, expectedRefinement(packedAssessment), fields.refinement),
    verification: unpack(verification, expectedVerification(packedAssessment), fields.verification),
  };
}

const expectedAssessment = { score: 100, issues: [], summary: '', model: null };

/** @param assessment null if it is in its column, because lists do not read it */
function expectedRefinement(assessment: Judgements['quality_assessment']): Fields {
  const score = assessment?.score ?? 100;
  return { score, issues: [], applied: false, rounds: 0, summary: 'no repair was needed' };
}

function expectedVerification(assessment: Judgements['quality_assessment']): Fields {
  return {
    score: assessment?.score ?? 100,
    issues: [],
    passed: true,
    summary: assessment?.summary ?? '',
  };
}

/** Expects the scores of the packed judgements only, so that the gate can be read without the other columns. */
function expectedGate({
  quality_assessment: assessment,
  verification,
}: Omit<Judgements, 'refinement'>): Fields {
  return {
    decision: 'pass',
    score: verification?.score ?? 100,
    threshold: 85,
    triggers: [],
    reasons: [],
    metadata: {
      repaired: false,
      risk_flags: [],
      trigger_codes: [],
      assessment_score: assessment?.score ?? null,
      terminology_gate: null,
      verification_score: verification?.score ?? null,
      verification_passed: verification?.passed ?? null,
    },
  };
}

function unpackGate(packed: Packed): QualityGate {
  const [, , , gate] = packed;
  const judged = unpackJudgements(packed, { quality_assessment: null, refinement: null, verification: null });
  const unpacked = changed(expectedGate(judged), gate) as QualityGate;
  return { ...unpacked, metadata: inJsonOrder(unpacked.metadata) as Fields };
}

/** The names of expected steps, with their actors and inputs. */
const stepNames = [
  ['baseline', 'agent', 'translator', ''],
  ['quality_assessment', 'agent', 'quality_judge', 'translation'],
  ['verification', 'agent', 'verifier', 'final translation'],
  ['quality_gate', 'system', 'review_gate_agent', 'scores and policy'],
  ['fast_path', 'system', 'memory_agent', 'glossary and memory'],
  ['leverage', 'tool', 'memory_agent', 'glossary and memory'],
  ['reassessment', 'agent', 'quality_judge', 'repaired translation'],
  ['repair', 'agent', 'refiner', ''],
  ['debate', 'agent', 'refiner', ''],
] as const;

function expectedStep(
  name: number | string,
  id: string,
  { request, quality_assessment: assessment, verification }: Judgements & { request: Languages },
): Fields {
  const [known, kind, actor, input] = (typeof name === 'number' && stepNames[name]) || [
    name,
    'agent',
    '',
    '',
  ];
  const summaries: Partial<Record<string, [input: string, output: string]>> = {
    baseline: [`${request.source_lang} to ${request.target_lang}`, 'baseline translation'],
    quality_assessment: [input, `score ${assessment?.score}, 0 findings of the service's checks`],
    verification: [input, `passed, score ${verification?.score}`],
    quality_gate: [input, 'pass'],
  };
  // A step may have any name, also one of a function that every object has.
  const [input_summary, output_summary] = (Object.hasOwn(summaries, known) && summaries[known]) || [
    input,
    '',
  ];
  return {
    id,
    name: known,
    actor,
    kind,
    status: 'completed',
    input_summary,
    output_summary,
    tool_calls: [],
    decisions: [],
    error: null,
    ...(kind === 'agent' && { metadata: { models: [], input_tokens: 0, output_tokens: 0 } }),
  };
}

function unpackStep(
  [name, start, end, difference = 0]: PackedStep,
  id: string,
  firstId: string,
  job: Judgements & { request: Languages },
): AgentStep {
  const began = timeOf(firstId) + (start ?? 0);
  const step = {
    ...(start !== null && { started_at: new Date(began).toISOString() }),
    ...(end !== null && { completed_at: new Date(began + end).toISOString() }),
    ...changed(expectedStep(name, id, job), difference),
  } as AgentStep;
  return step.metadata ? { ...step, metadata: inJsonOrder(step.metadata) as Fields } : step;
}

/** Returns the time in an ID (`newId`), in milliseconds since the epoch; 0 for other IDs. */
function timeOf(id: string): number {
  return /^[0-9a-f]{32}$/.test(id) ? Number.parseInt(id.slice(0, 12), 16) : 0;
}

function changed(expected: Fields, difference: Difference): Fields {
  if (difference === 0) return expected;
  const [fields, missing] = difference;
  const entries = Object.entries({ ...expected, ...fields });
  return Object.fromEntries(missing ? entries.filter(([key]) => !missing.includes(key)) : entries);
}

/** Returns a value with the keys of all objects in the order in which PostgreSQL's `jsonb` returns them. */
function inJsonOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inJsonOrder);
  const entries = Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .map(([key, one]) => ({ key, bytes: Buffer.from(key), one }));
  entries.sort((a, b) => a.bytes.length - b.bytes.length || Buffer.compare(a.bytes, b.bytes));
  return Object.fromEntries(entries.map(({ key, one }) => [key, inJsonOrder(one)]));
}
