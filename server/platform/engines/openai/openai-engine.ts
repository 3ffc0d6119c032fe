import type { Settings } from '#server/settings.ts';
import { type ConcurrencyLimit, createConcurrencyLimit } from '../../concurrency-limit.ts';
import type { Engine, Paid } from '../engine.ts';
import { type AskAll, askAll, openChat, type Upstream } from './chat.ts';
import type { ClientSettings } from './client.ts';
import { assess, assessEach, compare, verify } from './judge.ts';
import { type OutputModes, openOutputModes } from './output-modes.ts';
import { type Sleep, sleep } from './rate-limit-retry-after.ts';
import { repair } from './repair.ts';
import { translate } from './translate.ts';

export type OpenAiSettings = ClientSettings &
  Pick<Settings, 'OPENAI_MODEL' | 'OPENAI_REFINER_MODEL' | 'OPENAI_MAX_RETRIES'>;

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
 * endpoint with compatible chat completions. The engine limits concurrent calls, splits long texts and retries after
 * transient failures. Its calls fail with an AppError.
 */
export function createOpenAiEngine(settings: OpenAiSettings, dependencies: OpenAiDependencies = {}): Engine {
  const { OPENAI_MODEL: translator, OPENAI_REFINER_MODEL: refiner } = settings;
  const upstream: Upstream = {
    chat: openChat(settings),
    modes: dependencies.modes ?? openOutputModes(),
    paid: dependencies.paid ?? nobodyCounts,
    retries: settings.OPENAI_MAX_RETRIES,
    sleep: dependencies.sleep ?? sleep,
    concurrencyLimit: dependencies.concurrencyLimit ?? createConcurrencyLimit(),
  };
  const ask: AskAll = (questions, scope) => askAll(upstream, questions, scope);

  return {
    live: true,
    translate: (task, scope, model = translator) => translate(ask, model, task, scope),
    assess: (task, candidate, scope) => assess(ask, refiner, task, candidate, scope),
    assessEach: (task, candidate, scope) => assessEach(ask, refiner, task, candidate, scope),
    repair: (task, candidate, issues, scope) => repair(ask, refiner, task, candidate, issues, scope),
    compare: (task, candidates, scope) => compare(ask, refiner, task, candidates, scope),
    verify: (task, candidate, scope) => verify(ask, refiner, task, candidate, scope),
  };
}
