import { type Settings, SettingsError } from '#server/settings.ts';
import { type ConcurrencyLimit, createConcurrencyLimit } from '../concurrency-limit.ts';
import type { ChatDependencies } from './chat/chat-engine.ts';
import type { OutputMode } from './chat/output-modes.ts';
import type { Embedder, Engine, Paid, Protect } from './engine.ts';
import type { Translator } from './machine/translator.ts';
import type { NamedEngine } from './routes.ts';
import { stubEngine } from './stub.ts';

/** The models of a deployment. */
export interface Models {
  engine: Engine;
  /** Null if no embedding model is configured. */
  embedder: Embedder | null;
  /** The limit of concurrent calls, with the counts of all engines; null for the stub, which makes none. */
  concurrencyLimit: Pick<ConcurrencyLimit, 'counts'> | null;
  /** Returns the mode in which JSON is requested from a chat model. Null for the stub. */
  modeOf: ((model: string) => OutputMode) | null;
}

/** Parts of the process that the models use. */
interface ModelParts {
  /** Called with the tokens of each response. */
  paid?: Paid | undefined;
  /** Finds the words that a translation service must not change. Without it, none is protected. */
  protect?: Protect;
}

/** Opens the models in the settings: the engines of ENGINES, those of OPENAI_API_KEY, or the stub if both are unset. */
export async function selectModels(settings: Settings, parts: ModelParts = {}): Promise<Models> {
  const openai = await openOpenAi(settings, parts);
  if (settings.ENGINES === undefined)
    return openai ?? { engine: stubEngine, embedder: null, concurrencyLimit: null, modeOf: null };
  const { routes, judge, without_judge } = settings.ENGINES;
  const engines = await openEngines(settings, parts);
  const limits = [openai?.concurrencyLimit, ...engines.map(({ limit }) => limit)].filter((one) => !!one);
  if (openai) {
    const { engine: model } = openai;
    engines.unshift({ name: 'openai', model, translate: model.translate });
  }
  const { createRoutedEngine } = await import('./routes.ts');
  const firstModel = engines.find(({ model }) => model)?.name ?? null;
  return {
    embedder: null,
    modeOf: null,
    ...openai,
    concurrencyLimit: { counts: () => sumOf(limits.map((limit) => limit.counts())) },
    engine: createRoutedEngine({ engines, routes, judge: judge ?? firstModel, without_judge }),
  };
}

function sumOf(counts: readonly ReturnType<ConcurrencyLimit['counts']>[]) {
  return counts.reduce(
    (sum, { running, waiting }) => ({ running: sum.running + running, waiting: sum.waiting + waiting }),
    { running: 0, waiting: 0 },
  );
}

async function openOpenAi(settings: Settings, { paid }: ModelParts): Promise<Models | null> {
  const { OPENAI_API_KEY, OPENAI_EMBEDDING_MODEL } = settings;
  if (OPENAI_API_KEY === undefined) return null;
  // Loaded only if needed, because the package takes a large part of the startup time.
  const [{ createOpenAiEngine }, { createOpenAiEmbedder }, { openOutputModes }] = await Promise.all([
    import('./openai/openai-engine.ts'),
    import('./openai/embedder.ts'),
    import('./chat/output-modes.ts'),
  ]);
  const live = { ...settings, OPENAI_API_KEY };
  const concurrencyLimit = createConcurrencyLimit();
  const modes = openOutputModes();
  const isHurried = isFollowed(settings, 'openai');
  const parts = { concurrencyLimit, modes, isHurried, ...(paid && { paid }) };
  return {
    engine: createOpenAiEngine(live, parts),
    embedder: OPENAI_EMBEDDING_MODEL === 'none' ? null : createOpenAiEmbedder(live, parts),
    concurrencyLimit,
    modeOf: modes.modeOf,
  };
}

export type EngineOf = NonNullable<Settings['ENGINES']>['engines'][string];

