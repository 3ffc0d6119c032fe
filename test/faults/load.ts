import { setTimeout as delay } from 'node:timers/promises';
import { pick, type Random } from '#test/bench/seeded-random.ts';
import { atItsPath, embeddings } from '#test/fakes/embeddings.ts';
import { failure, type Reply, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import type { connect, Signup } from '#test/setup/app.ts';
import { setsOf } from '#test/translation-memory/sets.ts';
import { tmx } from '#test/translation-memory/tmx.ts';
import { models, sentences } from '#test/translations/live.ts';
import {
  approveDocument,
  DocumentAnswers,
  deleteDocument,
  downloadDocument,
  sendDocument,
} from './documents.ts';

const PATH = '/api/translations';
const password = 'a long enough passphrase';

export type Client = ReturnType<typeof connect>;

/**
 * Starts a model that translates, and fails in a share of its calls, because failed jobs must be as consistent as others.
 * @returns also the settings of a service that uses it under load
 */
export async function startLoadedModel(
  random: Random,
  reply: { failing: number; latencyMs: number; translate: (text: string) => string },
): Promise<AsyncDisposable & { settings: Record<string, string> }> {
  const model = await startFakeOpenAi();
  const good = translatingReply(reply);
  const chat: Reply = (response, request) =>
    (random() < reply.failing ? failure(400) : good)(response, request);
  model.otherwise(atItsPath(embeddings(), chat));
  const settings = {
    LOG_LEVEL: 'silent',
    AUTH_RATE_LIMIT_ENABLED: 'false',
    ACCESS_TOKEN_TTL_SECONDS: '100000',
    TM_ASYNC_THRESHOLD: '50',
    TRIAL_CHARS: '100000000',
    TRIAL_GRANTS_PER_ADDRESS: '100',
    DEFAULT_MONTHLY_CHAR_LIMIT: '1000000000',
    OPENAI_API_KEY: 'sk-faults',
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_MODEL: models.translator,
    OPENAI_REFINER_MODEL: models.refiner,
    OPENAI_MAX_RETRIES: '0',
  };
  return { settings, [Symbol.asyncDispose]: () => model[Symbol.asyncDispose]() };
}

/** The responses of the service. They must stay true after each kill. */
export interface Answers {
  /** Jobs whose response was 200 and that are completed, with their tenants. Deleted jobs are removed. */
  jobs: Map<string, Signup>;
  /** Jobs whose deletion the service has confirmed. */
  deleted: Set<string>;
  /** Jobs whose deletion was requested, whether or not there was a response. */
  deleting: Set<string>;
  glossaries: Map<string, Signup>;
  memories: Map<string, Signup>;
  /** Imports that were accepted with 202. */
  imports: Map<string, Signup>;
  documents: DocumentAnswers;
  /** Errors that clients have found during the load. */
  wrong: string[];
  /** The number of responses of each kind, and of requests without a response. */
  counts: Record<string, number>;
}

interface Actor {
  tenant: Signup;
  email: string;
  refreshToken: string | undefined;
}

/**
 * Runs clients of all kinds for some tenants until `stop` is called: texts with and without keys, batches, files,
 * reviews, inline and background imports, glossaries, documents, deletions, sign-ins, exports, downloads. Like real
 * clients, they continue when the service fails.
 */
export async function startLoad(app: Client, clients: number, random: Random) {
  const answers: Answers = {
    jobs: new Map(),
    deleted: new Set(),
    deleting: new Set(),
    glossaries: new Map(),
    memories: new Map(),
    imports: new Map(),
    documents: new DocumentAnswers(),
    wrong: [],
    counts: {},
  };
  const run = Math.floor(random() * 1e9);
  const actors: Actor[] = [];
  for (let n = 0; n < 3; n++) {
    const email = `faults${run}-${n}@example.org`;
    actors.push({ tenant: await app.signUp({ email, password }), email, refreshToken: undefined });
  }
  const probe = await app.signUp({ email: `probe${run}@example.org`, password });
  let counter = 0;
  let stopped = false;
  const text = () => {
    counter += 1;
    // One of five texts was sent before. The TM or the job of another key serves it.
    return random() < 0.2 ? pick(sentences, random) : `${pick(sentences, random)} (${counter})`;
  };
  const heard = (kind: string, status: number | string) => {
    const name = `${kind} ${status}`;
    answers.counts[name] = (answers.counts[name] ?? 0) + 1;
  };
  const keep = (tenant: Signup, job: { id: string; status: string }) => {
    // A repeated request for a running job returns the current state and not the result.
    if (job.status !== 'pending') answers.jobs.set(job.id, tenant);
  };
  const submit = ({ tenant }: Actor, body: object, headers: Record<string, string> = {}) =>
    app.json('POST', PATH, { headers: { ...tenant.headers, ...headers }, body });
  const anyJob = ({ tenant }: Actor) =>
    [...answers.jobs].filter(([id, owner]) => owner === tenant && !answers.deleting.has(id)).at(-1)?.[0];

  const kinds: Record<string, (actor: Actor) => Promise<number>> = {
    async text(actor) {
      const { status, body } = await submit(actor, { source_text: text(), target_lang: 'de' });
      if (status === 200) keep(actor.tenant, body);
      return status;
    },
    async keyed(actor) {
      counter += 1;
      const headers = { 'idempotency-key': `key-${counter}` };
      const asked = { source_text: text(), target_lang: 'de' };
      // A client that receives no response repeats the request with the same key.
      for (let attempt = 0; ; attempt++) {
        const answer = await submit(actor, asked, headers).catch(() => undefined);
        if (answer?.status === 200) keep(actor.tenant, answer.body);
        if (answer && answer.status < 500 && answer.body.status !== 'pending') return answer.status;
        if (attempt === 20 || stopped) return answer?.status ?? 0;
        await delay(200);
      }
    },
    async batch(actor) {
      const inputs = [text(), text(), text()].map((Text) => ({ Text, Targets: [{ Language: 'de' }] }));
      counter += 1;
      const { status, body } = await submit(actor, { inputs }, { 'idempotency-key': `batch-${counter}` });
      if (status === 200) for (const job of body.jobs ?? body) keep(actor.tenant, job);
      return status;
    },
    async file({ tenant }) {
      const form = new FormData();
      form.set('target_lang', 'de');
      form.set('source_document', new Blob([text()], { type: 'text/plain' }), 'note.txt');
      const response = await app.request(PATH, { method: 'POST', headers: tenant.headers, body: form });
      const body = (await response.json()) as { id: string; status: string }[] & {
        id: string;
        status: string;
      };
      if (response.status === 200) for (const job of [body].flat()) keep(tenant, job);
      return response.status;
    },
    async document({ tenant }) {
      counter += 1;
      const texts = Array.from({ length: 1 + Math.floor(random() * 100) }, text);
      return sendDocument(app, answers.documents, tenant, { key: counter, texts, isStopped: () => stopped });
    },
    download: ({ tenant }) => downloadDocument(app, answers.documents, tenant),
    approveDocument: ({ tenant }) => approveDocument(app, answers.documents, tenant),
    removeDocument: ({ tenant }) => deleteDocument(app, answers.documents, tenant),
    async review(actor) {
      const asked = { source_text: text(), target_lang: 'de', metadata: { sensitive: true } };
      const made = await submit(actor, asked);
      if (made.status !== 200) return made.status;
      keep(actor.tenant, made.body);
      const { status, body } = await app.json('POST', `${PATH}/${made.body.id}/review`, {
        headers: actor.tenant.headers,
        body: { action: 'approve' },
      });
      if (status === 200 && body.status !== 'published') answers.wrong.push(`approved and ${body.status}`);
      return status;
    },
    async remove(actor) {
      const id = anyJob(actor);
      if (!id) return 0;
      answers.deleting.add(id);
      answers.jobs.delete(id);
      const headers = { authorization: `Bearer ${actor.tenant.accessToken}` };
      const { status } = await app.json('DELETE', `${PATH}/${id}`, { headers });
      if (status === 200) answers.deleted.add(id);
      return status;
    },
    async read(actor) {
      const id = anyJob(actor);
      if (!id) return 0;
      const { status } = await app.json('GET', `${PATH}/${id}`, { headers: actor.tenant.headers });
      if (status === 404 && !answers.deleting.has(id)) answers.wrong.push(`job ${id} is gone`);
      return status;
    },
    async golden(actor) {
      const id = anyJob(actor);
      if (!id) return 0;
      const format = pick(['txt', 'docx'], random);
      const response = await app.request(`${PATH}/${id}/golden?format=${format}`, {
        headers: actor.tenant.headers,
      });
      await response.arrayBuffer();
      return response.status;
    },
    async memory({ tenant }) {
      counter += 1;
      const inBackground = random() < 0.5;
      const units = Array.from({ length: inBackground ? 120 : 10 }, (_, n): [string, string] => [
        `Unit ${n} of memory ${counter}`,
        `Einheit ${n} des Speichers ${counter}`,
      ]);
      const sets = setsOf(app as never, tenant.headers);
      const fields = { name: `Memory ${counter}`, target_lang: 'de' };
      const { status, body } = await sets.importFile(tmx(units, 'en', 'de'), fields);
      if (status === 200) answers.memories.set(body.id, tenant);
      if (status === 202) answers.imports.set(body.job.id, tenant);
      return status;
    },
    async glossary({ tenant }) {
      counter += 1;
      const sets = setsOf(app as never, tenant.headers);
      const csv = `source,target\nterm ${counter},Begriff ${counter}`;
      const { status, body } = await sets.uploadFile(csv, { name: `Glossary ${counter}` });
      if (status === 200) answers.glossaries.set(body.id, tenant);
      return status;
    },
    async removeGlossary({ tenant }) {
      const id = [...answers.glossaries].find(([, owner]) => owner === tenant)?.[0];
      if (!id) return 0;
      answers.glossaries.delete(id);
      return (await setsOf(app as never, tenant.headers).removeGlossary(id)).status;
    },
    async session(actor) {
      const { refreshToken } = actor;
      // If the response to a refresh is lost, the client signs in again.
      actor.refreshToken = undefined;
      const body = refreshToken
        ? { grant_type: 'refresh_token', refresh_token: refreshToken }
        : { grant_type: 'password', username: actor.email, password };
      const answer = await app.json('POST', '/api/oauth2/token', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(body as Record<string, string>).toString(),
      });
      if (answer.status === 200) actor.refreshToken = answer.body.refresh_token;
      else if (answer.status === 401) answers.wrong.push(`${body.grant_type}: 401`);
      return answer.status;
    },
    async export({ tenant }) {
      const id = [...answers.memories].find(([, owner]) => owner === tenant)?.[0];
      const path = id ? `/api/tm/${id}/export` : `/api/tenants/${tenant.tenantId}/billing/export`;
      const headers = { authorization: `Bearer ${tenant.accessToken}` };
      const response = await app.request(path, { headers });
      await response.arrayBuffer();
      return response.status;
    },
  };
  /** Relative frequencies. */
  const weighted = Object.keys(kinds).flatMap((kind) =>
    Array.from({ length: ['text', 'keyed', 'read'].includes(kind) ? 4 : 1 }, () => kind),
  );

  const client = async () => {
    while (!stopped) {
      const kind = pick(weighted, random);
      // An actor has only one session, so each actor is used by one client at a time.
      const actor = pick(actors, random);
      if (kind === 'session' && busy.has(actor)) continue;
      if (kind === 'session') busy.add(actor);
      try {
        heard(kind, await kinds[kind]!(actor));
      } catch {
        heard(kind, 'unanswered');
        await delay(50);
      } finally {
        if (kind === 'session') busy.delete(actor);
      }
    }
  };
  const busy = new Set<Actor>();
  const running = Array.from({ length: clients }, client);

  return {
    answers,
    tenants: [...actors.map(({ tenant }) => tenant), probe],
    /** Whether a text is currently translated. */
    async isServed(): Promise<boolean> {
      counter += 1;
      const asked = { source_text: `${pick(sentences, random)} (${counter})`, target_lang: 'de' };
      const answer = await app
        .json('POST', PATH, { headers: probe.headers, body: asked })
        .catch(() => undefined);
      if (answer?.status !== 200) return false;
      keep(probe, answer.body);
      return true;
    },
    probe,
    async stop(): Promise<void> {
      stopped = true;
      await Promise.all(running);
    },
  };
}

export type Load = Awaited<ReturnType<typeof startLoad>>;
