import type { TermRow } from '#server/matching/terms/glossary.ts';
import type { ExpectedTerm, TermCompliance } from '#server/matching/terms/index.ts';
import type { CallScope, Engine } from '#server/platform/engines/engine.ts';
import type {
  AgentRun,
  AgentStep,
  QualityAssessment,
  QualityGate,
  Refinement,
  VerificationResult,
} from '../agent-run-schema.ts';
import { gatherLeverage, type Leverage, noLeverage } from '../leverage/leverage.ts';
import { findTerms, type TermsInText, termGate } from '../leverage/terms.ts';
import { riskFlags } from '../plausibility/index.ts';
import type { TextRequest } from '../request.ts';
import { assessCandidate, inspectNothing, inspectorOf, verifyFinal } from './assess.ts';
import { debateCandidates, translateBaseline } from './candidates.ts';
import { type FastPath, takeFastPath } from './fast-path.ts';
import {
  asksForReview,
  decideFastPathGate,
  decideGate,
  openReviewTask,
  readQualityOptions,
} from './quality-gate.ts';
import { type Repaired, repairDelta, repairLoop } from './repair.ts';
import { joinSegments, readSourceText } from './source-text.ts';
import { type RunCost, recordStep, type StepDeps } from './step.ts';

/** Limits of what is stored with each job: entries of a list, UTF-16 units of a list, targets of a term. */
const most = { listed: 200, units: 40_000, targets: 20 };

/**
 * What the pipeline writes into request.metadata (B 2.6): the terms it found, the translation's compliance with them, and the provenance of a
 * served text. Null for nothing.
 */
export function writtenMetadata(
  terms: TermsInText | null,
  compliance: TermCompliance | null,
  fastPath: FastPath | null,
): Record<string, unknown> | null {
  const hasTerms = terms !== null && terms.matches.length > 0;
  const entries = entriesOf(terms, fastPath);
  const written = {
    ...(hasTerms && { terminology_matches: matchesOf(terms) }),
    ...(entries.length > 0 && { terminology_entries: entries }),
    ...(compliance && hasTerms && { terminology_gate: termGate(compliance) }),
    ...(fastPath && { provenance: { fast_path: fastPath.name, ...fastPath.provenance } }),
  };
  return Object.keys(written).length === 0 ? null : written;
}

function matchesOf({ expected }: TermsInText) {
  return fitting(expected.map(matchView), (match) => [match.source_term, ...match.target_terms]);
}

/** The served entry first, which may not be among the winners, then the winning entry of each match. */
function entriesOf(terms: TermsInText | null, fastPath: FastPath | null) {
  const winners = (terms?.matches ?? []).map(({ entries: [winner] }) => winner);
  const entries = new Set([...(fastPath?.entry ? [fastPath.entry] : []), ...winners]);
  return fitting([...entries].map(entryView), (entry) => [
    entry.source_term,
    entry.target_term,
    entry.set_name,
  ]);
}

/** The first entries that fit the limits. A term is left out, not clipped, since a reviewer's text is checked against it. */
function fitting<T>(all: readonly T[], textsOf: (one: T) => readonly string[]): T[] {
  const first = all.slice(0, most.listed);
  let units = 0;
  const end = first.findIndex((one) => {
    for (const text of textsOf(one)) units += text.length;
    return units > most.units;
  });
  return end < 0 ? first : first.slice(0, end);
}

function matchView(term: ExpectedTerm) {
  return {
    source_term: term.sourceTerm,
    target_terms: term.targetTerms.slice(0, most.targets),
    case_sensitive: term.caseSensitive,
    count: term.count,
  };
}

function entryView(entry: TermRow) {
  return {
    source_term: entry.sourceTerm,
    target_term: entry.targetTerm,
    case_sensitive: entry.caseSensitive,
    priority: entry.priority,
    set_id: entry.setId,
    set_name: entry.setName,
  };
}

/** What a finished run adds to its job. */
export interface RunResult {
  baseline_translation: string;
  final_translation: string;
  /** Null for a text that a fast path serves, as the next two. */
  quality_assessment: QualityAssessment | null;
  refinement: Refinement | null;
  verification: VerificationResult | null;
  status: 'published' | 'awaiting_review';
  agentRun: AgentRun;
  cost: RunCost;
  /** The fast path that served the text; null if it was translated. */
  fastPath: FastPath['name'] | null;
  /** What the pipeline adds to request.metadata; null for nothing. */
  metadata: Record<string, unknown> | null;
}

/** A failed run, with the steps that it recorded. The cause is the error. */
export class RunError extends Error {
  override name = 'RunError';
  readonly steps: AgentStep[];
  constructor(cause: unknown, steps: AgentStep[]) {
    super('the pipeline failed', { cause });
    this.steps = steps;
  }
}

/** The state of one run. */
interface Running {
  engine: Engine;
  request: TextRequest;
  scope: CallScope;
  leverage: Leverage;
  steps: AgentStep[];
  cost: RunCost;
}

