import type { Asked, ChatRequestBody, CompletionOptions } from './openai.ts';

/*
 * The messages API of Anthropic, as platform.claude.com/docs/en/api documents it. It lets a test of the rules that all
 * chat engines follow send the same replies to each of them.
 */

/** The fields of a request that the service sends. */
export interface AnthropicRequest {
  model: string;
  max_tokens: number;
  system: { type: 'text'; text: string; cache_control?: { type: 'ephemeral' } }[];
  messages: { role: 'user'; content: AnthropicRequest['system'] }[];
  output_config?: { format: { type: 'json_schema'; schema: { properties: Record<string, unknown> } } };
}

export const isAnthropic = ({ path }: { path: string }): boolean => path.endsWith('/messages');

/** Returns the request in the form of a chat completion request. */
export function asChatRequest({ model, system, messages, output_config }: AnthropicRequest): ChatRequestBody {
  const schema = output_config?.format.schema;
  const textOf = (content: AnthropicRequest['system']) => content.map(({ text }) => text).join('');
  const chat = [
    { role: 'system', content: textOf(system) },
    ...messages.map(({ role, content }) => ({ role, content: textOf(content) })),
  ];
  const name = schema && roleOf(Object.keys(schema.properties), JSON.parse(chat.at(-1)!.content));
  return {
    model,
    messages: chat,
    ...(name && { response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } } }),
  };
}

/** Returns the role, because a schema has no name here. */
function roleOf(fields: string[], data: object): Asked['role'] {
  if (fields.includes('winner')) return 'comparison';
  if (fields.includes('judgements')) return 'segment_assessment';
  if (fields.includes('passed')) return 'verification';
  if (fields.includes('score')) return 'assessment';
  return 'issues' in data ? 'repair' : 'translation';
}

const stopReasons: Record<string, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  content_filter: 'refusal',
};

/** Returns the body of a message. */
export function anthropicMessage(options: CompletionOptions, asked: string): unknown {
  const { content = null, finishReason = 'stop', refusal, model = asked } = options;
  const { usage = { prompt_tokens: 100, completion_tokens: 10 } } = options;
  const text = typeof content === 'string' || content === null ? content : JSON.stringify(content);
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    ...(model !== null && { model }),
    content: text === null ? [] : [{ type: 'text', text, citations: null }],
    stop_reason: refusal ? 'refusal' : (stopReasons[String(finishReason)] ?? finishReason),
    stop_sequence: null,
    ...(usage && {
      usage: {
        input_tokens: usage.prompt_tokens,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: null,
        output_tokens: usage.completion_tokens,
      },
    }),
  };
}

const errorTypes: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** Returns the body of an error. The code, if there is one, is that of its details. */
export function anthropicError(
  status: number,
  error: { code?: unknown; type?: string; message?: string },
): unknown {
  const { code, type = errorTypes[status] ?? 'api_error', message = 'something went wrong' } = error;
  const details = code ? { error_code: code } : null;
  return { type: 'error', error: { type, message, details }, request_id: 'req_1' };
}
