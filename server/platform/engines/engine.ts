/** The parts of a caller's request that a model needs for its task. */
export interface TranslationTask {
  /**
   * The texts to translate, in reading order: the whole of a plain text, or each text node and attribute value of an
   * HTML source. No segment is empty.
   */
  segments: readonly string[];
  /**
   * For each segment what its file states about it, such as its key and the comment of a developer; null for a segment
   * about which nothing is known.
   */
  notes?: readonly (string | null)[];
  /** Parts of segments that stay as they are, by the patterns of the workspace, for engines that know no notes. */
  keep?: readonly string[];
  /** Canonical language codes. */
  sourceLang: string;
  targetLang: string;
  textType: 'Plain' | 'Html';
  tone: string | null;
  gender: string | null;
  domain: string | null;
  /** The domain by which a route is chosen, if `domain` has placeholders. Engines never get it. */
  routeDomain?: string | null;
  /** The style guide of the tenant for the target language; missing if it has none. */
  style?: TaskStyle;
  /** The terms of the tenant's glossaries that occur in the source. */
  glossary?: readonly TaskTerm[];
  /** Sentences of the source that the TM has, with the translations that it has for them. */
  sentences?: readonly TaskSentence[];
  /** TM segments whose sources are similar to this source, the most similar first. */
  examples?: readonly TaskExample[];
  /** The document from which the segments are; missing for other texts. */
  document?: TaskDocument;
  /** The part of the source directly before the first segment, as context. */
  contextBefore?: string | null;
  /**
   * Whether segments have inline tags (`<1>`, `</1>`, `<2/>`). The translation must contain each tag exactly once and
   * well nested.
   */
  hasTags?: boolean;
}

/** The context of a document. All but `section` is the same for all of its tasks. */
export interface TaskDocument {
  /** The first headings; may be empty. */
  outline: readonly string[];
  /** Whether any of its segments has inline tags, or a note. */
  hasTags: boolean;
  hasNotes: boolean;
  /** The last heading before the group of the segments. */
  section?: string | null;
}

/** A glossary term with its accepted translations, the preferred one first. */
export interface TaskTerm {
  source: string;
  /** Empty if the glossary only forbids translations. */
  targets: readonly string[];
  forbidden?: readonly string[];
  part_of_speech?: string;
  definition?: string;
  note?: string;
}

/** How a translation is to be written. A null rule is not set. */
export interface TaskStyle {
  /** Rules as text; of contradictory ones, the later applies. */
  rules: readonly string[];
  /** The opening and the closing mark. */
  quotationMarks: string | null;
  /** The space before `;`, `:`, `!` and `?`, and inside « ». */
  spacing: 'narrow_no_break' | 'none' | null;
  formality: 'formal' | 'informal' | null;
  forbiddenWords: readonly { term: string; use_instead: string | null }[];
}

export interface TaskSentence {
  source: string;
  target: string;
}

export interface TaskExample extends TaskSentence {
  /** Similarity to the source, from 0 to 1. */
  similarity: number;
}

/** The translations of a task: one for each segment, in the same order. */
export type Translations = readonly string[];

/** An issue of a translation. */
export interface QualityIssue {
  severity: 'minor' | 'major' | 'critical';
  category: 'accuracy' | 'fluency' | 'terminology' | 'style' | 'locale';
  span: string | null;
  explanation: string;
  /** An advice to the reader. It is never inserted. */
  suggestion: string | null;
  /** The exact text that takes the place of `span` in the translation; null or missing if only a person can write it. */
  replacement?: string | null;
  /**
   * Missing for an issue that a model has found. `check`: a check of the service, which is computed again for each
   * wording. `recognition`: the recognition of text in a picture.
   */
  found_by?: 'check' | 'recognition';
}

/** The result of a judge model. `score` is from 0 to 100. */
export interface Judgement {
  score: number;
  issues: QualityIssue[];
  summary: string;
}

export interface Verification extends Judgement {
  passed: boolean;
}

/** The selection of a judge model among candidates. `winner` is the index of a candidate. */
export interface Comparison {
  winner: number;
  rationale: string;
}

/** A result with its cost. Only operators can see models and tokens. */
export interface EngineResult<T> {
  value: T;
  /** The models that were called, without repetitions; empty for the stub. */
  models: readonly string[];
  /** The version of the prompts; missing if no language model was asked. */
  prompts?: number;
  inputTokens: number;
  outputTokens: number;
}

/** The tenant for which calls are made: concurrent model calls are shared fairly among tenants. */
export interface CallScope {
  tenantId: string;
  /** Aborts running calls and waits for a slot, because their result is no longer needed. */
  signal?: AbortSignal | undefined;
  /** An object that all calls for one text or document share. Default: the scope. */
  run?: object | undefined;
}

