import { expect } from 'vitest';
import {
  addDocument,
  addGlossary,
  addMemory,
  approvePair,
  type Enrolled,
  invite,
  operator,
  type Person,
  type Server,
  signUpFounder,
  submit,
  submitHeld,
  withAuthenticator,
} from '#test/factories.ts';

/** A workspace with something of everything, whose jobs stand still. */
export interface Populated {
  founder: Enrolled;
  /** What a path's parameters may be. */
  ids: Record<string, string[]>;
}

/** Fills a workspace over HTTP. */
export async function populate(server: Server): Promise<Populated> {
  const founder = await withAuthenticator(server, await signUpFounder(server));
  const published = await submit(server, founder, { source_text: 'Grüße, 世界 \\N\t"quoted"\nsecond line' });
  const held = await submitHeld(server, founder);
  const rejected = await submitHeld(server, founder);
  await review(server, founder, rejected, { action: 'reject', reason: 'no' });
  await approvePair(server, founder);
  const glossary = await addGlossary(server, founder);
  const memory = await addMemory(server, founder);
  const document = await addDocument(server, founder);
  await invite(server, founder, { role: 'agent_id_developer' });
  return {
    founder,
    ids: {
      job_id: [published, held, rejected],
      document_id: [document],
      set_id: [memory],
      tenant_id: [founder.tenantId],
      glossary_id: [glossary],
      provider: ['oidc'],
    },
  };
}

async function review(server: Server, { bearer: headers }: Person, job: string, body: object): Promise<void> {
  const { status } = await server.json('POST', `/api/translations/${job}/review`, { headers, body });
  expect(status).toBe(200);
}

/** The answers of every GET operation of the OpenAPI document with every id, asked by the founder, by the workspace's key and by the operator. */
export async function answersOf(
  server: Server,
  { founder, ids }: Populated,
): Promise<Record<string, unknown>> {
  const { body: document } = await server.json('GET', '/openapi.json');
  const answers: Record<string, unknown> = {};
  const callers = [
    { name: 'founder', headers: founder.bearer, query: '' },
    { name: 'key', headers: founder.key, query: '' },
    // Of one workspace: another one is busy.
    { name: 'operator', headers: operator, query: `tenant_id=${founder.tenantId}` },
  ];
  for (const [path, operations] of Object.entries<object>(document.paths)) {
    if (!('get' in operations)) continue;
    for (const address of addresses(path, ids))
      for (const { name, headers, query } of callers) {
        const response = await server.request(`${address}${address.includes('?') ? '&' : '?'}${query}`, {
          headers,
        });
        const body = Buffer.from(await response.arrayBuffer());
        answers[`${name} ${address}`] = [response.status, withoutTime(body.toString('latin1'))];
      }
  }
  return answers;
}

/** The path with each id in place of its parameter; with the formats and queries that change what an answer is made of. */
function addresses(path: string, ids: Record<string, string[]>): string[] {
  const parameter = /\{(\w+)\}/.exec(path);
  if (parameter)
    return (ids[parameter[1] ?? ''] ?? []).flatMap((id) => addresses(path.replace(parameter[0], id), ids));
  if (path.endsWith('/golden') && path.startsWith('/api/translations'))
    return ['txt', 'docx'].map((format) => `${path}?format=${format}`);
  if (path === '/api/tm/export/golden') return [`${path}?source_lang=en&target_lang=fr`];
  return [path];
}

/** Without the id of the request, and the time at which an export was made. */
function withoutTime(text: string): string {
  return text.replaceAll(/"request_id":"\w+"|creationdate="\w+"/g, '');
}
