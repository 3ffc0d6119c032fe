import type { MemoryHit } from '#server/language/translation-memory/lookup/exact-match.ts';
import type { TermRow } from '#server/matching/terms/glossary.ts';
import type { ExpectedTerm, TermCompliance } from '#server/matching/terms/index.ts';
import { type CallScope, type Engine, engineFor } from '#server/platform/engines/engine.ts';
import type {
  AgentRun,
  AgentStep,
  QualityAssessment,
  Refinement,
  VerificationResult,
} from '../agent-run-schema.ts';
import { gatherLeverage, type Leverage, sentenceProvenance } from '../leverage/leverage.ts';
import { type TermsInText, termGate } from '../leverage/terms.ts';
import type { TextRequest } from '../request.ts';
import { type FastPath, takeFastPath } from './fast-path.ts';
import { type Translated, translateTexts } from './pipeline.ts';
import { textPolicy } from './policy.ts';
import { prepareText, withPlaceholders } from './prepared-text.ts';
import { decideGate, endOf } from './quality-gate.ts';
import { openRun, type RunCost } from './run.ts';

/** The fields that a finished run adds to its job. */
export interface RunResult {
  baseline_translation: string;
  final_translation: string;
  /** Null for a text that a fast path serves. The same is true of the next two fields. */
  quality_assessment: QualityAssessment | null;
  refinement: Refinement | null;
  verification: VerificationResult | null;
  status: 'published' | 'awaiting_review';
  agentRun: AgentRun;
  cost: RunCost;
  /** The fast path that served the text; null if a model translated it. */
  fastPath: FastPath['name'] | null;
  /** The TM segments of which the translation is made. */
  servedFrom: readonly MemoryHit[];
  /** Additions of the pipeline to request.metadata; null if it adds nothing. */
  metadata: Record<string, unknown> | null;
}

/** The error of a failed run, with the steps that the run recorded. `cause` is the original error. */
export class RunError extends Error {
  override name = 'RunError';
  readonly steps: AgentStep[];
  constructor(cause: unknown, steps: AgentStep[]) {
    super('the pipeline failed', { cause });
    this.steps = steps;
  }
}

/** The optional inputs of a run. */
interface RunParts {
  leverage?: Leverage;
  /** Called with the error if the search for matches fails; the run continues without matches. */
  searchFailed?: (error: unknown) => void;
}

/**
 * Runs the pipeline for one text. A text found in the glossary or TM is served from there.
 * @throws RunError
 */
export async function runPipeline(
  engine: Engine,
  request: TextRequest,
  scope: CallScope,
  { leverage, searchFailed = () => {} }: RunParts = {},
): Promise<RunResult> {
  const own = await engineFor(engine, scope).catch((error: unknown) => {
    throw new RunError(error, []);
  });
  const run = openRun(own, scope, textPolicy(request));
  const { policy, steps, cost } = run;
  try {
    if (leverage?.redaction !== undefined) engine.redaction?.begin(leverage.redaction, scope);
    const prepared = await withPlaceholders(await prepareText(request, leverage, scope.signal), scope);
    const { text, terms } = prepared;
    const fastPath = await takeFastPath(steps, prepared, scope, policy.rules.length > 0);
    if (fastPath)
      return {
        ...endOf(decideGate(policy, null, fastPath), steps),
        baseline_translation: fastPath.translation,
        final_translation: fastPath.translation,
        quality_assessment: null,
        refinement: null,
        verification: null,
        cost,
        fastPath: fastPath.name,
        servedFrom: fastPath.hit ? [fastPath.hit] : [],
        metadata: writtenMetadata(terms, fastPath.compliance, fastPath),
      };
    const gathered = await gatherLeverage(steps, prepared, searchFailed);
    const [done] = (await translateTexts(run, { ...text.task, ...gathered }, [prepared])) as [Translated];
    const metadata = writtenMetadata(terms, done.final.compliance, null, done.final.assembledFrom);
    const receipt = await engine.redaction?.receiptOf(text.task.segments, scope);
    return {
      ...endOf(done.gate, steps),
      baseline_translation: text.rebuild(done.baseline.translations),
      final_translation: text.rebuild(done.final.translations),
      quality_assessment: done.first.judgement,
      refinement: describeRepair(done),
      verification: done.verification,
      cost,
      fastPath: null,
      servedFrom: done.final.assembledFrom ?? [],
      metadata: receipt || metadata ? { ...metadata, ...(receipt && { redaction: receipt }) } : null,
    };
  } catch (error) {
    throw new RunError(error, steps);
  }
}

function describeRepair({ first, final, rounds }: Translated): Refinement {
  const { score, issues } = final.judgement;
  const applied = final !== first;
  const outcome = applied ? 'a repaired translation is used' : 'no repair improved the translation';
  const after = `${outcome} after ${rounds} ${rounds === 1 ? 'round' : 'rounds'} of repair`;
  return { score, issues, applied, rounds, summary: rounds === 0 ? 'no repair was needed' : after };
}

/**
 * Limits of the metadata that is stored with each job: entries in a list, UTF-16 units of a list, targets of a term.
 */
const most = { listed: 200, units: 40_000, targets: 20 };

/**
 * The metadata that the pipeline adds to the request: the terms found, whether the translation complies with them, and
 * the provenance of a translation that was served or is made of sentences of the TM. Null if there is nothing to add.
 */
export function writtenMetadata(
  terms: TermsInText | null,
  compliance: TermCompliance | null,
  fastPath: FastPath | null,
  assembledFrom?: readonly MemoryHit[],
): Record<string, unknown> | null {
  const hasTerms = terms !== null && terms.matches.length > 0;
  const entries = entriesOf(terms, fastPath);
  const written = {
    ...(hasTerms && { terminology_matches: matchesOf(terms) }),
    ...(entries.length > 0 && { terminology_entries: entries }),
    ...(compliance && hasTerms && { terminology_gate: termGate(compliance) }),
    ...(fastPath && { provenance: { fast_path: fastPath.name, ...fastPath.provenance } }),
    ...(assembledFrom && { provenance: sentenceProvenance(assembledFrom) }),
  };
  return Object.keys(written).length === 0 ? null : written;
}

function matchesOf({ expected }: TermsInText) {
  return fitting(expected.map(matchView), (match) => [
    match.source_term,
    ...match.target_terms,
    ...(match.forbidden_terms ?? []),
  ]);
}

/** Returns the served term first, even if another term has precedence over it, then the winning term of each match. */
function entriesOf(terms: TermsInText | null, fastPath: FastPath | null) {
  const winners = (terms?.matches ?? []).flatMap(({ entries: [winner] }) =>
    winner.status === 'forbidden' ? [] : winner,
  );
  const entries = new Set([...(fastPath?.entry ? [fastPath.entry] : []), ...winners]);
  return fitting([...entries].map(entryView), (entry) => [
    entry.source_term,
    entry.target_term,
    entry.set_name,
  ]);
}

/**
 * Returns the first entries that fit the limits. A term that does not fit is omitted, not clipped, because a reviewer's
 * text is checked against the term.
 */
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
    ...(term.forbiddenTerms && { forbidden_terms: term.forbiddenTerms.slice(0, most.targets) }),
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