/** The values that were replaced by placeholders in the requests for a text. */
interface RedactionReceipt {
  /** The number of different values, by kind. */
  replaced: Record<string, number>;
}

/** The replacement of personal data in all calls of an engine. */
export interface Redaction {
  /**
   * Sets the rules of a run before its first call, which would read them otherwise.
   * @param stored the rules as they are stored; null without redaction
   */
  begin(stored: unknown, scope: CallScope): void;
  /**
   * Finds the values in texts of a run before its first call, so that each is replaced in all texts.
   * @param texts read only if the workspace replaces something
   */
  learn(texts: () => AsyncIterable<readonly string[]>, scope: CallScope): Promise<void>;
  /** Returns what is replaced in segments of a run; null if the workspace replaces nothing. */
  receiptOf(segments: readonly string[], scope: CallScope): Promise<RedactionReceipt | null>;
  /** Returns a critical issue for each replaced value that is lost or doubled in the engine's translation. */
  issuesOf(
    segments: readonly string[],
    translations: Translations,
    scope: CallScope,
  ): Promise<QualityIssue[]>;
}

/**
 * The interface to a translation backend. Every call may take a long time and may fail, so none must run inside a
 * transaction. Calls fail with an AppError: transient_error, rate_limit, content_filtered or service_unavailable.
 */
export interface Engine {
  /** False if the backend only repeats its source: such output is not a translation. */
  readonly live: boolean;
  /**
   * Not null if no language model judges: scores are computed from the findings of the service's checks. `review`: each
   * translation then needs a review; `checks`: the gate only warns.
   */
  readonly withoutJudge: 'review' | 'checks' | null;
  /** Missing if the engine gets all texts as they are. */
  readonly redaction?: Redaction;
  /** Returns `live`, `withoutJudge` and `ignoresModels` for a tenant that may have its own engine. Missing if no tenant can have one. */
  traitsOf?(tenantId: string): Promise<Pick<Engine, 'live' | 'withoutJudge' | 'ignoresModels'>>;
  /** Set if `translate` takes no names of models: candidates would be the same translation once more. */
  readonly ignoresModels?: boolean;
  /** @param model a model to use in place of the deployment's own (`candidate_models`) */
  translate(task: TranslationTask, scope: CallScope, model?: string): Promise<EngineResult<Translations>>;
  /** Scores a candidate, to decide whether to repair it. */
  assess(task: TranslationTask, candidate: Translations, scope: CallScope): Promise<EngineResult<Judgement>>;
  /** Scores each segment separately, because segments are paragraphs or cells that a reviewer sees one by one. */
  assessEach(
    task: TranslationTask,
    candidate: Translations,
    scope: CallScope,
  ): Promise<EngineResult<Judgement[]>>;
  /** Returns the candidate with the issues repaired. Everything else stays unchanged. */
  repair(
    task: TranslationTask,
    candidate: Translations,
    issues: readonly QualityIssue[],
    scope: CallScope,
  ): Promise<EngineResult<Translations>>;
  /** Selects the best of two or more candidates. */
  compare(
    task: TranslationTask,
    candidates: readonly Translations[],
    scope: CallScope,
  ): Promise<EngineResult<Comparison>>;
  /** Checks the final text, to decide whether to publish it. */
  verify(
    task: TranslationTask,
    candidate: Translations,
    scope: CallScope,
  ): Promise<EngineResult<Verification>>;
}

/** Returns the engine as it is for a tenant. */
export async function engineFor(engine: Engine, { tenantId }: CallScope): Promise<Engine> {
  return { ...engine, ...(await engine.traitsOf?.(tenantId)) };
}

/**
 * Called with the tokens of each response of a model, before the response is used and even if it is unusable.
 * Responses of the embedding model count, too. The function must not reject.
 */
export type Paid = (tenantId: string, tokens: number) => Promise<void>;

/**
 * The interface to an embedding model: texts with similar meanings get vectors that are near each other. Calls fail
 * in the same way as those of `Engine`.
 */
export interface Embedder {
  /**
   * The name of the model. It is stored with the vectors of each TM set, because vectors of different models cannot
   * be compared.
   */
  readonly model: string;
  /**
   * Returns a vector for each text, in the same order. All vectors have the same length, which depends on the model.
   * No text may be empty.
   */
  embed(texts: readonly string[], scope: CallScope): Promise<Float32Array[]>;
}

/**
 * Replaces the words of a plain text that no engine may change by numbered tags. `restore` puts them back; null if the
 * tags are broken. Returns null for a text without such words.
 * @param names further words that stay as they are, such as terms that are their own translation
 */
export type Protect = (
  text: string,
  sourceLang: string,
  names?: readonly string[],
) => { text: string; restore(reply: string): string | null } | null;