/** Opens the engines of ENGINES. Each has its own limit of concurrent calls. */
export async function openEngines(settings: Settings, parts: ModelParts = {}): Promise<NamedEngine[]> {
  return Promise.all(
    Object.entries(settings.ENGINES?.engines ?? {}).map(([name, of]) =>
      openEngine(name, of, settings, { ...parts, isHurried: isFollowed(settings, name) }),
    ),
  );
}

/** Whether another engine of a route can respond instead. It is asked soon. */
function isFollowed({ ENGINES }: Settings, name: string): boolean {
  return ENGINES?.routes.some(({ use }) => use.includes(name) && use.at(-1) !== name) ?? false;
}

/** Opens one engine, with its own limit of concurrent calls. Its package is loaded only now, because it is optional. */
export async function openEngine(
  name: string,
  of: EngineOf,
  settings: Settings,
  parts: ModelParts & Pick<ChatDependencies, 'concurrencyLimit' | 'countedAs' | 'isHurried'> = {},
): Promise<NamedEngine> {
  const { concurrencyLimit = createConcurrencyLimit(), isHurried = false } = parts;
  if (of.kind === 'openai' || of.kind === 'anthropic') {
    const { paid, countedAs } = parts;
    const model = await openModel(of, settings, {
      ...(paid && { paid }),
      ...(countedAs !== undefined && { countedAs }),
      ...{ concurrencyLimit, isHurried },
    });
    return { name, model, translate: model.translate, limit: concurrencyLimit };
  }
  const { translateBy } = await import('./machine/machine-engine.ts');
  const [translator, { sleep }, { timerMs }] = await Promise.all([
    openTranslator(of),
    import('./chat/rate-limit-retry-after.ts'),
    import('./chat/endpoint-http.ts'),
  ]);
  const translate = translateBy(translator, name, {
    retries: Math.min(settings.OPENAI_MAX_RETRIES, isHurried ? 1 : Number.POSITIVE_INFINITY),
    isHurried,
    sleep,
    concurrencyLimit,
    timeout: timerMs(settings.OPENAI_TIMEOUT_SECONDS),
    protect: parts.protect ?? (() => null),
  });
  return { name, model: null, translate, limit: concurrencyLimit };
}

/** Opens an engine of a language model. */
async function openModel(
  of: Extract<EngineOf, { kind: 'openai' | 'anthropic' }>,
  settings: Settings,
  parts: ChatDependencies,
): Promise<Engine> {
  if (of.kind === 'anthropic') {
    const { openChatEngine } = await import('./anthropic/anthropic-engine.ts');
    const { OPENAI_TIMEOUT_SECONDS: timeoutSeconds, OPENAI_MAX_RETRIES: retries } = settings;
    return openChatEngine(of, { timeoutSeconds, retries }, parts);
  }
  const { createOpenAiEngine } = await import('./openai/openai-engine.ts');
  return createOpenAiEngine(
    {
      ...settings,
      OPENAI_API_KEY: of.api_key,
      OPENAI_BASE_URL: of.url,
      OPENAI_MODEL: of.model,
      OPENAI_REFINER_MODEL: of.refiner_model ?? of.model,
    },
    parts,
  );
}

type MachineOf = Exclude<EngineOf, { kind: 'openai' | 'anthropic' }>;

/** Opens a translation service. Its package is loaded only now, because it is optional. */
async function openTranslator(of: MachineOf): Promise<Translator> {
  try {
    return await loadTranslator(of);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const [, name = 'of this kind'] = /package '([^']+)'/.exec(message) ?? [];
    throw new SettingsError(`ENGINES: for the kind ${of.kind}, the package ${name} must be installed`, {
      cause: error,
    });
  }
}

async function loadTranslator(of: MachineOf): Promise<Translator> {
  switch (of.kind) {
    case 'deepl':
      return (await import('./machine/deepl.ts')).openDeepL(of);
    case 'azure':
      return (await import('./machine/azure.ts')).openAzure(of);
    case 'google':
      return (await import('./machine/google.ts')).openGoogle(of);
    case 'libretranslate':
      return (await import('./machine/libretranslate.ts')).openLibreTranslate(of);
    case 'apertium':
      return (await import('./machine/apertium.ts')).openApertium(of);
  }
}
