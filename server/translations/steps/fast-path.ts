import { extractHtml, rebuildHtml } from '#server/formats/html/index.ts';
import type { TermRow } from '#server/terminology/service.ts';
import type { MemoryHit } from '#server/translation-memory/service.ts';
import type { Leverage } from '../leverage/leverage.ts';
import { memoryProvenance, termProvenance } from '../leverage/provenance.ts';
import type { TermsInText } from '../leverage/terms.ts';
import { clip } from '../limits.ts';
import type { AgentStep, Provenance, TranslationRequest } from '../schema.ts';
import { newDecision, recordStep } from '../trace.ts';
import type { SourceText } from './source-text.ts';

/** A text that is served without a translation call (B 8 "Translation memory at translation time"). */
export interface FastPath {
  name: 'glossary_exact' | 'tm_exact';
  translation: string;
  /** A sensitive or regulated request is served to a reviewer, not to the public. */
  held: boolean;
  provenance: Provenance;
  /** What the glossary says of it; null without one. */
  compliance: ReturnType<TermsInText['check']> | null;
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
 * Serves a text that is a glossary term, or that the memory holds. A stored pair that violates a term of the glossary is not
 * served, nor, in HTML, one with other markup: the full pipeline translates it. Records a step where there was anything to decide.
 */
export async function takeFastPath(steps: AgentStep[], asked: Asked): Promise<FastPath | null> {
  const { leverage, request } = asked;
  const term = wholeTerm(asked);
  if (!term && !leverage.exact) return null;
  return recordStep(
    steps,
    { name: 'fast_path', actor: 'memory_agent', kind: 'system', input: 'glossary and memory' },
    () => {
      const fast = term ? fromGlossary(asked, term) : fromMemory(asked, leverage.exact as MemoryHit);
      if (
        fast.name === 'tm_exact' &&
        request.text_type === 'Html' &&
        !hasSameMarkup(request.source_text, fast.translation)
      ) {
        const why = 'the stored target has other markup than the text';
        const decision = newDecision('tm_exact', 'tm_exact_markup', why, { provenance: fast.provenance });
        return { value: null, output: 'translated in full', decisions: [decision] };
      }
      if (fast.compliance?.passed === false && fast.name === 'tm_exact') {
        const missing = clip(
          fast.compliance.missing_terms.map((target) => `“${target}”`).join(', '),
          longestReason,
        );
        const decision = newDecision('tm_exact', 'tm_exact_noncompliant', `the glossary wants ${missing}`, {
          provenance: fast.provenance,
        });
        return { value: null, output: 'translated in full', decisions: [decision] };
      }
      const outcome = fast.held ? `${fast.name}_held` : fast.name;
      const decision = newDecision(fast.name, outcome, describe(fast), {
        confidence: 1,
        provenance: fast.provenance,
      });
      return { value: fast, output: outcome, decisions: [decision] };
    },
  );
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

/** The term that a text is as a whole; of HTML, a text without any markup. */
function wholeTerm({ request, text, leverage }: Asked): TermRow | undefined {
  if (!leverage.glossary) return undefined;
  const { source_text: source } = request;
  const [segment, second] = text.task.segments;
  const plain = request.text_type !== 'Html' || (segment === source.trim() && second === undefined);
  return plain ? leverage.glossary.matcher.whole(source)[0] : undefined;
}

function fromGlossary({ text, held }: Asked, term: TermRow): FastPath {
  return {
    name: 'glossary_exact',
    translation: text.rebuild([term.targetTerm]),
    held,
    provenance: termProvenance(term),
    compliance: null,
  };
}

function fromMemory({ request, terms, held }: Asked, hit: MemoryHit): FastPath {
  const { targetText } = hit;
  const target =
    request.text_type === 'Html' ? extractHtml(targetText).map(({ text }) => text) : [targetText];
  return {
    name: 'tm_exact',
    translation: targetText,
    held,
    provenance: memoryProvenance(hit),
    compliance: terms ? terms.check(target) : null,
  };
}
