import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '#test/fakes/http-server.ts';
import { type AccountKeys, authorize } from './data-lake-emulator/authorization.ts';
import { EmulatedFilesystem, Refused } from './data-lake-emulator/filesystem.ts';
import {
  type Answer,
  blobOperations,
  type Operation,
  operationOf,
  perform,
  permissions,
  plainHeaders,
} from './data-lake-emulator/operations.ts';

/** An account: the credentials that it accepts, and the names of its filesystems. */
export interface EmulatedAccount extends AccountKeys {
  filesystems: string[];
}

/** A request that the emulator has received. */
export interface SeenRequest {
  account: string;
  filesystem: string;
  path: string;
  /** Undefined if the emulator does not support the request. */
  operation: Operation | undefined;
  method: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  /** The status of the response; undefined while there is no response, and if the connection was cut. */
  status?: number;
}

/** Makes matching requests fail. Requests are counted from the time at which the rule is added. */
export interface FaultRule {
  operation?: Operation;
  path?: RegExp;
  account?: string;
  filesystem?: string;
  /** The number of matching requests that succeed first; 0 by default. */
  after?: number;
  /** The number of requests that fail after that; by default all. */
  times?: number;
  /**
   * The fault. A number: a response with this status. `timeout`: no response. `cut`, `cut_after`: the connection is cut
   * before or after the operation. `cut_body`: the response is cut within its body. `accept_only`: an append does not
   * become visible. `redirect`: a redirect to this URL.
   */
  how: number | 'timeout' | 'cut' | 'cut_after' | 'cut_body' | 'accept_only' | { redirect: string };
  /** Headers of the error response. */
  headers?: Record<string, string>;
  /** The message in the error response. */
  message?: string;
}

export interface DataLakeEmulator {
  /** For STORAGE_ENDPOINT_OVERRIDE. */
  url: string;
  /** Adds an account, or replaces the account with the same name. */
  addAccount(name: string, account: EmulatedAccount): void;
  addFilesystem(account: string, name: string): void;
  /** The content of all visible objects in a filesystem, by path. */
  files(account: string, filesystem: string): Map<string, Buffer>;
  /** Adds a rule. @returns a function that removes the rule */
  fail(rule: FaultRule): () => void;
  /** Removes all rules. */
  heal(): void;
  /** All requests, in the order of arrival. */
  requests: SeenRequest[];
  /** Open connections. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

export interface DataLakeEmulatorParts {
  /** The accounts by name. */
  accounts: Record<string, EmulatedAccount>;
  /** The number of entries on a page of a listing. */
  pageSize?: number;
  /** The duration of all leases, instead of the requested duration. */
  leaseMilliseconds?: number;
}

/**
 * Starts a local HTTP server with the operations of Azure Data Lake that `@azure/storage-file-datalake` uses for files.
 * It checks SAS tokens, Shared Key signatures and access tokens. The first part of the path selects the account.
 */
