import { serveHttp } from '#test/fakes/http-server.ts';
import { connect, type Signup } from '#test/setup/app.ts';
import type { Attack } from './measure-attack.ts';

const seconds = 20;
/** Number of concurrent submissions. */
const wide = 16;

/** The response of a model that uses tokens and returns nothing usable. */
const answer = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'm',
  choices: [
    { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'no JSON', refusal: null } },
  ],
  usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
});
let asked = 0;
const model = await serveHttp((_request, response) => {
  asked += 1;
  response.setHeader('content-type', 'application/json').end(answer);
});

let tenant: Signup;

/** One tenant sends texts whose runs all fail. Failed runs are not billed. */
export const failingRuns: Attack = {
  title: `${wide} clients of one tenant let runs of a live model fail for ${seconds} s`,
  env: {
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: `${model.url}/v1`,
    OPENAI_MAX_RETRIES: '0',
  },

  async prepare({ address }) {
    tenant = await connect(address).signUp();
  },

  async run({ address }) {
    const { json } = connect(address);
    const statuses: Record<number, number> = {};
    asked = 0;
    const until = performance.now() + seconds * 1000;
    const worker = async (client: number) => {
      for (let n = 0; performance.now() < until; n++) {
        const body = { source_text: `Text ${n} of client ${client}.`, target_lang: 'fr' };
        const { status } = await json('POST', '/api/translations', { headers: tenant.headers, body });
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: wide }, (_, client) => worker(client)));
    return { 'answers by status': JSON.stringify(statuses), 'calls of the model': asked };
  },
};
