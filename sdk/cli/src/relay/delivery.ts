import { createHmac } from 'node:crypto';
import type { WorkspaceEvent } from '../../../src/index.ts';
import type { Destination } from './config.ts';

/** The result of one request to a destination. */
export type Outcome =
  | { kind: 'delivered' }
  /** Trying again may help. `afterMs` is the time that the receiver asks for; 0 without one. */
  | { kind: 'temporary'; error: string; afterMs: number }
  /** Trying again does not help. */
  | { kind: 'permanent'; error: string };

/** The longest time that a receiver's Retry-After can delay the events of a job, in milliseconds. */
const maxRetryAfterMs = 3_600_000;

/**
 * Sends an event to a destination, once, as Standard Webhooks defines it (https://www.standardwebhooks.com). Redirects
 * are not followed: they could lead to a receiver that the configuration does not name.
 */
export async function deliver(
  destination: Destination,
  event: WorkspaceEvent,
  { baseUrl, now = Date.now() }: { baseUrl: string; now?: number },
): Promise<Outcome> {
  const body = bodyOf(destination, event, baseUrl);
  try {
    const response = await fetch(destination.url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'lingualoop-relay',
        ...signedHeaders(destination.secrets, event.id, Math.floor(now / 1000), body),
      },
      redirect: 'manual',
      signal: AbortSignal.timeout(destination.timeoutMs),
    });
    // The body is not needed, and may be long.
    await response.body?.cancel().catch(() => {});
    return outcomeOf(response.status, response.headers.get('retry-after'), now);
  } catch (error) {
    return { kind: 'temporary', error: describe(error), afterMs: 0 };
  }
}

function outcomeOf(status: number, retryAfter: string | null, now: number): Outcome {
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  const error = `the receiver returned ${status}`;
  if (status < 500 && ![408, 425, 429].includes(status)) return { kind: 'permanent', error };
  return { kind: 'temporary', error, afterMs: Math.min(millisecondsOf(retryAfter, now), maxRetryAfterMs) };
}

/** Reads a Retry-After header: seconds, or a time. */
function millisecondsOf(header: string | null, now: number): number {
  if (header === null) return 0;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const time = Date.parse(header);
  return Number.isNaN(time) ? 0 : Math.max(0, time - now);
}

/** The cause of a failed `fetch` is clearer than its message. The URL is not part of it. */
function describe(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === 'TimeoutError') return 'the receiver did not respond in time';
  return cause instanceof Error
    ? `${message}: ${(cause as NodeJS.ErrnoException).code ?? cause.name}`
    : message;
}

function bodyOf({ format }: Destination, event: WorkspaceEvent, baseUrl: string): string {
  if (format === 'slack') return JSON.stringify(slackMessage(event, baseUrl));
  const { id, type, resource, resource_id, status, occurred_at } = event;
  return JSON.stringify({ type, timestamp: occurred_at, data: { id, resource, resource_id, status } });
}

/**
 * The headers of Standard Webhooks, with one signature per secret.
 * @param timestamp seconds since 1970, the time of the request
 */
export function signedHeaders(
  secrets: readonly Uint8Array[],
  id: string,
  timestamp: number,
  body: string,
): Record<string, string> {
  const signatures = secrets.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  };
}

const pages: Record<WorkspaceEvent['resource'], (id: string) => string> = {
  translation: (id) => `/jobs/${id}`,
  document: (id) => `/app/edit/documents/${id}`,
  memory_import: () => '/app/memories',
};

/** Names of resources at the beginning of a message. */
const nouns: Record<WorkspaceEvent['resource'], string> = {
  translation: 'Translation',
  document: 'Document',
  memory_import: 'TM import',
};

/**
 * Returns the message of an event for an incoming webhook of Slack, with a link to its page.
 * @param baseUrl the URL of the service, without a slash at the end
 */
export function slackMessage(event: WorkspaceEvent, baseUrl: string): { text: string } {
  const { type, resource, resource_id: id } = event;
  const [kind, change] = type.split('.') as [string, string];
  const what = change.replaceAll('_', ' ');
  const link = `<${escapeText(baseUrl + pages[resource](encodeURIComponent(id)))}|${escapeText(id)}>`;
  const state = kind === 'review' ? `review ${what}` : what;
  return { text: `${nouns[resource]} ${link}: *${state}*` };
}

/** Escapes the three characters that have a meaning in messages of Slack. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
