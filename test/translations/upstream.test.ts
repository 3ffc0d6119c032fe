import { beforeEach, describe, expect, test } from 'vitest';
import {
  type Asked,
  completion,
  failure,
  hang,
  type Reply,
  reset,
  translatingReply,
} from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { cat, german, good, liveEngine, when } from './live.ts';
import { keyed, openWorkspace, type Workspace } from './workspace.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const fake = await useFakeOpenAi();
const app = useTestApp({ env, engine: liveEngine(fake) });
const impatient = useTestApp({ env, engine: liveEngine(fake, { OPENAI_TIMEOUT_SECONDS: 0.1 }) });

let mine: Workspace;
let hasty: Workspace;
beforeEach(async () => {
  fake.requests.length = 0;
  mine = await openWorkspace(app);
  hasty = await openWorkspace(impatient);
});

const request = { source_text: cat, target_lang: 'de' };

interface Ending {
  reply: Reply;
  status: number;
  code: string;
  hasty?: boolean;
}
const transient = { status: 503, code: 'transient_error' };
const endings: Record<string, Ending> = {
  '429': { reply: failure(429), status: 429, code: 'rate_limit' },
  '500': { reply: failure(500), ...transient },
  '503': { reply: failure(503), ...transient },
  'a connection that is dropped': { reply: reset, ...transient },
  'no answer in time': { reply: hang, ...transient, hasty: true },
  'a refusal': {
    reply: completion({ content: null, refusal: 'I cannot help with that.' }),
    status: 422,
    code: 'content_filtered',
  },
  'no JSON': { reply: completion({ content: 'Die Katze.' }), ...transient },
  'a key that is refused': { reply: failure(401), status: 503, code: 'service_unavailable' },
};

async function expectEnding({ reply, status, code, hasty: soon }: Ending, role: Asked['role'], model = {}) {
  const by = soon ? hasty : mine;
  const rest = translatingReply({ translate: (text) => german[text]!, ...model });
  fake.otherwise(when((asked) => asked.role === role, reply, rest));
  const first = await by.submit(request, keyed('k'));
  expect([first.status, first.body.error_code]).toEqual([status, code]);
  expect(first.body.request_id).toBe(first.headers.get('x-request-id'));
  const [job, ...more] = await by.list();
  expect(more).toEqual([]);
  expect(job).toMatchObject({
    status: 'failed',
    final_translation: null,
    agent_run: { error: first.body.detail, status: 'failed' },
  });
  expect(await by.usage()).toEqual([]);

  fake.otherwise(good);
  const again = await by.submit(request, keyed('k'));
  expect(again.body).toMatchObject({ id: job.id, status: 'published', final_translation: german[cat] });
  expect(await by.usage()).toMatchObject([{ job_id: job.id }]);
}

describe('a model that fails to translate (B 7)', () => {
  test.each(Object.entries(endings))(
    '%s: its status and error_code; not billed; run again by the same key',
    (_, ending) => expectEnding(ending, 'translation'),
  );
});

describe.each(['assessment', 'repair', 'verification'] as const)('a model that fails at %s (B 7)', (role) => {
  // For a repair, the score must be low.
  const model = role === 'repair' ? { score: 60 } : {};
  test.each(Object.entries(endings).filter(([name]) => ['500', 'a refusal'].includes(name)))(
    '%s: the same',
    (_, ending) => expectEnding(ending, role, model),
  );
});
