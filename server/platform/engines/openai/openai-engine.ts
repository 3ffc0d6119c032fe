import { fallbackEndpoint, type Settings } from '#server/settings.ts';
import { type ConcurrencyLimit, createConcurrencyLimit } from '../../concurrency-limit.ts';
import type { Engine, Paid } from '../engine.ts';
import { openChat, type Upstream } from './chat.ts';
import type { ClientSettings } from './client.ts';
import { askWithFallback } from './fallback.ts';
import { assess, assessEach, compare, verify } from './judge.ts';
import { type OutputModes, openOutputModes } from './output-modes.ts';
import { type Sleep, sleep } from './rate-limit-retry-after.ts';
import { repair } from './repair.ts';
import { translate } from './translate.ts';

export type OpenAiSettings = ClientSettings &
  Pick<Settings, 'OPENAI_MODEL' | 'OPENAI_REFINER_MODEL' | 'OPENAI_MAX_RETRIES'> &
  Partial<Pick<Settings, 'OPENAI_FALLBACK'>>;

export interface OpenAiDependencies {
  /** Waits between two attempts. Default: real time; tests replace it. */
  sleep?: Sleep;
  modes?: OutputModes;
  paid?: Paid;
  /** The limit that all calls of a process to the same endpoint share. */
  concurrencyLimit?: ConcurrencyLimit;
}

export const nobodyCounts: Paid = async () => {};

/**
 * Creates the live engine. OPENAI_MODEL translates, and OPENAI_REFINER_MODEL judges and repairs, at OpenAI or any
 * endpoint with compatible chat completions. If OPENAI_FALLBACK is set, a second endpoint is asked after some
 * failures; a model that the caller has named is asked at the first one only. The engine limits concurrent calls, splits
 * long texts and retries after transient failures. Its calls fail with an AppError.
 */
export function createOpenAiEngine(settings: OpenAiSettings, dependencies: OpenAiDependencies = {}): Engine {
  const { OPENAI_MODEL: translator, OPENAI_REFINER_MODEL: refiner } = settings;
  const second = fallbackEndpoint(settings);
  // The second endpoint has its own limit of concurrent calls, and learns separately how JSON is requested.
  const { modes: _, concurrencyLimit: __, ...shared } = dependencies;
  const askAs = askWithFallback(
    upstreamOf(settings, dependencies),
    second && {
      upstream: upstreamOf({ ...settings, ...second, OPENAI_API_KEY: second.OPENAI_API_KEY ?? '' }, shared),
      on: settings.OPENAI_FALLBACK?.on ?? [],
    },
  );
  const ask = askAs(second?.OPENAI_REFINER_MODEL);

  return {
    live: true,
    translate: (task, scope, model) =>
      translate(
        askAs(model === undefined ? second?.OPENAI_MODEL : undefined),
        model ?? translator,
        task,
        scope,
      ),
    assess: (task, candidate, scope) => assess(ask, refiner, task, candidate, scope),
    assessEach: (task, candidate, scope) => assessEach(ask, refiner, task, candidate, scope),
    repair: (task, candidate, issues, scope) => repair(ask, refiner, task, candidate, issues, scope),
    compare: (task, candidates, scope) => compare(ask, refiner, task, candidates, scope),
    verify: (task, candidate, scope) => verify(ask, refiner, task, candidate, scope),
  };
}

function upstreamOf(
  settings: ClientSettings & Pick<Settings, 'OPENAI_MAX_RETRIES'>,
  { modes, paid, sleep: pause, concurrencyLimit }: OpenAiDependencies,
): Upstream {
  return {
    chat: openChat(settings),
    modes: modes ?? openOutputModes(),
    paid: paid ?? nobodyCounts,
    retries: settings.OPENAI_MAX_RETRIES,
    sleep: pause ?? sleep,
    concurrencyLimit: concurrencyLimit ?? createConcurrencyLimit(),
  };
}
