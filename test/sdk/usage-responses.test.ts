import { describe, expect, test } from 'vitest';
import { LinguaLoopError, type TenantUsageRecord } from '#sdk/index.ts';
import { headers, lines, serveDownloads, whole } from './download-server.ts';

/** The records that came, and what was thrown after them. */
async function recordsOf(...answers: Parameters<typeof serveDownloads>[0]) {
  const { client, asked, hungUp } = await serveDownloads(answers);
  const records: TenantUsageRecord[] = [];
  try {
    for await (const record of client.usage.records('t')) records.push(record);
    return { records, error: undefined, asked, hungUp };
  } catch (error) {
    return { records, error, asked, hungUp };
  }
}

const longest = 1_048_576;

describe('an invalid line is thrown, with its number, and ends the download', () => {
  test.each<[string, string | Uint8Array]>([
    ['no JSON', 'oops\n'],
    ['half of one', '{"job_id":"1",\n'],
    ['nothing', '\n'],
    ['null', 'null\n'],
    ['a list', '[]\n'],
    ['an error', '{"detail":"gone","request_id":"01a1"}\n'],
    ['of other types', '{"job_id":1,"billable_chars":"1"}\n'],
    ['no UTF-8', Buffer.from('{"job_id":"\xff","billable_chars":1}\n', 'latin1')],
    ['longer than any record', `${JSON.stringify({ job_id: 'x'.repeat(longest), billable_chars: 1 })}\n`],
  ])('%s', async (_, line) => {
    const before = new TextEncoder().encode(lines(1, 2));
    const wrong = typeof line === 'string' ? new TextEncoder().encode(line) : line;
    const after = new TextEncoder().encode(lines(3, 4));
    const { records, error, asked } = await recordsOf(whole(Buffer.concat([before, wrong, after])));
    // Invalid UTF-8 makes its piece unusable.
    expect(records.length).toBeLessThanOrEqual(2);
    expect(error).toBeInstanceOf(LinguaLoopError);
    expect(error).toMatchObject({ status: 200, requestId: '01a1', answeredBy: 'other' });
    expect((error as Error).message).toMatch(
      /^200 usage\.records: line [123] is not a usage record \(request 01a1\)$/,
    );
    expect(asked()).toBe(1);
  });

  test('the number is that of the line', async () => {
    const { records, error } = await recordsOf(whole(`${lines(1, 2)}oops\n`));
    expect(records).toHaveLength(2);
    expect((error as Error).message).toContain('line 3 is not a usage record');
  });

  test('an endless one does not fill the memory', async () => {
    let sent = 0;
    const { error, hungUp } = await recordsOf((response) => {
      response.writeHead(200, headers);
      const chunk = 'x'.repeat(65_536);
      const fill = () => {
        do sent += chunk.length;
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', fill);
      fill();
    });
    expect((error as Error).message).toContain('line 1 is not a usage record');
    await hungUp;
    // Data in transit counts, too.
    expect(sent).toBeLessThan(longest + 16 * 1_048_576);
  });
});

describe('a response that is not an export is an error, as of any other call', () => {
  test.each<[string, Record<string, string>, string]>([
    ['a page of a proxy', { 'content-type': 'text/html' }, '<h1>Sign in to the network</h1>'],
    ['records that are no attachment', { 'content-type': 'application/x-ndjson' }, lines(1, 1)],
    ['another type', { ...headers, 'content-type': 'application/json' }, '{"records":[]}'],
  ])('%s', async (_, answered, body) => {
    const { records, error } = await recordsOf(
      (response) => void response.writeHead(200, answered).end(body),
    );
    expect(records).toEqual([]);
    expect(error).toMatchObject({ status: 200, answeredBy: 'other' });
    expect((error as Error).message).toContain('a response that is not from LinguaLoop');
  });

  test('an empty one has no records', async () => {
    expect(await recordsOf(whole(''))).toMatchObject({ records: [], error: undefined });
  });
});
