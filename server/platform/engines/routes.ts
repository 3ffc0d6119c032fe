import type { Settings } from '#server/settings.ts';
import type { ConcurrencyLimit } from '../concurrency-limit.ts';
import { countEvent } from '../telemetry.ts';
import { createHealth, endpointFailures, failureOf } from './chat/fallback.ts';
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
  /** The language model that judges and repairs; null without one. */
  judge: Engine | null;
}

/**
 * Creates the engine of a deployment with several. The first route that matches a task names the engines for it, which are
 * asked one after the other until one of them translates. One engine translates all texts of a task. Without such a route,
 * the engine of OPENAI_API_KEY translates, if it is set.
 *
 * A model that the caller names is the name of an engine of this route, or goes to the judge: no text reaches an engine that
 * its route does not name.
 */
export function createRoutedEngine({ engines, routes, judge, without_judge }: Routing): Engine {
  const byName = new Map(engines.map((engine) => [engine.name, { ...engine, health: createHealth() }]));
  const translate: Engine['translate'] = async ({ routeDomain, ...task }, scope, model) => {
    const { use } = routes.find((one) => matches(one, task, routeDomain ?? task.domain)) ?? {
      use: ['openai'],
    };
    const chain = use.flatMap((name) => byName.get(name) ?? []);
    if (model !== undefined) {
      const named = chain.find(({ name }) => name === model);
      if (named) return named.translate(task, scope);
      if (judge) return judge.translate(task, scope, model);
    }
    const failures: unknown[] = [];
    const skipped: typeof chain = [];
    const ask = async (engine: (typeof chain)[number], isLast: boolean) => {
      try {
        const result = await engine.translate(task, scope);
        engine.health.works();
        return result;
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
        const result = await ask(engine, isLast);
        if (result) return result;
      }
    }
    // An engine that was left out is asked if all others lack the languages: otherwise, its outage would look permanent.
    if (failures.every((one) => one instanceof UnsupportedPairError))
      for (const engine of skipped) {
        const result = await ask(engine, true);
        if (result) return result;
      }
    // A repeat may help if it would help at one of the engines.
    throw (
      failures.find((one) => failureOf(one)?.isRetryable) ??
      failures.find((one) => failureOf(one)) ??
      new UnsupportedPairError(chain.length === 1 ? chain[0]!.name : null, task)
    );
  };
  return judge
    ? { ...judge, translate }
    : { ...judgeByChecks(without_judge), ignoresModels: true, translate };
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
