import type { ChatCompletion } from 'openai/resources/chat/completions';
import { findUnstorable } from '#server/input-limits.ts';
import type { Question } from './chat.ts';
import { UpstreamFailure } from './failure.ts';

/**
 * What the answer that a completion carries comes to. Nothing of its shape is taken for granted: the package does not check it,
 * and what passes for a compatible endpoint varies.
 * @throws UpstreamFailure filtered or malformed
 */
export function readAnswer<Answer, Value>(
  completion: ChatCompletion | null | undefined,
  { format, read }: Question<Answer, Value>,
): Value {
  const choice = completion?.choices?.[0];
  const message = choice?.message;
  if (choice?.finish_reason === 'content_filter') throw new UpstreamFailure('filtered', 'finish_reason');
  if (message?.refusal) throw new UpstreamFailure('filtered', 'refusal');
  if (choice?.finish_reason === 'length')
    throw new UpstreamFailure('malformed', 'cut off at the length limit');
  if (typeof message?.content !== 'string') throw new UpstreamFailure('malformed', 'no content');

  const parsed = format.schema.safeParse(parseJson(message.content));
  if (!parsed.success) throw new UpstreamFailure('malformed', 'the content does not fit its schema');
  if (findUnstorable(parsed.data)) throw new UpstreamFailure('malformed', 'the content cannot be stored');
  const value = read(parsed.data);
  if (value === undefined) throw new UpstreamFailure('malformed', 'the content does not fit the question');
  return value;
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    // The parser's own message quotes the text.
    throw new UpstreamFailure('malformed', 'the content is not JSON');
  }
}
