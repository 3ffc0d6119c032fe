import { plainText } from '#server/formats/inline-content.ts';
import { clip } from '#server/formats/text.ts';
import type { MemoryHit } from '#server/language/translation-memory/lookup/exact-match.ts';
import type { TermRow } from '#server/matching/terms/glossary.ts';
import type { TermCompliance } from '#server/matching/terms/index.ts';
import type { SlotScope } from '#server/platform/concurrency-limit.ts';
import type { AgentDecision, AgentStep, Provenance } from '../agent-run-schema.ts';
import { memoryProvenance, termProvenance } from '../leverage/leverage.ts';
import type { TermsInText } from '../leverage/terms.ts';
import { checkLength } from '../request.ts';
import { forbids } from '../threads/check-threads.ts';
import type { PreparedText } from './prepared-text.ts';
import type { TaggedSource } from './run.ts';
import { limitsOfText } from './tagged-segments.ts';
import { newDecision, recordStep } from './trace.ts';

/** A stored translation that is served without a model call. */
export interface FastPath {
  name: 'glossary_exact' | 'tm_exact';
  translation: string;
  /** Whether the translation must be reviewed, because the request is sensitive or regulated. */
  held: boolean;
  provenance: Provenance;
  /** The served glossary term; null for a TM segment. */
  entry: TermRow | null;
  /** The served TM segment; null for a glossary term. */
  hit: MemoryHit | null;
  /** Glossary compliance; null without a glossary, or if the served term is the only term of the text. */
  compliance: TermCompliance | null;
}

/** Maximum UTF-16 units of a reason in the trace. */
const maxReasonLength = 600;

/**
 * Serves a text that is a glossary term or has an exact match in the TM. A stored target is
 * not served if it misses a glossary term, has a forbidden word of the style guide or, for HTML, has different markup:
 * the full pipeline translates the text. Records a step if there was a stored target.
 * @param tagged the tags of the text; a stored target must have its code
 */
export async function takeFastPath(
  steps: AgentStep[],
  prepared: PreparedText,
  scope: SlotScope,
  held: boolean,
  tagged?: Pick<TaggedSource, 'serve'>,
): Promise<FastPath | null> {
  const { exact } = prepared.leverage;
  const [entry] = prepared.terms?.whole ?? [];
  const found = [
    ...(entry ? [() => fromGlossary(prepared, held, entry)] : []),
    ...(exact ? [() => fromMemory(prepared, held, exact)] : []),
  ];
  if (found.length === 0) return null;
  return recordStep(
    steps,
    { name: 'fast_path', actor: 'memory_agent', kind: 'system', input: 'glossary and memory' },
    async () => {
      const decisions: AgentDecision[] = [];
      for (const read of found) {
        const fast = await read();
        const refusal = await refusalOf(prepared, fast, scope, tagged);
        decisions.push(refusal ?? servingOf(fast));
        if (!refusal) return { value: fast, output: outcomeOf(fast), decisions };
      }
      return { value: null, output: 'translated in full', decisions };
    },
  );
}

/** Returns the reason why a match is not served; null if it may be served. */
async function refusalOf(
  prepared: PreparedText & { tagged?: TaggedSource },
  fast: FastPath,
  scope: SlotScope,
  tagged?: Pick<TaggedSource, 'serve'>,
): Promise<AgentDecision | null> {
  const { text } = prepared;
  const { name, translation, compliance, provenance } = fast;
  if (name === 'tm_exact' && !text.hasMarkupOf(translation)) {
    const why = 'the markup of the stored translation differs from the markup of the text';
    return newDecision(name, 'tm_exact_markup', why, { provenance });
  }
  const served = tagged?.serve(translation);
  if (served === null) {
    const why = 'the stored translation has other code than the text';
    return newDecision(name, `${name}_markup`, why, { provenance });
  }
  // In subtitles, the limit is advice.
  const limits = limitsOfText(prepared).filter(({ lengthUnit }) => lengthUnit !== null);
  const written = served ? [plainText(served.content)] : text.paragraphsOf(translation);
  for (const limit of limits)
    if ((await checkLength(limit, written)).excess > 0)
      return newDecision(name, `${name}_too_long`, 'the stored translation is too long', { provenance });
  const { style, targetLang } = text.task;
  if (name === 'tm_exact' && style && (await forbids(style, translation, targetLang, scope)))
    return newDecision(name, 'tm_exact_forbidden_word', 'the style guide forbids a word', { provenance });
  if (compliance?.passed !== false) return null;
  const quoted = (terms: readonly string[]) => terms.map((term) => `“${term}”`).join(', ');
  const { missing_terms: missing, forbidden_terms: forbidden = [] } = compliance;
  const why =
    missing.length > 0
      ? `the glossary requires ${clip(quoted(missing), maxReasonLength)}`
      : `the glossary forbids ${clip(quoted(forbidden.map(({ term }) => term)), maxReasonLength)}`;
  return newDecision(name, `${name}_noncompliant`, why, { provenance });
}

function servingOf(fast: FastPath): AgentDecision {
  const { name, provenance } = fast;
  return newDecision(name, outcomeOf(fast), describe(fast), { confidence: 1, provenance });
}

function outcomeOf({ name, held }: FastPath): string {
  return held ? `${name}_held` : name;
}

function describe({ held, provenance }: FastPath): string {
  const from = `from the glossary or translation memory “${provenance.set_name}”`;
  return held ? `${from}; the request requires a human review` : from;
}

async function fromGlossary({ text, terms }: PreparedText, held: boolean, entry: TermRow): Promise<FastPath> {
  const { targetTerm } = entry;
  return {
    name: 'glossary_exact',
    translation: text.rebuild([targetTerm]),
    held,
    provenance: termProvenance(entry),
    entry,
    hit: null,
    compliance: terms && !isOnlyTerm(targetTerm, terms) ? await terms.check([targetTerm]) : null,
  };
}

/**
 * Whether the target belongs to the only term of the text. Such a target complies by definition, even if the check
 * would fail, for example because texts are compared without Arabic vowel signs.
 */
function isOnlyTerm(target: string, { matches: [match, second] }: TermsInText): boolean {
  const isTarget = ({ targetTerm, status }: TermRow) => targetTerm === target && status !== 'forbidden';
  return second === undefined && (match?.entries.some(isTarget) ?? false);
}

async function fromMemory({ text, terms }: PreparedText, held: boolean, hit: MemoryHit): Promise<FastPath> {
  const { targetText } = hit;
  return {
    name: 'tm_exact',
    translation: targetText,
    held,
    provenance: memoryProvenance(hit),
    entry: null,
    hit,
    compliance: terms ? await terms.check(text.segmentsOf(targetText)) : null,
  };
}
