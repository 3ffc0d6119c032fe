import { sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { ownKinds, ownName } from '#server/platform/engines/tenant-engine.ts';
import {
  addModelRequests,
  durationLimits,
  type ModelRequests,
  takeModelRequests,
} from '#server/platform/model-requests.ts';
import { modelsOfEngines } from '#server/settings/environment.ts';
import type { Settings } from '#server/settings.ts';
import type { ModelsView } from './schema.ts';

/*
 * The requests to models by hour, over all processes. Each process counts its requests in memory and adds the counts to
 * the table once a minute, so that this delays no job.
 */

/** Milliseconds between two writes of a process. */
const writeEvery = 60_000;

/** Hours of the report, including the current one. */
const reportedHours = 24;

/** Days for which the figures are kept. */
const keptDays = 7;

/** The name for models that the settings do not name. Callers may name any model. */
const otherModel = 'other';

type Role = ModelsView['models'][number]['roles'][number];

/** The models that the settings name, and the engines of workspaces, with their roles. */
function rolesOf(settings: Settings): Map<string, Role[]> {
  const { OPENAI_API_KEY, OPENAI_MODEL, OPENAI_REFINER_MODEL, OPENAI_EMBEDDING_MODEL, ALLOWED_MODELS } =
    settings;
  const roles = new Map<string, Role[]>(ownKinds.map((kind) => [ownName(kind), ['workspace_key']]));
  const add = (model: string, role: Role) => roles.set(model, [...(roles.get(model) ?? []), role]);
  if (OPENAI_API_KEY !== undefined || settings.ENGINES === undefined) {
    add(OPENAI_MODEL, 'translation');
    add(OPENAI_REFINER_MODEL, 'judge');
    if (OPENAI_EMBEDDING_MODEL !== 'none') add(OPENAI_EMBEDDING_MODEL, 'embedding');
  }
  for (const { model, role } of modelsOfEngines(settings)) add(model, role);
  for (const model of ALLOWED_MODELS) if (!roles.has(model)) add(model, 'candidate');
  return roles;
}

/**
 * Adds the counts of this process to the table every minute.
 * @param failed called if the counts could not be stored; they are stored with those of the next minute
 */
export function storeModelRequests(
  database: Database,
  settings: Settings,
  failed: (error: unknown) => void,
): { stop(): Promise<void> } {
  const known = rolesOf(settings);
  const store = () => storeCounts(database, known).catch(failed);
  let storing = Promise.resolve();
  const timer = setInterval(() => {
    storing = storing.then(store);
  }, writeEvery).unref();
  return {
    async stop() {
      clearInterval(timer);
      await storing;
      await store();
    },
  };
}

async function storeCounts(database: Database, known: ReadonlyMap<string, unknown>): Promise<void> {
  const taken = takeModelRequests();
  if (taken.length === 0) return;
  try {
    await database.inPlatform((tx) => insertCounts(tx, merged(taken, known)));
  } catch (error) {
    addModelRequests(taken);
    throw error;
  }
}

/** Merges the counts of models that the settings do not name. */
function merged(taken: readonly ModelRequests[], known: ReadonlyMap<string, unknown>): ModelRequests[] {
  const sums = new Map<string, ModelRequests>();
  for (const one of taken) {
    const model = known.has(one.model) ? one.model : otherModel;
    const key = [model, one.mode, one.outcome, one.duration].join('\n');
    const sum = sums.get(key);
    if (!sum) sums.set(key, { ...one, model });
    else {
      sum.requests += one.requests;
      sum.inputTokens += one.inputTokens;
      sum.outputTokens += one.outputTokens;
    }
  }
  return [...sums.values()];
}

/** Processes lock the rows in the same order, so that they cannot block each other. */
async function insertCounts(tx: Tx, counts: readonly ModelRequests[]): Promise<void> {
  await tx.execute(sql`
    insert into model_requests as m (hour, model, mode, outcome, duration, requests, input_tokens, output_tokens)
    select date_trunc('hour', now()), model, mode, outcome, duration, requests, "inputTokens", "outputTokens"
    from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) as c (
      model text, mode text, outcome text, duration int, requests bigint, "inputTokens" bigint, "outputTokens" bigint)
    order by model, mode, outcome, duration
    on conflict (hour, model, mode, outcome, duration) do update set requests = m.requests + excluded.requests,
      input_tokens = m.input_tokens + excluded.input_tokens, output_tokens = m.output_tokens + excluded.output_tokens`);
}

/** Deletes the figures of past days. Platform scope. @returns the number of deleted rows */
export async function pruneModelRequests(tx: Tx): Promise<number> {
  const rows = await tx.execute(sql`
    delete from model_requests where hour < now() - make_interval(days => ${keptDays}::int) returning 1`);
  return rows.length;
}

/** Reports the requests to each model: to those that the settings name, and to others together. */
export async function viewModels({
  database,
  settings,
}: Pick<Services, 'database' | 'settings'>): Promise<ModelsView> {
  const rows = await database.inPlatform((tx) =>
    tx.execute<ModelRequests & Record<string, unknown>>(sql`
      select model, mode, outcome, duration, sum(requests)::float8 as requests,
        sum(input_tokens)::float8 as "inputTokens", sum(output_tokens)::float8 as "outputTokens"
      from model_requests where hour > now() - make_interval(hours => ${reportedHours}::int)
      group by 1, 2, 3, 4`),
  );
  const isLive = settings.OPENAI_API_KEY !== undefined || settings.ENGINES !== undefined;
  const roles = rolesOf(settings);
  const named = [...roles].flatMap(([model, [role]]) => (isLive && role !== 'workspace_key' ? model : []));
  const names = [...new Set([...named, ...rows.map(({ model }) => model).sort()])];
  return {
    mode: isLive ? 'live' : 'stub',
    hours: reportedHours,
    models: names.map((model) => ({
      model,
      roles: roles.get(model) ?? [],
      ...figuresOf(
        rows.filter((row) => row.model === model),
        settings.MODEL_PRICES[model],
      ),
    })),
  };
}

function figuresOf(
  rows: readonly ModelRequests[],
  price: Settings['MODEL_PRICES'][string] | undefined,
): Omit<ModelsView['models'][number], 'model' | 'roles'> {
  const sum = (of: readonly ModelRequests[], field: 'requests' | 'inputTokens' | 'outputTokens') =>
    of.reduce((total, row) => total + row[field], 0);
  const succeeded = rows.filter(({ outcome }) => outcome === 'ok');
  const failed = rows.filter(({ outcome }) => outcome !== 'ok');
  const kinds = [...new Set(failed.map(({ outcome }) => outcome))].sort();
  return {
    modes: [...new Set(rows.map(({ mode }) => mode))].sort(),
    requests: sum(rows, 'requests'),
    failed: sum(failed, 'requests'),
    errors: kinds.map((kind) => ({
      kind,
      requests: sum(
        failed.filter(({ outcome }) => outcome === kind),
        'requests',
      ),
    })),
    p50_seconds: quantileOf(succeeded, 0.5),
    p95_seconds: quantileOf(succeeded, 0.95),
    input_tokens: sum(rows, 'inputTokens'),
    output_tokens: sum(rows, 'outputTokens'),
    cost: price
      ? (sum(rows, 'inputTokens') * price.input + sum(rows, 'outputTokens') * price.output) / 1_000_000
      : null,
  };
}

/** Estimates a quantile of the durations in seconds; within a class, the durations count as evenly distributed. */
function quantileOf(rows: readonly ModelRequests[], share: number): number | null {
  const total = rows.reduce((sum, { requests }) => sum + requests, 0);
  if (total === 0) return null;
  let before = 0;
  for (const [index, limit] of durationLimits.entries()) {
    const within = rows.reduce((sum, row) => sum + (row.duration === index ? row.requests : 0), 0);
    if (within > 0 && before + within >= share * total) {
      const from = durationLimits[index - 1] ?? 0;
      return from + ((limit - from) * (share * total - before)) / within;
    }
    before += within;
  }
  return durationLimits.at(-1) ?? null;
}
