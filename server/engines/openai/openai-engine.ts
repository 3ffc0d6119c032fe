import { type ConcurrencyLimit, createConcurrencyLimit } from '#server/concurrency-limit.ts';
import type { Settings } from '#server/settings.ts';
import type { Engine } from '../engine.ts';
import { type AskAll, askAll, openChat, type Upstream } from './chat.ts';
import type { ClientSettings } from './client.ts';
import { assess, compare, verify } from './judge.ts';
import { type Sleep, sleep } from './rate-limit-retry-after.ts';
import { repair } from './repair.ts';
import { translate } from './translate.ts';

export type OpenAiSettings = ClientSettings &
  Pick<Settings, 'OPENAI_MODEL' | 'OPENAI_REFINER_MODEL' | 'OPENAI_MAX_RETRIES'>;

export interface OpenAiDependencies {
  /** How it waits between two attempts. */
  sleep?: Sleep;
  /** One for all that speaks to the same endpoint in a process. */
  concurrencyLimit?: ConcurrencyLimit;
}

/**
 * The live engine: OPENAI_MODEL translates, OPENAI_REFINER_MODEL judges and repairs, at OpenAI or any endpoint that
 * speaks its chat completions with structured outputs. Bounds and shares what is under way, cuts long texts, retries
 * what may pass; fails with the AppErrors of B 7.
 */
export function createOpenAiEngine(settings: OpenAiSettings, parts: OpenAiDependencies = {}): Engine {
  const { OPENAI_MODEL: translator, OPENAI_REFINER_MODEL: refiner } = settings;
  const upstream: Upstream = {
    chat: openChat(settings),
    retries: settings.OPENAI_MAX_RETRIES,
    sleep: parts.sleep ?? sleep,
    concurrencyLimit: parts.concurrencyLimit ?? createConcurrencyLimit(),
  };
  const asking: AskAll = (questions, scope) => askAll(upstream, questions, scope);

  return {
    live: true,
    translate: (task, scope, model = translator) => translate(asking, model, task, scope),
    assess: (task, candidate, scope) => assess(asking, refiner, task, candidate, scope),
    repair: (task, candidate, issues, scope) => repair(asking, refiner, task, candidate, issues, scope),
    compare: (task, candidates, scope) => compare(asking, refiner, task, candidates, scope),
    verify: (task, candidate, scope) => verify(asking, refiner, task, candidate, scope),
  };
}
