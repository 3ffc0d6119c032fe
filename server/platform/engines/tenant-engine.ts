import { AppError } from '#server/errors.ts';
import { countEvent } from '../telemetry.ts';
import { failureOf } from './chat/upstream-failure.ts';
import type { CallScope, Engine } from './engine.ts';
import { fallbackCause, judgeByChecks, type NamedEngine } from './routes.ts';

/** The engine that a tenant uses with its own key. */
export interface TenantEngine {
  engine: NamedEngine;
  /** Whether the deployment's engines are asked after a failure. */
  fallback: boolean;
}

/** The services whose keys tenants can use. */
export const ownKinds = ['deepl', 'azure', 'google', 'openai', 'anthropic'] as const;

/** Returns the name of a tenant's own engine. Requests of all tenants are counted under it, whatever their models. */
export const ownName = (kind: OwnKey['kind']): string => `own-${kind}`;

/** A key, and what its service needs in addition. */
export interface OwnKey {
  kind: (typeof ownKinds)[number];
  key: string;
  region: string | null;
  model: string | null;
  refinerModel: string | null;
}

/** The engines that tenants use with their own keys. */
export interface TenantEngines {
  /**
   * Returns the engine of a tenant; null for a tenant without one. A change in another process counts after a minute at
   * most.
   * @throws AppError 503 if the stored key cannot be decrypted
   */
  find(tenantId: string): Promise<TenantEngine | null>;
  /** Forgets the engine of a tenant, so that a change counts at once in this process. */
  forget(tenantId: string): void;
  /** Translates a short text with a key, which need not be stored. */
  test(tenantId: string, of: OwnKey): Promise<TestedKey>;
}

/** The translation, or the kind of the failure with the HTTP status, if there was one. */
type TestedKey = { translation: string } | { kind: string; status: number | null };

const greeting = {
  segments: ['Good morning.'],
  sourceLang: 'en',
  targetLang: 'de',
  textType: 'Plain',
  tone: null,
  gender: null,
  domain: null,
} as const;

/** Translates a short text. */
export async function testEngine({ translate }: NamedEngine, tenantId: string): Promise<TestedKey> {
  try {
    const { value } = await translate(greeting, { tenantId });
    return { translation: value.join(' ') };
  } catch (thrown) {
    const failure = failureOf(thrown);
    if (!failure) throw thrown;
    return { kind: failure.kind, status: failure.facts.status ?? null };
  }
}

/**
 * Returns an engine that asks a tenant's own engine in place of the deployment's. A language model of a tenant also judges
 * and repairs. If the own engine is a translation service, the deployment's model does; without one, the checks give the
 * score.
 * @param find the own engine of a tenant; null for a tenant without one. It is asked for each call, so that no removed key
 *   is used, and may reject: then nothing is sent anywhere
 */
export function withTenantEngines(
  deployment: Engine,
  find: (tenantId: string) => Promise<TenantEngine | null>,
): Engine {
  const isJudging = deployment.live && !deployment.withoutJudge;
  const withoutJudge = deployment.withoutJudge ?? 'review';
  // The stub judges everything as good, so it judges no real translation.
  const rest = deployment.live ? deployment : { ...deployment, ...judgeByChecks(withoutJudge) };

  /** The runs that have used a tenant's own engine. */
  const begun = new WeakSet<object>();

  /** @throws AppError transient_error if the key was removed during the run: nothing of it may go to another engine */
  async function ownOf(scope: CallScope): Promise<TenantEngine | null> {
    const own = await find(scope.tenantId);
    // The calls of a text have the same scope, those of a document the same run.
    const run = scope.run ?? scope;
    if (own) begun.add(run);
    else if (begun.has(run))
      throw new AppError(
        'transient_error',
        'the engine of the workspace was removed during the translation; try again later',
      );
    return own;
  }

  async function judge<T>(scope: CallScope, ask: (engine: Engine) => Promise<T>): Promise<T> {
    const own = await ownOf(scope);
    if (!own) return ask(deployment);
    const { model } = own.engine;
    if (!model) return ask(rest);
    return orElse(scope, () => ask(model), own.fallback && isJudging && (() => ask(deployment)));
  }

  const { live, ignoresModels = false } = deployment;
  const traits = { live, withoutJudge: deployment.withoutJudge, ignoresModels };
  return {
    ...traits,
    async traitsOf(tenantId) {
      const own = await find(tenantId);
      if (!own) return traits;
      return {
        live: true,
        withoutJudge: own.engine.model || isJudging ? null : withoutJudge,
        ignoresModels: own.engine.model === null,
      };
    },
    async translate(task, scope, model) {
      const own = await ownOf(scope);
      if (!own) return deployment.translate(task, scope, model);
      return orElse(
        scope,
        // Only a language model takes the name of a model. Whatever the name, the text goes to no other engine.
        () => own.engine.translate(task, scope, own.engine.model ? model : undefined),
        own.fallback && deployment.live && (() => deployment.translate(task, scope, model)),
      );
    },
    assess: (task, candidate, scope) => judge(scope, (by) => by.assess(task, candidate, scope)),
    assessEach: (task, candidate, scope) => judge(scope, (by) => by.assessEach(task, candidate, scope)),
    repair: (task, candidate, issues, scope) =>
      judge(scope, (by) => by.repair(task, candidate, issues, scope)),
    compare: (task, candidates, scope) => judge(scope, (by) => by.compare(task, candidates, scope)),
    verify: (task, candidate, scope) => judge(scope, (by) => by.verify(task, candidate, scope)),
  };
}

/** Calls the own engine, and after a failure the other one, if there is one. */
async function orElse<T>(
  scope: CallScope,
  own: () => Promise<T>,
  other: (() => Promise<T>) | false,
): Promise<T> {
  try {
    return await own();
  } catch (thrown) {
    const kind = fallbackCause(thrown, scope);
    if (!other || kind === undefined) throw kind === 'misconfigured' ? refused(thrown) : thrown;
    countEvent('engine_fallbacks', kind);
    return other();
  }
}

/** The error for a key that the service rejects: the workspace can replace it, the operator cannot. */
function refused(cause: unknown): AppError {
  const detail =
    'the engine of this workspace rejected its key or the model; an administrator can test the key in the settings';
  return new AppError('service_unavailable', detail, {
    cause: (cause as Error).cause,
    dependency: 'model',
    retryAfter: 60,
  });
}
