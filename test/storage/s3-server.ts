import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { openS3, parseS3Url, type S3Bucket } from '#server/platform/stores/s3-store.ts';
import { serveHttp } from '#test/fakes/http-server.ts';

/** How a request fails: with a status, without a response, or after it was carried out. */
export interface S3Fault {
  method: string;
  /** Only requests for such keys. */
  key?: RegExp;
  how: 'cut' | 'cut_after' | 'hang' | number;
  times: number;
}

/** The credentials of the bucket. Tests put them into the environment. */
export const s3Credentials = { AWS_ACCESS_KEY_ID: 'test:tester', AWS_SECRET_ACCESS_KEY: 'testing' };

/** Opens a store by a URL of PLATFORM_STORAGE_URL, with short times. */
export function openByUrl(url: string) {
  Object.assign(process.env, s3Credentials);
  return openS3(parseS3Url(url) as S3Bucket, { response: 1500 });
}

/** Starts a server with the operations of the S3 API that the store uses, and one bucket: `bucket`. */
export async function startS3({ pageSize = 1000 } = {}) {
  const objects = new Map<string, { content: Buffer; at: Date }>();
  const requests: { method: string; key: string; headers: IncomingMessage['headers'] }[] = [];
  let fault: S3Fault | undefined;
  const { url: endpoint, close } = await serveHttp((request, response, body) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://s3');
    const [, bucket, ...parts] = pathname.split('/').map(decodeURIComponent);
    const key = parts.join('/');
    const method = key === '' ? 'LIST' : (request.method ?? '');
    requests.push({ method, key, headers: request.headers });
    const failing =
      fault && fault.times > 0 && fault.method === method && (fault.key?.test(key) ?? true)
        ? fault
        : undefined;
    if (failing) failing.times -= 1;
    if (failing?.how === 'hang') return;
    if (failing?.how === 'cut') return void request.socket.destroy();
    if (typeof failing?.how === 'number') return refuse(response, failing.how, 'SlowDown');
    if (!request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 Credential=test:tester/'))
      return refuse(response, 403, 'InvalidAccessKeyId');
    if (bucket !== 'bucket') return refuse(response, 404, 'NoSuchBucket');
    if (failing?.how === 'cut_after') response.end = () => response.destroy() as ServerResponse;
    if (method === 'LIST') return list(searchParams, response);
    const object = objects.get(key);
    if (method === 'PUT') {
      objects.set(key, { content: body, at: new Date() });
      return void response.writeHead(200, { etag: etagOf(body) }).end();
    }
    if (method === 'DELETE') {
      objects.delete(key);
      return void response.writeHead(204).end();
    }
    if (!object) return refuse(response, 404, 'NoSuchKey');
    const etag = etagOf(object.content);
    const wanted = request.headers['if-match'];
    if (wanted !== undefined && wanted !== etag) return refuse(response, 412, 'PreconditionFailed');
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
    const [from, to] = range ? [Number(range[1]), Number(range[2]) + 1] : [0, object.content.length];
    if (range && from >= object.content.length) return refuse(response, 416, 'InvalidRange');
    const content = object.content.subarray(from, to);
    response.writeHead(range ? 206 : 200, {
      ...{ etag, 'content-length': content.length, 'last-modified': object.at.toUTCString() },
    });
    response.end(method === 'HEAD' ? undefined : content);
  });
  const list = (query: URLSearchParams, response: ServerResponse) => {
    const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter')];
    const after = query.get('continuation-token') ?? '';
    const entries = new Set<string>();
    for (const key of [...objects.keys()].sort()) {
      if (!key.startsWith(prefix)) continue;
      const end = delimiter ? key.indexOf(delimiter, prefix.length) : -1;
      entries.add(end < 0 ? key : key.slice(0, end + 1));
    }
    const size = Math.min(pageSize, Number(query.get('max-keys') ?? 1000));
    const rest = [...entries].filter((entry) => entry > after);
    const page = rest.slice(0, size);
    const xml = page.map((entry) =>
      delimiter && entry.endsWith(delimiter)
        ? `<CommonPrefixes><Prefix>${entry}</Prefix></CommonPrefixes>`
        : `<Contents><Key>${entry}</Key></Contents>`,
    );
    const more = rest.length > size;
    const token = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    response
      .writeHead(200, { 'content-type': 'application/xml' })
      .end(`<ListBucketResult><IsTruncated>${more}</IsTruncated>${token}${xml.join('')}</ListBucketResult>`);
  };
  return {
    objects,
    requests,
    url: (folder = '') => `s3://bucket${folder}?endpoint=${endpoint}`,
    open: (folder = '') => openByUrl(`s3://bucket${folder}?endpoint=${endpoint}`),
    /** Makes the next requests of a method fail; without a fault, none. */
    fail(next?: S3Fault) {
      fault = next;
    },
    close,
  };
}

function etagOf(content: Buffer): string {
  return `"${createHash('md5').update(content).digest('hex')}"`;
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<Error><Code>${code}</Code><Message>${code} of the test server</Message></Error>`);
}
