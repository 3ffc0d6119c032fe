import { expect } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { workbook } from '#test/factories/workbook.ts';
import {
  addDocument,
  addGlossary,
  addMemory,
  approvePair,
  type Enrolled,
  type Fields,
  type Headers,
  invite,
  operator,
  type Person,
  type Server,
  signUpFounder,
  submit,
  submitHeld,
  withAuthenticator,
} from '#test/factories.ts';

/** A workspace that contains data of all kinds. Its jobs do not change while the tests run. */
export interface Populated {
  founder: Enrolled;
  /** The values of each path parameter. */
  ids: Record<string, string[]>;
}

/** Creates the data of a workspace over HTTP. */
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
  await addAnalysis(server, founder.bearer);
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

/** Creates an analysis with a file, which is not counted. Returns their IDs. */
export async function addAnalysis(server: Server, headers: Headers): Promise<{ id: string; fileId: string }> {
  const call = async (path: string, input: Fields) => {
    const answer = await viaRpc(server, { path: `analyses.${path}`, type: 'mutation' }, { input, headers });
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const { id: analysis_id } = await call('create', { target_langs: ['fr'] });
  const content = Buffer.from(workbook('Hello')).toString('base64');
  const { files } = await call('addFile', { analysis_id, file_name: 'a.xlsx', content });
  return { id: analysis_id, fileId: files[0].id };
}

async function review(server: Server, { bearer: headers }: Person, job: string, body: object): Promise<void> {
  const { status } = await server.json('POST', `/api/translations/${job}/review`, { headers, body });
  expect(status).toBe(200);
}

/**
 * The responses to all GET operations in the OpenAPI document, with all IDs. The callers are the founder, the
 * workspace's key and the operator.
 */
export async function answersOf(
  server: Server,
  { founder, ids }: Populated,
): Promise<Record<string, unknown>> {
  const { body: document } = await server.json('GET', '/openapi.json');
  const answers: Record<string, unknown> = {};
  const callers = [
    { name: 'founder', headers: founder.bearer, query: '' },
    { name: 'key', headers: founder.key, query: '' },
    // Restricted to this workspace, because another workspace changes during the tests.
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

/**
 * The URLs of a path with each ID as parameter, including all formats and queries that change the content of the
 * response.
 */
function addresses(path: string, ids: Record<string, string[]>): string[] {
  const parameter = /\{(\w+)\}/.exec(path);
  if (parameter)
    return (ids[parameter[1] ?? ''] ?? []).flatMap((id) => addresses(path.replace(parameter[0], id), ids));
  if (path.endsWith('/golden') && path.startsWith('/api/translations'))
    return ['txt', 'docx'].map((format) => `${path}?format=${format}`);
  if (path === '/api/tm/export/golden') return [`${path}?source_lang=en&target_lang=fr`];
  return [path];
}

/** Removes the request ID, and the time at which an export was created. */
function withoutTime(text: string): string {
  return text.replaceAll(/"request_id":"\w+"|creationdate="\w+"/g, '');
}
