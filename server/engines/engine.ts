/** What a caller asked for, as far as a model needs to know it. */
export interface TranslationTask {
  /**
   * What is to be translated, in reading order: the whole of a plain text, or each text node and attribute value of
   * an HTML source. None is empty.
   */
  segments: readonly string[];
  /** Canonical codes of B 2.4. */
  sourceLang: string;
  targetLang: string;
  textType: 'Plain' | 'Html';
  tone: string | null;
  gender: string | null;
  domain: string | null;
  /** The tenant's terms that occur in the source. */
  glossary?: readonly TaskTerm[];
  /** Stored pairs whose sources are like this one, the most like first. */
  examples?: readonly TaskExample[];
}

/** A term with the targets that may stand for it, the preferred one first. */
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

/** B 2.3 QualityIssue. */
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

/** An answer with what it cost. Models and tokens are for the operator's eyes only. */
export interface EngineAnswer<T> {
  value: T;
  /** The models that were asked, each once; empty for the stub. */
  models: readonly string[];
  inputTokens: number;
  outputTokens: number;
}

/** For whom a call is made: the upstream's concurrency is shared fairly among tenants. */
export interface CallScope {
  tenantId: string;
  /** Ends waiting and calls under way: the run is over. */
  signal?: AbortSignal | undefined;
}

/**
 * The port to a translation backend. Every call may take long and may fail; none runs inside a transaction.
 * Failures are AppErrors of B 7: transient_error, rate_limit, content_filtered, service_unavailable.
 */
export interface Engine {
  /** False where the backend echoes its source: such output is not a translation. */
  readonly live: boolean;
  /** @param model another model than the deployment's own (`candidate_models`) */
  translate(task: TranslationTask, scope: CallScope, model?: string): Promise<EngineAnswer<Translations>>;
  /** Scores a candidate, to decide on repair. */
  assess(task: TranslationTask, candidate: Translations, scope: CallScope): Promise<EngineAnswer<Judgement>>;
  /** A candidate again, with the issues mended and everything else as it is. */
  repair(
    task: TranslationTask,
    candidate: Translations,
    issues: readonly QualityIssue[],
    scope: CallScope,
  ): Promise<EngineAnswer<Translations>>;
  /** Chooses among two candidates or more. */
  compare(
    task: TranslationTask,
    candidates: readonly Translations[],
    scope: CallScope,
  ): Promise<EngineAnswer<Comparison>>;
  /** Checks the final text, to decide on publishing. */
  verify(
    task: TranslationTask,
    candidate: Translations,
    scope: CallScope,
  ): Promise<EngineAnswer<Verification>>;
}

/** The port to a model that brings texts of like meaning near each other. Fails as `Engine` does. */
export interface Embedder {
  /** By which sets say whose vectors they hold: those of two models do not compare. */
  readonly model: string;
  /** A vector for each text, in their order and all of one length, which is the model's own. No text may be empty. */
  embed(texts: readonly string[], scope: CallScope): Promise<Float32Array[]>;
}
