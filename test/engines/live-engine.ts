import { afterEach, beforeEach, expect, vi } from 'vitest';
import { AppError } from '#server/errors.ts';
import { openChatEngine } from '#server/platform/engines/anthropic/anthropic-engine.ts';
import type { ChatDependencies } from '#server/platform/engines/chat/chat-engine.ts';
import type {
  CallScope,
  Engine,
  EngineResult,
  QualityIssue,
  TranslationTask,
} from '#server/platform/engines/engine.ts';
import { createOpenAiEngine, type OpenAiSettings } from '#server/platform/engines/openai/openai-engine.ts';
import { type Asked, askedOf, type FakeOpenAi, startFakeOpenAi } from '#test/fakes/openai.ts';
import { plainTask } from '#test/setup/engine.ts';

export const key = 'sk-test-5ecret';

export const plain: TranslationTask = { ...plainTask, segments: ['The cat sat on the mat.'] };

export const scope: CallScope = { tenantId: 'tenant-1' };

export const issue: QualityIssue = {
  severity: 'major',
  category: 'terminology',
  span: 'Katze',
  explanation: 'The glossary says Kater.',
  suggestion: 'Kater',
};

export const settings = {
  OPENAI_API_KEY: key,
  OPENAI_MODEL: 'translator-1',
  OPENAI_REFINER_MODEL: 'judge-1',
  OPENAI_TIMEOUT_SECONDS: 20,
  OPENAI_MAX_RETRIES: 2,
};

type Call = (engine: Engine, task?: TranslationTask, callScope?: CallScope) => Promise<EngineResult<unknown>>;

/** A call of each role, by default for the plain task. */
export const calls: Record<'translate' | 'assess' | 'repair' | 'compare' | 'verify', Call> = {
  translate: (engine, task = plain, at = scope) => engine.translate(task, at),
  assess: (engine, task = plain, at = scope) => engine.assess(task, echo(task), at),
  repair: (engine, task = plain, at = scope) => engine.repair(task, echo(task), [issue], at),
  compare: (engine, task = plain, at = scope) => engine.compare(task, [echo(task), echo(task)], at),
  verify: (engine, task = plain, at = scope) => engine.verify(task, echo(task), at),
};

/** The name of each role and its call. */
export const eachRole = Object.entries(calls) as [keyof typeof calls, Call][];

const echo = ({ segments }: TranslationTask): string[] => segments.map((text) => `judged: ${text}`);

/** The kinds of chat endpoints, which follow the same rules. */
export const chatKinds = ['openai', 'anthropic'] as const;

/** Opens an engine at Anthropic with the settings of one at OpenAI. */
function anthropicEngine(options: OpenAiSettings, parts: ChatDependencies): Engine {
  const opened = openChatEngine(
    {
      kind: 'anthropic',
      api_key: options.OPENAI_API_KEY,
      url: options.OPENAI_BASE_URL?.replace(/\/v1$/, ''),
      model: options.OPENAI_MODEL,
      refiner_model: options.OPENAI_REFINER_MODEL,
    },
    { timeoutSeconds: options.OPENAI_TIMEOUT_SECONDS, retries: options.OPENAI_MAX_RETRIES },
    parts,
  );
  type Method = (...given: unknown[]) => unknown;
  return new Proxy({ live: true } as Engine, {
    get: (engine, name: keyof Engine) =>
      engine[name] ?? (async (...given: unknown[]) => ((await opened)[name] as Method)(...given)),
  });
}

/**
 * Starts a fake model endpoint for each test of the file. Its engines do not wait before a retry; they record the
 * duration and continue.
 */
export function useFakeUpstream(kind: (typeof chatKinds)[number] = 'openai') {
  const open = kind === 'openai' ? createOpenAiEngine : anthropicEngine;
  let fake: FakeOpenAi;
  let waits: number[];

  beforeEach(async () => {
    waits = [];
    fake = await startFakeOpenAi();
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
    await fake.close();
  });

  return {
    get fake() {
      return fake;
    },
    get waits() {
      return waits;
    },
    engine: (more: Partial<OpenAiSettings> = {}, parts: ChatDependencies = {}) =>
      open(
        { ...settings, OPENAI_BASE_URL: fake.baseUrl, ...more },
        { sleep: async (ms) => void waits.push(ms), ...parts },
      ),
    /** The two messages of a request, of which each request must consist. */
    sent(index = 0) {
      const { body, ...request } = fake.requests[index]!;
      const [system, user, ...more] = body.messages;
      expect(more).toEqual([]);
      expect([system!.role, user!.role]).toEqual(['system', 'user']);
      return { ...request, body, system: system!.content, data: JSON.parse(user!.content) };
    },
  };
}

/** The AppError with which a call must fail. */
export async function failed(call: Promise<unknown>): Promise<AppError> {
  const thrown = await call.then(
    () => expect.unreachable('the call succeeded'),
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(AppError);
  return thrown as AppError;
}

/** Starts a fake model endpoint for each test of the file, and returns the texts of each call. */
export function useAskedUpstream() {
  const upstream = useFakeUpstream();
  return { upstream, asked: (): Asked[] => upstream.fake.requests.map(askedOf) };
}

/** The total length of the texts, in UTF-16 units. */
export const units = (texts: readonly string[]): number => texts.reduce((sum, { length }) => sum + length, 0);

const sentence = 'The quick brown fox jumps over the lazy dog, and Dr. Smith pays 3.50 for it. ';
/** About 50,000 characters: paragraphs of different lengths that consist of complete sentences. */
export const longText = Array.from(
  { length: 60 },
  (_, index) => `${index}: ${sentence.repeat((index % 19) + 1).trim()}`,
)
  .join('\n\n')
  .slice(0, 50_000);
/** A task that translates the long text. */
export const longTask: TranslationTask = { ...plain, segments: [longText] };

/**
 * Replaces each letter by a letter of another alphabet, so that each position of the source can be found in the
 * translation.
 */
export const cipher = (text: string): string =>
  text.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0x3b0 - 0x60));
