import { extractHtml, rebuildHtml } from '#server/formats/html-segments.ts';
import type { TermCompliance } from '#server/matching/terms/index.ts';
import type { TermRow } from '#server/terminology/service.ts';
import type { MemoryHit } from '#server/translation-memory/service.ts';
import { clip } from '../intake/check-request.ts';
import { type Leverage, memoryProvenance, termProvenance } from '../leverage/prefetch.ts';
import type { TermsInText } from '../leverage/terms.ts';
import type { AgentDecision, AgentStep, Provenance, TranslationRequest } from '../schema.ts';
import type { SourceText } from './source-text.ts';
import { newDecision, recordStep } from './step.ts';

/** A text that is served without a translation call (B 8 "Translation memory at translation time"). */
export interface FastPath {
  name: 'glossary_exact' | 'tm_exact';
  translation: string;
  /** A sensitive or regulated request is served to a reviewer, not to the public. */
  held: boolean;
  provenance: Provenance;
  /** The glossary's entry that is served; null for a pair of the memory. */
  entry: TermRow | null;
  /** What the glossary says of it; null without one, and where the text has no term but the one that is served. */
  compliance: TermCompliance | null;
}

/** UTF-16 units of a reason in the trace. */
const longestReason = 600;

interface Asked {
  request: TranslationRequest;
  text: SourceText;
  leverage: Leverage;
  terms: TermsInText | null;
  /** Whether a human has to look at it whatever it is. */
  held: boolean;
}

/**
 * Serves a text that is a glossary term, or that the memory holds. A target that violates a term of the glossary is not
 * served, nor, in HTML, a stored one with other markup: the full pipeline translates it. Records a step where there was
 * anything to decide.
 */
export async function takeFastPath(steps: AgentStep[], asked: Asked): Promise<FastPath | null> {
  const { exact } = asked.leverage;
  const [entry] = asked.terms?.whole ?? [];
  const found = [
    ...(entry ? [() => fromGlossary(asked, entry)] : []),
    ...(exact ? [() => fromMemory(asked, exact)] : []),
  ];
  if (found.length === 0) return null;
  return recordStep(
    steps,
    { name: 'fast_path', actor: 'memory_agent', kind: 'system', input: 'glossary and memory' },
    async () => {
      const decisions: AgentDecision[] = [];
      for (const read of found) {
        const fast = await read();
        const refusal = refusalOf(asked.request, fast);
        decisions.push(refusal ?? servingOf(fast));
        if (!refusal) return { value: fast, output: outcomeOf(fast), decisions };
      }
      return { value: null, output: 'translated in full', decisions };
    },
  );
}

/** Why a text is not served after all; null where it is. */
function refusalOf(request: TranslationRequest, fast: FastPath): AgentDecision | null {
  const { name, translation, compliance, provenance } = fast;
  if (
    name === 'tm_exact' &&
    request.text_type === 'Html' &&
    !hasSameMarkup(request.source_text, translation)
  ) {
    const why = 'the stored target has other markup than the text';
    return newDecision(name, 'tm_exact_markup', why, { provenance });
  }
  if (compliance?.passed !== false) return null;
  const missing = compliance.missing_terms.map((target) => `“${target}”`).join(', ');
  const why = `the glossary wants ${clip(missing, longestReason)}`;
  return newDecision(name, `${name}_noncompliant`, why, { provenance });
}

function servingOf(fast: FastPath): AgentDecision {
  const { name, provenance } = fast;
  return newDecision(name, outcomeOf(fast), describe(fast), { confidence: 1, provenance });
}

function outcomeOf({ name, held }: FastPath): string {
  return held ? `${name}_held` : name;
}

/** Whether two pages differ in nothing but their texts: what a memory holds must not bring a script into a page. */
function hasSameMarkup(one: string, other: string): boolean {
  return markupOf(one) === markupOf(other);
}

function markupOf(page: string): string {
  const texts = extractHtml(page);
  return rebuildHtml(
    page,
    texts,
    texts.map(() => ''),
  ).replace(/\s+/g, '');
}

function describe({ held, provenance }: FastPath): string {
  const from = `from the set “${provenance.set_name}”`;
  return held ? `${from}; the request asks for a human reviewer` : from;
}

async function fromGlossary({ text, terms, held }: Asked, entry: TermRow): Promise<FastPath> {
  const { targetTerm } = entry;
  return {
    name: 'glossary_exact',
    translation: text.rebuild([targetTerm]),
    held,
    provenance: termProvenance(entry),
    entry,
    compliance: terms && !isOnlyTerm(targetTerm, terms) ? await terms.check([targetTerm]) : null,
  };
}

/**
 * Whether a target stands for all that was found in the text. It keeps the glossary then, also where no check could see it: a
 * vowel sign of Arabic alone is nothing that texts are compared by.
 */
function isOnlyTerm(target: string, { matches: [match, second] }: TermsInText): boolean {
  return second === undefined && (match?.entries.some(({ targetTerm }) => targetTerm === target) ?? false);
}

async function fromMemory({ request, terms, held }: Asked, hit: MemoryHit): Promise<FastPath> {
  const { targetText } = hit;
  const target =
    request.text_type === 'Html' ? extractHtml(targetText).map(({ text }) => text) : [targetText];
  return {
    name: 'tm_exact',
    translation: targetText,
    held,
    provenance: memoryProvenance(hit),
    entry: null,
    compliance: terms ? await terms.check(target) : null,
  };
}
