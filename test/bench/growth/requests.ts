import { createHash } from 'node:crypto';
import { writeCursor } from '#server/http/paging.ts';
import { operatorKey } from './deployment.ts';
import type { Workspace } from './workspace.ts';

/** A request to measure. It is created for each round. */
export interface Measured {
  name: string;
  /** The number of times that the request is sent to each workspace. */
  rounds: number;
  /** Returns the request of a round. */
  request(workspace: Workspace, turn: number): Sent | Promise<Sent>;
  /** A text that each response must contain. Without it, the benchmark would measure a different case. */
  contains?: string;
  /** If true, the time is measured only until the first bytes of the response's body. */
  firstByte?: boolean;
}

export interface Sent {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  json?: unknown;
  form?: Record<string, string>;
}

const key = ({ apiKey }: Workspace) => ({ 'x-api-key': apiKey });
const bearer = ({ accessToken }: Workspace) => ({ authorization: `Bearer ${accessToken}` });
const operator = { 'x-api-key': operatorKey };

const many = 41;
const few = 15;

const get = (
  name: string,
  path: string | ((workspace: Workspace, turn: number) => string),
  headers: (workspace: Workspace) => Record<string, string> = key,
): Measured => ({
  name,
  rounds: many,
  request: (workspace, turn) => ({
    path: typeof path === 'string' ? path : path(workspace, turn),
    headers: headers(workspace),
  }),
});

const list = (query: string) => get(`GET /api/translations?${query}`, `/api/translations?${query}`);

const withContent = (request: Measured, contains: string): Measured => ({ ...request, contains });

const submit = (
  name: string,
  text: (workspace: Workspace, turn: number) => { source_text: string; target_lang: string },
): Measured => ({
  name,
  rounds: many,
  request: (workspace, turn) => ({
    method: 'POST',
    path: '/api/translations',
    headers: key(workspace),
    json: { source_lang: 'en', ...text(workspace, turn) },
  }),
});

/** The source of an approved translation, as `fillGolden` creates it. */
const approvedSentence = (n: number) =>
  `Approved sentence number ${n} of the golden set says ${createHash('md5').update(String(n)).digest('hex')}.`;

const source = (workspace: Workspace, turn: number) =>
  workspace.sources[(turn * 7919) % workspace.sources.length] as string;

/** Minimum number of characters of a text that is still similar after a small change. */
const minNearLength = 25;

/** A text that is similar, but not equal, to a stored segment. */
export function nearSource(workspace: Workspace, turn: number): string {
  let text = source(workspace, turn);
  // One more character makes a short text too different.
  for (let next = turn + 1; text.length < minNearLength; next++) text = source(workspace, next);
  return `${text.slice(0, -1)} ${turn}${text.slice(-1)}`;
}

const statuses = [
  ...['published', 'human_edited', 'awaiting_review', 'rejected', 'failed'],
  ...['pending', 'approved', 'persistence_failed', 'translated'],
];

/** The ID of the `nth` job of the tenant in a status, the oldest first. */
async function jobOf({ superuser, tenantId }: Workspace, status: string, nth: number): Promise<string> {
  const [row] = await superuser<{ job_id: string }[]>`
    select job_id from translation_jobs where tenant_id = ${tenantId} and status = ${status} order by job_id offset ${nth} limit 1`;
  return row!.job_id;
}

/** A cursor in the middle of the tenant's jobs. */
function deepCursor({ deployment: { sizes } }: Workspace): string {
  const at = new Date(Date.now() - (sizes.months / 2) * 30 * 86_400_000).toISOString();
  return writeCursor({ updated_at: at, id: 'f'.repeat(32) });
}

const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
const month = () => day(40).slice(0, 7);

const searchInput = encodeURIComponent('{"json": {"statuses": ["pending", "approved"]}}');