export async function startDataLake({
  accounts,
  pageSize = 5000,
  leaseMilliseconds,
}: DataLakeEmulatorParts): Promise<DataLakeEmulator> {
  const lakes = new Map<string, { keys: EmulatedAccount; filesystems: Map<string, EmulatedFilesystem> }>();
  const addFilesystem = (account: string, name: string) =>
    void lakes.get(account)?.filesystems.set(name, new EmulatedFilesystem(leaseMilliseconds));
  const addAccount = (name: string, keys: EmulatedAccount) => {
    lakes.set(name, { keys, filesystems: new Map() });
    for (const each of keys.filesystems) addFilesystem(name, each);
  };
  for (const [name, keys] of Object.entries(accounts)) addAccount(name, keys);
  const requests: SeenRequest[] = [];
  const rules = new Set<FaultRule & { seen: number }>();

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(incoming.url ?? '', 'http://emulator');
    const [, account = '', filesystem = '', ...parts] = url.pathname.split('/').map(decodeURIComponent);
    const seen: SeenRequest = {
      account,
      filesystem,
      path: parts.join('/'),
      operation: operationOf(incoming.method, url.searchParams, parts.join('/')),
      method: incoming.method ?? '',
      query: url.searchParams,
      headers: plainHeaders(incoming.headers),
    };
    requests.push(seen);
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const rule = dueRule(seen);
    const how = rule?.how;
    if (how === 'cut') return void response.destroy();
    if (how === 'timeout') return void (await sleep(60_000, undefined, { ref: false }));
    if (how === 'accept_only') seen.query.delete('flush');
    const signed = url.pathname.slice(account.length + 1);
    const answer = (rule && planned(rule, seen)) ?? answerTo(seen, signed, Buffer.concat(chunks));
    if (how === 'cut_after') return void response.destroy();
    seen.status = answer.status;
    const body = Buffer.from(answer.body ?? '');
    response.writeHead(answer.status, {
      'x-ms-request-id': 'emulated',
      'content-length': body.length,
      ...answer.headers,
    });
    if (how !== 'cut_body') return void response.end(seen.method === 'HEAD' ? undefined : body);
    response.write(body.subarray(0, body.length / 2), () => response.destroy());
  }

  function dueRule(seen: SeenRequest): (FaultRule & { seen: number }) | undefined {
    for (const rule of rules) {
      if (rule.operation && rule.operation !== seen.operation) continue;
      if (rule.account && rule.account !== seen.account) continue;
      if (rule.filesystem && rule.filesystem !== seen.filesystem) continue;
      if (rule.path && !rule.path.test(seen.path)) continue;
      rule.seen += 1;
      const { after = 0, times = Number.POSITIVE_INFINITY } = rule;
      if (rule.seen > after && rule.seen <= after + times) return rule;
    }
    return undefined;
  }

  /** The response that a rule determines; undefined if the operation is executed first and fails later. */
  function planned(rule: FaultRule, seen: SeenRequest): Answer | undefined {
    if (typeof rule.how === 'number')
      return refusal(seen, new Refused(rule.how, `Injected${rule.how}`, rule.message), rule.headers);
    if (typeof rule.how === 'object') return { status: 307, headers: { location: rule.how.redirect } };
    return undefined;
  }

  function answerTo(seen: SeenRequest, signed: string, body: Buffer): Answer {
    const { account, operation, path, query, headers } = seen;
    const lake = lakes.get(account);
    try {
      if (!lake) throw new Refused(404, 'AccountNotFound', 'The specified account does not exist.');
      if (!operation)
        throw new Refused(400, 'UnsupportedOperation', 'The emulator does not have this operation.');
      const presented = { method: seen.method, path: signed, query, headers };
      const denied = authorize(account, lake.keys, presented, permissions[operation]);
      if (denied) throw new Refused(denied.status, denied.code, denied.message);
      const filesystem = lake.filesystems.get(seen.filesystem);
      if (!filesystem)
        throw new Refused(404, 'FilesystemNotFound', 'The specified filesystem does not exist.');
      return perform(filesystem, { operation, path, query, headers, body }, pageSize);
    } catch (error) {
      if (error instanceof Refused) return refusal(seen, error);
      throw error;
    }
  }

  const { url, close } = await listen(server);
  return {
    url: `${url}/{account}`,
    addAccount,
    addFilesystem,
    files(account, filesystem) {
      const found = lakes.get(account)?.filesystems.get(filesystem);
      return new Map([...(found?.files ?? [])].map(([path, { content }]) => [path, content]));
    },
    fail(rule) {
      const added = { ...rule, seen: 0 };
      rules.add(added);
      return () => rules.delete(added);
    },
    heal: () => rules.clear(),
    requests,
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    close,
  };
}

function refusal(seen: SeenRequest, { status, code, message }: Refused, headers = {}): Answer {
  const said = `${message}\nRequestId:emulated\nTime:${new Date().toISOString()}`;
  const isBlob = seen.operation && blobOperations.has(seen.operation);
  return {
    status,
    headers: {
      'x-ms-error-code': code,
      'content-type': isBlob ? 'application/xml' : 'application/json',
      ...headers,
    },
    body: isBlob
      ? `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${said}</Message></Error>`
      : JSON.stringify({ error: { code, message: said } }),
  };
}
