import type { ChatDependencies } from '#server/platform/engines/chat/chat-engine.ts';
import { createOpenAiEngine, type OpenAiSettings } from '#server/platform/engines/openai/openai-engine.ts';
import { type Asked, askedOf, type FakeOpenAi, type Reply, translatingReply } from '#test/fakes/openai.ts';

/** Model names that occur nowhere else, so that each occurrence in a response is a leak. */
export const models = { translator: 'scribe-zq17', refiner: 'judge-zq23', extra: 'rival-zq31' };

/** The live engine with the fake model. It fails immediately, because its retries are tested elsewhere. */
export function liveEngine(
  fake: FakeOpenAi,
  settings: Partial<OpenAiSettings> = {},
  parts: ChatDependencies = {},
) {
  return createOpenAiEngine(
    {
      OPENAI_API_KEY: 'sk-test-zq5ecret',
      OPENAI_BASE_URL: fake.baseUrl,
      OPENAI_MODEL: models.translator,
      OPENAI_REFINER_MODEL: models.refiner,
      OPENAI_TIMEOUT_SECONDS: 20,
      OPENAI_MAX_RETRIES: 0,
      ...settings,
    },
    { sleep: async () => {}, ...parts },
  );
}

/** English sentences and good translations, because the pipeline checks more than a score. */
export const german: Record<string, string> = {
  'The cat sleeps on the warm windowsill in the afternoon.':
    'Die Katze schläft am Nachmittag auf der warmen Fensterbank.',
  'My brother bakes fresh bread every morning.': 'Mein Bruder backt jeden Morgen frisches Brot.',
  'The train to the city leaves in a few minutes.': 'Der Zug in die Stadt fährt in wenigen Minuten ab.',
  'Please close the window before you leave the house.':
    'Bitte schließen Sie das Fenster, bevor Sie das Haus verlassen.',
  'The children are playing in the garden behind the school.':
    'Die Kinder spielen im Garten hinter der Schule.',
  'We would like to order another bottle of water.': 'Wir möchten noch eine Flasche Wasser bestellen.',
  'Her new book will be published next spring.': 'Ihr neues Buch wird im nächsten Frühling veröffentlicht.',
};

export const sentences = Object.keys(german);
export const [cat = '', bread = '', train = '', windows = '', garden = ''] = sentences;

/** Translates these sentences. For all other texts, the result is arbitrary. */
export const translate = (text: string) => german[text] ?? `Hier steht eine Übersetzung von: ${text}`;

/** A model that makes no errors. */
export const good: Reply = translatingReply({ translate });

/** Sends `reply` to requests that match, and correct responses to all others. */
export const when =
  (matches: (asked: Asked) => boolean, reply: Reply, otherwise: Reply = good): Reply =>
  (response, request) =>
    (matches(askedOf(request)) ? reply : otherwise)(response, request);

/** Whether a request is about this text. */
export const about = (text: string) => (asked: Asked) =>
  asked.data.segments.some((segment) => segment.text === text || segment.source === text);

/** The number of calls of each role that was called. */
export function askedRoles(fake: FakeOpenAi): Partial<Record<Asked['role'], number>> {
  const counts: Partial<Record<Asked['role'], number>> = {};
  for (const request of fake.requests) {
    const { role } = askedOf(request);
    counts[role] = (counts[role] ?? 0) + 1;
  }
  return counts;
}

/** A reply that is held until the test releases it. `reached` resolves when the first request has arrived. */
export function heldReply(reply: Reply = good) {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const held: Reply = async (response, request) => {
    reached.resolve();
    await gate.promise;
    await reply(response, request);
  };
  return { held, reached: reached.promise, letGo: () => gate.resolve() };
}
