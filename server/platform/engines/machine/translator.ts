import { AppError } from '#server/errors.ts';
import { languageName } from '#server/languages.ts';
import { errorWord } from '../chat/endpoint-http.ts';
import { readRetryAfter } from '../chat/rate-limit-retry-after.ts';
import { type FailureFacts, UpstreamFailure } from '../chat/upstream-failure.ts';

/** The abilities of a translation service. `machine-engine.ts` makes up for those that it lacks. */
interface Abilities {
  /** Whether the caller can ask for formal or informal words. */
  formality: boolean;
  /** Whether it reads text that it does not translate. */
  context: boolean;
  /** Maximum number of texts in a request. */
  texts: number;
  /** Maximum UTF-16 units of all texts in a request: less than the limit of the service, so that it responds in time. */
  units: number;
}

/** A request to a translation service. Its texts fit the abilities. */
export interface MachineRequest {
  texts: readonly string[];
  /** The language codes of the service. */
  from: string;
  to: string;
  /** Whether the texts are HTML, whose tags the service keeps. Otherwise no character has a meaning. */
  isMarkup: boolean;
  formality: 'formal' | 'informal' | null;
  /** The source before the texts. */
  context: string | null;
}

/** A translation service that is not a language model: it neither judges nor repairs. */
export interface Translator {
  readonly abilities: Abilities;
  /** Returns the language code of the service; undefined if it does not have the language in this role. */
  codeOf(language: string, role: 'source' | 'target'): string | undefined;
  /**
   * Sends one request, without retries. The response is not trusted: it may be of any shape and length.
   * @throws {UpstreamFailure | UnsupportedPair} or anything else, which counts as an outage
   */
  translate(request: MachineRequest, signal: AbortSignal): Promise<unknown>;
}

/** The service does not translate between the two languages. */
export class UnsupportedPair extends Error {
  override name = 'UnsupportedPair';
}

/** The error of a text in a pair of languages for which no engine is left. */
export class UnsupportedPairError extends AppError {
  constructor(engine: string | null, { sourceLang, targetLang }: { sourceLang: string; targetLang: string }) {
    const who =
      engine === null ? 'no engine of this service translates' : `the engine "${engine}" does not translate`;
    super('validation_error', `${who} from ${languageName(sourceLang)} to ${languageName(targetLang)}`);
  }
}

/**
 * Returns the failure for a response with an error status. 456 of DeepL is a spent quota, which does not end by waiting.
 * @param code the service's own code, if it is one word
 */
export function failureOf(status: number, headers: Headers, code?: unknown): UpstreamFailure {
  const facts: FailureFacts = {
    status,
    code: errorWord(code),
    retryAfterMs: readRetryAfter(headers),
  };
  const kind =
    status === 429
      ? 'saturated'
      : status >= 500 || status === 408 || status === 409
        ? 'outage'
        : 'misconfigured';
  return new UpstreamFailure(kind, 'the engine rejected the request', facts);
}
