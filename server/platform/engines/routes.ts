import type { Settings } from '#server/settings.ts';
import type { ConcurrencyLimit } from '../concurrency-limit.ts';
import { countEvent } from '../telemetry.ts';
import { createHealth, endpointFailures, failureOf } from './chat/upstream-failure.ts';
import type { CallScope, Engine, TranslationTask } from './engine.ts';
import { UnsupportedPairError } from './machine/translator.ts';
import { free } from './stub.ts';

type EngineSettings = NonNullable<Settings['ENGINES']>;
type Route = EngineSettings['routes'][number];

/** An engine by its name in the settings. */
export interface NamedEngine extends Pick<Engine, 'translate'> {
  name: string;
  /** A language model also judges and repairs, and takes the names of models. Null for other engines. */
  model: Engine | null;
  limit?: ConcurrencyLimit;
}

export interface Routing extends Pick<EngineSettings, 'routes' | 'without_judge'> {
  engines: readonly NamedEngine[];
  /** The name of the language model that judges and repairs; null without one. */
  judge: string | null;
}

type Candidate = NamedEngine & { health: ReturnType<typeof createHealth> };

/**
 * Creates the engine of a deployment with several. The first route that matches a task names the engines for it, which are
 * asked one after the other until one of them translates. One engine translates all texts of a task. Without such a route,
 * the engine of OPENAI_API_KEY translates, if it is set. If the judge fails, the language models of the route judge.
 *
 * A model that the caller names is the name of an engine of this route, or goes to the judge: no text reaches an engine that
 * is neither the judge nor in its route.
 */
export function createRoutedEngine({ engines, routes, judge, without_judge }: Routing): Engine {
  const all = engines.map((engine): Candidate => ({ ...engine, health: createHealth() }));
  const named = (name: string | null) => all.filter((one) => one.name === name);
  const chainOf = ({ routeDomain, ...task }: TranslationTask): Candidate[] => {
    const route = routes.find((one) => matches(one, task, routeDomain ?? task.domain));
    return (route?.use ?? ['openai']).flatMap(named);
  };
  const first = named(judge)[0]?.model ?? null;
  const translate: Engine['translate'] = async (task, scope, model) => {
    const chain = chainOf(task);
    const { routeDomain: _, ...own } = task;
    if (model !== undefined) {
      const chosen = chain.find(({ name }) => name === model);
      if (chosen) return chosen.translate(own, scope);
      if (first) return first.translate(own, scope, model);
    }
    return askInTurn(chain, own, scope, (engine) => engine.translate(own, scope));
  };
  if (!first) return { ...judgeByChecks(without_judge), ignoresModels: true, translate };
  const judgeBy = <T>(
    task: TranslationTask,
    scope: CallScope,
    ask: (model: Engine, own: TranslationTask) => Promise<T>,
  ): Promise<T> => {
    const judges = new Set([...named(judge), ...chainOf(task).filter(({ model }) => model)]);
    const { routeDomain: _, ...own } = task;
    return askInTurn([...judges], own, scope, ({ model }) => ask(model as Engine, own));
  };
  return {
    ...first,
    translate,
    assess: (task, candidate, scope) =>
      judgeBy(task, scope, (model, own) => model.assess(own, candidate, scope)),
    assessEach: (task, candidate, scope) =>
      judgeBy(task, scope, (model, own) => model.assessEach(own, candidate, scope)),
    repair: (task, candidate, issues, scope) =>
      judgeBy(task, scope, (model, own) => model.repair(own, candidate, issues, scope)),
    compare: (task, candidates, scope) =>
      judgeBy(task, scope, (model, own) => model.compare(own, candidates, scope)),
    verify: (task, candidate, scope) =>
      judgeBy(task, scope, (model, own) => model.verify(own, candidate, scope)),
  };
}

/** Asks the engines one after the other until one responds. One that has just failed several times is left out. */
async function askInTurn<T>(
  chain: readonly Candidate[],
  task: TranslationTask,
  scope: CallScope,
  call: (engine: Candidate) => Promise<T>,
): Promise<T> {
  const failures: unknown[] = [];
  const skipped: Candidate[] = [];
  const ask = async (engine: Candidate, isLast: boolean): Promise<{ result: T } | null> => {
    try {
      const result = await call(engine);
      engine.health.works();
      return { result };
    } catch (thrown) {
      const kind = fallbackCause(thrown, scope);
      if (kind === undefined) throw thrown;
      if (endpointFailures.some((one) => one === kind)) engine.health.failed();
      failures.push(thrown);
      if (!isLast) countEvent('engine_fallbacks', kind);
      return null;
    }
  };
  for (const [index, engine] of chain.entries()) {
    const isLast = index === chain.length - 1;
    if (!isLast && !engine.health.mayTry()) skipped.push(engine);
    else {
      const answer = await ask(engine, isLast);
      if (answer) return answer.result;
    }
  }
  // An engine that was left out is asked if all others lack the languages: otherwise, its outage would look permanent.
  if (failures.every((one) => one instanceof UnsupportedPairError))
    for (const engine of skipped) {
      const answer = await ask(engine, true);
      if (answer) return answer.result;
    }
  // A repeat may help if it would help at one of the engines.
  throw (
    failures.find((one) => failureOf(one)?.isRetryable) ??
    failures.find((one) => failureOf(one)) ??
    new UnsupportedPairError(chain.length === 1 ? chain[0]!.name : null, task)
  );
}

function matches(
  { from, to, domain, text_type }: Route,
  task: TranslationTask,
  ownDomain: string | null,
): boolean {
  return (
    (from?.includes(task.sourceLang) ?? true) &&
    (to?.includes(task.targetLang) ?? true) &&
    (domain === undefined || domain === ownDomain?.trim().toLowerCase()) &&
    (text_type === undefined || text_type === task.textType)
  );
}

/** Returns why the next engine is asked; undefined if none is, such as after the end of a job. */
export function fallbackCause(thrown: unknown, { signal }: CallScope): string | undefined {
  if (signal?.aborted) return undefined;
  return thrown instanceof UnsupportedPairError ? 'unsupported_pair' : failureOf(thrown)?.kind;
}

const summary = 'no language model has judged; the score is computed from the findings of the checks';

/** The part of an engine that judges, for a deployment without a language model: it finds nothing and repairs nothing. */
export function judgeByChecks(withoutJudge: NonNullable<Engine['withoutJudge']>): Omit<Engine, 'translate'> {
  const unjudged = { score: 100, issues: [], summary };
  return {
    live: true,
    withoutJudge,
    assess: () => free({ ...unjudged }),
    assessEach: ({ segments }) => free(segments.map(() => ({ ...unjudged }))),
    repair: (_task, candidate) => free(candidate),
    compare: () =>
      free({ winner: 0, rationale: 'without a language model, the first candidate is selected' }),
    verify: () => free({ ...unjudged, passed: true }),
  };
}