export const measured: Measured[] = [
  list('limit=20'),
  get(
    'the same from a deep cursor',
    (workspace) => `/api/translations?limit=20&cursor=${deepCursor(workspace)}`,
  ),
  ...statuses.map((status) =>
    withContent(list(`limit=10&status=${status}`), status === 'translated' ? '[]' : `"status":"${status}"`),
  ),
  // Searches by text and counts are not measured: they read more if there are more jobs, up to a limit
  // (docs/decisions/0053), so a ratio would have no meaning.
  get('translations.search by two statuses', `/trpc/translations.search?input=${searchInput}`),
  {
    ...get('reviews.next', ''),
    request: (workspace) => ({
      method: 'POST',
      path: '/trpc/reviews.next',
      headers: bearer(workspace),
      json: { json: {} },
    }),
  },
  {
    ...get('GET /api/translations/{id}', ''),
    request: async (workspace, turn) => ({
      path: `/api/translations/${await jobOf(workspace, 'published', turn)}`,
      headers: key(workspace),
    }),
  },
  {
    ...get('GET /api/translations/{id}/golden', ''),
    request: async (workspace, turn) => ({
      path: `/api/translations/${await jobOf(workspace, 'published', turn)}/golden?format=txt`,
      headers: key(workspace),
    }),
  },
  submit('POST, nothing alike in the memory', (_side, turn) => ({
    source_text: `Plain ${turn} ${Math.random()}`,
    target_lang: 'it',
  })),
  {
    ...submit('POST, a replay by its key', () => ({ source_text: 'Hello', target_lang: 'it' })),
    request: (workspace, turn) => ({
      method: 'POST',
      path: '/api/translations',
      headers: { ...key(workspace), 'idempotency-key': `key ${50 + (turn % 40)}` },
      json: { source_text: 'Hello', source_lang: 'en', target_lang: 'it' },
    }),
  },
  withContent(
    submit('POST, exact match', (workspace, turn) => ({
      source_text: source(workspace, turn),
      target_lang: 'fr',
    })),
    'tm_exact',
  ),
  withContent(
    submit('POST, fuzzy matches', (workspace, turn) => ({
      source_text: nearSource(workspace, turn),
      target_lang: 'fr',
    })),
    'close_match',
  ),
  withContent(
    submit('POST, fuzzy matches among approved pairs', (_side, turn) => ({
      source_text: `${approvedSentence(1 + (turn % 90)).slice(0, -1)} ${turn}.`,
      target_lang: 'de',
    })),
    'close_match',
  ),
  {
    name: 'POST …/review, approve',
    // Each request uses up a job that awaits review, and the small workspace has only twenty of these.
    rounds: 6,
    request: async (workspace) => ({
      method: 'POST',
      path: `/api/translations/${await jobOf(workspace, 'awaiting_review', 0)}/review`,
      headers: key(workspace),
      json: { action: 'approve' },
    }),
  },
  get(
    'GET …/billing',
    (workspace) => `/api/tenants/${workspace.tenantId}/billing?limit=4&period=${month()}`,
    bearer,
  ),
  get('GET …/usage/daily, 30 days, own', `/api/tenants/usage/daily?from=${day(29)}&to=${day(0)}`, bearer),
  get(
    'the operator’s, 30 days, all tenants',
    `/api/tenants/usage/daily?from=${day(29)}&to=${day(0)}`,
    () => operator,
  ),
  get(
    'the operator’s, 365 days, all tenants',
    `/api/tenants/usage/daily?from=${day(364)}&to=${day(0)}`,
    () => operator,
  ),
  {
    ...get(
      'csv export, first byte',
      (workspace) => `/api/tenants/${workspace.tenantId}/billing/export?format=csv&period=${month()}`,
      bearer,
    ),
    firstByte: true,
  },
  get('GET /api/tm', '/api/tm'),
  {
    ...get('golden memory export, first byte', '/api/tm/export/golden?source_lang=en&target_lang=de'),
    firstByte: true,
  },
  get('GET /api/tm/imports', '/api/tm/imports'),
  get('GET /api/terminology', '/api/terminology'),
  get('GET …/invites', '/api/tenants/invites?limit=20', bearer),
  get('GET /api/auth/users', '/api/auth/users', bearer),
  get('GET /api/auth/me', '/api/auth/me', bearer),
  {
    name: 'POST /api/oauth2/introspect',
    rounds: many,
    request: (workspace) => ({
      method: 'POST',
      path: '/api/oauth2/introspect',
      headers: bearer(workspace),
      form: { token: workspace.accessToken },
    }),
  },
  get('the operator’s GET /api/tenants', '/api/tenants?limit=10', () => operator),
  {
    name: 'the operator deletes a job',
    rounds: few,
    request: async (workspace) => ({
      method: 'DELETE',
      path: `/api/translations/${await jobOf(workspace, 'published', 0)}`,
      headers: operator,
    }),
  },
  {
    name: 'sign-in by password',
    rounds: few,
    request: (workspace) => ({
      method: 'POST',
      path: '/api/oauth2/token',
      form: { grant_type: 'password', username: workspace.email, password: 'a long enough passphrase' },
    }),
  },
];
