import { getEventListeners } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ConnectionError, LinguaLoop, TimeoutError } from '#sdk/index.ts';
import { begin, cut, endless, headers, lines, serveDownloads, whole } from './download-server.ts';

/** The jobs that a loop over the records came to, and what it threw. */
async function walk(client: LinguaLoop, options = {}): Promise<{ jobs: string[]; error: unknown }> {
  const jobs: string[] = [];
  try {
    for await (const { job_id } of client.usage.records('t', {}, options)) jobs.push(job_id);
    return { jobs, error: undefined };
  } catch (error) {
    return { jobs, error };
  }
}

describe('a truncated export never looks complete', () => {
  const bytes = new TextEncoder().encode(lines(1, 3));
  const inLetter = bytes.lastIndexOf(0xc3) + 1;

  test.each<[string, string | Uint8Array, number]>([
    ['between two records', lines(1, 3), 3],
    ['within a record', lines(1, 3).slice(0, -5), 2],
    ['within a letter', bytes.slice(0, inLetter), 2],
  ])('%s', async (_, sent, complete) => {
    const { client, asked } = await serveDownloads([cut(sent)]);
    const { jobs, error } = await walk(client);
    expect(jobs).toEqual(['é1', 'é2', 'é3'].slice(0, complete));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ status: null, maybeSent: true });
    expect((error as Error).message).toMatch(/^usage\.records: incomplete response: /);
    // Records that the caller already has would be repeated.
    expect(asked()).toBe(1);
  });

  test('not even if closing the connection ends the response, as in HTTP/1.0', async () => {
    const { client } = await serveDownloads([
      (response) => {
        response.useChunkedEncodingByDefault = false;
        whole(lines(1, 3).slice(0, -1))(response);
      },
    ]);
    const { jobs, error } = await walk(client);
    expect(jobs).toEqual(['é1', 'é2']);
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as Error).message).toContain('the last record is incomplete');
  });

  test('nor does a file: its stream errors', async () => {
    const { client, asked } = await serveDownloads([cut(lines(1, 3))]);
    const { body, fileName } = await client.usage.export('t', { format: 'jsonl' });
    expect(fileName).toBe('usage.jsonl');
    await expect(new Response(body).text()).rejects.toBeInstanceOf(ConnectionError);
    expect(asked()).toBe(1);
  });
});

describe('retries', () => {
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

  test('the call sets how often', async () => {
    const { client, asked } = await serveDownloads([cut('')]);
    const { error } = await walk(client, { maxRetries: 1 });
    expect(error).toBeInstanceOf(ConnectionError);
    await expect(client.usage.export('t', {}, { maxRetries: 0 })).rejects.toBeInstanceOf(ConnectionError);
    expect(asked()).toBe(3);
  });
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

  test('so is a file that does', async () => {
    const { client, hungUp } = await serveDownloads([begin(lines(1, 2))]);
    const { body } = await client.usage.export('t', { format: 'jsonl' }, { timeout: 30 });
    const error = await new Response(body).text().catch((thrown) => thrown);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error.message).toBe('usage.export: no further data within 30 ms');
    await hungUp;
  });

  test('one that never begins is one too, after retries', async () => {
    const { client, asked } = await serveDownloads([() => {}]);
    const { error } = await walk(client, { timeout: 20 });
    expect((error as Error).message).toBe('usage.records: no response within 20 ms');
    expect(asked()).toBe(3);
  });

  test('one that begins after the timeout is closed, even if `fetch` ignored its signal', async () => {
    const source = controlled();
    const client = new LinguaLoop({ baseUrl: 'http://x', fetch: source.fetch, maxRetries: 0 });
    const { error } = await walk(client, { timeout: 1 });
    expect(error).toBeInstanceOf(TimeoutError);
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

  test('neither of a file', async () => {
    const source = controlled();
    const client = new LinguaLoop({ baseUrl: 'http://x', fetch: source.fetch });
    source.send(lines(1, 2), lines(3, 4), lines(5, 6));
    const { body } = await client.usage.export('t', { format: 'jsonl' });
    await new Promise(setImmediate);
    // The one that it was opened with: until then it might have been tried again.
    expect(source.taken()).toBe(1);
    const reader = body.getReader();
    await reader.read();
    await reader.read();
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

  test('by throwing in it', async () => {
    const { client, hungUp } = await serveDownloads([endless]);
    const reason = new Error('mine');
    const failing = async () => {
      for await (const _ of client.usage.records('t')) throw reason;
    };
    await expect(failing()).rejects.toBe(reason);
    await hungUp;
  });

  test('by cancelling a file, read or not', async () => {
    for (const pieces of [0, 1]) {
      const { client, hungUp } = await serveDownloads([endless]);
      const reader = (await client.usage.export('t', { format: 'jsonl' })).body.getReader();
      for (let read = 0; read < pieces; read++) await reader.read();
      await reader.cancel();
      await hungUp;
    }
  });

  test('by the signal, while waiting for a piece', async () => {
    const { client, hungUp } = await serveDownloads([begin(lines(1, 1))]);
    const controller = new AbortController();
    const jobs = client.usage.records('t', {}, { signal: controller.signal })[Symbol.asyncIterator]();
    await jobs.next();
    const waiting = jobs.next();
    controller.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    await hungUp;
  });

  test('by the signal, while not waiting: at once', async () => {
    const { client, hungUp } = await serveDownloads([endless]);
    const controller = new AbortController();
    const jobs = client.usage.records('t', {}, { signal: controller.signal })[Symbol.asyncIterator]();
    await jobs.next();
    controller.abort('enough');
    await hungUp;
    const rest = async () => {
      while (!(await jobs.next()).done);
    };
    await expect(rest()).rejects.toBe('enough');
  });

  test('so does a file', async () => {
    const { client, hungUp } = await serveDownloads([endless]);
    const controller = new AbortController();
    const { signal } = controller;
    const { body } = await client.usage.export('t', { format: 'jsonl' }, { signal });
    controller.abort('enough');
    await hungUp;
    await expect(new Response(body).text()).rejects.toBe('enough');
  });

  test('no listener outlives it', async () => {
    const { client } = await serveDownloads([
      whole(lines(1, 3)),
      whole(lines(1, 3)),
      endless,
      cut(lines(1, 1)),
    ]);
    const { signal } = new AbortController();
    const { body } = await client.usage.export('t', { format: 'jsonl' }, { signal });
    await new Response(body).text();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await walk(client, { signal });
    for await (const _ of client.usage.records('t', {}, { signal })) break;
    await walk(client, { signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

/** A `fetch` whose one response is sent piece by piece as the test says, and which reports how much of it was read. */
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
