import { getEventListeners } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ConnectionError, LinguaLoop, LinguaLoopError, type MemoryExport, TimeoutError } from '#sdk/index.ts';
import {
  type Answer,
  begin,
  cut,
  endless,
  headers,
  lines,
  serveDownloads,
  whole,
} from './download-server.ts';

/** Iterates over the usage records. Returns the jobs that the loop received, and the error that ended it. */
async function walk(client: LinguaLoop, options = {}): Promise<{ jobs: string[]; error: unknown }> {
  const jobs: string[] = [];
  try {
    for await (const { job_id } of client.usage.records('t', {}, options)) jobs.push(job_id);
    return { jobs, error: undefined };
  } catch (error) {
    return { jobs, error };
  }
}

const fileOf = async (client: LinguaLoop, options = {}) =>
  (await client.usage.export('t', { format: 'jsonl' }, options)).body;

/** Ends the response by closing the connection, as in HTTP/1.0. */
const closing =
  (answer: Answer): Answer =>
  (response) => {
    response.useChunkedEncodingByDefault = false;
    answer(response);
  };

describe('a truncated export is an error', () => {
  const bytes = new TextEncoder().encode(lines(1, 3));
  const brokenOff = /^usage\.records: incomplete response: /;

  test.each<[string, Answer, number, RegExp]>([
    ['between two records', cut(bytes), 3, brokenOff],
    ['within a letter', cut(bytes.slice(0, bytes.lastIndexOf(0xc3) + 1)), 2, brokenOff],
    [
      'without a sign of the connection',
      closing(whole(lines(1, 3).slice(0, -1))),
      2,
      /the last record is incomplete/,
    ],
  ])('%s', async (_, answer, complete, message) => {
    const { client, asked } = await serveDownloads([answer]);
    const { jobs, error } = await walk(client);
    expect(jobs).toEqual(['é1', 'é2', 'é3'].slice(0, complete));
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as Error).message).toMatch(message);
    // There is no retry, because it would repeat records that the caller has already received.
    expect(asked()).toBe(1);
  });

  test('as a file, too', async () => {
    const { client, asked } = await serveDownloads([cut(lines(1, 3))]);
    await expect(new Response(await fileOf(client)).text()).rejects.toBeInstanceOf(ConnectionError);
    expect(asked()).toBe(1);
  });
});

test('a failure before the first byte is retried', async () => {
  const saturated = JSON.stringify({ detail: 'wait', request_id: '01a1' });
  const { client, asked } = await serveDownloads([
    (response) => void response.writeHead(429, { 'retry-after': '0' }).end(saturated),
    cut(''),
    whole(lines(1, 3)),
  ]);
  expect(await walk(client)).toEqual({ jobs: ['é1', 'é2', 'é3'], error: undefined });
  expect(asked()).toBe(3);
});

