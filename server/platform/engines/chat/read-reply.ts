import { findUnstorable } from '../../input-limits.ts';
import type { ResponseFormat } from './response-formats.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/** The reply of a model, in the same shape for all endpoints. */
export interface ChatReply {
  /** Null if the reply has no text. */
  text: string | null;
  /**
   * Why the model stopped: it was `done`, reached its `length` limit, `refused`, or was `filtered` by the endpoint.
   * `broken`: the response is not what the endpoint documents.
   */
  stop: 'done' | 'length' | 'refused' | 'filtered' | 'broken';
  /** The exact version of the model, of which the request may contain only an alias. Undefined if it is not known. */
  model: string | undefined;
  /** 0 if the endpoint sends no number. */
  inputTokens: number;
  outputTokens: number;
}

/** Returns a number of tokens that an endpoint has sent; 0 if it is not a number of tokens. */
export function tokenCount(tokens: unknown): number {
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0;
}

/** Returns the name of a model that an endpoint has sent; undefined if it is not a name. */
export function modelName(model: unknown): string | undefined {
  return typeof model === 'string' && /^[\w.:/@+-]{1,200}$/.test(model) ? model : undefined;
}

/** The way to read a reply. */
export interface Reading<Reply, Value> {
  format: ResponseFormat<Reply>;
  /** Returns undefined if the reply is well formed but does not match the request. */
  read: (reply: Reply) => Value | undefined;
}

/**
 * Reads a reply, which may be anything.
 *
 * @throws {UpstreamFailure} `filtered`, `malformed`, or `unstructured` if the text is not the requested JSON
 */
export function readReply<Reply, Value>(
  { text, stop }: ChatReply,
  { format, read }: Reading<Reply, Value>,
): Value {
  if (stop === 'filtered')
    throw new UpstreamFailure('filtered', 'the content filter of the endpoint stopped the response');
  if (stop === 'refused') throw new UpstreamFailure('filtered', 'the model refused to respond');
  if (stop === 'length')
    throw new UpstreamFailure('malformed', "the model's response was cut off at its length limit");
  if (text === null)
    throw new UpstreamFailure(
      stop === 'broken' ? 'malformed' : 'unstructured',
      "the model's response has no content",
    );

  const parsed = format.schema.safeParse(parseJson(text));
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
