import type { Anthropic } from '@anthropic-ai/sdk';
import type { Chat, Prompt } from '../chat/chat.ts';
import { type ChatDependencies, createChatEngine, upstreamOf } from '../chat/chat-engine.ts';
import { boundedFetch, callWithin, classifyThrown, errorWord, timerMs } from '../chat/endpoint-http.ts';
import { type OutputMode, openOutputModes } from '../chat/output-modes.ts';
import { readRetryAfter } from '../chat/rate-limit-retry-after.ts';
import { type ChatReply, modelName, tokenCount } from '../chat/read-reply.ts';
import { UpstreamFailure } from '../chat/upstream-failure.ts';
import type { Engine } from '../engine.ts';

type Sdk = typeof import('@anthropic-ai/sdk');

/** An engine with the models of Anthropic, as operators configure it. */
interface AnthropicEntry {
  kind: 'anthropic';
  api_key: string;
  /** The URL of the API without `/v1`, such as that of a gateway. Default: https://api.anthropic.com */
  url?: string | undefined;
  /** The model that translates. */
  model: string;
  /** The model that judges and repairs. Default: `model`. */
  refiner_model?: string | undefined;
}

/** Limits of one request. */
interface ChatLimits {
  timeoutSeconds: number;
  /** Maximum retries. */
  retries: number;
}

/**
 * Maximum tokens of a response, including those in which a model thinks. The source of a request has about 2,000, and
 * its translation into the language with the most tokens about four times as many.
 */
const maxTokens = 16_000;

/**
 * Opens an engine with the models of Anthropic. It follows the same rules as the other chat engines. Its package is
 * loaded here, because it is optional.
 * @throws {Error} if the package is not installed
 */
export async function openChatEngine(
  entry: AnthropicEntry,
  { timeoutSeconds, retries }: ChatLimits,
  dependencies: ChatDependencies = {},
): Promise<Engine> {
  const sdk = await import('@anthropic-ai/sdk').catch((cause: unknown) => {
    throw new Error('the engine "anthropic" needs the package @anthropic-ai/sdk', { cause });
  });
  const modes = dependencies.modes ?? openAnthropicModes();
  return createChatEngine({
    upstream: upstreamOf(openChat(sdk, entry, timeoutSeconds), retries, { ...dependencies, modes }),
    translator: entry.model,
    refiner: entry.refiner_model ?? entry.model,
  });
}

/** Models from before structured outputs have the schema in the instructions, because the API has no JSON mode. */
export const openAnthropicModes = () => openOutputModes(undefined, ['json_schema', 'instructions']);

function openChat(sdk: Sdk, entry: AnthropicEntry, timeoutSeconds: number): Chat {
  const timeout = timerMs(timeoutSeconds);
  // Set all options that would otherwise be read from the environment. ANTHROPIC_CUSTOM_HEADERS is read in any case.
  const client = new sdk.Anthropic({
    apiKey: entry.api_key,
    baseURL: entry.url ?? 'https://api.anthropic.com',
    webhookKey: null,
    // The package must not log, and must not add texts to traces: it can log whole requests.
    logLevel: 'off',
    openTelemetry: false,
    maxRetries: 0,
    timeout,
    fetch: boundedFetch,
  });
  const classify = (thrown: unknown) =>
    classifyThrown(thrown, sdk.Anthropic, (error) => classifyStatus(error as ApiError));
  return async (prompt, mode, signal) => {
    const body = request(prompt, mode);
    return replyOf(
      // `messages.create` writes a line to the console for each request to an older model.
      await callWithin(timeout, signal, classify, (cut) =>
        client.post<Anthropic.Message | null>('/v1/messages', { body, timeout, signal: cut }),
      ),
    );
  };
}

/**
 * Both texts before the caller's are cached, which costs a tenth when they are read again: the instructions, and what the
 * requests of a document share. The API caches no beginning of less than about 1,000 tokens.
 */
