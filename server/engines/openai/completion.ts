import type { ChatCompletion } from 'openai/resources/chat/completions';
import type { z } from 'zod';
import { findUnstorable } from '../../storable.ts';
import { UpstreamFailure } from './failure.ts';

/**
 * The answer that a completion carries. Nothing of its shape is taken for granted: the package does not check it,
 * and what passes for a compatible endpoint varies.
 * @throws UpstreamFailure filtered or malformed
 */
export function readAnswer<T>(completion: ChatCompletion | null | undefined, schema: z.ZodType<T>): T {
  const choice = completion?.choices?.[0];
  const message = choice?.message;
  if (choice?.finish_reason === 'content_filter') throw new UpstreamFailure('filtered', 'finish_reason');
  if (message?.refusal) throw new UpstreamFailure('filtered', 'refusal');
  if (choice?.finish_reason === 'length')
    throw new UpstreamFailure('malformed', 'cut off at the length limit');
  if (typeof message?.content !== 'string') throw new UpstreamFailure('malformed', 'no content');

  const read = schema.safeParse(parseJson(message.content));
  if (!read.success) throw new UpstreamFailure('malformed', 'the content does not fit its schema');
  if (findUnstorable(read.data)) throw new UpstreamFailure('malformed', 'the content cannot be stored');
  return read.data;
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    // The parser's own message quotes the text.
    throw new UpstreamFailure('malformed', 'the content is not JSON');
  }
}
