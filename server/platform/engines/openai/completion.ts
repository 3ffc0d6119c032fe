import type { ChatCompletion } from 'openai/resources/chat/completions';
import { type ChatReply, modelName, tokenCount } from '../chat/read-reply.ts';

/**
 * Returns the reply in a completion. Every part of the shape is checked, because the package does not check it and
 * compatible endpoints differ.
 */
export function replyOf(completion: ChatCompletion | null | undefined): ChatReply {
  const choice = completion?.choices?.[0];
  const content: unknown = choice?.message?.content;
  return {
    text: typeof content === 'string' ? content : null,
    stop: stopOf(choice),
    model: modelName(completion?.model),
    ...countTokens(completion),
  };
}

function stopOf(choice: ChatCompletion.Choice | undefined): ChatReply['stop'] {
  if (choice?.finish_reason === 'content_filter') return 'filtered';
  if (choice?.message?.refusal) return 'refused';
  if (choice?.finish_reason === 'length') return 'length';
  return choice?.message ? 'done' : 'broken';
}

/** Returns the number of tokens of any kind of response; 0 if the endpoint sends no number. */
export function countTokens(
  response: { usage?: { prompt_tokens?: unknown; completion_tokens?: unknown } } | null | undefined,
): Pick<ChatReply, 'inputTokens' | 'outputTokens'> {
  const { prompt_tokens, completion_tokens } = response?.usage ?? {};
  return { inputTokens: tokenCount(prompt_tokens), outputTokens: tokenCount(completion_tokens) };
}
