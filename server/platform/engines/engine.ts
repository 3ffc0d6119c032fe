/** The parts of a caller's request that a model needs. */
export interface TranslationTask {
  /**
   * The texts to translate, in reading order: the whole of a plain text, or each text node and attribute value of an
   * HTML source. None is empty.
   */
  segments: readonly string[];
  /** Canonical language codes. */
  sourceLang: string;
  targetLang: string;
  textType: 'Plain' | 'Html';
  tone: string | null;
  gender: string | null;
  domain: string | null;
  /** The tenant's terms that occur in the source. */
  glossary?: readonly TaskTerm[];
  /** Stored pairs with sources similar to this one, the most similar first. */
  examples?: readonly TaskExample[];
  /** The source just before the first segment, for context. */
  contextBefore?: string | null;
  /**
   * Whether segments have inline tags (`<1>`, `</1>`, `<2/>`) that the translation must keep, each once and well
   * nested.
   */
  hasTags?: boolean;
}

/** A term with its accepted targets, the preferred one first. */
export interface TaskTerm {
  source: string;
  targets: readonly string[];
}

export interface TaskExample {
  source: string;
  target: string;
  /** 0 to 1. */
  similarity: number;
}

/** One translation for each segment of a task, in their order. */
export type Translations = readonly string[];

/** An issue that a judge found. */
export interface QualityIssue {
  severity: 'minor' | 'major' | 'critical';
  category: 'accuracy' | 'fluency' | 'terminology' | 'style' | 'locale';
  span: string | null;
  explanation: string;
  suggestion: string | null;
}

/** A judge's finding; `score` is 0 to 100. */
export interface Judgement {
  score: number;
  issues: QualityIssue[];
  summary: string;
}

export interface Verification extends Judgement {
  passed: boolean;
}

/** A judge's choice among candidates; `winner` is an index into them. */
export interface Comparison {
  winner: number;
  rationale: string;
}

/** A result with its cost. Only the operator sees models and tokens. */
export interface EngineResult<T> {
  value: T;
  /** The models that were called, each once; empty for the stub. */
  models: readonly string[];
  inputTokens: number;
  outputTokens: number;
}

/** The tenant that a call is made for: concurrent model calls are shared fairly among tenants. */
export interface CallScope {
  tenantId: string;
  /** Aborts waiting and running calls: the run is over. */
  signal?: AbortSignal | undefined;
}

/**
 * The port to a translation backend. Every call may take long and may fail; none runs inside a transaction.
 * Failures are AppErrors: transient_error, rate_limit, content_filtered, service_unavailable.
 */
export interface Engine {
  /** False if the backend echoes its source: such output is not a translation. */
  readonly live: boolean;
  /** @param model another model than the deployment's own (`candidate_models`) */
  translate(task: TranslationTask, scope: CallScope, model?: string): Promise<EngineResult<Translations>>;
  /** Scores a candidate, to decide whether to repair it. */
  assess(task: TranslationTask, candidate: Translations, scope: CallScope): Promise<EngineResult<Judgement>>;
  /** Scores each segment separately: the segments are paragraphs or cells, and a reviewer sees them one by one. */
  assessEach(
    task: TranslationTask,
    candidate: Translations,
    scope: CallScope,
  ): Promise<EngineResult<Judgement[]>>;
  /** Returns a candidate with the issues repaired and everything else unchanged. */
  repair(
    task: TranslationTask,
    candidate: Translations,
    issues: readonly QualityIssue[],
    scope: CallScope,
  ): Promise<EngineResult<Translations>>;
  /** Chooses the best of two or more candidates. */
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

/**
 * Receives the tokens of each response of a model, usable or not, before the response is used. Embeddings count too.
 * It must not reject.
 */
export type Paid = (tenantId: string, tokens: number) => Promise<void>;

/** The port to an embedding model: texts of similar meaning get vectors near each other. Fails as `Engine` does. */
export interface Embedder {
  /** Stored with each set's vectors: those of two models cannot be compared. */
  readonly model: string;
  /** A vector for each text, in their order and all of one length, which is the model's own. No text may be empty. */
  embed(texts: readonly string[], scope: CallScope): Promise<Float32Array[]>;
}
