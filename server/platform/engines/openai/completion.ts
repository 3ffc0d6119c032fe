import type { ChatCompletion } from 'openai/resources/chat/completions';
import { findUnstorable } from '../../input-limits.ts';
import type { ResponseFormat } from './response-formats.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/** The completion that the client library returns. It may have any shape, because endpoints may send anything. */
type Received = ChatCompletion | null | undefined;

/** The way to read a response. */
export interface Reading<Reply, Value> {
  format: ResponseFormat<Reply>;
  /** Returns undefined if the response is well formed but does not match the request. */
  read: (reply: Reply) => Value | undefined;
}

/**
 * Reads a completion. Every part of the shape is checked, because the package does not check it and compatible
 * endpoints differ.
 *
 * @throws {UpstreamFailure} `filtered`, `malformed`, or `unstructured` if the content is not the requested JSON
 */
export function readCompletion<Reply, Value>(
  completion: Received,
  { format, read }: Reading<Reply, Value>,
): Value {
  const choice = completion?.choices?.[0];
  const message = choice?.message;
  if (choice?.finish_reason === 'content_filter')
    throw new UpstreamFailure('filtered', 'the content filter of the endpoint stopped the response');
  if (message?.refusal) throw new UpstreamFailure('filtered', 'the model refused to respond');
  if (choice?.finish_reason === 'length')
    throw new UpstreamFailure('malformed', "the model's response was cut off at its length limit");
  if (typeof message?.content !== 'string')
    throw new UpstreamFailure(message ? 'unstructured' : 'malformed', "the model's response has no content");

  const parsed = format.schema.safeParse(parseJson(message.content));
  if (!parsed.success) {
    // Custom checks (refinements) concern the text of a value. If only these fail, the endpoint has followed the
    // schema.
    const isOfShape = parsed.error.issues.every(({ code }) => code === 'custom');
    throw new UpstreamFailure(
      isOfShape ? 'malformed' : 'unstructured',
      "the model's response does not match the JSON schema that the request asked for",
    );
  }
  if (findUnstorable(parsed.data))
    throw new UpstreamFailure('malformed', "the model's response has characters that cannot be stored");
  const value = read(parsed.data);
  if (value === undefined)
    throw new UpstreamFailure(
      'malformed',
      "the model's response does not match the segments or candidates of the request",
    );
  return value;
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(withoutWrapping(content));
  } catch {
    // Do not use the parser's own message: it quotes the text.
    throw new UpstreamFailure('unstructured', "the model's response is not JSON");
  }
}

/**
 * Removes text that models add around the requested JSON: reasoning before the JSON, and a code fence around the whole
 * response. JSON is never searched for inside other text, because a translation may contain JSON from
 * its source.
 */
function withoutWrapping(content: string): string {
  const trimmed = content.trim();
  const thought = trimmed.startsWith('<think>') ? trimmed.indexOf('</think>') : -1;
  const text = thought < 0 ? trimmed : trimmed.slice(thought + '</think>'.length).trimStart();
  if (text.length < 6 || !text.startsWith('```') || !text.endsWith('```')) return text;
  return text.slice(3, -3).replace(/^json/i, '');
}

/** Returns the number of tokens of any kind of response; 0 if the endpoint sends no number. */
export function countTokens(response: { usage?: Usage } | null | undefined): {
  inputTokens: number;
  outputTokens: number;
} {
  const { prompt_tokens, completion_tokens } = response?.usage ?? {};
  return { inputTokens: count(prompt_tokens), outputTokens: count(completion_tokens) };
}

interface Usage {
  prompt_tokens?: unknown;
  completion_tokens?: unknown;
}

function count(tokens: unknown): number {
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0;
}

/**
 * Returns the exact version of the model, of which the request may contain only an alias. Undefined if the endpoint
 * does not send it.
 */
export function readModel(completion: Received): string | undefined {
  const model: unknown = completion?.model;
  return typeof model === 'string' && /^[\w.:/@+-]{1,200}$/.test(model) ? model : undefined;
}
