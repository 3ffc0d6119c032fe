import type { WorkspaceEvent } from './types.ts';

/** A request that a receiver of webhooks has got, as the framework of the receiver represents it. */
export interface WebhookRequest {
  /** The headers, as `Headers` or as an object. The names may be in any letter case. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body exactly as received. A body that was parsed and written again has another signature. */
  body: string | Uint8Array;
}

/** An event that the relay has delivered. */
export interface Webhook {
  /** The ID of the event. The relay may deliver an event again, with the same ID. */
  id: string;
  /** The type of the event, such as `review.approved`. */
  type: WorkspaceEvent['type'];
  /** When the event happened, as an ISO 8601 time. */
  timestamp: string;
  /** The resource that has changed, and its status at that time. */
  data: Pick<WorkspaceEvent, 'id' | 'resource' | 'resource_id' | 'status'>;
}

/** The request is not signed with one of the secrets, or it is too old. Respond with 401, and do not use its body. */
export class WebhookError extends Error {
  static {
    WebhookError.prototype.name = 'WebhookError';
  }
}

/** The options of `verifyWebhook`. */
export interface WebhookOptions {
  /** The maximum number of seconds between the time of the request and now. Default: 300. */
  toleranceSeconds?: number;
}

/**
 * Verifies a request of the relay (`lingualoop relay`), and returns its event. Other programs that follow Standard
 * Webhooks (https://www.standardwebhooks.com) are verified in the same way. Works wherever Web Crypto exists.
 *
 * @param secrets the secrets of the destination, each with `whsec_`; one of them has to match
 * @throws WebhookError
 */
export async function verifyWebhook(
  { headers, body }: WebhookRequest,
  secrets: string | readonly string[],
  { toleranceSeconds = 300 }: WebhookOptions = {},
): Promise<Webhook> {
  const header = (name: string): string => {
    const value =
      headers instanceof Headers
        ? headers.get(name)
        : Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
    if (typeof value !== 'string' || value === '') throw new WebhookError(`the header ${name} is missing`);
    return value;
  };
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    header(`webhook-${name}`),
  ) as [string, string, string];
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(age <= toleranceSeconds))
    throw new WebhookError(`the time of the request is not within ${toleranceSeconds} s of now`);
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const secret of [secrets].flat()) {
    const key = await importKey(secret);
    for (const signature of signatures.split(' ')) {
      const sent = signature.startsWith('v1,') ? bytesOf(signature.slice(3)) : undefined;
      if (sent && (await crypto.subtle.verify('HMAC', key, sent, signed)))
        return { ...(JSON.parse(text) as Omit<Webhook, 'id'>), id };
    }
  }
  throw new WebhookError('no signature of the request matches a secret');
}

function importKey(secret: string) {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length < 24)
    throw new TypeError('a secret must be whsec_ and the base64 of at least 24 bytes');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

/** Decodes base64; undefined if it is not valid. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
