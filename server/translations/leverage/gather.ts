import type { TaskExample, TaskTerm } from '#server/engines/engine.ts';
import type { CloseHits } from '#server/translation-memory/lookup/close-match.ts';
import type { MemoryHit } from '#server/translation-memory/lookup/exact-match.ts';
import { clip } from '../intake/check-request.ts';
import { newDecision, recordStep } from '../pipeline/step.ts';
import type { AgentDecision, AgentStep } from '../schema.ts';
import { type Leverage, memoryProvenance, termProvenance } from './prefetch.ts';
import type { TermsInText } from './terms.ts';

/** The glossary terms and examples that the engine gets with the text. */
export interface Gathered {
  glossary: TaskTerm[];
  examples: TaskExample[];
}

/** Close matches that the engine gets (C 6). */
const mostClose = 5;
/** Terms that the engine gets, and that the trace names. */
const mostTerms = 200;
const mostNamed = 50;
/** UTF-16 units that the trace quotes of a text. */
const longestQuote = 200;

const nothing: CloseHits = { close: [], relevant: [] };

/**
 * Gathers the terms, close matches and relevant pairs of the text (B 8 "Fuzzy tier"), and records the provenance of each in the trace. If the
 * search fails, the job goes on without matches.
 * @param refused the exact match that was not served because of the glossary or its markup. It is still the best example, and counts as
 *   one of the close matches
 * @param failed called with the error of a failed search
 */
export async function gatherLeverage(
  steps: AgentStep[],
  leverage: Leverage,
  terms: TermsInText | null,
  { refused, failed }: { refused: MemoryHit | undefined; failed: (error: unknown) => void },
): Promise<Gathered> {
  const used = terms?.matches ?? [];
  if (used.length === 0 && !leverage.findClose && !refused) return { glossary: [], examples: [] };
  const found = leverage.findClose
    ? await leverage.findClose().catch((error: unknown) => {
        failed(error);
        return nothing;
      })
    : nothing;
  const own = refused ? [{ ...refused, similarity: 1, likeness: 'surface' as const }] : [];
  const close = [...own, ...found.close].slice(0, mostClose);
  const { relevant } = found;
  const hits = [...close, ...relevant];
  const glossary = (terms?.expected ?? [])
    .slice(0, mostTerms)
    .map(({ sourceTerm, targetTerms }) => ({ source: sourceTerm, targets: targetTerms }));
  const examples = hits.map(({ sourceText, targetText, similarity }) => ({
    source: sourceText,
    target: targetText,
    similarity,
  }));
  if (glossary.length === 0 && examples.length === 0) return { glossary, examples };
  return recordStep(
    steps,
    { name: 'leverage', actor: 'memory_agent', kind: 'tool', input: 'glossary and memory' },
    () => ({
      value: { glossary, examples },
      output: `${glossary.length} terms, ${close.length} close matches, ${relevant.length} relevant pairs`,
      decisions: [
        ...termDecisions(terms),
        ...hits.map((hit, index) =>
          newDecision(
            index < close.length ? 'close_match' : 'relevant_pair',
            `${Math.floor(hit.similarity * 100)} % alike${hit.likeness === 'meaning' ? ' in meaning' : ''}`,
            `“${clip(hit.sourceText, longestQuote)}” → “${clip(hit.targetText, longestQuote)}”`,
            { confidence: hit.similarity, provenance: memoryProvenance(hit) },
          ),
        ),
      ],
    }),
  );
}

/** A decision per term, with its provenance. */
function termDecisions(terms: TermsInText | null): AgentDecision[] {
  const entries = new Set(terms?.matches.map(({ entries: [winner] }) => winner));
  return [...entries]
    .slice(0, mostNamed)
    .map((entry) =>
      newDecision(
        'term',
        `“${clip(entry.sourceTerm, longestQuote)}” → “${clip(entry.targetTerm, longestQuote)}”`,
        null,
        { provenance: termProvenance(entry) },
      ),
    );
}