function request({ model, instructions, data, format }: Prompt, mode: OutputMode) {
  const isEnforced = mode === 'json_schema';
  const { jsonSchema: schema } = format;
  return {
    model,
    max_tokens: maxTokens,
    system: [
      {
        type: 'text',
        text: isEnforced ? instructions : `${instructions}\n${format.inWords}`,
        cache_control: { type: 'ephemeral' },
      },
    ],
    messages: [{ role: 'user', content: contentOf(data) }],
    ...(isEnforced && { output_config: { format: { type: 'json_schema', schema } } }),
  } satisfies Anthropic.MessageCreateParamsNonStreaming;
}

/** Returns the JSON of the message in two parts: first what does not depend on the texts. */
function contentOf({
  source_lang,
  target_lang,
  tone,
  gender,
  domain,
  outline,
  style_guide,
  ...texts
}: Prompt['data']) {
  const shared = JSON.stringify({ source_lang, target_lang, tone, gender, domain, outline, style_guide });
  return [
    { type: 'text' as const, text: `${shared.slice(0, -1)},`, cache_control: { type: 'ephemeral' as const } },
    { type: 'text' as const, text: JSON.stringify(texts).slice(1) },
  ];
}

const stops: Partial<Record<string, ChatReply['stop']>> = {
  end_turn: 'done',
  stop_sequence: 'done',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refused',
} satisfies Partial<Record<Anthropic.StopReason, ChatReply['stop']>>;

/** Returns the reply in a message. Every part of the shape is checked, because gateways may send anything. */
function replyOf(message: Anthropic.Message | null): ChatReply {
  const blocks: unknown = message?.content;
  const texts = (Array.isArray(blocks) ? blocks : []).flatMap(
    (block: { type?: unknown; text?: unknown } | null) =>
      block?.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
  );
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } =
    message?.usage ?? ({} as Partial<Anthropic.Usage>);
  return {
    text: texts.length > 0 ? texts.join('') : null,
    stop: stops[String(message?.stop_reason)] ?? 'broken',
    model: modelName(message?.model),
    // Cached tokens are not among the input tokens.
    inputTokens: [input_tokens, cache_creation_input_tokens, cache_read_input_tokens].reduce<number>(
      (sum, tokens) => sum + tokenCount(tokens),
      0,
    ),
    outputTokens: tokenCount(output_tokens),
  };
}

type ApiError = InstanceType<Sdk['APIError']>;

/** Codes with which a 429 does not end by waiting: a limit of expenses was reached. */
const spentCodes: readonly (string | undefined)[] = [
  'contract_spend_limit_reached',
  'enforced_spend_limit_reached',
  'linked_organization_spend_limit_reached',
];

/** The names of structured outputs in messages that reject them. */
const formatWords = /\boutput[_ .]?(config|format)|structured[_ -]?output|json[_ -]?schema|\bgrammar\b/i;

/** Maximum characters of an error message that are searched, because the rest may quote the request. */
const wordsLength = 200;

function classifyStatus(error: ApiError): UpstreamFailure {
  const { status = 0, headers, requestID, errorCode } = error;
  const type = errorWord(error.type);
  const code = errorWord(errorCode);
  const words = typeof error.apiMessage === 'string' ? error.apiMessage.slice(0, wordsLength) : '';
  return new UpstreamFailure(kindOf(), 'the endpoint rejected the request', {
    status,
    code: code ?? type,
    requestId: errorWord(requestID),
    retryAfterMs: headers && readRetryAfter(headers),
  });

  function kindOf(): UpstreamFailure['kind'] {
    if (status === 400 && words.startsWith('Output blocked by content filtering')) return 'filtered';
    if (status === 400 && formatWords.test(words)) return 'unsupported';
    // 529: the service has no capacity at the moment.
    if (status === 529 || type === 'overloaded_error') return 'saturated';
    if (status === 429) return spentCodes.includes(code) ? 'misconfigured' : 'saturated';
    return status >= 500 || status === 408 || status === 409 ? 'outage' : 'misconfigured';
  }
}
