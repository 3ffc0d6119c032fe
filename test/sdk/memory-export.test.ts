import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { ConnectionError, type MemoryExport, TimeoutError } from '#sdk/index.ts';
import { serveDownloads } from './download-server.ts';

const headers = {
  'content-type': 'application/xml; charset=utf-8',
  'content-disposition': 'attachment; filename="UI_.tmx"; filename*=UTF-8\'\'UI%E2%80%A6.tmx',
};
const file = '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4"><body>é</body>\n</tmx>\n';

type Answer = (response: ServerResponse) => void;
const whole =
  (body: string): Answer =>
  (response) =>
    void response.writeHead(200, headers).end(body);
const cut =
  (body: string): Answer =>
  (response) => {
    response.writeHead(200, headers);
    response.flushHeaders();
    if (body === '') setImmediate(() => response.destroy());
    else response.write(body, () => response.destroy());
  };
/** As HTTP/1.0 sends it: the end of the connection is the end of the response. */
const untold =
  (body: string): Answer =>
  (response) => {
    response.useChunkedEncodingByDefault = false;
    whole(body)(response);
  };
const endless: Answer = (response) => {
  response.writeHead(200, headers);
  const fill = () => {
    while (!response.destroyed && response.write('<tu/>'.repeat(5000)));
  };
  response.on('drain', fill);
  fill();
};

/** The three ways to read it. */
const ways: [string, (opened: MemoryExport) => Promise<string>][] = [
  [
    'piece by piece',
    async (opened) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of opened) pieces.push(piece);
      return Buffer.concat(pieces).toString();
    },
  ],
  ['as a stream', ({ body }) => new Response(body).text()],
  ['whole', async (opened) => Buffer.from(await opened.bytes()).toString()],
];

describe.each(ways)('an export that is read %s', (_, read) => {
  test('is the file, under its name', async () => {
    const { client } = await serveDownloads([whole(file)]);
    const opened = await client.memory.export('a/b');
    expect(opened).toMatchObject({ fileName: 'UI….tmx', contentType: 'application/xml; charset=utf-8' });
    expect(await read(opened)).toBe(file);
  });

  test.each<[string, Answer]>([
    ['the connection breaks', cut(file.slice(0, -20))],
    ['between two units, and nothing tells', untold(file.slice(0, file.indexOf('</tmx>')))],
    ['within the last tag', untold(file.slice(0, -2))],
    ['before anything', untold('')],
  ])('and is truncated is an error: %s', async (_, answer) => {
    const { client, asked } = await serveDownloads([answer]);
    const opened = await client.memory.export('1');
    const error = await read(opened).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toMatch(/^memory\.export: incomplete response: /);
    expect(asked()).toBe(1);
  });

  test('and stalls is a TimeoutError', async () => {
    const { client, hungUp } = await serveDownloads([
      (response) => void response.writeHead(200, headers).write(file.slice(0, 30)),
    ]);
    const opened = await client.memory.export('1', { timeout: 30 });
    const error = await read(opened).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error.message).toBe('memory.export: no further data within 30 ms');
    await hungUp;
  });

  test('is read once', async () => {
    const { client } = await serveDownloads([whole(file)]);
    const opened = await client.memory.export('1');
    await read(opened);
    for (const [, again] of ways)
      await expect((async () => again(opened))()).rejects.toBeInstanceOf(TypeError);
  });
});

test('the end is found however the response is cut into pieces', async () => {
  const { client } = await serveDownloads([
    (response) => {
      response.writeHead(200, headers);
      const send = ([first, ...others]: string[]) => {
        if (first === undefined) response.end();
        else response.write(first, () => setImmediate(send, others));
      };
      send([file.slice(0, -9), ...file.slice(-9)]);
    },
  ]);
  expect(Buffer.from(await (await client.memory.export('1')).bytes()).toString()).toBe(file);
});

test('leaving the loop ends the download', async () => {
  const { client, hungUp, asked } = await serveDownloads([endless]);
  for await (const piece of await client.memory.exportGolden({ source_lang: 'en', target_lang: 'fr' }))
    if (piece.length > 0) break;
  await hungUp;
  expect(asked()).toBe(1);
});

test('a failure before the first piece is retried', async () => {
  const { client, asked } = await serveDownloads([
    (response) =>
      void response.writeHead(429, { 'retry-after': '0' }).end('{"detail":"wait","request_id":"1"}'),
    cut(''),
    whole(file),
  ]);
  expect(await (await client.memory.export('1')).bytes()).toHaveLength(Buffer.byteLength(file));
  expect(asked()).toBe(3);
});

test.each([
  ['another type', { ...headers, 'content-type': 'text/html' }],
  ['no attachment', { 'content-type': 'application/xml' }],
])('a response that is not a download is an error: %s', async (_, answered) => {
  const { client } = await serveDownloads([(response) => void response.writeHead(200, answered).end(file)]);
  await expect(client.memory.export('1')).rejects.toMatchObject({ status: 200, answeredBy: 'other' });
});

test('addresses are escaped, and a file without a name gets one', async () => {
  const seen: string[] = [];
  const fetch = async (url: string) => {
    seen.push(url);
    const unnamed = { ...headers, 'content-disposition': 'attachment' };
    return new Response(file, { headers: unnamed });
  };
  const { client } = await serveDownloads([whole(file)], { baseUrl: 'http://x', fetch });
  expect((await client.memory.export('a/b')).fileName).toBe('memory.tmx');
  const golden = await client.memory.exportGolden({ source_lang: 'en&', target_lang: 'fr' });
  expect(golden.fileName).toBe('golden-approved.tmx');
  expect(seen).toEqual([
    'http://x/api/tm/a%2Fb/export',
    'http://x/api/tm/export/golden?source_lang=en%26&target_lang=fr',
  ]);
});
