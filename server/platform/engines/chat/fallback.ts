import type { Settings } from '#server/settings.ts';
import { countEvent } from '../../telemetry.ts';
import type { CallScope } from '../engine.ts';
import { type AskAll, ask, askAllBy, type ChatResult, type Question, type Upstream } from './chat.ts';
import { UpstreamFailure } from './upstream-failure.ts';

type FallbackCause = NonNullable<Settings['OPENAI_FALLBACK']>['on'][number];

/** The failures of the first endpoint after which a second one is asked, by their names in OPENAI_FALLBACK. */
const causes = {
  rate_limit: ['saturated'],
  outage: ['outage'],
  unusable: ['malformed', 'unstructured'],
  misconfigured: ['misconfigured', 'unsupported'],
  content_filtered: ['filtered'],
} as const satisfies Record<FallbackCause, readonly UpstreamFailure['kind'][]>;

/** The failures that concern the endpoint and not only one text. */
export const endpointFailures: readonly UpstreamFailure['kind'][] = [
  'saturated',
  'outage',
  'misconfigured',
  'unsupported',
];

/** A second endpoint. */
export interface Fallback {
  upstream: Upstream;
  on: readonly FallbackCause[];
}

/** Number of endpoint failures in a row after which the first endpoint is left out. */
const failuresToSkip = 3;
/** Milliseconds until one request tries it again. */
const skipMs = 30_000;

/** Remembers whether an endpoint works, so that no caller is delayed by one that has just failed several times. */
export function createHealth(now: () => number = () => performance.now()) {
  let failures = 0;
  let tryAgainAt = 0;
  return {
    /** Whether to send a request. After a pause, one caller gets true, and the others after another pause. */
    mayTry(): boolean {
      if (failures < failuresToSkip) return true;
      if (now() < tryAgainAt) return false;
      tryAgainAt = now() + skipMs;
      return true;
    },
    works(): void {
      failures = 0;
    },
    failed(): void {
      failures++;
      if (failures === failuresToSkip) tryAgainAt = now() + skipMs;
    },
  };
}

/** Sends the requests of an engine call. `fallbackModel` is the model of the second endpoint, if one may be asked. */
type AskAs = (fallbackModel: string | undefined) => AskAll;

/**
 * Sends requests to the first endpoint and, after some failures, to a second one. Requests without a `fallbackModel`
 * go to the first one only. The first one is then asked in a hurry: one retry, none after a timeout, and none after a long Retry-After.
 */
export function askWithFallback(
  first: Upstream,
  fallback: Fallback | undefined,
  health = createHealth(),
): AskAs {
  const kinds: readonly string[] = fallback?.on.flatMap((cause) => causes[cause]) ?? [];
  const hurried = { ...first, retries: Math.min(first.retries, 1), isHurried: true };
  const askEither = async <Reply, Value>(
    { upstream }: Fallback,
    model: string,
    question: Question<Reply, Value>,
    scope: CallScope,
  ): Promise<ChatResult<Value>> => {
    const tokens = { inputTokens: 0, outputTokens: 0 };
    let failure: { thrown: unknown; kind: string } = { thrown: undefined, kind: 'skipped' };
    if (health.mayTry()) {
      try {
        const result = await ask(hurried, question, scope, tokens);
        health.works();
        return result;
      } catch (thrown) {
        const kind = kindOf(thrown);
        if (endpointFailures.some((one) => one === kind)) health.failed();
        else if (kind !== undefined && kind !== 'interrupted') health.works();
        if (kind === undefined || !kinds.includes(kind)) throw thrown;
        failure = { thrown, kind };
      }
    }
    countEvent('engine_fallbacks', failure.kind);
    try {
      return await ask(upstream, { ...question, model }, scope, tokens);
    } catch (thrown) {
      // A repeat may help if it would help at either endpoint.
      throw isRetryable(failure.thrown) && !isRetryable(thrown) ? failure.thrown : thrown;
    }
  };
  return (model) =>
    askAllBy((question, scope) =>
      fallback && model !== undefined
        ? askEither(fallback, model, question, scope)
        : ask(first, question, scope),
    );
}

/** The failure that caused the error of a call. */
export function failureOf(thrown: unknown): UpstreamFailure | undefined {
  const { cause } = (thrown ?? {}) as { cause?: unknown };
  return cause instanceof UpstreamFailure ? cause : undefined;
}

function kindOf(thrown: unknown): UpstreamFailure['kind'] | undefined {
  return failureOf(thrown)?.kind;
}

function isRetryable(thrown: unknown): boolean {
  return failureOf(thrown)?.isRetryable ?? false;
}