describe('timeouts', () => {
  test('a download that stalls is a TimeoutError, and its connection is closed', async () => {
    const { client, asked, hungUp } = await serveDownloads([begin(lines(1, 2))]);
    const { jobs, error } = await walk(client, { timeout: 30 });
    expect(jobs).toEqual(['é1', 'é2']);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ call: 'usage.records', timeoutMs: 30 });
    expect((error as Error).message).toBe('usage.records: no further data within 30 ms');
    await hungUp;
    expect(asked()).toBe(1);
  });

  test('a download that begins after the timeout is closed, even if `fetch` ignored its signal', async () => {
    const source = controlled();
    const client = new LinguaLoop({ baseUrl: 'http://x', fetch: source.fetch, maxRetries: 0 });
    const { error } = await walk(client, { timeout: 1 });
    expect((error as Error).message).toBe('usage.records: no response within 1 ms');
    source.send(lines(1, 1));
    await expect.poll(() => source.cancelled()).toBe(true);
  });

  test('a moving download may take any time, and so may its reader', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const source = controlled();
    const client = new LinguaLoop({ baseUrl: 'http://x', fetch: source.fetch, timeout: 1000 });
    const records = client.usage.records('t')[Symbol.asyncIterator]();
    for (let n = 1; n <= 20; n++) {
      const next = records.next();
      await vi.advanceTimersByTimeAsync(999);
      source.send(lines(n, n));
      expect(await next).toMatchObject({ value: { job_id: `é${n}` } });
      await vi.advanceTimersByTimeAsync(5000);
    }
    const last = expect(records.next()).rejects.toBeInstanceOf(TimeoutError);
    await vi.advanceTimersByTimeAsync(1000);
    await last;
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('backpressure', () => {
  test('nothing is read before the consumer asks for it', async () => {
    const source = controlled();
    const client = new LinguaLoop({ baseUrl: 'http://x', fetch: source.fetch });
    source.send(lines(1, 2), lines(3, 4), lines(5, 6));
    const records = client.usage.records('t')[Symbol.asyncIterator]();
    for (const n of [1, 2, 3]) expect(await records.next()).toMatchObject({ value: { job_id: `é${n}` } });
    await new Promise(setImmediate);
    expect(source.taken()).toBe(2);
    await records.return?.();
    expect(source.cancelled()).toBe(true);
  });

  test('of a file only the first piece is read, until it is read', async () => {
    const source = controlled();
    const client = new LinguaLoop({ baseUrl: 'http://x', fetch: source.fetch });
    source.send(lines(1, 2), lines(3, 4), lines(5, 6));
    const reader = (await fileOf(client)).getReader();
    await new Promise(setImmediate);
    expect(source.taken()).toBe(1);
    for (let n = 0; n < 2; n++) await reader.read();
    await new Promise(setImmediate);
    expect(source.taken()).toBe(2);
    await reader.cancel();
    expect(source.cancelled()).toBe(true);
  });

  test('if `fetch` returns no stream, the whole is read at once', async () => {
    const fetch = async () => {
      const answer = new Response(lines(1, 3), { headers });
      const { status, ok } = answer;
      const [text, arrayBuffer] = [() => answer.text(), () => answer.arrayBuffer()];
      return { status, ok, headers: answer.headers, text, arrayBuffer };
    };
    const client = new LinguaLoop({ baseUrl: 'http://x', fetch });
    expect((await walk(client)).jobs).toEqual(['é1', 'é2', 'é3']);
  });
});

describe('stopping early ends the download', () => {
  test('by leaving the loop', async () => {
    const { client, hungUp, asked } = await serveDownloads([endless]);
    for await (const { job_id } of client.usage.records('t')) if (job_id === 'é3') break;
    await hungUp;
    expect(asked()).toBe(1);
  });

  test.each([0, 1])('by cancelling a file of which %i pieces were read', async (pieces) => {
    const { client, hungUp } = await serveDownloads([endless]);
    const reader = (await fileOf(client)).getReader();
    for (let read = 0; read < pieces; read++) await reader.read();
    await reader.cancel();
    await hungUp;
  });

  test('by the signal, while waiting for a piece or not', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const [waiting, idle, file] = [
      await serveDownloads([begin(lines(1, 1))]),
      await serveDownloads([endless]),
      await serveDownloads([endless]),
    ];
    const [one, other] = [waiting, idle].map(({ client }) =>
      client.usage.records('t', {}, { signal })[Symbol.asyncIterator](),
    );
    for (const records of [one, other]) await records!.next();
    const body = await fileOf(file.client, { signal });
    const next = one!.next();
    controller.abort('enough');
    await expect(next).rejects.toBe('enough');
    await Promise.all([waiting.hungUp, idle.hungUp, file.hungUp]);
    const rest = async () => {
      while (!(await other!.next()).done);
    };
    await expect(rest()).rejects.toBe('enough');
    await expect(new Response(body).text()).rejects.toBe('enough');
  });

  test('and leaves no listener, however it ended', async () => {
    const { client } = await serveDownloads([whole(lines(1, 3)), endless, cut(lines(1, 1))]);
    const { signal } = new AbortController();
    await new Response(await fileOf(client, { signal })).text();
    for await (const _ of client.usage.records('t', {}, { signal })) break;
    await walk(client, { signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('usage.records', () => {
  const longest = 1_048_576;

  test.each<[string, string | Uint8Array]>([
    ['is not JSON', 'oops\n'],
    ['is empty', '\n'],
    ['is an error', '{"detail":"gone","request_id":"01a1"}\n'],
    ['has other types', '{"job_id":1,"billable_chars":"1"}\n'],
    ['is longer than any record', `${JSON.stringify({ job_id: 'x'.repeat(longest), billable_chars: 1 })}\n`],
  ])('throws with the number of a line that %s', async (_, line) => {
    const { client, asked } = await serveDownloads([whole(`${lines(1, 2)}${line}${lines(3, 4)}`)]);
    const { jobs, error } = await walk(client);
    expect(jobs).toEqual(['é1', 'é2']);
    expect(error).toBeInstanceOf(LinguaLoopError);
    expect(error).toMatchObject({ status: 200, requestId: '01a1', answeredBy: 'other' });
    expect((error as Error).message).toBe('200 usage.records: line 3 is not a usage record (request 01a1)');
    expect(asked()).toBe(1);
  });

  test('throws if the export is not UTF-8', async () => {
    const { client } = await serveDownloads([whole(Buffer.from('{"job_id":"\xff"}\n', 'latin1'))]);
    expect((await walk(client)).error).toMatchObject({ answeredBy: 'other' });
  });

  test('does not fill the memory with an endless line', async () => {
    let sent = 0;
    const { client, hungUp } = await serveDownloads([
      (response) => {
        response.writeHead(200, headers);
        const chunk = 'x'.repeat(65_536);
        const fill = () => {
          do sent += chunk.length;
          while (!response.destroyed && response.write(chunk));
        };
        response.on('drain', fill);
        fill();
      },
    ]);
    const { error } = await walk(client);
    expect((error as Error).message).toContain('line 1 is not a usage record');
    await hungUp;
    // The sum includes data that was sent but not read.
    expect(sent).toBeLessThan(longest + 16 * 1_048_576);
  });

  test.each([
    ['no attachment', { 'content-type': 'application/x-ndjson' }],
    ['of another type', { ...headers, 'content-type': 'application/json' }],
  ])('rejects a response that is %s', async (_, answered) => {
    const { client } = await serveDownloads([
      (response) => void response.writeHead(200, answered).end(lines(1, 1)),
    ]);
    const { jobs, error } = await walk(client);
    expect(jobs).toEqual([]);
    expect((error as Error).message).toContain('a response that is not from LinguaLoop');
  });

  test('has no records if the export is empty', async () => {
    const { client } = await serveDownloads([whole('')]);
    expect(await walk(client)).toEqual({ jobs: [], error: undefined });
  });
});

describe('memory.export', () => {
  const tmxHeaders = {
    'content-type': 'application/xml; charset=utf-8',
    'content-disposition': 'attachment; filename="UI_.tmx"; filename*=UTF-8\'\'UI%E2%80%A6.tmx',
  };
  const file = '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4"><body>é</body>\n</tmx>\n';

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

  test.each(ways)('is read %s, once, under its name', async (_, read) => {
    const { client } = await serveDownloads([whole(file, tmxHeaders)]);
    const opened = await client.memory.export('a/b');
    expect(opened).toMatchObject({ fileName: 'UI….tmx', contentType: 'application/xml; charset=utf-8' });
    expect(await read(opened)).toBe(file);
    const [, , [, asBytes]] = ways as [unknown, unknown, (typeof ways)[number]];
    // The bytes are kept for a second call.
    for (const [, again] of ways)
      if (read === asBytes && again === asBytes) expect(await again(opened)).toBe(file);
      else await expect((async () => again(opened))()).rejects.toBeInstanceOf(TypeError);
  });

  test.each([
    ['between two units', file.slice(0, file.indexOf('</tmx>'))],
    ['within the last tag', file.slice(0, -2)],
    ['before anything', ''],
  ])('is an error if it ends %s, though no connection reports it', async (_, sent) => {
    const { client } = await serveDownloads([closing(whole(sent, tmxHeaders))]);
    const error = await (await client.memory.export('1')).bytes().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toMatch(/^memory\.export: incomplete response: /);
  });

  test('finds its end however the response is cut into pieces', async () => {
    const { client } = await serveDownloads([
      (response) => {
        response.writeHead(200, tmxHeaders);
        const send = ([first, ...others]: string[]) => {
          if (first === undefined) response.end();
          else response.write(first, () => setImmediate(send, others));
        };
        send([file.slice(0, -9), ...file.slice(-9)]);
      },
    ]);
    expect(Buffer.from(await (await client.memory.export('1')).bytes()).toString()).toBe(file);
  });

  test('escapes its address, and names a file without a name', async () => {
    const seen: string[] = [];
    const fetch = async (url: string) => {
      seen.push(url);
      return new Response(file, { headers: { ...tmxHeaders, 'content-disposition': 'attachment' } });
    };
    const { memory } = new LinguaLoop({ baseUrl: 'http://x', fetch });
    expect((await memory.export('a/b')).fileName).toBe('memory.tmx');
    const golden = await memory.exportGolden({ source_lang: 'en&', target_lang: 'fr' });
    expect(golden.fileName).toBe('golden-approved.tmx');
    expect(seen).toEqual([
      'http://x/api/tm/a%2Fb/export',
      'http://x/api/tm/export/golden?source_lang=en%26&target_lang=fr',
    ]);
  });
});

/**
 * A `fetch` function with one response. The test determines when each part of the body is sent, and can see how much of
 * it was read.
 */
function controlled() {
  const pieces: Uint8Array[] = [];
  let wake = () => {};
  let taken = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (pieces.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        taken += 1;
        controller.enqueue(pieces.shift() as Uint8Array);
      },
      cancel() {
        cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return {
    fetch: async () => new Response(body, { headers }),
    send(...texts: string[]) {
      pieces.push(...texts.map((text) => new TextEncoder().encode(text)));
      wake();
    },
    taken: () => taken,
    cancelled: () => cancelled,
  };
}
