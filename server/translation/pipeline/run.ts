import type { InlineContent, UnwrappedContent } from '#server/formats/inline-content.ts';
import type { Placed } from '#server/formats/tag-placing.ts';
import type { MemoryHit } from '#server/language/translation-memory/lookup/exact-match.ts';
import type { TermCompliance } from '#server/matching/terms/index.ts';
import type {
  CallScope,
  Engine,
  EngineResult,
  Judgement,
  Translations,
} from '#server/platform/engines/engine.ts';
import type { AgentStep } from '../agent-run-schema.ts';
import type { TextLimit } from '../request.ts';
import type { Policy } from './policy.ts';
import type { PreparedText } from './prepared-text.ts';
import type { ProtectedText } from './protected-words.ts';

/** The tokens that one run used, and the models. For operators only. */
export interface RunCost {
  inputTokens: number;
  outputTokens: number;
  models: string[];
}

/** A run of the pipeline: the data that its steps share. */
export interface Run {
  engine: Engine;
  scope: CallScope;
  policy: Policy;
  /** The trace, to which each step appends its record. Only that of a text is stored. */
  steps: AgentStep[];
  cost: RunCost;
}

export function openRun(engine: Engine, scope: CallScope, policy: Policy): Run {
  return { engine, scope, policy, steps: [], cost: { inputTokens: 0, outputTokens: 0, models: [] } };
}

/**
 * Adds the cost of an engine call to the cost of the run.
 * @returns the cost of the call, as metadata of the step
 */
export function spend({ cost }: Run, { models, prompts, inputTokens, outputTokens }: EngineResult<unknown>) {
  cost.inputTokens += inputTokens;
  cost.outputTokens += outputTokens;
  for (const model of models) if (!cost.models.includes(model)) cost.models.push(model);
  return { models, ...(prompts && { prompts }), input_tokens: inputTokens, output_tokens: outputTokens };
}

/** A text of a run. One without tags is the only text of its run, and may have several segments. */
export interface RunText extends PreparedText {
  tagged?: TaggedSource;
}

/** A segment of a document, without the tags around it. It is sent with the tags in it. */
export interface TaggedSource extends UnwrappedContent {
  of: GroupText;
  /** Null without such words. */
  protectedText: ProtectedText | null;
  /** The translation that is made of sentences of the TM or of a repetition, with the tags; null without one. */
  assembled: Placed | null;
  /** Inserts all tags, also those around the text: as a person has approved them, if this is known. */
  serve(text: string): Placed | null;
}

/** A translation that a person has approved in another document, of a source with the same text and tags. */
export interface ApprovedTarget {
  source: InlineContent;
  target: InlineContent;
}

/** One of the texts of a group. One engine call translates several. */
export interface GroupText {
  source: InlineContent;
  /** The limits of all places of the text, one in each unit. */
  limits: readonly TextLimit[];
  /** The previous text in the file, as context. */
  before: string | null;
  /** The next text in the file; undefined if no context match is looked up. */
  after?: string | null;
  /** Notes of the file about the text, such as its key. The model gets them. */
  context: string | null;
  /**
   * Distinguishes the text from others with the same words that need another translation. If it is set, no stored
   * translation is served.
   */
  variant: string | null;
  /**
   * The translation of a text of the document that differs from this one in typography only, with the typography and the
   * tags of this one. It is judged again.
   */
  repetition?: InlineContent | null;
  /** Its approved translations in other documents, which prove the positions of tags. */
  approved?: readonly ApprovedTarget[];
}

/** A translation of a text. */
export interface Draft {
  of: RunText;
  /** The translations of the segments as the engine gets and returns them, with tags if there are any. */
  translations: Translations;
  /** The engine that made it, as operators see it; missing if it was made of the TM. */
  model?: string | undefined;
  /**
   * The segments of the TM of which the translation is made, sentence by sentence; none for a repetition in other
   * typography, and missing for any other translation.
   */
  assembledFrom?: readonly MemoryHit[];
  /** Only for a text with tags. */
  tagged?: {
    source: TaggedSource;
    inner: InlineContent;
    /** Whether positions of tags are guessed: the TM has no tags, or the engine lost them twice. */
    lostTags: boolean;
  };
}

/** A judged translation. The judgement includes the issues found by the service's own checks. */
export interface Assessed extends Draft {
  judgement: Judgement & { model: string | null };
  /** Glossary compliance; null without a glossary. */
  compliance: TermCompliance | null;
  /** By how much the translation exceeds its maximum length, in the unit of the limit; the sum of several limits. */
  excess: number;
}

/** Returns the translations of all drafts, in the order in which the engine gets the segments. */
export function translationsOf(drafts: readonly Draft[]): Translations {
  const [first] = drafts;
  return first && drafts.length === 1 ? first.translations : drafts.flatMap((draft) => draft.translations);
}