/** Optional inputs of a run. */
interface RunParts {
  leverage?: Leverage;
  /** Called if the search for matches fails: the run goes on without them. */
  searchFailed?: (error: unknown) => void;
}

/**
 * The pipeline of B 3.1 for one text. A text that the glossary or the memory holds is served from there. Any other goes through baseline,
 * candidates, assessment, bounded repair, verification and the quality gate. Holds no transaction: it takes as long as its models do.
 * @throws RunError
 */
export async function runPipeline(
  engine: Engine,
  request: TextRequest,
  scope: CallScope,
  { leverage = noLeverage, searchFailed = () => {} }: RunParts = {},
): Promise<RunResult> {
  const steps: AgentStep[] = [];
  const cost: RunCost = { inputTokens: 0, outputTokens: 0, models: [] };
  try {
    const text = readSourceText(request);
    const terms = await findTerms(text, leverage.glossary, text.plain, scope.signal);
    const held = asksForReview(request);
    const fastPath = await takeFastPath(steps, { request, text, leverage, terms, held });
    const running: Running = { engine, request, scope, leverage, steps, cost };
    if (fastPath) return serve(running, terms, fastPath);
    return await translate(running, text, terms, searchFailed);
  } catch (error) {
    throw new RunError(error, steps);
  }
}

/** Serves the stored text without a translation call (B 8 rule 1). */
function serve({ request, steps, cost }: Running, terms: TermsInText | null, fastPath: FastPath): RunResult {
  const gate = decideFastPathGate(request, readQualityOptions(request.metadata).threshold, fastPath);
  return {
    ...endOf(gate, steps),
    baseline_translation: fastPath.translation,
    final_translation: fastPath.translation,
    quality_assessment: null,
    refinement: null,
    verification: null,
    cost,
    fastPath: fastPath.name,
    metadata: writtenMetadata(terms, fastPath.compliance, fastPath),
  };
}

async function translate(
  { engine, request, scope, leverage, steps, cost }: Running,
  text: ReturnType<typeof readSourceText>,
  terms: TermsInText | null,
  searchFailed: (error: unknown) => void,
): Promise<RunResult> {
  const options = readQualityOptions(request.metadata);
  const gathered = await gatherLeverage(steps, leverage, terms, {
    refused: leverage.exact,
    failed: searchFailed,
  });
  const { rebuild } = text;
  const task = { ...text.task, ...gathered };
  const inspect = engine.live ? inspectorOf(text) : inspectNothing;
  const deps: StepDeps = { engine, inspect, terms, scope, steps, cost };
  const baseline = await translateBaseline(deps, task, options.primaryModel);
  const candidate = await debateCandidates(deps, task, baseline, options);
  const assessment = await assessCandidate(deps, task, candidate, 'quality_assessment');
  const repaired = await repairLoop(deps, task, assessment, options);
  const final = repaired.best;
  const verification = await verifyFinal(deps, task, final.candidate);
  const gate = await recordStep(
    steps,
    { name: 'quality_gate', actor: 'review_gate_agent', kind: 'system', input: 'scores and policy' },
    () => {
      const value = decideGate({
        request,
        threshold: options.threshold,
        assessment,
        final,
        verification,
        repaired: repaired.applied,
        repairDelta: repairDelta(joinSegments(candidate), joinSegments(final.candidate)),
        compliance: final.compliance,
        risks: riskFlags({
          sourceText: joinSegments(task.segments),
          sourceLang: request.source_lang,
        }),
      });
      return { value, output: value.decision };
    },
  );
  const { candidate: _, compliance: __, ...judged } = assessment;
  return {
    ...endOf(gate, steps),
    baseline_translation: rebuild(baseline),
    final_translation: rebuild(final.candidate),
    quality_assessment: judged,
    refinement: describeRepair(repaired),
    verification,
    cost,
    fastPath: null,
    metadata: writtenMetadata(terms, final.compliance, null),
  };
}

/** The end of a run by its gate: published, or held with a task for a human. */
function endOf(gate: QualityGate, steps: AgentStep[]): Pick<RunResult, 'status' | 'agentRun'> {
  const passes = gate.decision === 'pass';
  return {
    status: passes ? 'published' : 'awaiting_review',
    agentRun: {
      status: 'completed',
      steps,
      quality_gate: gate,
      human_review_task: passes ? null : openReviewTask(gate),
      error: null,
    },
  };
}

function describeRepair({ best, rounds, applied }: Repaired): Refinement {
  const { score, issues } = best;
  if (rounds === 0) return { score, issues, applied, rounds, summary: 'no repair was needed' };
  const outcome = applied ? 'a repaired translation goes on' : 'no repair was better';
  return {
    score,
    issues,
    applied,
    rounds,
    summary: `${outcome} after ${rounds} ${rounds === 1 ? 'round' : 'rounds'} of repair`,
  };
}
