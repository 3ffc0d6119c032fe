/** What a caller asked for, as far as a model needs to know it. */
export interface TranslationTask {
  sourceText: string;
  /** Canonical codes of B 2.4. */
  sourceLang: string;
  targetLang: string;
  textType: 'Plain' | 'Html';
  tone: string | null;
  gender: string | null;
  domain: string | null;
}

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

/** An answer with what it cost. Model and tokens are for the operator's eyes only. */
export interface EngineAnswer<T> {
  value: T;
  model: string | null;
  inputTokens: number;
  outputTokens: number;
}

/**
 * The port to a translation backend. Every call may take long and may fail; none runs inside a transaction.
 * Failures are AppErrors of B 7: transient_error, rate_limit, content_filtered, service_unavailable.
 */
export interface Engine {
  /** False where the backend echoes its source: such output is not a translation. */
  readonly live: boolean;
  translate(task: TranslationTask): Promise<EngineAnswer<string>>;
  /** Scores a candidate, to decide on repair. */
  assess(task: TranslationTask, candidate: string): Promise<EngineAnswer<Judgement>>;
  /** Checks the final text, to decide on publishing. */
  verify(task: TranslationTask, candidate: string): Promise<EngineAnswer<Verification>>;
}
