import { createFairShare, type FairShare } from '../fair-share.ts';
import type { Settings } from '../settings.ts';
import type { Engine } from './engine.ts';
import type { Upstream } from './openai/ask.ts';
import { type AskGroups, askGroups } from './openai/ask-groups.ts';
import { connect } from './openai/chat.ts';
import type { ClientSettings } from './openai/client.ts';
import { type Sleep, sleep } from './openai/pacing.ts';
import { compare } from './openai/roles/compare.ts';
import { assess, verify } from './openai/roles/judge.ts';
import { repair } from './openai/roles/repair.ts';
import { translate } from './openai/roles/translate.ts';

export type OpenAiSettings = ClientSettings &
  Pick<Settings, 'OPENAI_MODEL' | 'OPENAI_REFINER_MODEL' | 'OPENAI_MAX_RETRIES'>;

export interface OpenAiParts {
  /** How it waits between two attempts. */
  sleep?: Sleep;
  /** One for all that speaks to the same endpoint in a process. */
  fairShare?: FairShare;
}

/**
 * The live engine: OPENAI_MODEL translates, OPENAI_REFINER_MODEL judges and repairs, at OpenAI or any endpoint that
 * speaks its chat completions with structured outputs. Bounds and shares what is under way, cuts long texts, retries
 * what may pass; fails with the AppErrors of B 7.
 */
export function createOpenAiEngine(settings: OpenAiSettings, parts: OpenAiParts = {}): Engine {
  const { OPENAI_MODEL: translator, OPENAI_REFINER_MODEL: refiner } = settings;
  const upstream: Upstream = {
    chat: connect(settings),
    retries: settings.OPENAI_MAX_RETRIES,
    sleep: parts.sleep ?? sleep,
    fairShare: parts.fairShare ?? createFairShare(),
  };
  const asking: AskGroups = (questions, scope) => askGroups(upstream, questions, scope);

  return {
    live: true,
    translate: (task, scope, model = translator) => translate(asking, model, task, scope),
    assess: (task, candidate, scope) => assess(asking, refiner, task, candidate, scope),
    repair: (task, candidate, issues, scope) => repair(asking, refiner, task, candidate, issues, scope),
    compare: (task, candidates, scope) => compare(asking, refiner, task, candidates, scope),
    verify: (task, candidate, scope) => verify(asking, refiner, task, candidate, scope),
  };
}
