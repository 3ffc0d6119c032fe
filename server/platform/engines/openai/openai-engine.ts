import type { Settings } from '#server/settings.ts';
import type { Chat, Prompt } from '../chat/chat.ts';
import { type ChatDependencies, createChatEngine, upstreamOf } from '../chat/chat-engine.ts';
import type { OutputMode } from '../chat/output-modes.ts';
import type { Engine } from '../engine.ts';
import { type ClientSettings, openClient, replyOf, throwErrorInside } from './client.ts';

export type OpenAiSettings = ClientSettings &
  Pick<Settings, 'OPENAI_MODEL' | 'OPENAI_REFINER_MODEL' | 'OPENAI_MAX_RETRIES'>;

/**
 * Creates the live engine. OPENAI_MODEL translates, and OPENAI_REFINER_MODEL judges and repairs, at OpenAI or any
 * endpoint with compatible chat completions.
 */
export function createOpenAiEngine(settings: OpenAiSettings, dependencies: ChatDependencies = {}): Engine {
  return createChatEngine({
    upstream: upstreamOf(openChat(settings), settings.OPENAI_MAX_RETRIES, dependencies),
    translator: settings.OPENAI_MODEL,
    refiner: settings.OPENAI_REFINER_MODEL,
  });
}

/** Opens a client for any endpoint with chat completions. */
function openChat(settings: ClientSettings): Chat {
  const call = openClient(settings);
  return async (prompt, mode, signal) => {
    const create = request(prompt, mode);
    return replyOf(
      await call(
        async (client, cut) =>
          throwErrorInside(await client.chat.completions.create(create, { signal: cut })),
        signal,
      ),
    );
  };
}

/**
 * Temperature, token limit and reasoning effort are not sent, because some models reject them. The role is `system`,
 * because only OpenAI supports `developer`.
 */
function request({ model, instructions, data, format }: Prompt, mode: OutputMode) {
  const isEnforced = mode === 'json_schema';
  const { name, jsonSchema: schema } = format;
  return {
    model,
    messages: [
      { role: 'system' as const, content: isEnforced ? instructions : `${instructions}\n${format.inWords}` },
      { role: 'user' as const, content: JSON.stringify(data) },
    ],
    ...(isEnforced && {
      response_format: { type: mode, json_schema: { name, strict: true, schema } },
    }),
    ...(mode === 'json_object' && { response_format: { type: mode } }),
  };
}
