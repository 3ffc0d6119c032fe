import type { ChatCompletion } from 'openai/resources/chat/completions';
import type { AnswerFormat } from './answers.ts';
import { type ClientSettings, openClient } from './client.ts';

/** What a model gets to see. */
export interface Prompt {
  model: string;
  /** Ours, never a caller's words. */
  instructions: string;
  /** What the instructions speak about, with the caller's words in its fields. */
  data: Record<string, unknown>;
  format: AnswerFormat<unknown>;
}

/** One thing that is asked of a model, and what its answer comes to. */
export interface Question<Answer, Value> extends Prompt {
  format: AnswerFormat<Answer>;
  /** Undefined where the answer, well formed as it is, does not answer this question. */
  read: (answer: Answer) => Value | undefined;
}

/** Asks once, until the signal goes off. Rejects with an UpstreamFailure. */
export type Chat = (prompt: Prompt, signal?: AbortSignal) => Promise<ChatCompletion>;

/** A connection to any endpoint that speaks chat completions with structured outputs. */
export function connect(settings: ClientSettings): Chat {
  const call = openClient(settings);
  return (prompt, signal) =>
    call((client, cut) => client.chat.completions.create(request(prompt), { signal: cut }), signal);
}

/**
 * No temperature, token limit or reasoning effort: each is refused by some model that others need it for. `system`
 * rather than `developer`, which only OpenAI knows.
 */
function request({ model, instructions, data, format }: Prompt) {
  return {
    model,
    messages: [
      { role: 'system' as const, content: instructions },
      { role: 'user' as const, content: JSON.stringify(data) },
    ],
    response_format: format.responseFormat,
  };
}
