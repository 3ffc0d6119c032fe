import type postgres from 'postgres';
import { importTmx, writeTmx } from '../memory/import.ts';
import { createBenchTenant } from '../service.ts';
import type { Deployment } from './deployment.ts';
import type { WorkspaceSizes } from './sizes.ts';

/** A workspace of a deployment for which requests are sent. */
export interface Workspace {
  deployment: Deployment;
  sizes: WorkspaceSizes;
  tenantId: string;
  apiKey: string;
  email: string;
  accessToken: string;
  /** Source texts of the TM from English into French. */
  sources: readonly string[];
  superuser: postgres.Sql;
  address(): string;
}

/** Creates a workspace, its TM and the jobs of which all others are copies, through the service. */
export async function createWorkspace(
  deployment: Deployment,
  sizes: WorkspaceSizes,
  sources: readonly string[],
): Promise<Workspace> {
  const { address, superuser } = deployment;
  const { tenantId, apiKey, email } = await createBenchTenant(address());
  const workspace = {
    deployment,
    sizes,
    tenantId,
    apiKey,
    email,
    accessToken: '',
    sources,
    superuser,
    address,
  };
  workspace.accessToken = await signIn(workspace);
  await importSets(workspace);
  await makeTemplates(workspace);
  return workspace;
}

async function signIn(workspace: Workspace): Promise<string> {
  const { access_token } = (await send(workspace, 'POST', '/api/oauth2/token', {
    form: { grant_type: 'password', username: workspace.email, password: 'a long enough passphrase' },
  })) as { access_token: string };
  return access_token;
}

/** Uploads the segments in `sizes.sets` files of equal length. */
async function importSets(workspace: Workspace): Promise<void> {
  const { sources, sizes } = workspace;
  const each = Math.ceil(sources.length / sizes.sets);
  for (let set = 0; set < sizes.sets; set++) {
    const pairs = sources.slice(set * each, (set + 1) * each).map((source, index) => ({
      source,
      target: `Phrase ${set}-${index} : ${source}`,
    }));
    const target = { ...workspace, address: workspace.address() };
    await importTmx(target, Buffer.from(writeTmx(pairs, 'en', 'fr')), { name: `set ${set}` });
  }
}

/** Creates 30 published jobs, 10 that await review, and the first approved translation into German. */
async function makeTemplates(workspace: Workspace): Promise<void> {
  const { sources } = workspace;
  for (let index = 0; index < 40; index++) {
    const length = 40 + ((index * 37) % 20) ** 2 * 3;
    const text = Array.from(
      { length: Math.ceil(length / 60) },
      (_, at) => sources[((index * 7 + at) % 90) % sources.length],
    );
    await send(workspace, 'POST', '/api/translations', {
      headers: { 'x-api-key': workspace.apiKey, 'idempotency-key': `template ${index}` },
      json: {
        source_text: `${index}. ${text.join(' ')}`.slice(0, length),
        source_lang: 'en',
        target_lang: 'it',
        metadata: { sensitive: index >= 30, project: `project ${index % 7}` },
      },
    });
  }
  // The TM does not store the output of the stub engine, but it stores a reviewer's text.
  const headers = { 'x-api-key': workspace.apiKey };
  const { id } = (await send(workspace, 'POST', '/api/translations', {
    headers,
    json: {
      source_text: 'The first approved text.',
      ...{ source_lang: 'en', target_lang: 'de', metadata: { sensitive: true } },
    },
  })) as { id: string };
  await send(workspace, 'POST', `/api/translations/${id}/review`, {
    headers,
    json: { action: 'modify', final_translation: 'Der erste freigegebene Text.' },
  });
}

/** Sends a request, and parses the JSON of the response. @throws Error if the request fails */
async function send(
  workspace: Workspace,
  method: string,
  path: string,
  options: { form?: Record<string, string>; json?: unknown; headers?: Record<string, string> },
): Promise<unknown> {
  const { form, json, headers } = options;
  const answer = await fetch(`${workspace.address()}${path}`, {
    method,
    headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(form && { body: new URLSearchParams(form) }),
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status} ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
